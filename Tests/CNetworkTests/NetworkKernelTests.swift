import CNetwork
import TestSupport
import Testing

/// Every expected value comes from a plain loop that adds in the order that the kernels promise, so that it must be equal to
/// the last bit.
@Suite("The layers of the networks, with every instruction set of the processor")
struct NetworkKernelTests {
    /// Calls a closure for each instruction set of the processor, with memory that is guarded at its end, and at its start.
    private func withKernels(_ body: (vs_network_kernels, Arithmetic, Memory) throws -> Void) throws {
        var count = 0
        for set in [VS_NETWORK_BASELINE, VS_NETWORK_AVX2, VS_NETWORK_AVX512] {
            guard let kernels = vs_network_kernels_for(set) else { continue }
            #if arch(x86_64)
                let arithmetic = Arithmetic(isFused: set != VS_NETWORK_BASELINE)
            #else
                let arithmetic = Arithmetic(isFused: true)
            #endif
            for guardsStart in [false, true] {
                try body(kernels.pointee, arithmetic, Memory(guardsStart: guardsStart))
            }
            count += 1
        }
        try #require(count > 0)
    }

    private static let sizes = [(1, 1), (2, 5), (6, 2), (7, 3), (13, 2)]
    private static let activations = [VS_LINEAR, VS_RELU, VS_PRELU]

    @Test("The kernels for the processor's best instruction set are used")
    func best() {
        let known = [VS_NETWORK_AVX512, VS_NETWORK_AVX2, VS_NETWORK_BASELINE].lazy.compactMap {
            vs_network_kernels_for($0)
        }
        #expect(known.first == vs_best_network_kernels())
    }

    @Test(
        "A 1 × 1 convolution mixes channels and applies its activation",
        arguments: [(16, 16, 16), (24, 32, 48), (3, 16, 64), (40, 48, 112), (17, 32, 80)])
    func pointwise(inputs: Int, channels: Int, outputs: Int) throws {
        try withKernels { kernels, arithmetic, memory in
            for (number, (width, height)) in Self.sizes.enumerated() {
                let input = try Tensor(memory, 1, width: width, height: height, channels: channels)
                let addend = try Tensor(memory, 2, width: width, height: height, channels: outputs)
                let output = try Tensor(memory, width: width, height: height, channels: outputs)
                let linear = try Linear(memory, 3, inputs, outputs, Self.activations[number % 3])
                let layer = linear.layer
                kernels.pointwise(layer, input.memory.base, channels, width, height, nil, output.memory.base)
                let plain = { (x: Int, y: Int) in linear(input.pixel(x, y), arithmetic) }
                #expect(output.difference(from: plain) == nil)
                kernels.pointwise(
                    layer, input.memory.base, channels, width, height, addend.memory.base, output.memory.base)
                let added = { (x: Int, y: Int) in zip(plain(x, y), addend.pixel(x, y)).map(+) }
                #expect(output.difference(from: added) == nil)
                // A tensor to which its own layer is added.
                let sum = output.memory.base
                kernels.pointwise(layer, input.memory.base, channels, width, height, sum, sum)
                #expect(output.difference { x, y in zip(plain(x, y), added(x, y)).map(+) } == nil)
            }
        }
    }

    @Test("A 3 × 3 convolution reads the border as zeros", arguments: [(16, 16, 32), (24, 32, 32), (5, 16, 64)])
    func conv3x3(used: Int, channels: Int, outputs: Int) throws {
        try withKernels { kernels, arithmetic, memory in
            for (number, (width, height)) in Self.sizes.enumerated() {
                let input = try Tensor(memory, 1, width: width, height: height, channels: channels)
                let output = try Tensor(memory, width: width, height: height, channels: outputs)
                let linear = try Linear(memory, 3, 9 * used, outputs, Self.activations[number % 3])
                let layer = linear.layer
                kernels.conv3x3(layer, input.memory.base, channels, width, height, output.memory.base)
                let difference = output.difference { x, y in
                    linear(
                        (0..<9).flatMap { tap in
                            (0..<used).map { input[x + tap % 3 - 1, y + tap / 3 - 1, $0] }
                        }, arithmetic)
                }
                #expect(difference == nil)
            }
        }
    }

