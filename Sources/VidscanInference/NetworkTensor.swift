/// The values of a square picture with channels, as the functions of `CNetwork` read and write them:
/// (side + 2) × (side + 2) × channels, with a border of zeros.
final class NetworkTensor {
    let side: Int
    let channels: Int
    private let memory: UnsafeMutableBufferPointer<Float>

    init(side: Int, channels: Int) {
        self.side = side
        self.channels = channels
        memory = Self.zeros((side + 2) * (side + 2) * channels)
    }

    deinit { memory.deallocate() }

    var values: UnsafeMutablePointer<Float> { memory.baseAddress.unsafelyUnwrapped }

    /// Calls `body` with the values without the border, which are valid only during the call.
    func withoutBorder<Result>(_ body: (UnsafePointer<Float>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: side * side * channels) { inner in
            let start = inner.baseAddress.unsafelyUnwrapped
            for row in 0..<side {
                (start + row * side * channels).initialize(
                    from: values + ((row + 1) * (side + 2) + 1) * channels, count: side * channels)
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
