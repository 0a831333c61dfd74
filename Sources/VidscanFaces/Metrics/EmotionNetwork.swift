internal import CNetwork
internal import Glibc
internal import VidscanBase

/// Predicts from the pixels of a face which emotion people would name: it sees wrinkles and shades that move no point
/// of the mesh. The model card beside the weights has the figures.
public struct EmotionNetwork: Sendable {
    /// Width and height of the input in pixels.
    public static let resolution = 64
    public static let inputCount = 3 * resolution * resolution

    struct Description: Decodable {
        /// Arrays of convolutions. Each halves the width and the height.
        var convolutions: [String]
        /// Arrays of the layers that follow.
        var dense: [String]
        var emotions: [String]
        /// Added to the standard deviation by which the pixels are divided.
        var floor: Float
        /// Clips the evidence to ± this.
        var limit: Double
    }

    public let emotions: [String]
    private let convolutions: [NetworkLayer]
    /// The input of each convolution, and the result of the last one.
    private let pictures: [ChannelPicture]
    private let dense: [NetworkLayer]
    private let floor: Float
    private let limit: Double

    init(_ description: Description, _ file: WeightFile) throws(ExpressionModelError) {
        var channels = 1
        let convolutions = try file.layers(description.convolutions, inputs: &channels, taps: 9)
        let side = Self.resolution >> convolutions.count
        guard side > 0, convolutions.allSatisfy({ $0.bias.count % 8 == 0 && !$0.bias.isEmpty }) else {
            throw ExpressionModelError(
                reason: "the convolutions of expressions.weights do not have 8 outputs, or a multiple of 8")
        }
        channels *= side * side
        dense = try file.layers(description.dense, inputs: &channels)
        guard channels == description.emotions.count, !dense.isEmpty else {
            throw ExpressionModelError(reason: "expressions.json does not name the outputs of the emotion network")
        }
        self.convolutions = convolutions
        pictures = (0...convolutions.count).map { index in
            ChannelPicture(
                side: Self.resolution >> index, channels: index > 0 ? convolutions[index - 1].bias.count : 1,
                hasBorder: index < convolutions.count)
        }
        emotions = description.emotions
        floor = description.floor
        limit = description.limit
    }

    /// Returns the clipped log odds of each of ``emotions``. The crop is R', G', B', 0…255, as ``EmotionCrop`` says.
    public func evidence(in crop: UnsafeBufferPointer<Float>) -> [Double] {
        precondition(crop.count == Self.inputCount, "the crop has 3 × 64 × 64 values")
        let logits = logits(of: crop).map(Double.init)
        return logits.indices.map { index in
            let others = logits.indices.filter { $0 != index }.map { logits[$0] }
            let highest = others.max() ?? 0
            let sum = others.reduce(0) { $0 + exp($1 - highest) }
            return min(max(logits[index] - highest - log(sum), -limit), limit)
        }
    }

    private func logits(of crop: UnsafeBufferPointer<Float>) -> [Float] {
        // Even and odd pictures between the layers share a buffer each.
        let capacities = (0..<2).map { parity in
            pictures.indices.filter { $0 % 2 == parity }.map { pictures[$0].count }.max() ?? 0
        }
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: capacities[0] + capacities[1]) { scratch in
            guard let base = scratch.baseAddress else { return [] }
            let buffers = [base, base + capacities[0]]
            pictures[0].clearBorder(of: buffers[0])
            writeNormalized(crop, to: buffers[0] + pictures[0].first, stride: pictures[0].stride)
            for (index, layer) in convolutions.enumerated() {
                let (source, target) = (pictures[index], pictures[index + 1])
                let result = buffers[(index + 1) % 2]
                target.clearBorder(of: result)
                layer.convolve(buffers[index % 2], source, into: result + target.first, target)
            }
            var values = Array(
                UnsafeBufferPointer(start: buffers[convolutions.count % 2], count: pictures[convolutions.count].count))
            for (index, layer) in dense.enumerated() {
                values = layer.multiply(values)
                if index < dense.count - 1 { for output in values.indices { values[output] = max(values[output], 0) } }
            }
            return values
        }
    }

    /// Writes luma with a mean of 0 and, unless flat, a deviation of 1, so that exposure is not read as expression.
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

/// A square picture, row by row, with a pixel's channels side by side. Above and on the left, it has a border of zeros
/// if a convolution follows.
private struct ChannelPicture {
    var side: Int
    var channels: Int
    var hasBorder: Bool

    /// In floats, from row to row.
    var stride: Int { (side + (hasBorder ? 1 : 0)) * channels }
    var count: Int { (side + (hasBorder ? 1 : 0)) * stride }
    var first: Int { hasBorder ? stride + channels : 0 }

    func clearBorder(of picture: UnsafeMutablePointer<Float>) {
        guard hasBorder else { return }
        picture.update(repeating: 0, count: stride)
        for row in 1...side { (picture + row * stride).update(repeating: 0, count: channels) }
    }
}

extension NetworkLayer {
    /// Convolves with 3 × 3 taps and a stride of 2, and rectifies. `picture` includes its border, `result` does not.
    fileprivate func convolve(
        _ picture: UnsafePointer<Float>, _ source: ChannelPicture, into result: UnsafeMutablePointer<Float>,
        _ target: ChannelPicture
    ) {
        weights.withUnsafeBufferPointer { weights in
            bias.withUnsafeBufferPointer { bias in
                var layer = vs_strided_conv3x3(
                    inputs: source.channels, outputs: target.channels, rows: target.side, columns: target.side,
                    input_stride: source.stride, output_stride: target.stride, weights: weights.baseAddress,
                    bias: bias.baseAddress)
                Self.kernels.strided_conv3x3(&layer, picture, result)
            }
        }
    }
}
