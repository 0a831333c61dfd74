import CNetwork
import TestSupport

/// The arithmetic of an instruction set: with one rounding for a product and its addition, or with two.
struct Arithmetic {
    let isFused: Bool

    func add(_ sum: Float, _ a: Float, _ b: Float) -> Float { isFused ? sum.addingProduct(a, b) : sum + a * b }
}

/// Memory with guard pages for everything that a kernel reads and writes.
struct Memory {
    let guardsStart: Bool
    private let seed: UInt64

    init(guardsStart: Bool, seed: UInt64 = 1) {
        self.guardsStart = guardsStart
        self.seed = seed
    }

    func numbers(_ count: Int, _ salt: UInt64, in range: ClosedRange<Float> = -1...1) throws -> GuardedMemory<Float> {
        var generator = SeededGenerator(seed: seed &* 1000 &+ salt)
        return try GuardedMemory(
            (0..<count).map { _ in Float.random(in: range, using: &generator) }, guardsStart: guardsStart)
    }

    func constant(_ value: Float, _ count: Int) throws -> GuardedMemory<Float> {
        try GuardedMemory([Float](repeating: value, count: count), guardsStart: guardsStart)
    }
}

/// A picture with channels and a border, as the kernels read and write it.
struct Tensor {
    /// What the border of an output holds, which no kernel may write.
    static let untouched: Float = -7

    let width: Int
    let height: Int
    let channels: Int
    let memory: GuardedMemory<Float>

    /// Makes an input with random values and a border of zeros.
    init(_ memory: Memory, _ salt: UInt64, width: Int, height: Int, channels: Int) throws {
        (self.width, self.height, self.channels) = (width, height, channels)
        self.memory = try memory.numbers((width + 2) * (height + 2) * channels, salt)
        for y in -1...height {
            for x in -1...width where !(0..<width).contains(x) || !(0..<height).contains(y) {
                for channel in 0..<channels { self.memory.base[index(x, y, channel)] = 0 }
            }
        }
    }

    /// Makes an output.
    init(_ memory: Memory, width: Int, height: Int, channels: Int) throws {
        (self.width, self.height, self.channels) = (width, height, channels)
        self.memory = try memory.constant(Self.untouched, (width + 2) * (height + 2) * channels)
    }

    private func index(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        ((y + 1) * (width + 2) + x + 1) * channels + channel
    }

    /// A value; 0 beyond the border and for channels that the tensor does not have.
    subscript(_ x: Int, _ y: Int, _ channel: Int) -> Float {
        guard (-1...width).contains(x), (-1...height).contains(y), channel < channels else { return 0 }
        return memory.base[index(x, y, channel)]
    }

    func pixel(_ x: Int, _ y: Int) -> [Float] { (0..<channels).map { self[x, y, $0] } }

    /// Returns the first pixel that differs from the expected one, or a border that was written.
    func difference(from expected: (_ x: Int, _ y: Int) -> [Float]) -> String? {
        for y in -1...height {
            for x in -1...width {
                let isInside = (0..<width).contains(x) && (0..<height).contains(y)
                let right = isInside ? expected(x, y) : [Float](repeating: Self.untouched, count: channels)
                if pixel(x, y) != right { return "(\(x), \(y)) is \(pixel(x, y)), not \(right)" }
            }
        }
        return nil
    }
}

/// A layer that mixes channels, and what it computes.
struct Linear {
    let inputs: Int
    let outputs: Int
    let activation: vs_activation
    let weights: GuardedMemory<Float>
    let bias: GuardedMemory<Float>
    let slopes: GuardedMemory<Float>

    init(_ memory: Memory, _ salt: UInt64, _ inputs: Int, _ outputs: Int, _ activation: vs_activation) throws {
        (self.inputs, self.outputs, self.activation) = (inputs, outputs, activation)
        weights = try memory.numbers(inputs * outputs, salt)
        bias = try memory.numbers(outputs, salt + 1)
        slopes = try memory.numbers(outputs, salt + 2)
    }

    var layer: vs_linear {
        vs_linear(
            inputs: inputs, outputs: outputs, weights: weights.base, bias: bias.base, activation: activation,
            slopes: activation == VS_PRELU ? slopes.base : nil)
    }

    /// - Parameters:
    ///   - values: One for each input; `nil` for an input that does not take part.
    ///   - residual: Added before the activation.
    func callAsFunction(_ values: [Float?], _ arithmetic: Arithmetic, residual: [Float]? = nil) -> [Float] {
        (0..<outputs).map { output in
            var sum = bias.base[output]
            for input in 0..<inputs {
                guard let value = values[input] else { continue }
                sum = arithmetic.add(sum, value, weights.base[(output / 16 * inputs + input) * 16 + output % 16])
            }
            if let residual, output < residual.count { sum += residual[output] }
            if activation == VS_RELU { return max(sum, 0) }
            return activation == VS_PRELU && sum < 0 ? sum * slopes.base[output] : sum
        }
    }
}

/// A convolution of each channel by itself, and what it computes.
struct Depthwise {
    let channels: Int
    let stride: Int
    let weights: GuardedMemory<Float>
    let bias: GuardedMemory<Float>

    init(_ memory: Memory, _ salt: UInt64, channels: Int, stride: Int) throws {
        (self.channels, self.stride) = (channels, stride)
        weights = try memory.numbers(9 * channels, salt)
        bias = try memory.numbers(channels, salt + 1)
    }

    var layer: vs_depthwise {
        vs_depthwise(channels: channels, stride: stride, weights: weights.base, bias: bias.base)
    }

    /// - Parameters:
    ///   - x: The column of the window's first pixel.
    ///   - value: The input at a pixel.
    func callAsFunction(
        _ x: Int, _ y: Int, _ arithmetic: Arithmetic, _ value: (_ x: Int, _ y: Int, _ channel: Int) -> Float
    ) -> [Float] {
        (0..<channels).map { channel in
            (0..<9).reduce(bias.base[channel]) { sum, tap in
                arithmetic.add(
                    sum, value(x + tap % 3, y + tap / 3, channel), weights.base[tap * channels + channel])
            }
        }
    }
}
