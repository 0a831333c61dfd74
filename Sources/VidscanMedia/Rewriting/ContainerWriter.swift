internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// What a new video is put into.
public enum VideoContainer: String, Sendable, CaseIterable {
    case mp4
    case mov
    case mkv

    /// By a file's name.
    public init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(rawValue: path[path.index(after: dot)...].lowercased())
    }

    var formatName: String { self == .mkv ? "matroska" : rawValue }

    /// What players open in MP4, of all that could be put there.
    private static let mp4Codecs: Set<String> = [
        "aac", "mp3", "mp2", "ac3", "eac3", "opus", "flac", "alac", "mov_text",
    ]

    func holds(_ codec: AVCodecID) -> Bool {
        switch self {
        case .mp4:
            return Self.mp4Codecs.contains(String(cString: avcodec_get_name(codec)))
        case .mov, .mkv:
            guard let format = av_guess_format(formatName, nil, nil) else { return false }
            return avformat_query_codec(format, codec, FF_COMPLIANCE_NORMAL) == 1
        }
    }
}

/// Writes a container: one new video stream, and packets of others as they were.
final class ContainerWriter {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let path: String
    private let keepsMetadata: Bool
    /// Copied packets of which nothing was left without metadata.
    private(set) var emptyPackets = 0
    private var copies: [Int32: Copy] = [:]
    private let copied: UnsafeMutablePointer<AVPacket>
    /// The last packet of the new video, which is written once it is known whether another one follows.
    private let held: UnsafeMutablePointer<AVPacket>
    private var firstDecoding: Int64?
    private var firstPresentation: Int64?
    private var endPresentation: Int64?
    private var isOpen = false
    private var videoTimeBase = AVRational(num: 1, den: 1)

    private struct Copy {
        let stream: UnsafeMutablePointer<AVStream>
        let sourceTimeBase: AVRational
        /// Taken off every timestamp.
        let shift: Int64
        var lastDecoding: Int64?
    }

