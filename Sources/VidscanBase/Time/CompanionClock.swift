/// Assigns packets of another stream to epochs of the video, so that audio stays in sync where timestamps jump.
///
/// Streams are interleaved loosely: audio of a new epoch may come before its video, and of the old one after that.
package struct CompanionClock: Sendable {
    /// In microseconds. Audio that falls further behind its own previous packet waits for the video's jump.
    static let backwardLimit: Int64 = 100_000
    /// The maximum number of epochs within the reach of interleaving.
    private static let maximumCandidates = 64
    static let forwardLimit: Int64 = TimestampContinuity.forwardLimitSeconds * 1_000_000

    private let forwardIsJump, isContinuous: Bool
    private var epoch = 0
    /// When the next packet should begin, in microseconds.
    private var expected: Int64?

    /// `forwardIsJump`: as in `TimestampContinuity`. `isContinuous`: packets leave no gaps, as in audio, not subtitles.
    package init(forwardIsJump: Bool, isContinuous: Bool) {
        (self.forwardIsJump, self.isContinuous) = (forwardIsJump, isContinuous)
    }

    /// Returns the packet's epoch; `nil` if it must wait until the video reaches the next one. Times in microseconds.
    ///
    /// - Parameters:
    ///   - microseconds: The decoding time in the file.
    ///   - offsets: The offset of each epoch of the video so far.
    ///   - videoPosition: The decoding time of the video's last packet, with its offset.
    ///   - isLate: Stay in the current epoch, rather than wait any longer, if no epoch fits.
    package mutating func assign(
        _ microseconds: Int64, duration: Int64, offsets: [Int64], videoPosition: Int64?, isLate: Bool
    ) -> Int? {
        let assigned = fitting(microseconds, offsets: offsets, videoPosition: videoPosition) ?? (isLate ? epoch : nil)
        guard let assigned else { return nil }
        (epoch, expected) = (assigned, microseconds &+ offsets[assigned] &+ max(0, duration))
        return assigned
    }

    private func fitting(_ microseconds: Int64, offsets: [Int64], videoPosition: Int64?) -> Int? {
        let followed = isContinuous ? expected : nil
        guard let target = followed ?? videoPosition else { return epoch }
        let distance = { (candidate: Int) in microseconds &+ offsets[candidate] &- target }
        // A packet that does not continue its own stream may lie slightly before or after the video.
        let earliest = followed == nil ? max(0, epoch - 1) : epoch
        let candidates = max(earliest, offsets.count - Self.maximumCandidates)..<offsets.count
        let best = candidates.min { distance($0).magnitude < distance($1).magnitude } ?? epoch
        if followed != nil {
            // Sound of the epoch before may be longer than its video, so that the next one begins before it ends.
            let overlap = best > epoch ? Self.forwardLimit : Self.backwardLimit
            guard distance(best) >= -overlap else { return nil }
            if forwardIsJump, distance(best) > Self.forwardLimit { return nil }
        }
        return best
    }
}
