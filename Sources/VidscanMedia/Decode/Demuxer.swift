internal import CFFmpeg
internal import VidscanBase

/// Reads the packets of one video stream, and of others on request, on one continuous timeline.
final class Demuxer {
    let input: InputContext
    /// Owned by `input`.
    let stream: Stream
    let clock: StreamClock
    let randomAccess: RandomAccessPointDetector
    /// As announced, in units of the stream's time base; 0 if unknown.
    private let frameDuration: Int64
    private lazy var packets = corrector()
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
        let start = FFmpeg.timestamp(input.pointer.pointee.start_time) ?? 0
        clock = StreamClock(
            timeBase: stream.pointee.timeBase, startMicroseconds: start,
            start: StreamClock.exactStart(
                microseconds: start, own: stream.pointee.start,
                others: input.streams.filter { [stream] in $0 != stream }.compactMap(\.pointee.start)))
        frameDuration = Self.frameDuration(of: stream, in: input)
        self.cancellation = cancellation
        self.input = input
    }

    /// Where the timestamps in the file jump, as far as it has been read. The packets' timestamps do not jump.
    var discontinuities: [TimestampDiscontinuity] { packets.discontinuities }

    var durationMicroseconds: Int64? {
        if let duration = FFmpeg.timestamp(input.pointer.pointee.duration), duration > 0 { return duration }
        guard let duration = FFmpeg.timestamp(stream.pointee.duration), duration > 0 else { return nil }
        return StreamClock(timeBase: clock.timeBase, startMicroseconds: 0).microseconds(at: duration)
    }

    /// Other streams' packets are discarded by default.
    func read(streams: [Stream]) {
        for stream in streams {
            stream.pointee.discard = AVDISCARD_DEFAULT
            packets.addCompanion(
                stream.pointee.index, timeBase: stream.pointee.timeBase,
                isContinuous: stream.pointee.codecType == AVMEDIA_TYPE_AUDIO)
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

    private func corrector() -> DiscontinuityCorrector {
        DiscontinuityCorrector(
            streamIndex: stream.pointee.index, clock: clock, frameDuration: frameDuration,
            forwardIsJump: input.mayResetClock, beginsSequence: randomAccess.beginsSequence)
    }

    /// Seeks to the last readable packet at or before a timestamp of the video stream, before other streams are read.
    func seek(before timestamp: Int64) -> Bool {
        packets = corrector()
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
                consecutiveErrors = 0
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

    private static func frameDuration(of stream: Stream, in input: borrowing InputContext) -> Int64 {
        let rate = av_guess_frame_rate(input.pointer, stream, nil)
        guard rate.num > 0, rate.den > 0 else { return 0 }
        return TimestampInBase(Int64(rate.den), Rational(1, Int64(rate.num)) ?? .one)
            .rescaled(to: stream.pointee.timeBase)
    }
}

/// Seeks only in containers that list every frame (the MP4 and QuickTime family), because a frame's index counts all frames
/// before it. In others, all packets are read, though not decoded.
extension Demuxer {
    struct Landing: ~Copyable {
        let packet: Packet
        /// Frames presented before the packet.
        let frames: Int64
    }

    /// `microseconds` is on the stream's clock. Returns `nil` when reading continues at the beginning of the file.
    func seek(toFrameBefore microseconds: Int64) throws(MediaError) -> Landing? {
        let count = avformat_index_get_entries_count(stream)
        guard count > 0, stream.pointee.nb_frames > 0, Int64(count) >= stream.pointee.nb_frames else { return nil }
        guard let first = avformat_index_get_entry(stream, 0)?.pointee.timestamp, isInOrder(count), !mayListFields
        else { return nil }
        // Each attempt goes back twice as far: a listed point may not be a random access point or may lie too late.
        var margin: Int64 = 1
        var hasMoved = false
        while microseconds - margin > 0 {
            hasMoved = true
            let target = clock.timestamp(atOrBefore: microseconds - margin)
            guard seek(before: target) else { break }
            if let landing = try land(before: microseconds, count: count) { return landing }
            margin = max(margin * 2, 10_000_000)
        }
        if hasMoved, !seek(before: first) { throw MediaError(.io, "cannot seek back to the beginning of the file") }
        return nil
    }

    /// In H.264, two entries may make one frame unless it is known to be progressive.
    private var mayListFields: Bool {
        let parameters = stream.pointee.codecpar.pointee
        return parameters.codec_id == AV_CODEC_ID_H264 && parameters.field_order != AV_FIELD_PROGRESSIVE
    }

    /// Where the listed times go back, a time does not identify a position in the file.
    private func isInOrder(_ count: Int32) -> Bool {
        let times = (0..<count).lazy.map { [stream] in avformat_index_get_entry(stream, $0)?.pointee.timestamp ?? .min }
        return zip(times, times.dropFirst()).allSatisfy(<=)
    }

    /// `nil` when decoding cannot begin there.
    private func land(before microseconds: Int64, count: Int32) throws(MediaError) -> Landing? {
        guard let packet = try read() else { return nil }
        guard randomAccess.isRandomAccessPoint(packet), let presentation = packet.presentation,
            let decoding = packet.decoding, clock.isPlausible(presentation),
            !clock.isAtOrAfter(microseconds, presentation)
        else { return nil }
        let position = av_index_search_timestamp(stream, decoding, AVSEEK_FLAG_ANY)
        guard position >= 0, position < count else { return nil }
        var frames: Int64 = 0
        for entry in 0..<position {
            guard let listing = avformat_index_get_entry(stream, entry) else { return nil }
            if listing.pointee.flags & AVINDEX_DISCARD_FRAME == 0 { frames += 1 }
        }
        return Landing(packet: packet, frames: frames)
    }
}