    @Test("A transposed convolution doubles width and height", arguments: [(16, 16, 16), (24, 32, 48)])
    func deconvolution(inputs: Int, channels: Int, outputs: Int) throws {
        try withKernels { kernels, arithmetic, memory in
            for (width, height) in Self.sizes {
                let input = try Tensor(memory, 1, width: width, height: height, channels: channels)
                let output = try Tensor(memory, width: 2 * width, height: 2 * height, channels: outputs)
                let parts = try (0..<4).map { try Linear(memory, 10 * UInt64($0 + 1), inputs, outputs, VS_RELU) }
                let layers = parts.map(\.layer)
                kernels.deconvolution(layers, input.memory.base, channels, width, height, output.memory.base)
                let difference = output.difference { x, y in
                    parts[y % 2 * 2 + x % 2](input.pixel(x / 2, y / 2), arithmetic)
                }
                #expect(difference == nil)
            }
        }
    }

    @Test(
        "A separable convolution adds its input, or the maxima of its cells",
        arguments: [(1, 1, 16, 16), (7, 1, 32, 48), (13, 1, 16, 64), (7, 1, 1024, 16), (2, 2, 16, 16), (6, 2, 32, 64)]
            + [(26, 2, 16, 32), (14, 2, 1024, 16)])
    func separable(side: Int, stride: Int, channels: Int, outputs: Int) throws {
        try withKernels { kernels, arithmetic, memory in
            let input = try Tensor(memory, 1, width: side, height: side, channels: channels)
            let output = try Tensor(memory, width: side / stride, height: side / stride, channels: outputs)
            let depthwise = try Depthwise(memory, 2, channels: channels, stride: stride)
            let pointwise = try Linear(memory, 4, channels, outputs, VS_PRELU)
            let block = vs_separable(depthwise: depthwise.layer, pointwise: pointwise.layer)
            let scratch = try memory.constant(0, vs_separable_scratch(block, side))
            kernels.separable(block, input.memory.base, side, scratch.base, output.memory.base)
            let begin = stride == 2 ? 0 : -1
            let difference = output.difference { x, y in
                let values = depthwise(x * stride + begin, y * stride + begin, arithmetic) { input[$0, $1, $2] }
                let cell = (0..<stride * stride).map { input.pixel(x * stride + $0 % stride, y * stride + $0 / stride) }
                let residual = (0..<channels).map { channel in cell.map { $0[channel] }.max() ?? 0 }
                return pointwise(values, arithmetic, residual: residual)
            }
            #expect(difference == nil)
        }
    }

    /// The shape of an inverted residual: `channels` are those between the two pointwise convolutions.
    struct Inverted: CustomTestStringConvertible {
        var size: (width: Int, height: Int)
        var stride: Int
        var inputs: Int
        var channels: Int
        var outputs: Int
        var isResidual = false

        var testDescription: String { "\(size) \(stride) \(inputs) \(channels) \(outputs)" }
    }

