/// The values of a picture with channels, as the functions of `CNetwork` read and write them:
/// (height + 2) × (width + 2) × channels, with a border of zeros.
final class NetworkTensor {
    let width: Int
    let height: Int
    let channels: Int
    let values: UnsafeMutablePointer<Float>
    /// The memory, unless somebody else owns it.
    private let own: UnsafeMutableBufferPointer<Float>?

    /// Makes a tensor with memory of its own.
    init(width: Int, height: Int, channels: Int) {
        self.width = width
        self.height = height
        self.channels = channels
        let memory = Self.zeros(Self.count(width: width, height: height, channels: channels))
        own = memory
        values = memory.baseAddress.unsafelyUnwrapped
    }

    /// Makes a tensor in memory that other tensors use at other times. Its border is not zero before `clearBorder()`.
    init(width: Int, height: Int, channels: Int, at values: UnsafeMutablePointer<Float>) {
        self.width = width
        self.height = height
        self.channels = channels
        self.values = values
        own = nil
    }

    deinit { own?.deallocate() }

    /// Returns the number of values, including the border.
    static func count(width: Int, height: Int, channels: Int) -> Int { (width + 2) * (height + 2) * channels }

    /// Returns the channels of the first pixel of a row; those of the next pixels follow.
    func row(_ row: Int) -> UnsafeMutablePointer<Float> { values + ((row + 1) * (width + 2) + 1) * channels }

    func clearBorder() {
        let line = (width + 2) * channels
        // The border's last pixel of a row and its first one of the next row lie side by side.
        values.update(repeating: 0, count: line + channels)
        for row in 1...height { (values + (row + 1) * line - channels).update(repeating: 0, count: 2 * channels) }
        (values + (height + 1) * line + channels).update(repeating: 0, count: line - channels)
    }

    /// Calls `body` with the values without the border, which are valid only during the call.
    func withoutBorder<Result>(_ body: (UnsafePointer<Float>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width * height * channels) { inner in
            let start = inner.baseAddress.unsafelyUnwrapped
            for row in 0..<height {
                (start + row * width * channels).initialize(from: self.row(row), count: width * channels)
            }
            return body(start)
        }
    }

    /// Returns new memory, aligned to a cache line, which the caller deallocates.
    static func zeros(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
        let raw = UnsafeMutableRawBufferPointer.allocate(
            byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
        let values = raw.bindMemory(to: Float.self)
        values.initialize(repeating: 0)
        return values
    }
}
