/// Assigns packets of another stream to epochs of the video, so that audio stays in sync where timestamps jump.
///
/// Streams are interleaved loosely: audio of the new epoch may come before the video's first packet of that epoch, and
/// audio of the old epoch may come after it.
public struct CompanionClock: Sendable {
    /// Audio that falls behind its own previous packet by more than this, in microseconds, waits for the video's jump.
    static let backwardLimit: Int64 = 100_000
    /// The maximum number of epochs within the reach of interleaving.
    private static let maximumCandidates = 64
    static let forwardLimit: Int64 = TimestampContinuity.forwardLimitSeconds * 1_000_000

    private let forwardIsJump: Bool
    private let isContinuous: Bool
    private var epoch = 0
    /// The time at which the next packet should begin, in microseconds.
    private var expected: Int64?

    /// - Parameters:
    ///   - forwardIsJump: As in `TimestampContinuity`.
    ///   - isContinuous: Whether each packet begins where the previous one ends, which holds for audio but not for
    ///     subtitles.
    public init(forwardIsJump: Bool, isContinuous: Bool) {
        self.forwardIsJump = forwardIsJump
        self.isContinuous = isContinuous
    }

    /// Assigns a packet to an epoch.
    ///
    /// - Parameters:
    ///   - microseconds: The packet's decoding time in the file.
    ///   - duration: The packet's duration in microseconds.
    ///   - offsets: The offset in microseconds of each epoch of the video so far.
    ///   - videoPosition: The decoding time of the video's last packet, with its offset, in microseconds.
    ///   - isLate: Whether to stay in the current epoch rather than wait any longer if no epoch fits.
    /// - Returns: The epoch, or `nil` if the packet must wait until the video reaches the next one.
    public mutating func assign(
        _ microseconds: Int64, duration: Int64, offsets: [Int64], videoPosition: Int64?, isLate: Bool
    ) -> Int? {
        let assigned = fitting(microseconds, offsets: offsets, videoPosition: videoPosition) ?? (isLate ? epoch : nil)
        guard let assigned else { return nil }
        epoch = assigned
        expected = microseconds &+ offsets[assigned] &+ max(0, duration)
        return assigned
    }

    /// Returns the epoch that fits the packet, if there is one.
    private func fitting(_ microseconds: Int64, offsets: [Int64], videoPosition: Int64?) -> Int? {
        let followed = isContinuous ? expected : nil
        guard let target = followed ?? videoPosition else { return epoch }
        let distance = { (candidate: Int) in microseconds &+ offsets[candidate] &- target }
        // A packet that does not continue its own stream may lie slightly before or after the video.
        let earliest = followed == nil ? max(0, epoch - 1) : epoch
        let candidates = max(earliest, offsets.count - Self.maximumCandidates)..<offsets.count
        let best = candidates.min { distance($0).magnitude < distance($1).magnitude } ?? epoch
        if followed != nil {
            let isFitting =
                distance(best) >= -Self.backwardLimit && (!forwardIsJump || distance(best) <= Self.forwardLimit)
            guard isFitting else { return nil }
        }
        return best
    }
}
