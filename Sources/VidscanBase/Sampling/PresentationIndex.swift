/// Numbers frames in presentation order among *all* frames of a stream, even if most of them are never decoded.
///
/// Insert every packet that shows a frame when it is read, so that all earlier ones are known when a frame comes out.
package struct PresentationIndex: Sendable {
    /// Inserted and not yet passed, ascending.
    private var pending: [Int64] = []
    private var passed: Int64

    /// - Parameter base: The number of frames presented before the first inserted packet.
    package init(base: Int64 = 0) { passed = base }

    package mutating func insert(_ timestamp: Int64) {
        pending.insert(timestamp, at: pending.partitionIndex { $0 > timestamp })
    }

    /// Returns the index of a frame that came out of the decoder, in presentation order.
    package mutating func index(of timestamp: Int64?) -> Int64 {
        defer { passed += 1 }
        guard let timestamp else { return passed }
        let count = pending.partitionIndex { $0 >= timestamp }
        pending.removeFirst(count < pending.count && pending[count] == timestamp ? count + 1 : count)
        passed += Int64(count)
        return passed
    }
}

/// The properties of a packet that `SamplePlan` needs.
package struct PacketSummary: Sendable, Equatable {
    /// In the stream's time base.
    package var presentation: Int64?
    /// No later packet is presented before it.
    package var decoding: Int64?
    /// Whether decoding can start here: every frame presented at or after this packet is then exact.
    package var isRandomAccessPoint: Bool
    /// Whether no other packet refers to this one, so the decoder does not need it.
    package var isDisposable: Bool
    /// Whether an edit list hides this frame. It is decoded because others refer to it, but never shown or counted.
    package var isHidden: Bool
    package var byteCount: Int

    package init(
        presentation: Int64?, decoding: Int64?, isRandomAccessPoint: Bool = false, isDisposable: Bool = false,
        isHidden: Bool = false, byteCount: Int = 0
    ) {
        (self.presentation, self.decoding, self.isHidden) = (presentation, decoding, isHidden)
        (self.isRandomAccessPoint, self.isDisposable, self.byteCount) = (isRandomAccessPoint, isDisposable, byteCount)
    }
}

extension Array {
    /// Returns the index of the first element that belongs to the second part, by a binary search; the count if none
    /// does. All elements of the second part must follow those of the first.
    package func partitionIndex(where belongsToSecondPart: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongsToSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
