internal import CNetwork
internal import VidscanBase

/// A picture with channels, as `CNetwork` lays it out: (height + 2) × (width + 2) × channels, with a border of zeros.
final class NetworkTensor {
    let width, height, channels: Int
    let values: UnsafeMutablePointer<Float>
    /// `nil` if somebody else owns the memory.
    private let own: UnsafeMutableBufferPointer<Float>?

    /// - Parameter shared: Memory of tensors used at other times. Its border is not zero before `clearBorder()`.
    init(width: Int, height: Int, channels: Int, at shared: UnsafeMutablePointer<Float>? = nil) {
        (self.width, self.height, self.channels) = (width, height, channels)
        own = shared == nil ? Self.zeros(Self.count(width: width, height: height, channels: channels)) : nil
        // One of the two is there.
        values = (shared ?? own?.baseAddress).unsafelyUnwrapped
    }

    deinit { own?.deallocate() }

    static func count(width: Int, height: Int, channels: Int) -> Int { (width + 2) * (height + 2) * channels }

    /// The channels of a row's first pixel; those of the next pixels follow.
    func row(_ row: Int) -> UnsafeMutablePointer<Float> { values + ((row + 1) * (width + 2) + 1) * channels }

    func clearBorder() {
        let line = (width + 2) * channels
        // The border's last pixel of a row and its first one of the next row lie side by side.
        values.update(repeating: 0, count: line + channels)
        for row in 1...height { (values + (row + 1) * line - channels).update(repeating: 0, count: 2 * channels) }
        (values + (height + 1) * line + channels).update(repeating: 0, count: line - channels)
    }

    /// The values without the border are valid only during the call.
    func withoutBorder<Result>(_ body: (UnsafePointer<Float>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width * height * channels) { inner in
            let start = inner.baseAddress.unsafelyUnwrapped
            for row in 0..<height {
                (start + row * width * channels).initialize(from: self.row(row), count: width * channels)
            }
            return body(start)
        }
    }

    /// Aligned to a cache line; the caller deallocates it.
    static func zeros(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
        UnsafeMutableRawBufferPointer.allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
            .initializeMemory(as: Float.self, repeating: 0)
    }
}

/// Places a network's tensors in one piece of memory. Tensors that are never needed at the same time share it.
package struct MemoryPlan {
    /// The values of a tensor, and the steps from the one that writes it to the last one that reads it.
    package typealias Need = (count: Int, steps: ClosedRange<Int>)

    /// In the order of the needs.
    package let offsets: [Int]
    /// In values.
    package let count: Int

    /// Places the largest tensors first, each as early as it fits.
    package init(_ needs: [Need]) {
        // Each tensor begins at a cache line.
        let counts = needs.map { ($0.count + 15) & ~15 }
        var offsets = [Int](repeating: 0, count: needs.count)
        var placed: [Int] = []
        for index in needs.indices.sorted(by: { (counts[$1], $0) < (counts[$0], $1) }) {
            let rivals = placed.filter { needs[$0].steps.overlaps(needs[index].steps) }
                .sorted { offsets[$0] < offsets[$1] }
            var offset = 0
            for rival in rivals {
                if offsets[rival] >= offset + counts[index] { break }
                offset = max(offset, offsets[rival] + counts[rival])
            }
            offsets[index] = offset
            placed.append(index)
        }
        self.offsets = offsets
        count = needs.indices.map { offsets[$0] + counts[$0] }.max() ?? 0
    }
}

/// The weights of a network, little-endian 32-bit floats, taken from front to back.
struct NetworkWeights {
    private let path: String
    private let owner: AlignedBytes
    private let values: UnsafeBufferPointer<Float>
    private(set) var count = 0

    init(path: String) throws(InferenceError) {
        guard let bytes = AlignedBytes(path: path) else { throw InferenceError("cannot read \(path)") }
        (self.path, owner, values) = (path, bytes, bytes.bytes.bindMemory(to: Float.self))
    }

    /// Read the weights only after `finish`, while its owner lives.
    mutating func take(_ count: Int) -> UnsafePointer<Float> {
        let begin = values.baseAddress.unsafelyUnwrapped + min(self.count, values.count)
        self.count += count
        return begin
    }

    /// The outputs are padded to a multiple of 16.
    mutating func linear(inputs: Int, outputs: Int, activation: vs_activation) -> vs_linear {
        let padded = (outputs + 15) / 16 * 16
        return vs_linear(
            inputs: inputs, outputs: padded, weights: take(inputs * padded), bias: take(padded), activation: activation,
            slopes: activation == VS_PRELU ? take(padded) : nil)
    }

    mutating func depthwise(channels: Int, stride: Int) -> vs_depthwise {
        vs_depthwise(channels: channels, stride: stride, weights: take(9 * channels), bias: take(channels))
    }

    /// Returns the owner of the weights. Throws unless the file holds exactly the weights that were taken.
    func finish() throws(InferenceError) -> AlignedBytes {
        let (found, expected) = (owner.bytes.count, count * MemoryLayout<Float>.stride)
        guard found == expected else { throw InferenceError("\(path) has \(found) bytes instead of \(expected)") }
        return owner
    }
}
