internal import CNetwork
internal import Foundation
internal import VidscanBase

/// Predicts from the pixels of a face which emotion people would name, and whether something covers its mouth or eyes:
/// it sees wrinkles, shades and cloth that move no point of the mesh. The model card has the figures.
package struct EmotionNetwork: Sendable {
    /// Width and height of the input in pixels.
    package static let resolution = 48
    package static let inputCount = 3 * resolution * resolution

    struct Description: Decodable {
        struct Convolution: Decodable {
            var name: String
            /// 2 halves the width and the height, 1 keeps them.
            var stride: Int
        }

        /// Convolutions, then dense layers, whose names these are.
        struct Head: Decodable {
            var convolutions: [Convolution]
            var dense: [String]
        }

        /// What both heads read.
        var stem: [Convolution]
        var emotionHead, coverHead: Head
        var emotions: [String]
        /// Added to the standard deviation by which the pixels are divided.
        var floor: Float
        /// Clips the evidence to ± this.
        var limit: Double
    }

    package let emotions: [String]
    private let stem: [Convolution]
    private let emotionHead, coverHead: Head
    private let floor: Float
    private let limit: Double

    init(_ description: Description, _ file: WeightFile) throws(ExpressionModelError) {
        var shape = (channels: 1, side: Self.resolution)
        stem = try Convolution.series(description.stem, file, &shape, isFlattened: false)
        emotionHead = try Head(description.emotionHead, file, shape)
        coverHead = try Head(description.coverHead, file, shape)
        guard emotionHead.outputs == description.emotions.count, coverHead.outputs == 2, !stem.isEmpty else {
            throw ExpressionModelError(reason: "expressions.json does not name the outputs of the emotion network")
        }
        (emotions, floor, limit) = (description.emotions, description.floor, description.limit)
    }

    /// The crop is R', G', B', 0…255, as ``EmotionCrop`` says.
    package func evidence(in crop: UnsafeBufferPointer<Float>) -> PixelEvidence {
        precondition(crop.count == Self.inputCount, "the crop has 3 × 48 × 48 values")
        let (emotions, covers) = outputs(for: crop)
        let odds = emotions.indices.map { index in
            let others = emotions.indices.filter { $0 != index }.map { emotions[$0] }
            let highest = others.max() ?? 0
            let sum = others.reduce(0) { $0 + exp($1 - highest) }
            return min(max(emotions[index] - highest - log(sum), -limit), limit)
        }
        return PixelEvidence(
            emotions: odds, mouthCovered: 100 / (1 + exp(-covers[0])), eyesCovered: 100 / (1 + exp(-covers[1])))
    }

    private func outputs(for crop: UnsafeBufferPointer<Float>) -> (emotions: [Double], covers: [Double]) {
        let pictures = (stem + emotionHead.convolutions + coverHead.convolutions).map(\.target)
        let input = stem[0].source
        let capacity = ([input] + pictures).map(\.count).max() ?? 0
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * capacity) { scratch in
            guard let base = scratch.baseAddress else { return ([], []) }
            let buffers = [base, base + capacity, base + 2 * capacity]
            buffers[0].update(repeating: 0, count: input.count)
            writeNormalized(crop, to: buffers[0] + input.first, stride: input.stride)
            let seen = Convolution.run(stem, on: buffers[0], buffers[1], buffers[2])
            // The heads keep what the stem has seen, and write to the other two.
            let others = buffers.filter { $0 != seen }
            return (emotionHead.outputs(for: seen, others), coverHead.outputs(for: seen, others))
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
        let rows = (0..<side).map { target + $0 * stride }
        var total = 0.0
        for (y, row) in rows.enumerated() {
            picture.writeLuma(ofRow: y, to: row)
            for x in 0..<side { total += Double(row[x]) }
        }
        let mean = Float(total / Double(side * side))
        var squares = 0.0
        for row in rows {
            for x in 0..<side {
                row[x] -= mean
                squares += Double(row[x]) * Double(row[x])
            }
        }
        let scale = 1 / (Float((squares / Double(side * side)).squareRoot()) + floor)
        for row in rows { for x in 0..<side { row[x] *= scale } }
    }
}

/// A square picture, row by row, with a pixel's channels side by side, and a border of zeros if a convolution follows.
private struct ChannelPicture {
    var side, channels: Int
    var hasBorder: Bool

    /// In floats, from row to row.
    var stride: Int { (side + (hasBorder ? 2 : 0)) * channels }
    var count: Int { (side + (hasBorder ? 2 : 0)) * stride }
    var first: Int { hasBorder ? stride + channels : 0 }
}

private struct Head: Sendable {
    let convolutions: [Convolution]
    private let dense: [NetworkLayer]
    let outputs: Int

    init(
        _ description: EmotionNetwork.Description.Head, _ file: WeightFile, _ input: (channels: Int, side: Int)
    ) throws(ExpressionModelError) {
        var shape = input
        convolutions = try Convolution.series(description.convolutions, file, &shape, isFlattened: true)
        var count = shape.channels * shape.side * shape.side
        dense = try file.layers(description.dense, inputs: &count)
        outputs = count
        guard !convolutions.isEmpty, !dense.isEmpty else {
            throw ExpressionModelError(reason: "expressions.json does not name the layers of the emotion network")
        }
    }

