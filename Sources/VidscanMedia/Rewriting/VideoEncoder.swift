internal import CFFmpeg
internal import VidscanBase

/// How pictures are coded in a new video.
public enum VideoCodec: String, Sendable, CaseIterable {
    /// By libx264.
    case h264
    /// By libx265.
    case hevc
    /// By libvpx.
    case vp9
    /// By SVT-AV1.
    case av1
    /// Without any loss; for MKV.
    case ffv1

    /// FFmpeg's name of the encoder.
    var encoderName: String {
        switch self {
        case .h264: "libx264"
        case .hevc: "libx265"
        case .vp9: "libvpx-vp9"
        case .av1: "libsvtav1"
        case .ffv1: "ffv1"
        }
    }

    /// The constant rate factors that the encoder takes: less is better and larger. `nil` for a lossless one.
    public var rateFactors: ClosedRange<Double>? {
        switch self {
        case .h264, .hevc: 0...51
        case .vp9, .av1: 0...63
        case .ffv1: nil
        }
    }

    /// What the encoder's makers hold to be a good middle.
    public var defaultRateFactor: Double? {
        switch self {
        case .h264: 23
        case .hevc: 28
        case .vp9: 31
        case .av1: 35
        case .ffv1: nil
        }
    }

    /// Whether this FFmpeg has the encoder.
    public var isAvailable: Bool { avcodec_find_encoder_by_name(encoderName) != nil }
}

/// A libavcodec encoder: pictures in presentation order in, packets in decoding order out.
final class VideoEncoder {
    let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let name: String
    /// By timestamp: encoders of FFmpeg 5 forget how long a picture lasts.
    private var durations: [Int64: Int64] = [:]

    /// - Parameters:
    ///   - frame: the first picture; size and colours are taken from it.
    ///   - timeBase: of the timestamps, in and out.
    ///   - frameRate: a hint for rate control; it makes no time.
    init(
        _ codec: VideoCodec, rateFactor: Double?, like frame: UnsafeMutablePointer<AVFrame>, timeBase: Rational,
        frameRate: Rational, globalHeader: Bool
    ) throws(MediaError) {
        name = codec.encoderName
        guard let encoder = avcodec_find_encoder_by_name(name) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no encoder \(name)")
        }
        guard let context = avcodec_alloc_context3(encoder), let packet = av_packet_alloc() else {
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        self.context = context
        self.packet = packet
        context.pointee.width = frame.pointee.width
        context.pointee.height = frame.pointee.height
        context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        context.pointee.time_base = AVRational(num: Int32(timeBase.numerator), den: Int32(timeBase.denominator))
        context.pointee.framerate = AVRational(
            num: Int32(clamping: frameRate.numerator), den: Int32(clamping: frameRate.denominator))
        context.pointee.sample_aspect_ratio = frame.pointee.sample_aspect_ratio
        context.pointee.color_range = frame.pointee.color_range
        context.pointee.color_primaries = frame.pointee.color_primaries
        context.pointee.color_trc = frame.pointee.color_trc
        context.pointee.colorspace = frame.pointee.colorspace
        context.pointee.chroma_sample_location = frame.pointee.chroma_location
        // As many as the encoder thinks fit.
        context.pointee.thread_count = 0
        if globalHeader { context.pointee.flags |= Int32(AV_CODEC_FLAG_GLOBAL_HEADER) }
        if let rateFactor {
            av_opt_set_double(context.pointee.priv_data, "crf", rateFactor, 0)
            // For libvpx a rate of 0 is what makes the factor count.
            if codec == .vp9 { context.pointee.bit_rate = 0 }
        }
        switch codec {
        case .vp9:
            av_opt_set(context.pointee.priv_data, "row-mt", "1", 0)
        case .hevc:
            av_opt_set(context.pointee.priv_data, "x265-params", "log-level=error", 0)
            // What players of Apple's make ask for.
            context.pointee.codec_tag = 0x3163_7668  // hvc1
        default: break
        }
        Libav.beginErrors()
        let opened = avcodec_open2(context, encoder, nil)
        guard opened >= 0 else {
            throw MediaError(.unsupportedCodec, "cannot open the encoder \(name): \(Libav.reason(opened))")
        }
    }

    deinit {
        var optional: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&optional)
        PacketQueue.free(packet)
    }

    /// Gives the encoder a picture, or the end of the video, and hands over the packets that come of it.
    ///
    /// - Parameter take: borrows the packet.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, duration: Int64,
        take: (UnsafeMutablePointer<AVPacket>) throws(MediaError) -> Void
    ) throws(MediaError) {
        if let frame, duration > 0 { durations[frame.pointee.pts] = duration }
        Libav.beginErrors()
        var result = avcodec_send_frame(context, frame)
        guard result >= 0 else { throw failure(result) }
        while true {
            result = avcodec_receive_packet(context, packet)
            if result == Libav.tryAgain || result == Libav.endOfFile { return }
            guard result >= 0 else { throw failure(result) }
            packet.pointee.duration = durations.removeValue(forKey: packet.pointee.pts) ?? 0
            defer { av_packet_unref(packet) }
            try take(packet)
        }
    }

    private func failure(_ result: Int32) -> MediaError {
        MediaError(.io, "cannot encode by \(name): \(Libav.reason(result))")
    }
}
