/// Where timestamps jump but the video continues: a recorder restarted, streams were joined, a 33-bit clock wrapped.
package struct TimestampDiscontinuity: Sendable, Equatable, Codable {
    /// The first frame after the jump, on the continuous clock.
    package let microseconds: Int64
    /// The file's timestamp minus the expected one; negative for a jump back.
    package let jumpMicroseconds: Int64

    package init(microseconds: Int64, jumpMicroseconds: Int64) {
        (self.microseconds, self.jumpMicroseconds) = (microseconds, jumpMicroseconds)
    }
}

/// Maps a stream's timestamps to one continuous timeline, packet by packet in decoding order.
///
/// A jump is a decoding time more than a second behind the previous packet's. In formats whose clocks may be reset, a
/// decoding time more than ten seconds ahead is a jump too; in other formats it is a pause. Each jump starts an epoch,
/// whose timestamps all get the same offset, so that it follows the previous frame.
package struct TimestampContinuity: Sendable {
    /// In the stream's time base.
    package struct Times: Sendable, Equatable {
        package var presentation, decoding: Int64?
        /// 0 if unknown.
        package var duration: Int64

        package init(presentation: Int64?, decoding: Int64?, duration: Int64 = 0) {
            (self.presentation, self.decoding, self.duration) = (presentation, decoding, duration)
        }
    }

    static let backwardLimitSeconds: Int64 = 1, forwardLimitSeconds: Int64 = 10
    /// The maximum difference between presentation order and decoding order, in frames.
    private static let maximumReordering: Int64 = 16

    private let clock: StreamClock
    private let frameDuration: Int64
    private let forwardIsJump: Bool
    /// In decoding order, with the offset applied.
    private var last: (decoding: Int64, duration: Int64)?
    /// In presentation order, with the offset applied.
    private var latest: (presentation: Int64, duration: Int64)?
    /// The minimum decoding time of an epoch's first packets, because the last epoch's frames may wait in the decoder.
    private var decodingFloor: Int64?
    /// Added to every timestamp of this epoch.
    package private(set) var offset: Int64 = 0
    package private(set) var epoch = 0

    /// - Parameters:
    ///   - frameDuration: For packets that declare none, in units of the time base.
    ///   - forwardIsJump: Whether the format's clock may be reset to any time.
    package init(clock: StreamClock, frameDuration: Int64, forwardIsJump: Bool) {
        (self.clock, self.frameDuration, self.forwardIsJump) = (clock, max(1, frameDuration), forwardIsJump)
    }

    /// Whether the timestamps jump at the next packet in decoding order.
    package func jumps(at times: Times) -> Bool {
        if let decoding = plausible(times.decoding), let last {
            return isJump(from: last.decoding, duration: last.duration, to: decoding, slack: 0)
        }
        // Without decoding times, frame reordering may put a presentation time behind the previous one.
        guard let presentation = plausible(times.presentation), let latest else { return false }
        return isJump(
            from: latest.presentation, duration: latest.duration, to: presentation,
            slack: Self.maximumReordering * max(latest.duration, frameDuration))
    }

    private func isJump(from last: Int64, duration: Int64, to next: Int64, slack: Int64) -> Bool {
        let step = Int128(next) + Int128(offset) - Int128(last)
        let second = { (count: Int64) in Int128(count) * Int128(clock.timeBase.denominator) }
        let ticks = { (count: Int128) in count * Int128(clock.timeBase.numerator) }
        if ticks(step + Int128(slack)) < -second(Self.backwardLimitSeconds) { return true }
        return forwardIsJump && ticks(step - Int128(duration) - Int128(slack)) > second(Self.forwardLimitSeconds)
    }

    /// - Parameters:
    ///   - first: The epoch's first packets in decoding order, as many as needed to know which is presented first.
    ///   - isRandomAccessPoint: Whether decoding restarts at the first packet, so that all earlier frames are presented
    ///     before it. Otherwise decoding times continue from the previous packet.
    package mutating func begin(_ first: [Times], isRandomAccessPoint: Bool) -> TimestampDiscontinuity {
        let earliest = first.compactMap { plausible($0.presentation) }.min()
        let decoding = first.first.flatMap { plausible($0.decoding) }
        let byPresentation = earliest.flatMap { earliest in latest.map { $0.presentation &+ $0.duration &- earliest } }
        let byDecoding = decoding.flatMap { decoding in last.map { $0.decoding &+ $0.duration &- decoding } }
        let next = (isRandomAccessPoint ? byPresentation ?? byDecoding : byDecoding ?? byPresentation) ?? offset
        let jump = TimestampInBase(offset &- next, clock.timeBase).roundedMicroseconds
        offset = next
        epoch += 1
        decodingFloor = last?.decoding
        let begin = moved(earliest ?? decoding ?? 0) ?? 0
        return TimestampDiscontinuity(microseconds: clock.microseconds(at: begin), jumpMicroseconds: jump)
    }

    /// Returns the packet's times on the continuous timeline. Call it for each packet, in decoding order.
    package mutating func move(_ times: Times) -> Times {
        var result = Times(
            presentation: moved(times.presentation), decoding: moved(times.decoding), duration: times.duration)
        if let floor = decodingFloor, let decoding = result.decoding {
            if decoding < floor {
                result.decoding = min(floor, result.presentation ?? floor)
            } else {
                decodingFloor = nil
            }
        }
        let duration = times.duration > 0 ? times.duration : frameDuration
        if let decoding = plausible(result.decoding) { last = (decoding, duration) }
        if let presentation = plausible(result.presentation ?? result.decoding),
            presentation >= latest?.presentation ?? .min
        {
            latest = (presentation, duration)
        }
        return result
    }

    /// Returns an implausible timestamp unchanged.
    private func moved(_ timestamp: Int64?) -> Int64? { plausible(timestamp).map { $0 &+ offset } ?? timestamp }

    private func plausible(_ timestamp: Int64?) -> Int64? { timestamp.flatMap { clock.isPlausible($0) ? $0 : nil } }
}
