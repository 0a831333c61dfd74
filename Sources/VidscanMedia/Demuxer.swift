internal import CFFmpeg
internal import VidscanBase

/// An opened media file and the one video stream that is read from it.
///
/// The file is hostile: nothing but the file itself is ever opened, every blocking call ends when `cancellation` is set.
final class Demuxer {
    let context: UnsafeMutablePointer<AVFormatContext>
    let stream: UnsafeMutablePointer<AVStream>
    let clock: StreamClock
    let restart: RestartPoint
    private let packets: ContinuousPackets
    private var io: UnsafeMutablePointer<AVIOContext>?
    /// Kept alive for the interrupt callback, which holds it unretained.
    private let cancellation: CancellationFlag
    private var consecutiveErrors = 0

    /// Why reading ended before the end of the file, if it did.
    private(set) var readError: String?

    /// Takes the packets of the other streams that `keep` named, as they come. It borrows them.
    var onOtherPacket: ((UnsafeMutablePointer<AVPacket>) throws(MediaError) -> Void)?

    /// Formats that are lists of other files, or no files at all.
    private static let playlists: Set<String> = [
        "hls", "applehttp", "concat", "dash", "imf", "sdp", "rtsp", "rtp", "lavfi", "image2", "webm_dash_manifest",
        "vapoursynth", "avisynth", "tee", "bluray", "dvdvideo",
    ]

