internal import CNetwork
internal import Glibc
internal import VidscanBase

/// Predicts from the pixels of a face which emotion people would name: it sees wrinkles and shades that move no point
/// of the mesh. The model card beside the weights has the figures.
public struct EmotionNetwork: Sendable {
    /// Width and height of the input in pixels.
    public static let resolution = 48
    public static let inputCount = 3 * resolution * resolution

    struct Description: Decodable {
        struct Convolution: Decodable {
            var name: String
            /// 2 halves the width and the height, 1 keeps them.
            var stride: Int
        }

        var convolutions: [Convolution]
        /// Names of the layers that follow.
        var dense: [String]
        var emotions: [String]
        /// Added to the standard deviation by which the pixels are divided.
        var floor: Float
        /// Clips the evidence to ± this.
        var limit: Double
    }

    public let emotions: [String]
    private let convolutions: [Convolution]
    private let dense: [NetworkLayer]
    private let floor: Float
    private let limit: Double

    init(_ description: Description, _ file: WeightFile) throws(ExpressionModelError) {
        var (channels, side) = (1, Self.resolution)
        var convolutions: [Convolution] = []
        let last = description.convolutions.count - 1
        for (index, layer) in description.convolutions.enumerated() {
            let inputs = channels
            let layers = try file.layers([layer.name], inputs: &channels, taps: 9)
            let source = ChannelPicture(side: side, channels: inputs, hasBorder: true)
            if layer.stride == 2 { side /= 2 }
            let target = ChannelPicture(side: side, channels: channels, hasBorder: index < last)
            guard let convolution = Convolution(layers[0], stride: layer.stride, source, target) else {
                throw ExpressionModelError(reason: "expressions.json has a layer \(layer.name) that cannot be run")
            }
            convolutions.append(convolution)
        }
        channels *= side * side
        dense = try file.layers(description.dense, inputs: &channels)
        guard channels == description.emotions.count, !dense.isEmpty, !convolutions.isEmpty else {
            throw ExpressionModelError(reason: "expressions.json does not name the outputs of the emotion network")
        }
        self.convolutions = convolutions
        emotions = description.emotions
        floor = description.floor
        limit = description.limit
    }

    /// Returns the clipped log odds of each of ``emotions``. The crop is R', G', B', 0…255, as ``EmotionCrop`` says.
    public func evidence(in crop: UnsafeBufferPointer<Float>) -> [Double] {
        precondition(crop.count == Self.inputCount, "the crop has 3 × 48 × 48 values")
        let logits = logits(of: crop).map(Double.init)
        return logits.indices.map { index in
            let others = logits.indices.filter { $0 != index }.map { logits[$0] }
            let highest = others.max() ?? 0
            let sum = others.reduce(0) { $0 + exp($1 - highest) }
            return min(max(logits[index] - highest - log(sum), -limit), limit)
        }
    }

    private func logits(of crop: UnsafeBufferPointer<Float>) -> [Float] {
        let pictures = [convolutions[0].source] + convolutions.map(\.target)
        // Even and odd pictures between the layers share a buffer each.
        let capacities = (0..<2).map { parity in
            pictures.indices.filter { $0 % 2 == parity }.map { pictures[$0].count }.max() ?? 0
        }
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: capacities[0] + capacities[1]) { scratch in
            guard let base = scratch.baseAddress else { return [] }
            let buffers = [base, base + capacities[0]]
            let input = pictures[0]
            buffers[0].update(repeating: 0, count: input.count)
            writeNormalized(crop, to: buffers[0] + input.first, stride: input.stride)
            for (index, convolution) in convolutions.enumerated() {
                convolution.run(buffers[index % 2], into: buffers[(index + 1) % 2])
            }
            let result = UnsafeBufferPointer(
                start: buffers[convolutions.count % 2], count: pictures[convolutions.count].count)
            var values = Array(result)
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

/// A square picture, row by row, with a pixel's channels side by side, and around it a border of zeros if a
/// convolution follows.
private struct ChannelPicture {
    var side: Int
    var channels: Int
    var hasBorder: Bool

    /// In floats, from row to row.
    var stride: Int { (side + (hasBorder ? 2 : 0)) * channels }
    var count: Int { (side + (hasBorder ? 2 : 0)) * stride }
    var first: Int { hasBorder ? stride + channels : 0 }
}

/// A rectified convolution with 3 × 3 taps.
private struct Convolution: Sendable {
    let source: ChannelPicture
    let target: ChannelPicture
    private let stride: Int
    /// With a stride of 1, 16 outputs at a time, as the kernel reads them.
    private let weights: [Float]
    private let bias: [Float]

    /// Returns `nil` if there is no kernel for these sizes.
    init?(_ layer: NetworkLayer, stride: Int, _ source: ChannelPicture, _ target: ChannelPicture) {
        let outputs = layer.bias.count
        switch stride {
        case 1 where outputs > 0 && outputs % 32 == 0 && source.channels % 16 == 0 && target.hasBorder:
            weights = Self.grouped(layer.weights, outputs: outputs)
        case 2 where outputs > 0 && outputs % 8 == 0 && source.side % 2 == 0 && target.side > 0:
            weights = layer.weights
        default: return nil
        }
        bias = layer.bias
        (self.stride, self.source, self.target) = (stride, source, target)
    }

    private static func grouped(_ weights: [Float], outputs: Int) -> [Float] {
        var grouped: [Float] = []
        grouped.reserveCapacity(weights.count)
        for group in Swift.stride(from: 0, to: outputs, by: 16) {
            for row in Swift.stride(from: group, to: weights.count, by: outputs) {
                grouped += weights[row..<row + 16]
            }
        }
        return grouped
    }

    /// `picture` and `result` include their borders.
    func run(_ picture: UnsafePointer<Float>, into result: UnsafeMutablePointer<Float>) {
        result.update(repeating: 0, count: target.count)
        weights.withUnsafeBufferPointer { weights in
            bias.withUnsafeBufferPointer { bias in
                guard let weights = weights.baseAddress, let bias = bias.baseAddress else { return }
                if stride == 1 {
                    let layer = vs_linear(
                        inputs: 9 * source.channels, outputs: target.channels, weights: weights, bias: bias,
                        activation: VS_RELU, slopes: nil)
                    NetworkLayer.kernels.conv3x3(
                        layer, picture, source.channels, source.side, source.side, result)
                } else {
                    var layer = vs_strided_conv3x3(
                        inputs: source.channels, outputs: target.channels, rows: target.side, columns: target.side,
                        input_stride: source.stride, output_stride: target.stride, weights: weights, bias: bias)
                    NetworkLayer.kernels.strided_conv3x3(&layer, picture, result + target.first)
                }
            }
        }
    }
}
