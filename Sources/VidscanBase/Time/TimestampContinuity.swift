/// A place where a file's own timestamps jump, though the video goes on: a recorder was restarted, streams were
/// concatenated, a 33-bit clock wrapped.
public struct TimestampDiscontinuity: Sendable, Equatable, Codable {
    /// When the first frame after it is shown, in microseconds on the clock, which does not jump.
    public let microseconds: Int64
    /// By how much the file's timestamps jump from where they should have gone on, in microseconds; negative is back.
    public let jumpMicroseconds: Int64

    public init(microseconds: Int64, jumpMicroseconds: Int64) {
        self.microseconds = microseconds
        self.jumpMicroseconds = jumpMicroseconds
    }
}

/// Makes one continuous time line of a stream whose timestamps jump, packet by packet in decoding order.
///
/// Timestamps jump where the decoding time falls behind the previous packet's by more than a second. In formats whose
/// clocks may be reset, being ahead by more than ten seconds is a jump too; in others it is a pause. After a jump a new
/// epoch begins: all its timestamps are moved alike, so that it follows the frame before.
public struct TimestampContinuity: Sendable {
    /// What a packet says of its times, in the stream's time base.
    public struct Times: Sendable, Equatable {
        public var presentation: Int64?
        public var decoding: Int64?
        /// 0 when unknown.
        public var duration: Int64

        public init(presentation: Int64?, decoding: Int64?, duration: Int64 = 0) {
            self.presentation = presentation
            self.decoding = decoding
            self.duration = duration
        }
    }

    static let backwardLimitSeconds: Int64 = 1
    static let forwardLimitSeconds: Int64 = 10
    /// Frames by which the presentation order may differ from the decoding order.
    private static let mostReordering: Int64 = 16

    private let clock: StreamClock
    private let frameDuration: Int64
    private let forwardIsJump: Bool
    /// Of the packet before, and moved as it was.
    private var last: (decoding: Int64, duration: Int64)?
    /// Presented last so far, and moved as it was.
    private var latest: (presentation: Int64, duration: Int64)?
    /// Decoding times of an epoch do not fall behind those of the one before, whose pictures may wait in the decoder longer.
    private var decodingFloor: Int64?
    /// Added to every timestamp of this epoch.
    public private(set) var offset: Int64 = 0
    /// Jumps so far.
    public private(set) var epoch = 0

    /// - Parameters:
    ///   - clock: of the stream.
    ///   - frameDuration: in units of the time base, for packets that do not say how long they last.
    ///   - forwardIsJump: whether the format's clock may be reset to any time.
    public init(clock: StreamClock, frameDuration: Int64, forwardIsJump: Bool) {
        self.clock = clock
        self.frameDuration = max(1, frameDuration)
        self.forwardIsJump = forwardIsJump
    }

    /// Whether the timestamps jump at this packet, the next one in decoding order.
    public func jumps(at times: Times) -> Bool {
        if let decoding = plausible(times.decoding), let last {
            return isJump(from: last.decoding, duration: last.duration, to: decoding, slack: 0)
        }
        // Without decoding times a presentation time may lie behind by as much as frames are reordered.
        guard let presentation = plausible(times.presentation), let latest else { return false }
        return isJump(
            from: latest.presentation, duration: latest.duration, to: presentation,
            slack: Self.mostReordering * max(latest.duration, frameDuration))
    }

    private func isJump(from last: Int64, duration: Int64, to next: Int64, slack: Int64) -> Bool {
        let step = Int128(next) + Int128(offset) - Int128(last)
        let second = { (count: Int64) in Int128(count) * Int128(clock.timeBase.denominator) }
        let ticks = { (count: Int128) in count * Int128(clock.timeBase.numerator) }
        if ticks(step + Int128(slack)) < -second(Self.backwardLimitSeconds) { return true }
        return forwardIsJump && ticks(step - Int128(duration) - Int128(slack)) > second(Self.forwardLimitSeconds)
    }

    /// Begins an epoch.
    ///
    /// - Parameters:
    ///   - first: its first packets in decoding order, as many as are needed to know which is presented first.
    ///   - isRandomAccessPoint: whether decoding begins anew with the first of them, so that all earlier pictures are shown
    ///     before; otherwise it goes on in mid-stream, and decoding times go on from the packet before.
    public mutating func begin(_ first: [Times], isRandomAccessPoint: Bool) -> TimestampDiscontinuity {
        let earliest = first.compactMap { plausible($0.presentation) }.min()
        let decoding = first.first.flatMap { plausible($0.decoding) }
        let byPresentation = earliest.flatMap { earliest in
            latest.map { $0.presentation &+ $0.duration &- earliest }
        }
        let byDecoding = decoding.flatMap { decoding in last.map { $0.decoding &+ $0.duration &- decoding } }
        let next = (isRandomAccessPoint ? byPresentation ?? byDecoding : byDecoding ?? byPresentation) ?? offset
        let jump = TimestampInBase(offset &- next, clock.timeBase).roundedMicroseconds
        offset = next
        epoch += 1
        decodingFloor = last?.decoding
        let begin = moved(earliest ?? decoding ?? 0) ?? 0
        return TimestampDiscontinuity(microseconds: clock.microseconds(at: begin), jumpMicroseconds: jump)
    }

    /// A packet's times on the continuous time line, and takes note of them. Packets come in decoding order.
    public mutating func move(_ times: Times) -> Times {
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

    /// An impossible timestamp stays what it is.
    private func moved(_ timestamp: Int64?) -> Int64? {
        guard let timestamp, clock.isPlausible(timestamp) else { return timestamp }
        return timestamp &+ offset
    }

    private func plausible(_ timestamp: Int64?) -> Int64? {
        timestamp.flatMap { clock.isPlausible($0) ? $0 : nil }
    }
}
