internal import Glibc

/// A small convolutional network that tells from the pixels of a face which emotion people would name: it sees wrinkles
/// and shades that move no point of the mesh.
///
/// It is trained on the emotion labels of the reference pictures, and evaluated together with the mesh; the model card
/// beside the weights has the figures. Each layer adds its terms in a fixed order, so that the results do not depend on
/// the processor.
public struct EmotionNetwork: Sendable {
    /// The width and height of the input in pixels.
    public static let resolution = 64
    /// The number of values of the input: R', G' and B'.
    public static let inputCount = 3 * resolution * resolution

    struct Description: Decodable {
        /// The names of the convolutions' arrays. Each halves the width and the height.
        var convolutions: [String]
        /// The names of the arrays of the layers that follow.
        var dense: [String]
        /// What the outputs stand for.
        var emotions: [String]
        /// What is added to the standard deviation of the pixels by which they are divided.
        var floor: Float
        /// The evidence is clipped to ± this.
        var limit: Double
    }

    struct Layer: Sendable {
        /// For a convolution: 3 rows × 3 columns × inputs × outputs; otherwise inputs × outputs.
        var weights: [Float]
        var bias: [Float]
    }

    private let convolutions: [Layer]
    private let dense: [Layer]
    private let emotions: [String]
    private let floor: Float
    private let limit: Double

    init(_ description: Description, convolutions: [Layer], dense: [Layer]) {
        self.convolutions = convolutions
        self.dense = dense
        emotions = description.emotions
        floor = description.floor
        limit = description.limit
    }

    /// Returns the logarithm of the odds of each emotion against all others, clipped.
    ///
    /// - Parameter crop: R', G', B' in 0…255, shape 3 × 64 × 64, cut as ``EmotionCrop`` says.
    public func evidence(in crop: UnsafeBufferPointer<Float>) -> [String: Double] {
        precondition(crop.count == Self.inputCount, "the crop has 3 × 64 × 64 values")
        var values = normalized(crop)
        var side = Self.resolution
        for layer in convolutions {
            values = Self.convolve(values, side: side, layer)
            side /= 2
        }
        for (index, layer) in dense.enumerated() {
            values = Self.multiply(values, layer)
            if index < dense.count - 1 { Self.rectify(&values) }
        }
        let logits = values.map(Double.init)
        var evidence: [String: Double] = [:]
        for (index, name) in emotions.enumerated() {
            let others = logits.indices.filter { $0 != index }.map { logits[$0] }
            let highest = others.max() ?? 0
            let sum = others.reduce(0) { $0 + exp($1 - highest) }
            evidence[name] = min(max(logits[index] - highest - log(sum), -limit), limit)
        }
        return evidence
    }

    /// The luma with a mean of 0 and, unless the picture is flat, a deviation of 1: the exposure is no expression.
    private func normalized(_ crop: UnsafeBufferPointer<Float>) -> [Float] {
        let area = Self.resolution * Self.resolution
        var luma = (0..<area).map {
            0.299 * Double(crop[$0]) + 0.587 * Double(crop[$0 + area]) + 0.114 * Double(crop[$0 + 2 * area])
        }
        let mean = luma.reduce(0, +) / Double(area)
        for index in luma.indices { luma[index] -= mean }
        let variance = luma.reduce(0) { $0 + $1 * $1 } / Double(area)
        let scale = 1 / (variance.squareRoot() + Double(floor))
        return luma.map { Float($0 * scale) }
    }

    /// A convolution with 3 × 3 taps, a stride of 2 and a border of zeros, followed by a rectifier.
    ///
    /// - Parameter input: Row by row, with the channels of a pixel side by side.
    private static func convolve(_ input: [Float], side: Int, _ layer: Layer) -> [Float] {
        let inputs = input.count / (side * side)
        let outputs = layer.bias.count
        let half = side / 2
        var result: [Float] = []
        result.reserveCapacity(half * half * outputs)
        for _ in 0..<half * half { result += layer.bias }
        result.withUnsafeMutableBufferPointer { result in
            input.withUnsafeBufferPointer { input in
                layer.weights.withUnsafeBufferPointer { weights in
                    for row in 0..<half {
                        for column in 0..<half {
                            let target = (row * half + column) * outputs
                            for tap in 0..<9 {
                                let (y, x) = (2 * row + tap / 3 - 1, 2 * column + tap % 3 - 1)
                                guard y >= 0, x >= 0, y < side, x < side else { continue }
                                let source = (y * side + x) * inputs
                                for channel in 0..<inputs {
                                    let value = input[source + channel]
                                    // The rectifier leaves many zeros.
                                    if value == 0 { continue }
                                    let offset = (tap * inputs + channel) * outputs
                                    for output in 0..<outputs {
                                        result[target + output] += value * weights[offset + output]
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        rectify(&result)
        return result
    }

    private static func multiply(_ input: [Float], _ layer: Layer) -> [Float] {
        var result = layer.bias
        let outputs = result.count
        result.withUnsafeMutableBufferPointer { result in
            layer.weights.withUnsafeBufferPointer { weights in
                for (index, value) in input.enumerated() where value != 0 {
                    for output in 0..<outputs { result[output] += value * weights[index * outputs + output] }
                }
            }
        }
        return result
    }

    private static func rectify(_ values: inout [Float]) {
        for index in values.indices { values[index] = max(values[index], 0) }
    }
}
