internal import CFFmpeg
internal import VidscanBase

/// Owns an opened media file: its `AVFormatContext` and the byte stream below it.
///
/// The file may be hostile. Nothing but the file itself is ever opened, and every blocking call ends when the cancellation
/// flag is set.
struct InputContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFormatContext>
    private let bytes: FileInput
    /// Kept alive for the interrupt callback, which holds it unretained.
    private let cancellation: CancellationFlag

    /// Opens a file and reads its header.
    init(path: String, cancellation: CancellationFlag) throws(MediaError) {
        FFmpeg.beginErrors()
        let bytes = try FileInput(path: path, cancellation: cancellation)
        guard avio_size(bytes.pointer) != 0 else { throw MediaError(.notMedia, "the file is empty") }

        // The format is known before its demuxer sees a byte. By content alone, because a name can say anything.
        var format: UnsafePointer<AVInputFormat>?
        let probed = av_probe_input_buffer2(bytes.pointer, &format, "", nil, 0, 0)
        guard probed >= 0, let format else {
            if cancellation.isSet { throw .cancelled }
            throw MediaError(.notMedia, "not a video or picture in a format that FFmpeg supports")
        }
        let names = String(cString: format.pointee.name)
        guard !AdmittedFormats.isPlaylist(names) else {
            throw MediaError(
                .refersElsewhere, "is a playlist (\(names)), which refers to other files; they are never opened")
        }
        guard AdmittedFormats.contains(names) else {
            throw MediaError(
                .notMedia,
                "its format (\(names)) is not among the video and picture formats that vidscan reads; if it is a video, convert"
                    + " it to MP4 or MKV")
        }
        guard let allocated = avformat_alloc_context() else { throw .outOfMemory }
        allocated.pointee.pb = bytes.pointer
        allocated.pointee.interrupt_callback.callback = { opaque in
            guard let opaque else { return 0 }
            return Unmanaged<CancellationFlag>.fromOpaque(opaque).takeUnretainedValue().isSet ? 1 : 0
        }
        allocated.pointee.interrupt_callback.opaque = Unmanaged.passUnretained(cancellation).toOpaque()
        // A demuxer may not open anything else.
        allocated.pointee.io_open = { _, _, _, _, _ in vs_averror(EPERM) }
        var opened: UnsafeMutablePointer<AVFormatContext>? = allocated
        // The same holds for demuxers inside the demuxer. No protocol has the name "none".
        var options = OptionDictionary(["format_whitelist": AdmittedFormats.list, "protocol_whitelist": "none"])
        // Frees the context when it fails. Without a name there is nothing to derive the names of neighbouring files from.
        let result = avformat_open_input(&opened, "", format, &options.pointer)
        guard result >= 0, let opened else {
            if cancellation.isSet { throw .cancelled }
            throw MediaError(.notMedia, "cannot read it as \(names): \(FFmpeg.reason(result))")
        }
        pointer = opened
        self.bytes = bytes
        self.cancellation = cancellation
    }

    deinit {
        // The byte stream, which is not the context's own, is closed after it.
        var pointer: UnsafeMutablePointer<AVFormatContext>? = pointer
        avformat_close_input(&pointer)
    }

    var streams: [UnsafeMutablePointer<AVStream>] {
        (0..<Int(pointer.pointee.nb_streams)).compactMap { pointer.pointee.streams[$0] }
    }

    /// Whether the format's clock may be reset to any time in the middle of a file: MPEG transport and program streams.
    var mayResetClock: Bool { pointer.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

    /// Reads as much of the file as shows what its streams are.
    ///
    /// - Throws: `MediaError` when nothing is found, or when the announced duration exceeds the limit.
    func findStreams(limits: MediaLimits) throws(MediaError) {
        // Finding parameters may decode frames, so the limits hold here too.
        FFmpeg.beginErrors()
        var options = [OpaquePointer?](repeating: nil, count: Int(pointer.pointee.nb_streams))
        for index in options.indices {
            av_dict_set_int(&options[index], "max_pixels", limits.decoderPixels, 0)
            av_dict_set_int(&options[index], "threads", 1, 0)
        }
        let result = options.withUnsafeMutableBufferPointer { buffer in
            avformat_find_stream_info(pointer, buffer.isEmpty ? nil : buffer.baseAddress)
        }
        for index in options.indices { av_dict_free(&options[index]) }
        if result == FFmpeg.interrupted { throw .cancelled }
        // A stream that is not read may be incomprehensible.
        guard result >= 0 || streams.contains(where: { $0.pointee.isVideo && $0.pointee.hasKnownSize }) else {
            throw MediaError(.notMedia, "cannot find its streams: \(FFmpeg.reason(result))")
        }
        if let duration = FFmpeg.timestamp(pointer.pointee.duration),
            Double(duration) > limits.maximumDurationSeconds * 1e6
        {
            throw MediaError(
                .limitExceeded,
                "its duration of \(duration / 1_000_000) s exceeds the limit of \(Int(limits.maximumDurationSeconds)) s",
                remedy: .raiseDurationLimit)
        }
    }

    /// Selects the video stream to read.
    ///
    /// - Parameter index: among all streams; `nil` selects the best video stream that is not a cover picture.
    func videoStream(_ index: Int?) throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        let streams = streams
        if let index {
            let videos = streams.filter { $0.pointee.codecType == AVMEDIA_TYPE_VIDEO }
            guard let stream = videos.first(where: { Int($0.pointee.index) == index }) else {
                let indices = videos.map { "\($0.pointee.index)" }.joined(separator: ", ")
                let choice =
                    switch videos.count {
                    case 0: "the file has none"
                    case 1: "the video stream is \(indices)"
                    default: "the video streams are \(indices)"
                    }
                throw MediaError(.noSuchStream, "stream \(index) is not a video stream; \(choice)")
            }
            return stream
        }
        let best = Int(av_find_best_stream(pointer, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0))
        guard streams.indices.contains(best) else { throw MediaError(.noVideo, "has no video stream") }
        if streams[best].pointee.isVideo { return streams[best] }
        // A cover picture may be marked as the default.
        let videos = streams.filter { $0.pointee.isVideo }
        guard let video = videos.first(where: { $0.pointee.hasKnownSize }) ?? videos.first else {
            throw MediaError(.noVideo, "has no video stream, only a cover picture")
        }
        return video
    }
}

extension AVStream {
    var codecType: AVMediaType { codecpar.pointee.codec_type }
    var codec: AVCodecID { codecpar.pointee.codec_id }
    /// FFmpeg's name: `h264`.
    var codecName: String { String(cString: avcodec_get_name(codec)) }
    var timeBase: Rational { time_base.rational ?? .one }
    var isCover: Bool { disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }
    /// A video that plays, not a cover picture.
    var isVideo: Bool { codecType == AVMEDIA_TYPE_VIDEO && !isCover }
    var hasKnownSize: Bool { codecpar.pointee.width > 0 && codecpar.pointee.height > 0 }
}
