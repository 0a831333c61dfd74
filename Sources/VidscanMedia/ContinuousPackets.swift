internal import CFFmpeg
internal import VidscanBase

/// The packets of a file in its own order, with timestamps on one continuous time line.
///
/// Where the video's timestamps jump, those of all streams are moved before anyone sees them, so that planning, decoding,
/// numbering and rewriting know nothing of it.
final class ContinuousPackets {
    typealias Packet = UnsafeMutablePointer<AVPacket>
    /// Reads the file's next packet, and returns `false` at its end.
    typealias Reading = (Packet) throws(MediaError) -> Bool

    /// A stream beside the video, with packets that wait for the video's next epoch.
    private struct Companion {
        let timeBase: Rational
        var clock: CompanionClock
        let waiting = PacketQueue()
        var waitingBytes = 0
    }

    /// In order of time.
    private(set) var discontinuities: [TimestampDiscontinuity] = []

    private let streamIndex: Int32
    private let clock: StreamClock
    private let frameDuration: Int64
    private let forwardIsJump: Bool
    private let isRestartPoint: (AVPacket) -> Bool
    private var continuity: TimestampContinuity
    /// What each epoch is moved by, in units of the video's time base.
    private var offsets: [Int64] = [0]
    private var offsetMicroseconds: [Int64] = [0]
    private var videoPosition: Int64?
    private var companions: [Int32: Companion] = [:]
    /// Read, and not yet placed.
    private let ahead = PacketQueue()
    private let ready = PacketQueue()

    /// How far the beginning of an epoch is looked at for the frame that is presented first.
    private static let mostAhead = (videoPackets: 32, packets: 1000)
    /// How much of a stream may wait for the video: some ten seconds of sound.
    private static let mostWaiting = (packets: 1000, bytes: 8 << 20)

    /// - Parameters:
    ///   - streamIndex: of the video.
    ///   - clock: of the video.
    ///   - frameDuration: as announced, in units of its time base.
    ///   - forwardIsJump: whether the format's clock may be reset to any time.
    ///   - isRestartPoint: whether decoding can begin anew with a packet.
    init(
        streamIndex: Int32, clock: StreamClock, frameDuration: Int64, forwardIsJump: Bool,
        isRestartPoint: @escaping (AVPacket) -> Bool
    ) {
        self.streamIndex = streamIndex
        self.clock = clock
        self.frameDuration = frameDuration
        self.forwardIsJump = forwardIsJump
        self.isRestartPoint = isRestartPoint
        continuity = TimestampContinuity(clock: clock, frameDuration: frameDuration, forwardIsJump: forwardIsJump)
    }

    /// Adds a stream whose packets are read too.
    func addCompanion(_ index: Int32, timeBase: Rational, isContinuous: Bool) {
        companions[index] = Companion(
            timeBase: timeBase,
            clock: CompanionClock(forwardIsJump: forwardIsJump, isContinuous: isContinuous))
    }

    /// Forgets what was read: reading goes on elsewhere in the file.
    func restart() {
        continuity = TimestampContinuity(clock: clock, frameDuration: frameDuration, forwardIsJump: forwardIsJump)
        discontinuities.removeAll()
        offsets = [0]
        offsetMicroseconds = [0]
        videoPosition = nil
        ahead.removeAll()
        ready.removeAll()
    }

    /// The next packet of any stream; the caller owns it. `nil` at the end.
    func next(_ read: Reading) throws(MediaError) -> Packet? {
        while true {
            if let packet = ready.removeFirst() { return packet }
            var oldest = ahead.removeFirst()
            if oldest == nil { oldest = try Self.one(read) }
            guard let packet = oldest else {
                release(isLate: true)
                return ready.removeFirst()
            }
            if packet.pointee.stream_index == streamIndex {
                try place(video: packet, read)
            } else {
                place(companion: packet)
            }
        }
    }

    private static func one(_ read: Reading) throws(MediaError) -> Packet? {
        let packet = try PacketQueue.allocate()
        do {
            if try read(packet) { return packet }
        } catch {
            PacketQueue.free(packet)
            throw error
        }
        PacketQueue.free(packet)
        return nil
    }

    // MARK: Video

