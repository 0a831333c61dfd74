internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// Owns an opened media file: its `AVFormatContext` and the byte stream below it. The file may be hostile. Nothing but
/// the file itself is ever opened, and cancellation ends every blocking call.
struct InputContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFormatContext>
    /// Keeps alive the flag that the interrupt callback holds unretained.
    private let bytes: FileInput

    /// Names of FFmpeg's demuxers for containers, elementary streams and images that read one file only. Others may open
    /// more files, as VobSub's does, and libavformat cannot prevent it.
    private static let admittedFormats = Set(
        words:
            """
            asf avi dhav dv flv gxf ivf matroska mov mpeg mpegts mxf nut obu ogg rm webm wtv
            av1 cavsvideo dirac h261 h263 h264 hevc m4v mjpeg mpegvideo mpjpeg vc1 vvc yuv4mpegpipe
            apng bmp_pipe dpx_pipe exr_pipe gif gif_pipe hdr_pipe j2k_pipe jpeg_pipe jpegls_pipe jpegxl_anim
            jpegxl_pipe pam_pipe pbm_pipe pfm_pipe pgm_pipe pgmyuv_pipe png_pipe ppm_pipe psd_pipe qoi_pipe sgi_pipe
            tiff_pipe webp_pipe
            """)
    private static let playlists = Set(words: "applehttp concat dash hls imf rtsp sdp webm_dash_manifest")

    /// - Parameter ignoresEditLists: also gives frames that an edit list hides.
    init(path: String, cancellation: CancellationFlag, ignoresEditLists: Bool = false) throws(MediaError) {
        FFmpeg.beginErrors()
        let bytes = try FileInput(path: path, cancellation: cancellation)
        guard avio_size(bytes.pointer) != 0 else { throw MediaError(.notMedia, "the file is empty") }

        // Fixes the format before its demuxer sees a byte, by content alone, because a name can say anything.
        var format: UnsafePointer<AVInputFormat>?
        guard av_probe_input_buffer2(bytes.pointer, &format, "", nil, 0, 0) >= 0, let format else {
            if cancellation.isSet { throw .cancelled }
            throw MediaError(.notMedia, "not a video or picture in a format that FFmpeg supports")
        }
        let names = String(cString: format.pointee.name)
        let formats = Set(names.split(separator: ",").map(String.init))
        guard formats.isDisjoint(with: Self.playlists) else {
            throw MediaError(
                .refersElsewhere, "is a playlist (\(names)), which refers to other files; they are never opened")
        }
        guard !formats.isDisjoint(with: Self.admittedFormats) else {
            let reads = "the video and picture formats that vidscan reads; if it is a video, convert it to MP4 or MKV"
            throw MediaError(.notMedia, "its format (\(names)) is not among \(reads)")
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
        // Nor may demuxers inside it. No protocol has the name "none".
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        av_dict_set(&options, "format_whitelist", Self.admittedFormats.sorted().joined(separator: ","), 0)
        av_dict_set(&options, "protocol_whitelist", "none", 0)
        // An option of the demuxer for MP4; others leave it alone.
        av_dict_set_int(&options, "ignore_editlist", ignoresEditLists ? 1 : 0, 0)
        // Frees the context when it fails. Without a name, a demuxer cannot derive the names of neighbouring files.
        let result = avformat_open_input(&opened, "", format, &options)
        guard result >= 0, let opened else {
            if cancellation.isSet { throw .cancelled }
            throw MediaError(.notMedia, "cannot read it as \(names): \(FFmpeg.reason(result))")
        }
        pointer = opened
        self.bytes = bytes
    }

    deinit {
        // The byte stream does not belong to the context, so it is closed afterwards.
        var pointer: UnsafeMutablePointer<AVFormatContext>? = pointer
        avformat_close_input(&pointer)
    }

    /// How many frames of a stream are shown, as far as the file has an index of them. `end`: the entry to stop before.
    func indexedFrames(_ stream: Stream, before end: Int32? = nil) -> Int {
        (0..<(end ?? avformat_index_get_entries_count(stream))).count { number in
            avformat_index_get_entry(stream, number).map { $0.pointee.flags & AVINDEX_DISCARD_FRAME == 0 } ?? false
        }
    }

    var streams: [Stream] { (0..<Int(pointer.pointee.nb_streams)).compactMap { pointer.pointee.streams[$0] } }
    /// MPEG transport and program streams may reset the clock to any time in the middle of a file.
    var mayResetClock: Bool { pointer.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

    /// Throws when it finds no streams, or when the announced duration exceeds the limit.
    func findStreams(limits: MediaLimits) throws(MediaError) {
        // This may decode frames, so the limits hold here too.
        FFmpeg.beginErrors()
        var options = [OpaquePointer?](repeating: nil, count: Int(pointer.pointee.nb_streams))
        for index in options.indices {
            av_dict_set_int(&options[index], "max_pixels", limits.decoderPixels, 0)
            av_dict_set_int(&options[index], "threads", 1, 0)
        }
        // Sound may begin later than libav looks for it.
        if mayResetClock { (pointer.pointee.probesize, pointer.pointee.max_analyze_duration) = (16 << 20, 60_000_000) }
        let result = avformat_find_stream_info(pointer, &options)
        for index in options.indices { av_dict_free(&options[index]) }
        if result == FFmpeg.interrupted { throw .cancelled }
        // A stream that is not needed may be unreadable.
        guard result >= 0 || streams.contains(where: { $0.pointee.isVideo && $0.pointee.hasKnownSize }) else {
            throw MediaError(.notMedia, "cannot find its streams: \(FFmpeg.reason(result))")
        }
        let limit = limits.maximumDurationSeconds
        if let duration = durationMicroseconds, Double(duration) > limit * 1e6 {
            let seconds = NumberText.plain(Double(duration) / 1e6)
            let reason = "its duration of \(seconds) s exceeds the limit of \(NumberText.plain(limit)) s"
            throw MediaError(.limitExceeded, reason, remedy: .raiseDurationLimit)
        }
    }

    /// `nil` if the file does not announce it.
    var durationMicroseconds: Int64? {
        guard let duration = FFmpeg.timestamp(pointer.pointee.duration), duration > 0 else { return nil }
        guard let start = FFmpeg.timestamp(pointer.pointee.start_time), start > 0, start < duration else {
            return duration
        }
        return countsFromZero(duration, start: start) ? duration - start : duration
    }

    static func length(of stream: Stream) -> Int64? {
        guard let duration = FFmpeg.timestamp(stream.pointee.duration), duration > 0 else { return nil }
        return StreamClock(timeBase: stream.pointee.timeBase, startMicroseconds: 0).microseconds(at: duration)
    }

    /// Whether a file that begins late announces its end as its length: FFmpeg's Matroska, NUT, WTV, and MOV with an empty edit.
    private func countsFromZero(_ duration: Int64, start: Int64) -> Bool {
        let format = String(cString: pointer.pointee.iformat.pointee.name)
        if format.hasPrefix("matroska") {
            // Other programs write how long it lasts, as the specification says.
            let program = av_dict_get(pointer.pointee.metadata, "encoder", nil, 0)
            return program.map { String(cString: $0.pointee.value).hasPrefix("Lavf") } ?? false
        }
        if ["nut", "wtv"].contains(format) { return true }
        let longest = streams.compactMap(Self.length).max()
        return format.hasPrefix("mov") && longest.map { $0 <= duration - start + 1000 } ?? false
    }

    /// Throws if the stream is of another kind, which the message calls, for example, `a video`.
    func stream(_ index: Int, _ type: AVMediaType, _ noun: String) throws(MediaError) -> Stream {
        let found = streams.filter { $0.pointee.codecType == type }
        if let stream = found.first(where: { Int($0.pointee.index) == index }) { return stream }
        let indices = found.map { "\($0.pointee.index)" }.joined(separator: ", ")
        let choice = found.isEmpty ? "the file has none" : "choose from \(indices)"
        throw MediaError(.noSuchStream, "stream \(index) is not \(noun) stream; \(choice)")
    }

    /// - Parameter index: among all streams; `nil` selects the best video stream that is not a cover picture.
    func videoStream(_ index: Int?) throws(MediaError) -> Stream {
        let streams = streams
        if let index { return try stream(index, AVMEDIA_TYPE_VIDEO, "a video") }
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

/// Owns an `AVIOContext` that reads one open file: libavformat sees no path and uses no protocol of its own.
final class FileInput {
    private(set) var pointer: UnsafeMutablePointer<AVIOContext>?
    private let descriptor: Int32
    private let cancellation: CancellationFlag

    private static let bufferSize = 32_768

    /// Throws unless the path leads to a readable regular file.
    init(path: String, cancellation: CancellationFlag) throws(MediaError) {
        self.cancellation = cancellation
        do throws(SystemError) { descriptor = try FileSystem.openFile(path).descriptor } catch {
            throw error == .notRegularFile
                ? MediaError(.notAFile, "is not a regular file") : MediaError(.notFound, "cannot open: \(error)")
        }
        guard let buffer = av_malloc(Self.bufferSize) else { throw .outOfMemory }
        // The callbacks hold this object unretained.
        pointer = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, buffer, size in FileInput.from(opaque)?.read(buffer, Int(size)) ?? vs_averror(EIO) }, nil,
            { opaque, offset, origin in FileInput.from(opaque)?.seek(offset, origin) ?? Int64(vs_averror(EIO)) })
        guard pointer != nil else {
            av_free(buffer)
            throw .outOfMemory
        }
    }

    deinit {
        // libavformat may have replaced the buffer.
        av_free(pointer?.pointee.buffer)
        avio_context_free(&pointer)
        close(descriptor)
    }

    private static func from(_ opaque: UnsafeMutableRawPointer?) -> FileInput? {
        opaque.map { Unmanaged<FileInput>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int) -> Int32 {
        while true {
            if cancellation.isSet { return FFmpeg.interrupted }
            let count = Glibc.read(descriptor, buffer, size)
            if count < 0, errno == EINTR { continue }
            if count < 0 { return vs_averror(errno) }
            return count == 0 ? FFmpeg.endOfFile : Int32(count)
        }
    }

    private func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
        if origin & AVSEEK_SIZE != 0 {
            var status = stat()
            return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : Int64(vs_averror(errno))
        }
        let position = lseek(descriptor, off_t(offset), origin & ~AVSEEK_FORCE)
        return position < 0 ? Int64(vs_averror(errno)) : Int64(position)
    }
}