    /// - Parameters:
    ///   - encoder: open.
    ///   - streams: to be copied.
    ///   - shiftMicroseconds: taken off every timestamp.
    ///   - keepsMetadata: `false` copies nothing that the source says of itself; see `SourceTraces`.
    init(
        path: String, container: VideoContainer, encoder: VideoEncoder, source: Demuxer, streams: [Int],
        shiftMicroseconds: Int64, keepsMetadata: Bool
    ) throws(MediaError) {
        self.path = path
        self.keepsMetadata = keepsMetadata
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        let result = avformat_alloc_output_context2(&allocated, nil, container.formatName, "file:" + path)
        guard result >= 0, let context = allocated, let copied = av_packet_alloc(), let held = av_packet_alloc() else {
            throw MediaError(.io, "cannot make a \(container.rawValue) file: \(Libav.message(result))")
        }
        // No random numbers: the same run writes the same bytes.
        context.pointee.flags |= AVFMT_FLAG_BITEXACT
        // FFmpeg 5 still calls FLAC in MP4 an experiment.
        context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        self.context = context
        self.copied = copied
        self.held = held
        try addVideo(encoder, source: source, keepsMetadata: keepsMetadata)
        for index in streams {
            try addCopy(of: source, index: index, shiftMicroseconds: shiftMicroseconds)
        }
        if keepsMetadata {
            av_dict_copy(&context.pointee.metadata, source.context.pointee.metadata, 0)
            // What the source's container said of itself is not true of this one.
            for key in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
                av_dict_set(&context.pointee.metadata, key, nil, 0)
            }
        }
        try open(container, source: source, streams: streams, timeBase: encoder.context.pointee.time_base)
    }

    deinit {
        if isOpen { avio_closep(&context.pointee.pb) }
        avformat_free_context(context)
        PacketQueue.free(copied)
        PacketQueue.free(held)
    }

    /// Writes a packet of the new video.
    func write(video packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) {
        try writeHeld()
        av_packet_move_ref(held, packet)
        let (presentation, decoding) = (held.pointee.pts, held.pointee.dts)
        firstDecoding = firstDecoding ?? decoding
        firstPresentation = min(firstPresentation ?? presentation, presentation)
        endPresentation = max(endPresentation ?? presentation, presentation + held.pointee.duration)
    }

    private func writeHeld() throws(MediaError) {
        guard held.pointee.size > 0, let stream = context.pointee.streams[0] else { return }
        held.pointee.stream_index = 0
        av_packet_rescale_ts(held, videoTimeBase, stream.pointee.time_base)
        try put(held)
    }

    /// MP4 adds up the times between decodings: the last packet to be decoded makes up for what the last picture to be
    /// shown lasts.
    private func stretchLast() {
        guard held.pointee.size > 0, let firstDecoding, let firstPresentation, let endPresentation else { return }
        let left = endPresentation - firstPresentation - (held.pointee.dts - firstDecoding)
        if left > 0 { held.pointee.duration = left }
    }

    /// Copies a packet of another stream; of one that is not copied, nothing.
    func write(copyOf packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) {
        guard var copy = copies[packet.pointee.stream_index] else { return }
        let result = av_packet_ref(copied, packet)
        guard result >= 0 else { throw MediaError(.io, Libav.message(result)) }
        defer { av_packet_unref(copied) }
        if !keepsMetadata {
            let codec = copy.stream.pointee.codecpar.pointee.codec_id
            guard try SourceTraces.remove(from: copied, codec: codec) else {
                emptyPackets += 1
                return
            }
        }
        copied.pointee.stream_index = copy.stream.pointee.index
        copied.pointee.pos = -1
        if let presentation = Libav.timestamp(copied.pointee.pts) { copied.pointee.pts = presentation - copy.shift }
        if let decoding = Libav.timestamp(copied.pointee.dts) { copied.pointee.dts = decoding - copy.shift }
        av_packet_rescale_ts(copied, copy.sourceTimeBase, copy.stream.pointee.time_base)
        // A damaged stretch may repeat a time or have none; no container takes that.
        var decoding = Libav.timestamp(copied.pointee.dts) ?? Libav.timestamp(copied.pointee.pts)
        if let last = copy.lastDecoding { decoding = max(decoding ?? last + 1, last + 1) }
        copied.pointee.dts = decoding ?? 0
        copied.pointee.pts = max(Libav.timestamp(copied.pointee.pts) ?? copied.pointee.dts, copied.pointee.dts)
        copy.lastDecoding = copied.pointee.dts
        copies[packet.pointee.stream_index] = copy
        try put(copied)
    }

    /// Writes the index and closes the file.
    func finish() throws(MediaError) {
        stretchLast()
        try writeHeld()
        Libav.beginErrors()
        var result = av_write_trailer(context)
        guard result >= 0 else { throw failure("write", result) }
        isOpen = false
        result = avio_closep(&context.pointee.pb)
        guard result >= 0 else { throw failure("write", result) }
    }

    private func put(_ packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) {
        Libav.beginErrors()
        var result = av_interleaved_write_frame(context, packet)
        // A full disk shows in the byte stream, sometimes only there.
        if result >= 0, let error = context.pointee.pb?.pointee.error, error < 0 { result = error }
        guard result >= 0 else { throw failure("write", result) }
    }

    private func failure(_ verb: String, _ result: Int32) -> MediaError {
        let isFull = result == vs_averror(ENOSPC) || result == vs_averror(EDQUOT)
        return MediaError(isFull ? .diskFull : .io, "cannot \(verb) the video: \(Libav.reason(result))")
    }

    // MARK: Opening

    private func addVideo(_ encoder: VideoEncoder, source: Demuxer, keepsMetadata: Bool) throws(MediaError) {
        guard let stream = avformat_new_stream(context, nil) else {
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context)
        stream.pointee.time_base = encoder.context.pointee.time_base
        stream.pointee.avg_frame_rate = encoder.context.pointee.framerate
        stream.pointee.sample_aspect_ratio = encoder.context.pointee.sample_aspect_ratio
        stream.pointee.disposition = source.stream.pointee.disposition & AV_DISPOSITION_DEFAULT
        videoTimeBase = encoder.context.pointee.time_base
        if keepsMetadata { Self.copyLanguageAndTitle(from: source.stream, to: stream) }
    }

    private func addCopy(of source: Demuxer, index: Int, shiftMicroseconds: Int64) throws(MediaError) {
        guard let original = source.context.pointee.streams[index] else { return }
        guard let stream = avformat_new_stream(context, nil),
            avcodec_parameters_copy(stream.pointee.codecpar, original.pointee.codecpar) >= 0
        else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        // Each container has tags of its own.
        stream.pointee.codecpar.pointee.codec_tag = 0
        stream.pointee.time_base = original.pointee.time_base
        stream.pointee.disposition = original.pointee.disposition
        stream.pointee.sample_aspect_ratio = original.pointee.sample_aspect_ratio
        stream.pointee.avg_frame_rate = original.pointee.avg_frame_rate
        if keepsMetadata {
            Self.copyLanguageAndTitle(from: original, to: stream)
        } else {
            try SourceTraces.remove(from: stream.pointee.codecpar)
            stream.pointee.disposition &= AV_DISPOSITION_DEFAULT | AV_DISPOSITION_FORCED
        }
        let shift = av_rescale_q_rnd(
            shiftMicroseconds, AVRational(num: 1, den: 1_000_000), original.pointee.time_base, AV_ROUND_NEAR_INF)
        copies[original.pointee.index] = Copy(
            stream: stream, sourceTimeBase: original.pointee.time_base, shift: shift)
    }

    private static func copyLanguageAndTitle(
        from source: UnsafeMutablePointer<AVStream>, to target: UnsafeMutablePointer<AVStream>
    ) {
        for key in ["language", "title"] {
            guard let entry = av_dict_get(source.pointee.metadata, key, nil, 0) else { continue }
            av_dict_set(&target.pointee.metadata, key, entry.pointee.value, 0)
        }
    }

    private func open(
        _ container: VideoContainer, source: Demuxer, streams: [Int], timeBase: AVRational
    ) throws(MediaError) {
        Libav.beginErrors()
        var result = avio_open(&context.pointee.pb, "file:" + path, AVIO_FLAG_WRITE)
        guard result >= 0 else { throw failure("create", result) }
        isOpen = true
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        if container != .mkv {
            av_dict_set(&options, "movflags", "+faststart", 0)
            // Edit lists, which tell when a stream begins, count in this; by default in milliseconds.
            let rates = streams.compactMap { index -> Int64? in
                let rate = source.context.pointee.streams[index]?.pointee.codecpar.pointee.sample_rate ?? 0
                return rate > 0 ? Int64(rate) : nil
            }
            av_dict_set_int(&options, "movie_timescale", Self.movieTimescale(video: timeBase, audio: rates), 0)
        }
        result = avformat_write_header(context, &options)
        guard result >= 0 else { throw failure("begin", result) }
    }

    /// A timescale in which the ticks of all streams are whole, as far as 31 bits allow.
    static func movieTimescale(video: AVRational, audio: [Int64]) -> Int64 {
        var scale = max(1, Int64(video.den))
        // As the muxer makes it of a coarse one.
        while scale < 10_000 { scale *= 2 }
        for rate in audio {
            let common = scale / av_gcd(scale, rate) * rate
            if common <= Int64(Int32.max) { scale = common }
        }
        return min(scale, Int64(Int32.max))
    }
}
