/// The values of a picture with channels, as the functions of `CNetwork` read and write them:
/// (height + 2) × (width + 2) × channels, with a border of zeros.
final class NetworkTensor {
    let width: Int
    let height: Int
    let channels: Int
    private let memory: UnsafeMutableBufferPointer<Float>

    init(width: Int, height: Int, channels: Int) {
        self.width = width
        self.height = height
        self.channels = channels
        memory = Self.zeros((width + 2) * (height + 2) * channels)
    }

    deinit { memory.deallocate() }

    var values: UnsafeMutablePointer<Float> { memory.baseAddress.unsafelyUnwrapped }

    /// Returns the channels of the first pixel of a row; those of the next pixels follow.
    func row(_ row: Int) -> UnsafeMutablePointer<Float> { values + ((row + 1) * (width + 2) + 1) * channels }

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