    @Test(
        "An inverted residual expands, convolves and projects its input, however many bands it takes",
        arguments: [
            Inverted(size: (1, 1), stride: 1, inputs: 16, channels: 32, outputs: 16, isResidual: true),
            Inverted(size: (7, 5), stride: 1, inputs: 16, channels: 48, outputs: 32),
            Inverted(size: (6, 10), stride: 2, inputs: 24, channels: 32, outputs: 16),
            Inverted(size: (3, 200), stride: 1, inputs: 16, channels: 16, outputs: 16, isResidual: true),
            Inverted(size: (6, 300), stride: 2, inputs: 16, channels: 16, outputs: 16),
            Inverted(size: (16, 3), stride: 1, inputs: 16, channels: 2048, outputs: 16, isResidual: true),
            Inverted(size: (16, 4), stride: 2, inputs: 16, channels: 2048, outputs: 16),
        ])
    func invertedResidual(_ shape: Inverted) throws {
        try withKernels { kernels, arithmetic, memory in
            let (width, height) = shape.size
            let input = try Tensor(
                memory, 1, width: width, height: height, channels: (shape.inputs + 15) / 16 * 16)
            let layers = try InvertedLayers(memory, shape)
            let block = layers.block
            let output = try Tensor(
                memory, width: width / shape.stride, height: height / shape.stride, channels: shape.outputs)
            let scratch = try memory.constant(0, vs_inverted_scratch(block, width, height))
            kernels.inverted_residual(block, input.memory.base, width, height, scratch.base, output.memory.base)
            let expected = layers.expected(width: width, height: height, arithmetic) { x, y in input.pixel(x, y) }
            #expect(
                output.difference { x, y in
                    expected(x, y, shape.isResidual ? input.pixel(x, y) : nil)
                } == nil)
        }
    }

    @Test("The first inverted residual reads an image", arguments: [(2, 2), (4, 8), (18, 6), (30, 2)])
    func imageInvertedResidual(width: Int, height: Int) throws {
        try withKernels { kernels, arithmetic, memory in
            let image = try memory.numbers(3 * width * height, 1)
            let layers = try InvertedLayers(
                memory, Inverted(size: (width, height), stride: 1, inputs: 27, channels: 32, outputs: 16))
            let block = layers.block
            let output = try Tensor(memory, width: width / 2, height: height / 2, channels: 16)
            let scratch = try memory.constant(0, vs_inverted_scratch(block, width / 2, height / 2))
            kernels.image_inverted_residual(block, image.base, width, height, scratch.base, output.memory.base)
            let expected = layers.expected(width: width / 2, height: height / 2, arithmetic) { x, y in
                (0..<27).map { index -> Float? in
                    let (plane, row, column) = (index / 9, 2 * y + index / 3 % 3 - 1, 2 * x + index % 3 - 1)
                    return row < 0 || column < 0 ? nil : image.base[(plane * height + row) * width + column]
                }
            }
            #expect(output.difference { x, y in expected(x, y, nil) } == nil)
        }
    }

    @Test("The first convolution of the mesh reads an image", arguments: [2, 4, 10, 26, 30])
    func imageConv3x3(side: Int) throws {
        try withKernels { kernels, arithmetic, memory in
            let image = try memory.numbers(3 * side * side, 1)
            let linear = try Linear(memory, 2, 27, 16, VS_PRELU)
            let output = try Tensor(memory, width: side / 2, height: side / 2, channels: 16)
            kernels.image_conv3x3(linear.layer, image.base, side, output.memory.base)
            let difference = output.difference { x, y in
                linear(
                    (0..<27).map { index in
                        let (row, column, plane) = (2 * y + index / 9, 2 * x + index / 3 % 3, index % 3)
                        return row < side && column < side ? image.base[(plane * side + row) * side + column] : nil
                    }, arithmetic)
            }
            #expect(difference == nil)
        }
    }

    @Test("A fully connected layer keeps negative values", arguments: [(1, 16), (5, 128), (33, 144), (7, 272)])
    func fullyConnected(inputs: Int, outputs: Int) throws {
        try withKernels { kernels, arithmetic, memory in
            let input = try memory.numbers(inputs, 1)
            let linear = try Linear(memory, 2, inputs, outputs, VS_LINEAR)
            let output = try memory.constant(Tensor.untouched, outputs)
            let layer = linear.layer
            kernels.fully_connected(layer, input.base, output.base)
            #expect(output.elements == linear(input.elements, arithmetic))
        }
    }

    @Test(
        "A grid is read between the pixels, and is 0 beyond them",
        arguments: [
            [1, 0, 0, 0, 1, 0], [0.7, -0.4, 1.5, 0.3, 0.9, -0.5], [-1, 0, 5, 0, -1, 5], [1e30, 0, 0, 0, 1, 0],
            [.nan, 0, 0, 0, 1, 0],
        ] as [[Float]])
    func gridSample(matrix: [Float]) throws {
        try withKernels { kernels, arithmetic, memory in
            for (side, grid) in [(1, 1), (4, 5), (7, 4)] {
                let input = try Tensor(memory, 1, width: side, height: side, channels: 32)
                let output = try Tensor(memory, width: grid, height: grid, channels: 32)
                let map = try GuardedMemory(matrix)
                kernels.grid_sample(input.memory.base, side, 32, map.base, grid, output.memory.base)
                let difference = output.difference { column, row in
                    let (u, v) = (Float(column) + 0.5, Float(row) + 0.5)
                    let x = arithmetic.add(matrix[1] * v, matrix[0], u) + matrix[2] - 0.5
                    let y = arithmetic.add(matrix[4] * v, matrix[3], u) + matrix[5] - 0.5
                    let last = Float(side - 1)
                    guard x >= 0, y >= 0, x <= last, y <= last else { return [Float](repeating: 0, count: 32) }
                    let (left, top) = (Int(x), Int(y))
                    let (right, below) = (x - Float(left), y - Float(top))
                    func mix(_ a: Float, _ b: Float, _ fraction: Float) -> Float {
                        arithmetic.add(b * fraction, a, 1 - fraction)
                    }
                    return (0..<32).map { channel in
                        mix(
                            mix(input[left, top, channel], input[left + 1, top, channel], right),
                            mix(input[left, top + 1, channel], input[left + 1, top + 1, channel], right), below)
                    }
                }
                #expect(difference == nil)
            }
        }
    }

    @Test(
        "A convolution with stride 2 adds its terms in order and rectifies",
        arguments: [(1, 16, 4, 4), (3, 24, 2, 5), (16, 64, 4, 4), (2, 8, 1, 1), (5, 40, 3, 7)])
    func stridedConv3x3(inputs: Int, outputs: Int, rows: Int, columns: Int) throws {
        try withKernels { kernels, _, memory in
            let width = (2 * columns + 1) * inputs
            let input = try memory.numbers((2 * rows + 1) * width, 1)
            let weights = try memory.numbers(9 * inputs * outputs, 2)
            let bias = try memory.numbers(outputs, 3)
            // Rows of the output may be further apart than they are long.
            let stride = columns * outputs + 3
            let output = try memory.constant(-1, (rows - 1) * stride + columns * outputs)
            var layer = vs_strided_conv3x3(
                inputs: inputs, outputs: outputs, rows: rows, columns: columns, input_stride: width,
                output_stride: stride, weights: weights.base, bias: bias.base)
            kernels.strided_conv3x3(&layer, input.base, output.base)
            var expected = [Float](repeating: -1, count: output.count)
            for (row, column, channel) in indices(rows, columns, outputs) {
                var sum = bias.base[channel]
                for term in 0..<9 * inputs {
                    let (line, offset) = (term / (3 * inputs), term % (3 * inputs))
                    let value = input.base[(2 * row + line) * width + 2 * column * inputs + offset]
                    sum += value * weights.base[term * outputs + channel]
                }
                expected[row * stride + column * outputs + channel] = max(sum, 0)
            }
            #expect(output.elements == expected)
        }
    }

    private func indices(_ rows: Int, _ columns: Int, _ channels: Int) -> [(Int, Int, Int)] {
        (0..<rows * columns * channels).map { ($0 / (columns * channels), $0 / channels % columns, $0 % channels) }
    }

    @Test("Products with a matrix are added in order", arguments: [1, 15, 16, 17, 52])
    func products(width: Int) throws {
        try withKernels { kernels, _, memory in
            for count in [1, 3, 4, 5, 11] {
                let values = try memory.numbers(count, 4, in: -2...2)
                let weights = try memory.numbers(count * width, 5, in: -2...2)
                let sums = try memory.numbers(width, 6, in: -2...2)
                let expected = (0..<width).map { output in
                    (0..<count).reduce(sums.base[output]) { $0 + values.base[$1] * weights.base[$1 * width + output] }
                }
                kernels.add_products(values.base, count, weights.base, width, sums.base)
                #expect(sums.elements == expected, "\(count) values")
            }
        }
    }
}

