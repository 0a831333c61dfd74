internal import CFFmpeg
internal import DequeModule
internal import VidscanBase

/// The packets of a file in its own order, on one continuous timeline: where the video's timestamps jump, those of all streams
/// are corrected here, so that planning, decoding, numbering and transcoding see no jump.
final class DiscontinuityCorrector {
    typealias Source = () throws(MediaError) -> Packet?

    /// A stream read beside the video, with packets that wait for the video's next epoch.
    private final class Companion {
        let timeBase: Rational
        var clock: CompanionClock
        var waiting = UniqueDeque<Packet>()
        var waitingBytes = 0

        init(timeBase: Rational, clock: CompanionClock) { (self.timeBase, self.clock) = (timeBase, clock) }
    }

    private(set) var discontinuities: [TimestampDiscontinuity] = []

    private let streamIndex: Int32
    private let clock: StreamClock
    private let forwardIsJump: Bool
    private let beginsSequence: (borrowing Packet) -> Bool
    private var continuity: TimestampContinuity
    /// Per epoch, in units of the video's time base.
    private var offsets: [Int64] = [0]
    private var offsetMicroseconds: [Int64] = [0]
    private var videoPosition: Int64?
    private var companions: [Int32: Companion] = [:]
    private var unprocessed = UniqueDeque<Packet>()
    private var corrected = UniqueDeque<Packet>()

    /// How far the beginning of an epoch is searched for the frame presented first.
    private static let maximumLookahead = (videoPackets: 32, packets: 1000)
    /// How much of a stream may wait for the video: about ten seconds of sound.
    private static let maximumWaiting = (packets: 1000, bytes: 8 << 20)

    /// `frameDuration`: as announced, in units of the video's time base. `forwardIsJump`: whether the format's clock
    /// may be reset to any time. `beginsSequence`: whether every frame presented before a packet belongs to an earlier
    /// sequence.
    init(
        streamIndex: Int32, clock: StreamClock, frameDuration: Int64, forwardIsJump: Bool,
        beginsSequence: @escaping (borrowing Packet) -> Bool
    ) {
        (self.streamIndex, self.clock) = (streamIndex, clock)
        (self.forwardIsJump, self.beginsSequence) = (forwardIsJump, beginsSequence)
        continuity = TimestampContinuity(clock: clock, frameDuration: frameDuration, forwardIsJump: forwardIsJump)
    }

    /// - Parameter isContinuous: whether each packet begins where the previous one ends, as in audio.
    func addCompanion(_ index: Int32, timeBase: Rational, isContinuous: Bool) {
        companions[index] = Companion(
            timeBase: timeBase, clock: CompanionClock(forwardIsJump: forwardIsJump, isContinuous: isContinuous))
    }

    func next(_ source: Source) throws(MediaError) -> Packet? {
        while true {
            if let packet = corrected.popFirst() { return packet }
            var next = unprocessed.popFirst()
            if next == nil { next = try source() }
            guard let packet = next else {
                release(isLate: true)
                return corrected.popFirst()
            }
            if packet.stream_index == streamIndex {
                try correct(video: packet, source)
            } else {
                correct(companion: packet)
            }
        }
    }

    private func correct(video packet: consuming Packet, _ source: Source) throws(MediaError) {
        let times = Self.times(of: packet)
        let begins = continuity.jumps(at: times)
        if begins {
            let first = try [times] + beginning(times, source)
            discontinuities.append(continuity.begin(first, isRandomAccessPoint: beginsSequence(packet)))
            offsets.append(continuity.offset)
            offsetMicroseconds.append(TimestampInBase(continuity.offset, clock.timeBase).roundedMicroseconds)
        }
        let moved = continuity.move(times)
        packet.presentation = moved.presentation
        packet.decoding = moved.decoding
        if let position = moved.decoding ?? moved.presentation {
            videoPosition = TimestampInBase(position, clock.timeBase).roundedMicroseconds
        }
        corrected.append(packet)
        if begins { release(isLate: false) }
    }

    /// Times of the following video packets, up to the first after which no packet is presented before all of them.
    private func beginning(
        _ head: TimestampContinuity.Times, _ source: Source
    ) throws(MediaError) -> [TimestampContinuity.Times] {
        var earliest = head.presentation
        var decoding = head.decoding
        var following: [TimestampContinuity.Times] = []
        var position = 0
        while following.count < Self.maximumLookahead.videoPackets, position < Self.maximumLookahead.packets {
            if let earliest, let decoding, decoding >= earliest { break }
            if position == unprocessed.count {
                guard let packet = try source() else { break }
                unprocessed.append(packet)
            }
            defer { position += 1 }
            guard unprocessed[position].stream_index == streamIndex else { continue }
            let times = Self.times(of: unprocessed[position])
            if let before = decoding, let after = times.decoding, after < before { break }
            decoding = times.decoding ?? decoding
            earliest = [earliest, times.presentation].compactMap { $0 }.min()
            following.append(times)
        }
        return following
    }

    private static func times(of packet: borrowing Packet) -> TimestampContinuity.Times {
        TimestampContinuity.Times(
            presentation: packet.presentation, decoding: packet.decoding, duration: packet.duration)
    }

    private func correct(companion packet: consuming Packet) {
        guard let companion = companions[packet.stream_index] else { return corrected.append(packet) }
        guard !companion.waiting.isEmpty || !move(packet, of: companion, isLate: false) else {
            return corrected.append(packet)
        }
        companion.waitingBytes += Int(packet.size)
        companion.waiting.append(packet)
        if companion.waiting.count > Self.maximumWaiting.packets || companion.waitingBytes > Self.maximumWaiting.bytes {
            release(companion, isLate: true)
        }
    }

    private func release(isLate: Bool) {
        for (_, companion) in companions.sorted(by: { $0.key < $1.key }) { release(companion, isLate: isLate) }
    }

    private func release(_ companion: Companion, isLate: Bool) {
        while let packet = companion.waiting.popFirst() {
            guard move(packet, of: companion, isLate: isLate) else { return companion.waiting.prepend(packet) }
            companion.waitingBytes -= Int(packet.size)
            corrected.append(packet)
        }
    }

    /// `false` when the packet must wait.
    private func move(_ packet: borrowing Packet, of companion: Companion, isLate: Bool) -> Bool {
        let (presentation, decoding) = (packet.presentation, packet.decoding)
        guard let time = decoding ?? presentation else { return true }
        let timeBase = companion.timeBase
        let microseconds = { (ticks: Int64) in TimestampInBase(ticks, timeBase).roundedMicroseconds }
        let epoch = companion.clock.assign(
            microseconds(time), duration: microseconds(packet.duration), offsets: offsetMicroseconds,
            videoPosition: videoPosition, isLate: isLate)
        guard let epoch else { return false }
        let offset = TimestampInBase(offsets[epoch], clock.timeBase).rescaled(to: timeBase)
        if let presentation { packet.presentation = presentation &+ offset }
        if let decoding { packet.decoding = decoding &+ offset }
        return true
    }
}
