internal import CNetwork
internal import VidscanBase

/// The weights of a network, little-endian 32-bit floats, taken from front to back.
struct NetworkWeights {
    private let path: String
    private let owner: AlignedBytes
    private let values: UnsafeBufferPointer<Float>
    private(set) var count = 0

    init(path: String) throws(InferenceError) {
        guard let bytes = AlignedBytes(path: path) else { throw InferenceError(.modelNotFound, "cannot read \(path)") }
        self.path = path
        owner = bytes
        values = bytes.bytes.bindMemory(to: Float.self)
    }

    /// Read the weights only after `finish`, while its owner lives.
    mutating func take(_ count: Int) -> UnsafePointer<Float> {
        let begin = values.baseAddress.unsafelyUnwrapped + min(self.count, values.count)
        self.count += count
        return begin
    }

    /// The outputs are padded to a multiple of 16.
    mutating func linear(inputs: Int, outputs: Int, activation: vs_activation) -> vs_linear {
        let padded = Self.padded(outputs)
        return vs_linear(
            inputs: inputs, outputs: padded, weights: take(inputs * padded), bias: take(padded), activation: activation,
            slopes: activation == VS_PRELU ? take(padded) : nil)
    }

    mutating func depthwise(channels: Int, stride: Int) -> vs_depthwise {
        vs_depthwise(channels: channels, stride: stride, weights: take(9 * channels), bias: take(channels))
    }

    static func padded(_ outputs: Int) -> Int { (outputs + 15) / 16 * 16 }

    /// Returns the owner of the weights. Throws unless the file holds exactly the weights that were taken.
    func finish() throws(InferenceError) -> AlignedBytes {
        let (found, expected) = (owner.bytes.count, count * MemoryLayout<Float>.stride)
        guard found == expected else {
            throw InferenceError(.runtime, "\(path) has \(found) bytes instead of \(expected)")
        }
        return owner
    }
}

/// In the order of `vs_network_set`.
package enum InstructionSet: UInt32, CaseIterable, Sendable {
    case baseline, avx2, avx512

    var value: vs_network_set { vs_network_set(rawValue) }
}