    private func place(video packet: Packet, _ read: Reading) throws(MediaError) {
        let times = Self.times(of: packet)
        let begins = continuity.jumps(at: times)
        if begins {
            do {
                let first = try [times] + beginning(times, read)
                discontinuities.append(continuity.begin(first, isRestartPoint: isRestartPoint(packet.pointee)))
            } catch {
                PacketQueue.free(packet)
                throw error
            }
            offsets.append(continuity.offset)
            offsetMicroseconds.append(TimestampInBase(continuity.offset, clock.timeBase).roundedMicroseconds)
        }
        let moved = continuity.move(times)
        packet.pointee.pts = moved.presentation ?? Libav.noTimestamp
        packet.pointee.dts = moved.decoding ?? Libav.noTimestamp
        if let position = moved.decoding ?? moved.presentation {
            videoPosition = TimestampInBase(position, clock.timeBase).roundedMicroseconds
        }
        ready.append(packet)
        if begins { release(isLate: false) }
    }

    /// The times of the video's packets that follow, until no later one is presented before all of them.
    private func beginning(
        _ head: TimestampContinuity.Times, _ read: Reading
    ) throws(MediaError) -> [TimestampContinuity.Times] {
        var earliest = head.presentation
        var decoding = head.decoding
        var following: [TimestampContinuity.Times] = []
        var position = 0
        while following.count < Self.mostAhead.videoPackets, position < Self.mostAhead.packets {
            if let earliest, let decoding, decoding >= earliest { break }
            if position == ahead.count {
                guard let packet = try Self.one(read) else { break }
                ahead.append(packet)
            }
            let packet = ahead[position]
            position += 1
            guard packet.pointee.stream_index == streamIndex else { continue }
            let times = Self.times(of: packet)
            // They jump again.
            if let before = decoding, let after = times.decoding, after < before { break }
            decoding = times.decoding ?? decoding
            earliest = [earliest, times.presentation].compactMap { $0 }.min()
            following.append(times)
        }
        return following
    }

    private static func times(of packet: Packet) -> TimestampContinuity.Times {
        TimestampContinuity.Times(
            presentation: Libav.timestamp(packet.pointee.pts), decoding: Libav.timestamp(packet.pointee.dts),
            duration: packet.pointee.duration)
    }

    // MARK: Other streams

    private func place(companion packet: Packet) {
        let index = packet.pointee.stream_index
        guard var companion = companions[index] else { return ready.append(packet) }
        if companion.waiting.count > 0 || !move(packet, of: &companion, isLate: false) {
            companion.waiting.append(packet)
            companion.waitingBytes += Int(packet.pointee.size)
        } else {
            ready.append(packet)
        }
        let isFull =
            companion.waiting.count > Self.mostWaiting.packets || companion.waitingBytes > Self.mostWaiting.bytes
        if isFull { release(&companion, isLate: true) }
        companions[index] = companion
    }

    /// Lets those go that have waited for the epoch that has begun.
    private func release(isLate: Bool) {
        for index in companions.keys.sorted() {
            guard var companion = companions[index] else { continue }
            release(&companion, isLate: isLate)
            companions[index] = companion
        }
    }

    private func release(_ companion: inout Companion, isLate: Bool) {
        while companion.waiting.count > 0 {
            guard move(companion.waiting[0], of: &companion, isLate: isLate),
                let packet = companion.waiting.removeFirst()
            else { return }
            companion.waitingBytes -= Int(packet.pointee.size)
            ready.append(packet)
        }
    }

    /// - Returns: `false` when it has to wait.
    private func move(_ packet: Packet, of companion: inout Companion, isLate: Bool) -> Bool {
        let (presentation, decoding) = (Libav.timestamp(packet.pointee.pts), Libav.timestamp(packet.pointee.dts))
        guard let time = decoding ?? presentation else { return true }
        let timeBase = companion.timeBase
        let microseconds = { (ticks: Int64) in TimestampInBase(ticks, timeBase).roundedMicroseconds }
        let epoch = companion.clock.place(
            microseconds(time), duration: microseconds(packet.pointee.duration),
            offsets: offsetMicroseconds, videoPosition: videoPosition, isLate: isLate)
        guard let epoch else { return false }
        let offset = TimestampInBase(offsets[epoch], clock.timeBase).rescaled(to: timeBase)
        if let presentation { packet.pointee.pts = presentation &+ offset }
        if let decoding { packet.pointee.dts = decoding &+ offset }
        return true
    }
}
