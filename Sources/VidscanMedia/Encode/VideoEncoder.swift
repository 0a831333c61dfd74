internal import CFFmpeg
internal import VidscanBase

/// The codec of a new video.
public enum VideoCodec: String, Sendable, CaseIterable {
    /// With libx264.
    case h264
    /// With libx265.
    case hevc
    /// With libvpx.
    case vp9
    /// With SVT-AV1.
    case av1
    /// Lossless, for MKV.
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

    /// The range of the constant rate factor. Lower factors give better quality and larger files. `nil` for a lossless codec.
    public var rateFactors: ClosedRange<Double>? {
        switch self {
        case .h264, .hevc: 0...51
        case .vp9, .av1: 0...63
        case .ffv1: nil
        }
    }

    /// The default of the encoder's documentation, but for H.264 one that suits its preset.
    public var defaultRateFactor: Double? {
        switch self {
        case .h264: X264Options.rateFactor
        case .hevc: 28
        case .vp9: 31
        case .av1: 35
        case .ffv1: nil
        }
    }

    /// Whether this FFmpeg has the encoder.
    public var isAvailable: Bool { avcodec_find_encoder_by_name(encoderName) != nil }
}

/// A libavcodec encoder: takes frames in presentation order and gives packets in decoding order.
final class VideoEncoder {
    let context: CodecContext
    private let packet: Packet
    private let name: String
    /// Durations by timestamp, because the encoders of FFmpeg 5 drop them.
    private var durations: [Int64: Int64] = [:]

    /// - Parameters:
    ///   - frame: the first frame, which determines size and colours.
    ///   - timeBase: of the timestamps of frames and packets.
    ///   - frameRate: for rate control only.
    init(
        _ codec: VideoCodec, rateFactor: Double?, like frame: borrowing Frame, timeBase: Rational, frameRate: Rational
    ) throws(MediaError) {
        name = codec.encoderName
        guard let encoder = avcodec_find_encoder_by_name(name) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no encoder \(name)")
        }
        context = try CodecContext(encoder)
        packet = try Packet()
        context.width = frame.width
        context.height = frame.height
        context.pix_fmt = AV_PIX_FMT_YUV420P
        context.time_base = AVRational(timeBase)
        context.framerate = AVRational(frameRate)
        context.sample_aspect_ratio = frame.sample_aspect_ratio
        context.color_range = frame.color_range
        context.color_primaries = frame.color_primaries
        context.color_trc = frame.color_trc
        context.colorspace = frame.colorspace
        context.chroma_sample_location = frame.chroma_location
        // The encoder chooses the number.
        context.thread_count = 0
        // Every container stores the codec header once, outside the packets.
        context.flags |= Int32(AV_CODEC_FLAG_GLOBAL_HEADER)
        if let rateFactor {
            av_opt_set_double(context.priv_data, "crf", rateFactor, 0)
            // libvpx uses the factor only at a bit rate of 0.
            if codec == .vp9 { context.bit_rate = 0 }
        }
        switch codec {
        case .h264:
            let options = X264Options(size: PictureSize(width: Int(frame.width), height: Int(frame.height)))
            context.thread_count = min(av_cpu_count(), X264Options.maximumThreads)
            av_opt_set(context.priv_data, "preset", X264Options.preset, 0)
            av_opt_set_int(context.priv_data, "rc-lookahead", Int64(options.lookahead), 0)
            av_opt_set(context.priv_data, "x264-params", options.parameters, 0)
        case .vp9:
            av_opt_set(context.priv_data, "row-mt", "1", 0)
        case .hevc:
            av_opt_set(context.priv_data, "x265-params", "log-level=error", 0)
            // Apple's players require this tag.
            context.codec_tag = 0x3163_7668  // hvc1
        default: break
        }
        try context.open("cannot open the encoder \(name)")
    }

    /// Encodes a frame and passes on the packets that are complete.
    ///
    /// - Parameter duration: in units of the time base; 0 if unknown.
    func encode(
        _ frame: borrowing Frame, duration: Int64, receive: (borrowing Packet) throws(MediaError) -> Void
    ) throws(MediaError) {
        if duration > 0 { durations[frame.pts] = duration }
        try encode(frame.pointer, receive)
    }

    /// Ends the video and passes on the last packets.
    func finish(_ receive: (borrowing Packet) throws(MediaError) -> Void) throws(MediaError) {
        try encode(nil, receive)
    }

    private func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, _ receive: (borrowing Packet) throws(MediaError) -> Void
    ) throws(MediaError) {
        FFmpeg.beginErrors()
        var result = avcodec_send_frame(context.pointer, frame)
        while result >= 0 {
            result = avcodec_receive_packet(context.pointer, packet.pointer)
            if result == FFmpeg.tryAgain || result == FFmpeg.endOfFile { return }
            guard result >= 0 else { break }
            packet.duration = durations.removeValue(forKey: packet.pts) ?? 0
            try receive(packet)
            av_packet_unref(packet.pointer)
        }
        throw MediaError(.io, "cannot encode with \(name): \(FFmpeg.reason(result))")
    }
}
