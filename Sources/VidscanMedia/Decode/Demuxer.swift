internal import CFFmpeg
internal import DequeModule
internal import VidscanBase

/// Reads the packets of one video stream, and of others on request, on one continuous timeline.
final class Demuxer {
    let input: InputContext
    /// Owned by `input`.
    let stream: Stream
    let clock: StreamClock
    let randomAccess: RandomAccessPointDetector
    /// As announced, in units of the stream's time base; 0 if unknown.
    fileprivate let frameDuration: Int64
    private lazy var packets = DiscontinuityCorrector(of: self)
    private let cancellation: CancellationFlag
    private var consecutiveErrors = 0

    private(set) var readError: String?

    /// Gets the packets of the streams added by `read(streams:)`, in file order.
    var onOtherPacket: ((borrowing Packet) throws(MediaError) -> Void)?

    private static let maximumConsecutiveErrors = 50

    init(path: String, streamIndex: Int?, limits: MediaLimits, cancellation: CancellationFlag) throws(MediaError) {
        let input = try InputContext(path: path, cancellation: cancellation)
        try input.findStreams(limits: limits)
        stream = try input.videoStream(streamIndex)
        // A cover picture or another video may be too large; only the selected stream matters.
        if let size = FFmpeg.refusedFrameSize, !stream.pointee.hasKnownSize {
            throw .frameTooLarge(size, limit: limits.maximumPixels)
        }
        for other in input.streams where other != stream { other.pointee.discard = AVDISCARD_ALL }
        randomAccess = RandomAccessPointDetector(stream.pointee.codecpar.pointee)
        let start = max(-1 << 53, min(FFmpeg.timestamp(input.pointer.pointee.start_time) ?? 0, 1 << 53))
        clock = StreamClock(
            timeBase: stream.pointee.timeBase, startMicroseconds: start,
            start: StreamClock.exactStart(
                microseconds: start, own: stream.pointee.start,
                others: input.streams.filter { [stream] in $0 != stream }.compactMap(\.pointee.start)))
        let rate = av_guess_frame_rate(input.pointer, stream, nil)
        let duration = TimestampInBase(Int64(rate.den), Rational(1, Int64(rate.num)) ?? .one)
        frameDuration = rate.num > 0 && rate.den > 0 ? duration.rescaled(to: stream.pointee.timeBase) : 0
        self.cancellation = cancellation
        self.input = input
    }

    /// Where the timestamps in the file jump, as far as it has been read. The packets' timestamps do not jump.
    var discontinuities: [TimestampDiscontinuity] { packets.discontinuities }

    var durationMicroseconds: Int64? { input.durationMicroseconds ?? InputContext.length(of: stream) }

    /// Other streams' packets are discarded by default.
    func read(streams: [Stream]) {
        for stream in streams {
            stream.pointee.discard = AVDISCARD_DEFAULT
            packets.addCompanion(stream)
        }
    }

    /// Returns `nil` at the end of the file, and where it is too damaged to continue (see `readError`).
    func read() throws(MediaError) -> Packet? {
        while let packet = try packets.next(readAny) {
            if packet.stream_index == stream.pointee.index { return packet }
            try onOtherPacket?(packet)
        }
        return nil
    }

    /// Seeks to the last readable packet at or before a timestamp of the video stream, before other streams are read.
    func seek(before timestamp: Int64) -> Bool {
        packets = DiscontinuityCorrector(of: self)
        return avformat_seek_file(
            input.pointer, stream.pointee.index, .min, timestamp, timestamp, AVSEEK_FLAG_BACKWARD) >= 0
    }

    /// With the timestamps in the file.
    private func readAny() throws(MediaError) -> Packet? {
        let packet = try Packet()
        while true {
            let result = av_read_frame(input.pointer, packet.pointer)
            if cancellation.isSet { throw .cancelled }
            if result >= 0 {
                (consecutiveErrors, readError) = (0, nil)
                return packet
            }
            if result == FFmpeg.endOfFile {
                if let error = input.pointer.pointee.pb?.pointee.error, error < 0, error != FFmpeg.endOfFile {
                    readError = FFmpeg.message(error)
                }
                return nil
            }
            // Intact packets may follow a damaged one, but a demuxer that fails every time has lost its position.
            consecutiveErrors += 1
            readError = FFmpeg.message(result)
            let isDamage = result == FFmpeg.invalidData || result == FFmpeg.tryAgain
            guard isDamage, consecutiveErrors <= Self.maximumConsecutiveErrors else { return nil }
            av_packet_unref(packet.pointer)
        }
    }