    init(
        path: String, streamIndex: Int?, limits: MediaLimits, cancellation: CancellationFlag
    ) throws(MediaError) {
        self.cancellation = cancellation
        var io: UnsafeMutablePointer<AVIOContext>?
        var context = try Demuxer.open(path: path, cancellation: cancellation, io: &io)
        do throws(MediaError) {
            try Demuxer.findStreams(context, limits: limits)
            stream = try Demuxer.select(streamIndex, in: context)
            // A cover picture or another video may be too large; only the selected one matters.
            if let size = Libav.refusedPictureSize, !Demuxer.hasKnownSize(stream) {
                throw .pictureTooLarge(size.width, size.height, limit: limits.maximumPixels)
            }
        } catch {
            Demuxer.close(&context, &io)
            throw error
        }
        self.context = context
        self.io = io
        for index in 0..<Int(context.pointee.nb_streams) where context.pointee.streams[index] != stream {
            context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
        clock = Self.clock(of: stream, in: context)
        let restart = RestartPoint(stream.pointee.codecpar.pointee)
        self.restart = restart
        packets = ContinuousPackets(
            streamIndex: stream.pointee.index, clock: clock,
            frameDuration: Self.frameDuration(of: stream, in: context),
            forwardIsJump: context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0,
            isRestartPoint: restart.beginsSequence)
    }

    deinit {
        var context = context
        Demuxer.close(&context, &io)
    }

    /// Where the file's timestamps jump, as far as it has been read. The timestamps of the packets do not.
    var discontinuities: [TimestampDiscontinuity] { packets.discontinuities }

    /// Reads the stream's next packet.
    ///
    /// - Returns: `false` at the end of the file, or where reading on makes no sense (`readError` then says why).
    func read(into packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) -> Bool {
        while let next = try packets.next(readAny) {
            defer { PacketQueue.free(next) }
            if next.pointee.stream_index == stream.pointee.index {
                av_packet_unref(packet)
                av_packet_move_ref(packet, next)
                return true
            }
            try onOtherPacket?(next)
        }
        return false
    }

    /// Goes to the last packet at or before a timestamp of the stream's from which libavformat can read on.
    ///
    /// - Returns: `false` when it cannot.
    func seek(before timestamp: Int64) -> Bool {
        packets.restart()
        return avformat_seek_file(
            context, stream.pointee.index, .min, timestamp, timestamp, AVSEEK_FLAG_BACKWARD) >= 0
    }

    /// Reads the next packet of any stream, with the file's own timestamps.
    private func readAny(into packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) -> Bool {
        while true {
            av_packet_unref(packet)
            let result = av_read_frame(context, packet)
            if cancellation.isSet { throw MediaError(.cancelled, "interrupted") }
            if result >= 0 {
                consecutiveErrors = 0
                return true
            }
            if result == Libav.endOfFile {
                if let error = context.pointee.pb?.pointee.error, error < 0, error != Libav.endOfFile {
                    readError = Libav.message(error)
                }
                return false
            }
            // A damaged stretch may be followed by a good one; a demuxer that fails on and on has lost its way.
            consecutiveErrors += 1
            readError = Libav.message(result)
            if result != Libav.invalidData && result != Libav.tryAgain || consecutiveErrors > 50 { return false }
        }
    }

    /// Has the packets of other streams read too; without that they are passed over.
    func keep(streams indices: [Int]) {
        for index in indices {
            guard let stream = context.pointee.streams[index] else { continue }
            stream.pointee.discard = AVDISCARD_DEFAULT
            packets.addCompanion(
                stream.pointee.index, timeBase: Self.timeBase(of: stream),
                isContinuous: stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO)
        }
    }

    /// Container duration in microseconds, if it is announced.
    var durationMicroseconds: Int64? {
        if let duration = Libav.timestamp(context.pointee.duration), duration > 0 { return duration }
        guard let duration = Libav.timestamp(stream.pointee.duration), duration > 0 else { return nil }
        return StreamClock(timeBase: clock.timeBase, startMicroseconds: 0).microseconds(at: duration)
    }

    // MARK: Times

    private static func timeBase(of stream: UnsafeMutablePointer<AVStream>) -> Rational {
        Rational(Int64(stream.pointee.time_base.num), Int64(stream.pointee.time_base.den)) ?? .one
    }

    private static func clock(
        of stream: UnsafeMutablePointer<AVStream>, in context: UnsafeMutablePointer<AVFormatContext>
    ) -> StreamClock {
        let start = { (stream: UnsafeMutablePointer<AVStream>) in
            Libav.timestamp(stream.pointee.start_time).map { TimestampInBase($0, timeBase(of: stream)) }
        }
        let others = (0..<Int(context.pointee.nb_streams)).compactMap { index in
            context.pointee.streams[index].flatMap { $0 == stream ? nil : start($0) }
        }
        let microseconds = Libav.timestamp(context.pointee.start_time) ?? 0
        return StreamClock(
            timeBase: timeBase(of: stream), startMicroseconds: microseconds,
            start: StreamClock.exactStart(microseconds: microseconds, own: start(stream), others: others))
    }

    /// As announced, in units of the stream's time base.
    private static func frameDuration(
        of stream: UnsafeMutablePointer<AVStream>, in context: UnsafeMutablePointer<AVFormatContext>
    ) -> Int64 {
        let rate = av_guess_frame_rate(context, stream, nil)
        guard rate.num > 0, rate.den > 0 else { return 0 }
        return TimestampInBase(Int64(rate.den), Rational(1, Int64(rate.num)) ?? .one).rescaled(to: timeBase(of: stream))
    }

    // MARK: Opening

    private static func open(
        path: String, cancellation: CancellationFlag, io: inout UnsafeMutablePointer<AVIOContext>?
    ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
        Libav.beginErrors()
        let url = "file:" + path
        var interrupt = AVIOInterruptCB()
        interrupt.callback = { opaque in
            guard let opaque else { return 0 }
            return Unmanaged<CancellationFlag>.fromOpaque(opaque).takeUnretainedValue().isSet ? 1 : 0
        }
        interrupt.opaque = Unmanaged.passUnretained(cancellation).toOpaque()
        var options: OpaquePointer?
        av_dict_set(&options, "protocol_whitelist", "file", 0)
        let opened = avio_open2(&io, url, AVIO_FLAG_READ, &interrupt, &options)
        av_dict_free(&options)
        guard opened >= 0 else { throw MediaError(.notFound, "cannot open: \(Libav.message(opened))") }
        guard avio_size(io) != 0 else {
            avio_closep(&io)
            throw MediaError(.notMedia, "the file is empty")
        }

        // The format is settled before its demuxer sees a byte: a playlist is refused, not followed.
        var format: UnsafePointer<AVInputFormat>?
        // By content alone: a name can say anything.
        let probed = av_probe_input_buffer2(io, &format, "", nil, 0, 0)
        guard probed >= 0, let format else {
            avio_closep(&io)
            if cancellation.isSet { throw MediaError(.cancelled, "interrupted") }
            throw MediaError(.notMedia, "not a video or picture in a format that FFmpeg knows")
        }
        let names = String(cString: format.pointee.name)
        if names.split(separator: ",").contains(where: { playlists.contains(String($0)) }) {
            avio_closep(&io)
            throw MediaError(
                .refersElsewhere, "is a playlist (\(names)): it points to other files, which are never opened")
        }
        guard let allocated = avformat_alloc_context() else {
            avio_closep(&io)
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        allocated.pointee.pb = io
        allocated.pointee.interrupt_callback = interrupt
        // Whatever else a demuxer wants to open stays shut.
        allocated.pointee.io_open = { _, _, _, _, _ in vs_averror(EPERM) }
        av_dict_set(&options, "protocol_whitelist", "file", 0)
        let result = avformat_open_input(&context, url, format, &options)
        av_dict_free(&options)
        guard result >= 0, let context else {
            avio_closep(&io)
            if cancellation.isSet { throw MediaError(.cancelled, "interrupted") }
            throw MediaError(.notMedia, "cannot read it as \(names): \(Libav.reason(result))")
        }
        return context
    }

    private static func close(
        _ context: inout UnsafeMutablePointer<AVFormatContext>, _ io: inout UnsafeMutablePointer<AVIOContext>?
    ) {
        var optional: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&optional)
        avio_closep(&io)
    }

    private static func findStreams(
        _ context: UnsafeMutablePointer<AVFormatContext>, limits: MediaLimits
    ) throws(MediaError) {
        // Looking for parameters may decode; the limits hold there too.
        Libav.beginErrors()
        let count = Int(context.pointee.nb_streams)
        var options = [OpaquePointer?](repeating: nil, count: count)
        for index in 0..<count {
            av_dict_set_int(&options[index], "max_pixels", Int64(limits.maximumPixels), 0)
            av_dict_set_int(&options[index], "threads", 1, 0)
        }
        let result = options.withUnsafeMutableBufferPointer { buffer in
            avformat_find_stream_info(context, count > 0 ? buffer.baseAddress : nil)
        }
        for index in 0..<count { av_dict_free(&options[index]) }
        guard result >= 0 || result != Libav.interrupted && hasKnownVideo(context) else {
            throw result == Libav.interrupted
                ? MediaError(.cancelled, "interrupted")
                : MediaError(.notMedia, "cannot find out what is in it: \(Libav.reason(result))")
        }
        if let duration = Libav.timestamp(context.pointee.duration),
            Double(duration) > limits.maximumDurationSeconds * 1e6
        {
            throw MediaError(
                .limitExceeded,
                "lasts \(duration / 1_000_000) s, over the limit of \(Int(limits.maximumDurationSeconds)) s"
                    + " (--max-duration raises it)")
        }
    }

    private static func select(
        _ wanted: Int?, in context: UnsafeMutablePointer<AVFormatContext>
    ) throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        if let wanted {
            guard (0..<Int(context.pointee.nb_streams)).contains(wanted),
                let stream = context.pointee.streams[wanted],
                stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
            else {
                let videos = (0..<Int(context.pointee.nb_streams)).filter {
                    context.pointee.streams[$0]?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
                }
                let list = videos.isEmpty ? "it has none" : "it has \(videos.map(String.init).joined(separator: ", "))"
                throw MediaError(.noSuchStream, "stream \(wanted) is no video stream (\(list))")
            }
            return stream
        }
        let best = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard best >= 0, let stream = context.pointee.streams[Int(best)] else {
            throw MediaError(.noVideo, "has no video stream")
        }
        if !isCover(stream) { return stream }
        // A cover picture may be marked as the default.
        let videos = (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0] }.filter {
            $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && !isCover($0)
        }
        guard let video = videos.first(where: hasKnownSize) ?? videos.first else {
            throw MediaError(.noVideo, "has no video stream, only a cover picture")
        }
        return video
    }

    private static func isCover(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
    }

    private static func hasKnownSize(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        stream.pointee.codecpar.pointee.width > 0 && stream.pointee.codecpar.pointee.height > 0
    }

    /// Another stream may be beyond understanding.
    private static func hasKnownVideo(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0] }.contains {
            $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && !isCover($0) && hasKnownSize($0)
        }
    }
}
