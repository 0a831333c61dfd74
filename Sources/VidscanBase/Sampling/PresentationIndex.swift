/// Numbers frames in presentation order among *all* frames of a stream, even if most of them are never decoded.
///
/// Every packet that shows a frame is inserted when it is read. When a frame comes out of the decoder, all packets
/// presented before it have been read.
public struct PresentationIndex: Sendable {
    /// Timestamps that were inserted and not yet passed, ascending.
    private var pending: [Int64] = []
    private var passed: Int64

    /// - Parameter base: The number of frames presented before the first packet that is inserted.
    public init(base: Int64 = 0) {
        passed = base
    }

    /// Inserts the presentation timestamp of a packet that shows a frame.
    public mutating func insert(_ timestamp: Int64) {
        var position = pending.count
        while position > 0, pending[position - 1] > timestamp { position -= 1 }
        pending.insert(timestamp, at: position)
    }

    /// Returns the index of a frame that came out of the decoder. Frames come in presentation order.
    public mutating func index(of timestamp: Int64?) -> Int64 {
        guard let timestamp else {
            defer { passed += 1 }
            return passed
        }
        var count = 0
        while count < pending.count, pending[count] < timestamp { count += 1 }
        let isKnown = count < pending.count && pending[count] == timestamp
        pending.removeFirst(isKnown ? count + 1 : count)
        passed += Int64(count)
        defer { passed += 1 }
        return passed
    }
}
