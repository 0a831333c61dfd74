internal import CPixels
internal import Glibc
internal import VidscanBase

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

    fileprivate static let kernels = vs_best_kernels().pointee

    private let convolutions: [Layer]
    /// The input of each convolution, and the result of the last one.
    private let pictures: [ChannelPicture]
    private let dense: [Layer]
    private let emotions: [String]
    private let floor: Float
    private let limit: Double

    /// - Parameter convolutions: Each has a multiple of 8 outputs.
    init(_ description: Description, convolutions: [Layer], dense: [Layer]) {
        self.convolutions = convolutions
        pictures = (0...convolutions.count).map { index in
            ChannelPicture(
                side: Self.resolution >> index, channels: index > 0 ? convolutions[index - 1].bias.count : 1,
                hasBorder: index < convolutions.count)
        }
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
        let logits = logits(of: crop).map(Double.init)
        var evidence: [String: Double] = [:]
        for (index, name) in emotions.enumerated() {
            let others = logits.indices.filter { $0 != index }.map { logits[$0] }
            let highest = others.max() ?? 0
            let sum = others.reduce(0) { $0 + exp($1 - highest) }
            evidence[name] = min(max(logits[index] - highest - log(sum), -limit), limit)
        }
        return evidence
    }

    private func logits(of crop: UnsafeBufferPointer<Float>) -> [Float] {
        // The pictures between the layers, in turn: those with even numbers, and those with odd ones.
        let capacities = (0..<2).map { parity in
            pictures.indices.filter { $0 % 2 == parity }.map { pictures[$0].count }.max() ?? 0
        }
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: capacities[0] + capacities[1]) { scratch in
            guard let base = scratch.baseAddress else { return [] }
            let places = [base, base + capacities[0]]
            pictures[0].clearBorder(of: places[0])
            writeNormalized(crop, to: places[0] + pictures[0].first, stride: pictures[0].stride)
            for (index, layer) in convolutions.enumerated() {
                let (source, target) = (pictures[index], pictures[index + 1])
                let result = places[(index + 1) % 2]
                target.clearBorder(of: result)
                layer.convolve(places[index % 2], source, into: result + target.first, target)
            }
            var values = Array(
                UnsafeBufferPointer(start: places[convolutions.count % 2], count: pictures[convolutions.count].count))
            for (index, layer) in dense.enumerated() {
                values = layer.multiply(values)
                if index < dense.count - 1 { for output in values.indices { values[output] = max(values[output], 0) } }
            }
            return values
        }
    }

    /// Writes the luma with a mean of 0 and, unless the picture is flat, a deviation of 1: the exposure is no expression.
    ///
    /// - Parameter stride: The floats from one row to the next.
    private func writeNormalized(
        _ crop: UnsafeBufferPointer<Float>, to target: UnsafeMutablePointer<Float>, stride: Int
    ) {
        guard let base = crop.baseAddress else { return }
        let side = Self.resolution
        let size = PictureSize(width: side, height: side)
        let picture = TensorPicture(base: base, size: size, tensorSize: size)
        var total = 0.0
        for y in 0..<side {
            let row = target + y * stride
            picture.writeLuma(ofRow: y, to: row)
            for x in 0..<side { total += Double(row[x]) }
        }
        let mean = Float(total / Double(side * side))
        var squares = 0.0
        for y in 0..<side {
            let row = target + y * stride
            for x in 0..<side {
                row[x] -= mean
                squares += Double(row[x]) * Double(row[x])
            }
        }
        let scale = 1 / (Float((squares / Double(side * side)).squareRoot()) + floor)
        for y in 0..<side {
            let row = target + y * stride
            for x in 0..<side { row[x] *= scale }
        }
    }
}

/// The layout of a square picture between two convolutions: row by row, with the channels of a pixel side by side, and with
/// a border of zeros above and on the left if another convolution follows.
private struct ChannelPicture {
    var side: Int
    var channels: Int
    var hasBorder: Bool

    /// Floats from one row to the next.
    var stride: Int { (side + (hasBorder ? 1 : 0)) * channels }
    /// The number of floats.
    var count: Int { (side + (hasBorder ? 1 : 0)) * stride }
    /// Where the first pixel lies.
    var first: Int { hasBorder ? stride + channels : 0 }

    func clearBorder(of picture: UnsafeMutablePointer<Float>) {
        guard hasBorder else { return }
        picture.update(repeating: 0, count: stride)
        for row in 1...side { (picture + row * stride).update(repeating: 0, count: channels) }
    }
}

extension EmotionNetwork.Layer {
    /// Convolves with 3 × 3 taps and a stride of 2, and rectifies.
    ///
    /// - Parameters:
    ///   - picture: The source, with its border.
    ///   - result: The first pixel of the result.
    fileprivate func convolve(
        _ picture: UnsafePointer<Float>, _ source: ChannelPicture, into result: UnsafeMutablePointer<Float>,
        _ target: ChannelPicture
    ) {
        weights.withUnsafeBufferPointer { weights in
            bias.withUnsafeBufferPointer { bias in
                var layer = vs_convolution(
                    inputs: source.channels, outputs: target.channels, rows: target.side, columns: target.side,
                    source_stride: source.stride, target_stride: target.stride, weights: weights.baseAddress,
                    bias: bias.baseAddress)
                EmotionNetwork.kernels.convolve(picture, &layer, result)
            }
        }
    }

    fileprivate func multiply(_ input: [Float]) -> [Float] {
        var sums = bias
        EmotionNetwork.kernels.add_products(input, input.count, weights, bias.count, &sums)
        return sums
    }
}
