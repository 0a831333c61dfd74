/// Tells which epoch of the video a packet of another stream belongs to, so that sound stays in sync where timestamps jump.
///
/// Streams are interleaved loosely: sound of the new epoch may come before the video's first packet of it, and sound of
/// the old one after it.
public struct CompanionClock: Sendable {
    /// Sound that falls behind its own last packet by more waits for the video's jump.
    static let backwardLimit: Int64 = 100_000
    /// Epochs that follow each other within the reach of interleaving.
    private static let mostCandidates = 64
    static let forwardLimit: Int64 = TimestampContinuity.forwardLimitSeconds * 1_000_000

    private let forwardIsJump: Bool
    private let isContinuous: Bool
    private var epoch = 0
    /// Where the next packet should begin, in microseconds.
    private var expected: Int64?

    /// - Parameters:
    ///   - forwardIsJump: as in `TimestampContinuity`.
    ///   - isContinuous: whether one packet begins where the one before ends, as sound does and subtitles do not.
    public init(forwardIsJump: Bool, isContinuous: Bool) {
        self.forwardIsJump = forwardIsJump
        self.isContinuous = isContinuous
    }

    /// Places a packet.
    ///
    /// - Parameters:
    ///   - microseconds: the packet's decoding time as the file has it, and how long the packet lasts.
    ///   - offsets: what the video's epochs so far are moved by, in microseconds.
    ///   - videoPosition: decoding time of the video's last packet, moved, in microseconds.
    ///   - isLate: take the best there is; it makes no sense to wait any longer.
    /// - Returns: the epoch, or `nil` when the packet has to wait for the video to reach the next one.
    public mutating func place(
        _ microseconds: Int64, duration: Int64, offsets: [Int64], videoPosition: Int64?, isLate: Bool
    ) -> Int? {
        let placed = fitting(microseconds, offsets: offsets, videoPosition: videoPosition) ?? (isLate ? epoch : nil)
        guard let placed else { return nil }
        epoch = placed
        expected = microseconds &+ offsets[placed] &+ max(0, duration)
        return placed
    }

    /// The epoch that the packet fits into, if there is one.
    private func fitting(_ microseconds: Int64, offsets: [Int64], videoPosition: Int64?) -> Int? {
        let followed = isContinuous ? expected : nil
        guard let target = followed ?? videoPosition else { return epoch }
        let distance = { (candidate: Int) in microseconds &+ offsets[candidate] &- target }
        // What follows nothing of its own stream may lie a little beside the video, on either side.
        let earliest = followed == nil ? max(0, epoch - 1) : epoch
        let candidates = max(earliest, offsets.count - Self.mostCandidates)..<offsets.count
        let best = candidates.min { distance($0).magnitude < distance($1).magnitude } ?? epoch
        if followed != nil {
            let isFitting =
                distance(best) >= -Self.backwardLimit && (!forwardIsJump || distance(best) <= Self.forwardLimit)
            guard isFitting else { return nil }
        }
        return best
    }
}
