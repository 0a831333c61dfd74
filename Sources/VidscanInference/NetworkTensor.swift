/// A picture with channels, as `CNetwork` lays it out: (height + 2) × (width + 2) × channels, with a border of zeros.
final class NetworkTensor {
    let width: Int
    let height: Int
    let channels: Int
    let values: UnsafeMutablePointer<Float>
    /// `nil` if somebody else owns the memory.
    private let own: UnsafeMutableBufferPointer<Float>?

    /// - Parameter shared: Memory shared with tensors used at other times. The border is then not zero before
    ///   `clearBorder()`.
    init(width: Int, height: Int, channels: Int, at shared: UnsafeMutablePointer<Float>? = nil) {
        self.width = width
        self.height = height
        self.channels = channels
        own = shared == nil ? Self.zeros(Self.count(width: width, height: height, channels: channels)) : nil
        // One of the two is there.
        values = (shared ?? own?.baseAddress).unsafelyUnwrapped
    }

    deinit { own?.deallocate() }

    /// Includes the border.
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
        let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
        let values = raw.bindMemory(to: Float.self)
        values.initialize(repeating: 0)
        return values
    }
}