    func outputs(for picture: UnsafeMutablePointer<Float>, _ buffers: [UnsafeMutablePointer<Float>]) -> [Double] {
        let result = Convolution.run(convolutions, on: picture, buffers[0], buffers[1])
        var values = Array(UnsafeBufferPointer(start: result, count: convolutions[convolutions.count - 1].target.count))
        for (index, layer) in dense.enumerated() {
            values = layer.multiply(values)
            if index < dense.count - 1 { for output in values.indices { values[output] = max(values[output], 0) } }
        }
        return values.map(Double.init)
    }
}

/// A rectified convolution with 3 × 3 taps.
private struct Convolution: Sendable {
    let source, target: ChannelPicture
    private let stride: Int
    /// With a stride of 1, 16 outputs at a time, as the kernel reads them.
    private let weights: [Float]
    private let bias: [Float]

    /// Throws if no kernel supports these sizes.
    init(
        _ description: EmotionNetwork.Description.Convolution, _ layer: NetworkLayer, _ source: ChannelPicture,
        _ target: ChannelPicture
    ) throws(ExpressionModelError) {
        let outputs = layer.bias.count
        switch description.stride {
        case 1 where outputs > 0 && outputs % 32 == 0 && source.channels % 16 == 0 && target.hasBorder:
            weights = Self.grouped(layer.weights, outputs: outputs)
        case 2 where outputs > 0 && outputs % 8 == 0 && source.side % 2 == 0 && target.side > 0: weights = layer.weights
        default:
            throw ExpressionModelError(reason: "expressions.json has a layer \(description.name) that cannot be run")
        }
        (stride, bias, self.source, self.target) = (description.stride, layer.bias, source, target)
    }

    /// `shape` is the input's, and on return the last output's, which has no border if dense layers read it.
    static func series(
        _ descriptions: [EmotionNetwork.Description.Convolution], _ file: WeightFile,
        _ shape: inout (channels: Int, side: Int), isFlattened: Bool
    ) throws(ExpressionModelError) -> [Convolution] {
        try descriptions.enumerated().map { index, layer throws(ExpressionModelError) in
            let source = ChannelPicture(side: shape.side, channels: shape.channels, hasBorder: true)
            let layers = try file.layers([layer.name], inputs: &shape.channels, taps: 9)
            if layer.stride == 2 { shape.side /= 2 }
            let target = ChannelPicture(
                side: shape.side, channels: shape.channels, hasBorder: !isFlattened || index < descriptions.count - 1)
            return try Convolution(layer, layers[0], source, target)
        }
    }

    /// Returns the buffer, of the two, with the last one's result.
    static func run(
        _ series: [Convolution], on picture: UnsafeMutablePointer<Float>, _ first: UnsafeMutablePointer<Float>,
        _ second: UnsafeMutablePointer<Float>
    ) -> UnsafeMutablePointer<Float> {
        var (source, target, next) = (picture, first, second)
        for convolution in series {
            convolution.run(source, into: target)
            (source, target, next) = (target, next, target)
        }
        return source
    }

    private static func grouped(_ weights: [Float], outputs: Int) -> [Float] {
        Swift.stride(from: 0, to: outputs, by: 16).flatMap { group in
            Swift.stride(from: group, to: weights.count, by: outputs).flatMap { weights[$0..<$0 + 16] }
        }
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
                    NetworkLayer.kernels.conv3x3(layer, picture, source.channels, source.side, source.side, result)
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

struct WeightFile {
    struct Array: Decodable {
        var offset: Int
        var shape: [Int]
    }

    let arrays: [String: Array]
    let bytes: Data

    func array(_ name: String, count: Int) throws(ExpressionModelError) -> [Float] {
        guard let array = arrays[name], array.shape.reduce(1, *) == count, array.offset >= 0,
            array.offset + 4 * count <= bytes.count
        else { throw ExpressionModelError(reason: "expressions.weights does not contain \(count) numbers of \(name)") }
        return bytes.withUnsafeBytes { bytes in
            (0..<count).map { bytes.loadUnaligned(fromByteOffset: array.offset + 4 * $0, as: Float.self) }
        }
    }

    /// Reads successive layers. `inputs` counts the first one's inputs, and on return the last one's outputs; `taps`
    /// counts the weights for each input and output: 1, or those of a convolution.
    func layers(_ names: [String], inputs: inout Int, taps: Int = 1) throws(ExpressionModelError) -> [NetworkLayer] {
        try names.map { name throws(ExpressionModelError) in
            guard let outputs = arrays[name + ".bias"]?.shape.first else {
                throw ExpressionModelError(reason: "expressions.weights does not contain \(name)")
            }
            defer { inputs = outputs }
            return NetworkLayer(
                weights: try array(name + ".weight", count: taps * inputs * outputs),
                bias: try array(name + ".bias", count: outputs))
        }
    }
}

/// Adds its terms in a fixed order, so that the results do not depend on the processor.
struct NetworkLayer: Sendable {
    /// Inputs × outputs; for a convolution, 3 rows × 3 columns × inputs × outputs.
    var weights: [Float]
    var bias: [Float]

    static let kernels = vs_best_network_kernels().pointee

    func multiply(_ input: [Float]) -> [Float] {
        var sums = bias
        Self.kernels.add_products(input, input.count, weights, bias.count, &sums)
        return sums
    }
}
