internal import CFFmpeg
internal import Glibc
package import VidscanBase

/// The codec of a new video, encoded by libx264, libx265, libvpx, SVT-AV1 or FFmpeg's FFV1.
public enum VideoCodec: String, Sendable, CaseIterable {
    case h264, hevc, vp9, av1
    /// Lossless, for MKV.
    case ffv1

    fileprivate var encoder: (name: String, factors: ClosedRange<Double>?, factor: Double?) {
        switch self {
        case .h264: ("libx264", 0...51, X264Options.rateFactor)
        case .hevc: ("libx265", 0...51, 28)
        case .vp9: ("libvpx-vp9", 0...63, 31)
        case .av1: ("libsvtav1", 0...63, 35)
        case .ffv1: ("ffv1", nil, nil)
        }
    }

    /// The range of the constant rate factor; lower is better and larger. `nil` for a lossless codec.
    public var rateFactors: ClosedRange<Double>? { encoder.factors }
    /// The encoder's documented default, but for H.264 one that suits its preset.
    public var defaultRateFactor: Double? { encoder.factor }
    /// Whether this FFmpeg has the encoder.
    public var isAvailable: Bool { avcodec_find_encoder_by_name(encoder.name) != nil }
}

/// A libavcodec encoder: takes frames in presentation order, gives packets in decoding order.
final class VideoEncoder {
    let context: CodecContext
    private let name: String
    /// Durations by timestamp, because the encoders of FFmpeg 5 drop them.
    private var durations: [Int64: Int64] = [:]

    /// `frame` is the first one and determines size and colours. `frameRate` only guides rate control.
    init(
        _ codec: VideoCodec, rateFactor: Double?, like frame: borrowing Frame, timeBase: Rational, frameRate: Rational
    ) throws(MediaError) {
        name = codec.encoder.name
        guard let encoder = avcodec_find_encoder_by_name(name) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no encoder \(name)")
        }
        context = try CodecContext(encoder)
        (context.width, context.height) = (frame.width, frame.height)
        context.pix_fmt = AV_PIX_FMT_YUV420P
        context.time_base = AVRational(timeBase)
        context.framerate = AVRational(frameRate)
        context.sample_aspect_ratio = frame.sample_aspect_ratio
        context.color_range = frame.color_range
        context.color_primaries = frame.color_primaries
        context.color_trc = frame.color_trc
        context.colorspace = frame.colorspace
        context.chroma_sample_location = frame.chroma_location
        context.thread_count = 0
        // Every container stores the codec header outside the packets.
        context.flags |= Int32(AV_CODEC_FLAG_GLOBAL_HEADER)
        if let rateFactor {
            av_opt_set_double(context.priv_data, "crf", rateFactor, 0)
            // libvpx uses the factor only at a bit rate of 0.
            if codec == .vp9 { context.bit_rate = 0 }
        }
        switch codec {
        case .h264:
            let options = X264Options(size: frame.size)
            context.thread_count = min(av_cpu_count(), X264Options.maximumThreads)
            av_opt_set(context.priv_data, "preset", X264Options.preset, 0)
            av_opt_set_int(context.priv_data, "rc-lookahead", Int64(options.lookahead), 0)
            av_opt_set(context.priv_data, "x264-params", options.parameters, 0)
        case .vp9: av_opt_set(context.priv_data, "row-mt", "1", 0)
        case .hevc:
            av_opt_set(context.priv_data, "x265-params", "log-level=error", 0)
            // Apple's players require this tag.
            context.codec_tag = 0x3163_7668  // hvc1
        case .av1: setenv("SVT_LOG", "1", 0)  // Only errors.
        case .ffv1: break
        }
        try context.open("cannot open the encoder \(name)")
    }

    /// A `nil` frame ends the stream. `duration` is in units of the time base, and 0 if unknown.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, duration: Int64, _ receive: CodecContext.Receive
    ) throws(MediaError) {
        if let frame, duration > 0 { durations[frame.pointee.pts] = duration }
        try context.encode(frame, "cannot encode with \(name)") { packet throws(MediaError) in
            packet.duration = durations.removeValue(forKey: packet.pts) ?? 0
            try receive(packet)
        }
    }
}

/// x264 options that save time and memory at nearly the same quality.
///
/// `veryfast` with factor 21 takes 0.4 of the time of x264's defaults (`medium`, 23) and, at 1280 × 720, 100 MB less memory. On
/// seven clips, files were 3 % smaller to 21 % larger, and their structural similarity to the source 0.0001 to 0.0015 lower.
package struct X264Options: Equatable, Sendable {
    static let preset = "veryfast"
    static let rateFactor = 21.0

    /// Frames that x264 looks ahead: the preset's 10, or fewer where they would take more than 55 MB. At 1920 × 1080 that is 8:
    /// files are 1 % smaller, and their structural similarity 0.0001 lower.
    package let lookahead: Int

    /// Saves a sixth of the time with the same decisions, but keeps four more frames. Off if those take more than 50 MB.
    package let looksAheadOnThread: Bool

    package init(size: PictureSize) {
        // x264 takes 3.3 bytes per pixel, as measured: the picture, a small one for motion search, and costs.
        let bytes = 3.3 * Double(size.width) * Double(size.height)
        lookahead = Int(min(max(55e6 / bytes, 5), 10))
        looksAheadOnThread = 4 * bytes <= 50e6
    }

    /// With AVX-512, x264 (core 164) reads uninitialised memory when it distributes the bits, so the same frames gave other bytes.
    /// Without AVX-512 the bytes are always the same; encoding took 3 % longer.
    var parameters: String {
        var parameters: [String] = []
        if av_get_cpu_flags() & AV_CPU_FLAG_AVX512 != 0 { parameters.append("asm=avx2,lzcnt,bmi2,fma3") }
        if !looksAheadOnThread { parameters.append("sync-lookahead=0") }
        return parameters.joined(separator: ":")
    }

    /// x264 keeps several frames per thread, 86 MB at 3840 × 2160. Its default is three threads for two processors, but the
    /// thread that decodes and edits frames keeps no more than eight busy.
    static let maximumThreads: Int32 = 8
}