    struct Landing: ~Copyable {
        let packet: Packet
        /// Frames presented before the packet.
        let frames: Int64
    }

    /// Seeks only in containers that list every frame (the MP4 and QuickTime family), because a frame's index counts
    /// all frames before it. In others, all packets are read, though not decoded. `microseconds` is on the stream's
    /// clock. Returns `nil` when reading continues at the beginning of the file.
    func seek(toFrameBefore microseconds: Int64) throws(MediaError) -> Landing? {
        let count = avformat_index_get_entries_count(stream)
        guard count > 0, stream.pointee.nb_frames > 0, Int64(count) >= stream.pointee.nb_frames else { return nil }
        // In H.264, two entries may make one frame unless it is known to be progressive.
        let parameters = stream.pointee.codecpar.pointee
        if parameters.codec_id == AV_CODEC_ID_H264, parameters.field_order != AV_FIELD_PROGRESSIVE { return nil }
        // Where the listed times go back, a time does not identify a position in the file.
        let times = (0..<count).lazy.map { [stream] in avformat_index_get_entry(stream, $0)?.pointee.timestamp ?? .min }
        guard let first = times.first, zip(times, times.dropFirst()).allSatisfy(<=) else { return nil }
        // Each attempt goes back twice as far: a listed point may not be a random access point or may lie too late.
        var margin: Int64 = 1
        while microseconds - margin > 0 {
            guard seek(before: clock.timestamp(atOrBefore: microseconds - margin)) else { break }
            if let landing = try land(before: microseconds, count: count) { return landing }
            margin = max(margin * 2, 10_000_000)
        }
        if microseconds > 1, !seek(before: first) {
            throw MediaError(.io, "cannot seek back to the beginning of the file")
        }
        return nil
    }

    /// `nil` when decoding cannot begin there.
    private func land(before microseconds: Int64, count: Int32) throws(MediaError) -> Landing? {
        guard let packet = try read(), randomAccess.isRandomAccessPoint(packet),
            let presentation = packet.presentation, let decoding = packet.decoding, clock.isPlausible(presentation),
            !clock.isAtOrAfter(microseconds, presentation)
        else { return nil }
        let position = av_index_search_timestamp(stream, decoding, AVSEEK_FLAG_ANY)
        guard position >= 0, position < count else { return nil }
        return Landing(packet: packet, frames: Int64(input.indexedFrames(stream, before: position)))
    }
}

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
    private let randomAccess: RandomAccessPointDetector
    /// Whether the format's clock may be reset to any time.
    private let forwardIsJump: Bool
    private var continuity: TimestampContinuity
    /// Per epoch, in units of the video's time base.
    private var offsets: [Int64] = [0]
    private var offsetMicroseconds: [Int64] = [0]
    private var videoPosition: Int64?
    private var companions: [Int32: Companion] = [:]
    private var unprocessed = UniqueDeque<Packet>(), corrected = UniqueDeque<Packet>()

    /// How far the beginning of an epoch is searched for the frame presented first.
    private static let maximumLookahead = (videoPackets: 32, packets: 1000)
    /// How much of a stream may wait for the video: about ten seconds of sound.
    private static let maximumWaiting = (packets: 1000, bytes: 8 << 20)

    init(of demuxer: Demuxer) {
        (streamIndex, clock) = (demuxer.stream.pointee.index, demuxer.clock)
        (randomAccess, forwardIsJump) = (demuxer.randomAccess, demuxer.input.mayResetClock)
        continuity = TimestampContinuity(
            clock: clock, frameDuration: demuxer.frameDuration, forwardIsJump: forwardIsJump)
    }

    func addCompanion(_ stream: Stream) {
        let isSound = stream.pointee.codecType == AVMEDIA_TYPE_AUDIO
        let clock = CompanionClock(forwardIsJump: forwardIsJump, isContinuous: isSound)
        companions[stream.pointee.index] = Companion(timeBase: stream.pointee.timeBase, clock: clock)
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
            discontinuities.append(continuity.begin(first, isRandomAccessPoint: randomAccess.beginsSequence(packet)))
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
        var (earliest, decoding) = (head.presentation, head.decoding)
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
            presentation: packet.presentation, decoding: packet.decoding,
            duration: FFmpeg.plausible(duration: packet.duration))
    }

    private func correct(companion packet: consuming Packet) {
        // While streams are probed, libavformat reads packets of all of them.
        guard let companion = companions[packet.stream_index] else { return }
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