/// The layers of an inverted residual, and what it computes.
private struct InvertedLayers {
    let shape: NetworkKernelTests.Inverted
    let expansion: Linear
    let depthwise: Depthwise
    let projection: Linear

    init(_ memory: Memory, _ shape: NetworkKernelTests.Inverted) throws {
        self.shape = shape
        expansion = try Linear(memory, 10, shape.inputs, shape.channels, VS_RELU)
        depthwise = try Depthwise(memory, 20, channels: shape.channels, stride: shape.stride)
        projection = try Linear(memory, 30, shape.channels, shape.outputs, VS_LINEAR)
    }

    var block: vs_inverted_residual {
        vs_inverted_residual(
            expansion: expansion.layer, depthwise: depthwise.layer, projection: projection.layer,
            is_residual: shape.isResidual ? 1 : 0)
    }

    /// - Parameters:
    ///   - width: The width of the expansion.
    ///   - inputs: The inputs of the expansion at a pixel.
    /// - Returns: The output at a pixel, to which a residual is added.
    func expected(
        width: Int, height: Int, _ arithmetic: Arithmetic, _ inputs: (Int, Int) -> [Float?]
    ) -> (_ x: Int, _ y: Int, _ residual: [Float]?) -> [Float] {
        let expanded = (0..<width * height).map { expansion(inputs($0 % width, $0 / width), arithmetic) }
        return { x, y, residual in
            let values = depthwise(x * shape.stride - 1, y * shape.stride - 1, arithmetic) { x, y, channel in
                // Beyond the picture, the expansion is 0, whatever its bias.
                (0..<width).contains(x) && (0..<height).contains(y) ? expanded[y * width + x][channel] : 0
            }
            return projection(values.map { max($0, 0) }, arithmetic, residual: residual)
        }
    }
}
