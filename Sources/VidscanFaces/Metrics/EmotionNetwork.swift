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
        var luma = [Float](repeating: 0, count: area)
        var total = 0.0
        for index in 0..<area {
            luma[index] =
                0.299 * crop[index] + 0.587 * crop[index + area] + 0.114 * crop[index + 2 * area]
            total += Double(luma[index])
        }
        let mean = Float(total / Double(area))
        var squares = 0.0
        for index in 0..<area {
            luma[index] -= mean
            squares += Double(luma[index]) * Double(luma[index])
        }
        let scale = 1 / (Float((squares / Double(area)).squareRoot()) + floor)
        for index in 0..<area { luma[index] *= scale }
        return luma
    }

    /// A convolution with 3 × 3 taps, a stride of 2 and a border of zeros, followed by a rectifier.
    ///
    /// - Parameter input: Row by row, with the channels of a pixel side by side.
    private static func convolve(_ input: [Float], side: Int, _ layer: Layer) -> [Float] {
        let inputs = input.count / (side * side)
        let outputs = layer.bias.count
        let half = side / 2
        var result = [Float](repeating: 0, count: half * half * outputs)
        var terms: [Term] = []
        terms.reserveCapacity(9 * inputs)
        for row in 0..<half {
            for column in 0..<half {
                terms.removeAll(keepingCapacity: true)
                for tap in 0..<9 {
                    let (y, x) = (2 * row + tap / 3 - 1, 2 * column + tap % 3 - 1)
                    guard y >= 0, x >= 0, y < side, x < side else { continue }
                    let source = (y * side + x) * inputs
                    for channel in 0..<inputs where input[source + channel] != 0 {
                        terms.append(Term(value: input[source + channel], row: tap * inputs + channel))
                    }
                }
                sum(terms, layer, into: &result, at: (row * half + column) * outputs)
            }
        }
        rectify(&result)
        return result
    }

    private static func multiply(_ input: [Float], _ layer: Layer) -> [Float] {
        var result = [Float](repeating: 0, count: layer.bias.count)
        let terms = input.indices.filter { input[$0] != 0 }.map { Term(value: input[$0], row: $0) }
        sum(terms, layer, into: &result, at: 0)
        return result
    }

    /// A value that is not zero, which half of the values are after a rectifier, and its row of weights.
    private struct Term {
        var value: Float
        var row: Int
    }

    /// Adds the terms to the bias, eight outputs at a time, which stay in registers.
    private static func sum(
        _ terms: [Term], _ layer: Layer, into result: inout [Float], at offset: Int
    ) {
        let outputs = layer.bias.count
        let blocks = outputs / 8 * 8
        layer.weights.withUnsafeBufferPointer { weights in
            for first in stride(from: 0, to: blocks, by: 8) {
                var sums = SIMD8<Float>(layer.bias[first..<first + 8])
                for term in terms {
                    // A row has `outputs` weights, and the block ends within it.
                    let row = UnsafeRawPointer(
                        weights.baseAddress.unsafelyUnwrapped + (term.row * outputs + first))
                    sums += term.value * row.loadUnaligned(as: SIMD8<Float>.self)
                }
                for lane in 0..<8 { result[offset + first + lane] = sums[lane] }
            }
            for output in blocks..<outputs {
                result[offset + output] = terms.reduce(layer.bias[output]) {
                    $0 + $1.value * weights[$1.row * outputs + output]
                }
            }
        }
    }

    private static func rectify(_ values: inout [Float]) {
        for index in values.indices { values[index] = max(values[index], 0) }
    }
}
