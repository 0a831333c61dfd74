internal import CNetwork
internal import VidscanBase

/// The weights of a network, 32-bit floats in little-endian order, which are taken from front to back.
struct NetworkWeights {
    private let owner: AlignedBytes
    private let values: UnsafeBufferPointer<Float>
    private var position = 0

    /// - Parameters:
    ///   - path: The path of a file that holds exactly these weights.
    ///   - count: The number of weights.
    init(path: String, count: Int) throws(InferenceError) {
        guard let bytes = AlignedBytes(path: path) else {
            throw InferenceError(.modelNotFound, "cannot read \(path)")
        }
        guard bytes.bytes.count == count * MemoryLayout<Float>.stride else {
            throw InferenceError(
                .runtime, "\(path) has \(bytes.bytes.count) bytes instead of \(count * MemoryLayout<Float>.stride)")
        }
        owner = bytes
        values = bytes.bytes.bindMemory(to: Float.self)
    }

    /// Returns the next weights, which are valid as long as the owner lives.
    mutating func take(_ count: Int) -> UnsafePointer<Float> {
        precondition(count > 0 && position + count <= values.count, "the network has more weights than its file")
        defer { position += count }
        return values.baseAddress.unsafelyUnwrapped + position
    }

    /// Returns a product of each pixel's channels with a matrix. Its outputs are filled up to a multiple of 16.
    mutating func product(inputs: Int, outputs: Int, activation: vs_activation) -> vs_product {
        let padded = Self.padded(outputs)
        return vs_product(
            inputs: inputs, outputs: padded, weights: take(inputs * padded), bias: take(padded), activation: activation,
            slopes: activation == VS_SLOPES ? take(padded) : nil)
    }

    /// Returns a 3 × 3 convolution of each channel by itself.
    mutating func depthwise(channels: Int, stride: Int) -> vs_depthwise {
        vs_depthwise(channels: channels, stride: stride, weights: take(9 * channels), bias: take(channels))
    }

    /// Returns the number of outputs with those that fill up the last vector of 16.
    static func padded(_ outputs: Int) -> Int { (outputs + 15) / 16 * 16 }

    /// Returns what keeps the weights in memory.
    ///
    /// - Precondition: All weights were taken.
    func finish() -> AlignedBytes {
        precondition(position == values.count, "the network has fewer weights than its file")
        return owner
    }
}
