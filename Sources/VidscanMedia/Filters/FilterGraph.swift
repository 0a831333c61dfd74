internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// The frames that a graph takes. It must be built again when they change.
struct FilterInput: Equatable {
    let geometry: DisplayGeometry
    let pixelFormat: AVPixelFormat
    /// FFmpeg 7 and later refuse frames whose colour space or range changes. Earlier versions ignore it.
    let colorSpace: AVColorSpace
    let colorRange: AVColorRange
    var timeBase = Rational.one
    /// 0 if unknown.
    var pixelAspect = Rational.one
    var frameRate: Rational?
}

typealias FilterContext = UnsafeMutablePointer<AVFilterContext>

/// A libavfilter graph with one video input and output, set up as in the ffmpeg command, so that frames are the same.
final class FilterGraph {
    private let graph: Owned<AVFilterGraph>
    private let source, sink: FilterContext
    let input: FilterInput

    /// - Parameter threads: for filters that process parts of a frame in parallel.
    init(_ filters: [FilterCall], input: FilterInput, threads: Int) throws(MediaError) {
        self.input = input
        graph = try Owned(avfilter_graph_alloc())
        graph.nb_threads = Int32(threads)
        graph.scale_sws_opts = av_strdup("flags=bicubic")
        FFmpeg.beginErrors()
        source = try Self.add(
            "buffer", name: "in", Self.sourceArguments(input), to: graph, failure: "does not accept these frames")
        sink = try Self.add("buffersink", name: "out", nil, to: graph, failure: "cannot be built")
        var last = source
        for (name, arguments) in Self.uprightFilters(input.geometry.orientation) {
            let failure = "cannot rotate the frames upright"
            let turn = try Self.add(name, name: nil, arguments, to: graph, failure: failure)
            try Self.check(avfilter_link(last, 0, turn, 0), failure)
            last = turn
        }
        // The names are those of the graph's ends, not of the chain.
        var outputs = try OpenPads(of: last, name: "in")
        var inputs = try OpenPads(of: sink, name: "out")
        try Self.check(
            avfilter_graph_parse_ptr(graph.pointer, FilterCall.text(filters), &inputs.first, &outputs.first, nil),
            "cannot be built")
        guard inputs.first == nil, outputs.first == nil else { throw Self.notOneVideo }
        try Self.check(
            avfilter_graph_config(graph.pointer, nil), "cannot be built for frames of \(input.geometry.codedSize)")
    }

    var timeBase: Rational { av_buffersink_get_time_base(sink).rational ?? input.timeBase }

    /// The graph takes over the frame's pixels. `nil` ends the video.
    func push(_ frame: UnsafeMutablePointer<AVFrame>?) throws(MediaError) {
        FFmpeg.beginErrors()
        let result = av_buffersrc_add_frame_flags(source, frame, 0)
        if result != FFmpeg.endOfFile { try Self.check(result, "failed") }
    }

    /// `nil` when the graph needs another frame or has ended.
    func pull() throws(MediaError) -> Frame? {
        let frame = try Frame()
        FFmpeg.beginErrors()
        let result = av_buffersink_get_frame(sink, frame.pointer)
        if result == FFmpeg.tryAgain || result == FFmpeg.endOfFile { return nil }
        try Self.check(result, "failed")
        return frame
    }

    var outputGeometry: DisplayGeometry {
        DisplayGeometry(
            codedSize: PictureSize(width: Int(av_buffersink_get_w(sink)), height: Int(av_buffersink_get_h(sink))),
            pixelAspect: av_buffersink_get_sample_aspect_ratio(sink).rational ?? .one, orientation: .upright)
    }

    private static func sourceArguments(_ input: FilterInput) -> String {
        var text =
            "video_size=\(input.geometry.codedSize):pix_fmt=\(input.pixelFormat.rawValue)"
            + ":time_base=\(input.timeBase.numerator)/\(input.timeBase.denominator)"
            + ":pixel_aspect=\(input.pixelAspect.numerator)/\(input.pixelAspect.denominator)"
        if let rate = input.frameRate { text += ":frame_rate=\(rate.numerator)/\(rate.denominator)" }
        // Since FFmpeg 7.
        if let buffer = avfilter_get_by_name("buffer"), vs_find_option(buffer.pointee.priv_class, "colorspace") != nil {
            text += ":colorspace=\(input.colorSpace.rawValue):range=\(input.colorRange.rawValue)"
        }
        return text
    }

    /// These only move pixels.
    private static func uprightFilters(_ orientation: Orientation) -> [(name: String, arguments: String?)] {
        if orientation.swapsAxes {
            // 0: mirrored on the main diagonal; 1: clockwise; 2: counter-clockwise; 3: on the other diagonal.
            return [("transpose", "\((orientation.mirrorsX ? 1 : 0) + (orientation.mirrorsY ? 2 : 0))")]
        }
        return (orientation.mirrorsX ? [("hflip", nil)] : []) + (orientation.mirrorsY ? [("vflip", nil)] : [])
    }

    private static func add(
        _ filter: String, name: String?, _ arguments: String?, to graph: borrowing Owned<AVFilterGraph>, failure: String
    ) throws(MediaError) -> FilterContext {
        var context: FilterContext?
        try check(
            avfilter_graph_create_filter(
                &context, avfilter_get_by_name(filter), name, arguments, nil, graph.pointer), failure)
        guard let context else { throw .outOfMemory }
        return context
    }

    private static var notOneVideo: MediaError {
        MediaError(.filter, "the filter chain must have one video input and one video output")
    }

    private static func check(_ result: Int32, _ failure: String) throws(MediaError) {
        guard result < 0 else { return }
        throw MediaError(.filter, "the filter chain \(failure): \(FFmpeg.reason(result))")
    }

    /// Does not configure the graph for frames. The chain must be permitted, because creating a filter runs its code.
    static func check(_ filters: [FilterCall]) throws(MediaError) {
        let graph = try Owned(avfilter_graph_alloc())
        var inputs = OpenPads(), outputs = OpenPads()
        FFmpeg.beginErrors()
        try check(
            avfilter_graph_parse2(graph.pointer, FilterCall.text(filters), &inputs.first, &outputs.first),
            "cannot be built")
        guard let input = inputs.first, let output = outputs.first, input.pointee.next == nil,
            output.pointee.next == nil, isVideo(input, isOutput: false), isVideo(output, isOutput: true)
        else { throw notOneVideo }
    }

    private static func isVideo(_ end: UnsafeMutablePointer<AVFilterInOut>, isOutput: Bool) -> Bool {
        let context = end.pointee.filter_ctx
        let pads = isOutput ? context?.pointee.output_pads : context?.pointee.input_pads
        return avfilter_pad_get_type(pads, end.pointee.pad_idx) == AVMEDIA_TYPE_VIDEO
    }
}

/// Owns an `AVFilterInOut` list of pads that are not linked yet.
private struct OpenPads: ~Copyable {
    var first: UnsafeMutablePointer<AVFilterInOut>?

    init() {}

    init(of filter: FilterContext, name: String) throws(MediaError) {
        guard let pad = avfilter_inout_alloc() else { throw .outOfMemory }
        pad.pointee.name = av_strdup(name)
        pad.pointee.filter_ctx = filter
        first = pad
    }

    deinit {
        var first = first
        avfilter_inout_free(&first)
    }
}

/// How a configured graph moves the content of a frame.
extension FilterGraph {
    /// From input to output pixels. `nil` if the graph branches, or a filter moves content in an unknown or changing way.
    func geometry() -> AffineTransform? {
        var map = AffineTransform.identity
        var current = source
        var input: Link?
        while current != sink {
            guard current.pointee.nb_outputs == 1, let output = current.pointee.outputs[0],
                let next = output.pointee.dst, next.pointee.nb_inputs == 1
            else { return nil }
            if let input {
                guard let step = Step(context: current, input: input, output: output).map else { return nil }
                map = step.after(map)
            }
            (current, input) = (next, output)
        }
        return map
    }

    private typealias Link = UnsafeMutablePointer<AVFilterLink>

    private struct Step {
        let context: FilterContext
        let input, output: Link

        var inWidth: Double { Double(input.pointee.w) }
        var inHeight: Double { Double(input.pointee.h) }
        var outWidth: Double { Double(output.pointee.w) }
        var outHeight: Double { Double(output.pointee.h) }
        /// As powers of two.
        var chromaShift: (x: Int32, y: Int32) {
            let format = AVPixelFormat(input.pointee.format).descriptor
            return (Int32(format?.log2_chroma_w ?? 0), Int32(format?.log2_chroma_h ?? 0))
        }

        var map: AffineTransform? {
            // Switched on and off over time.
            if let enable = option("enable"), !enable.isEmpty { return nil }
            let name = context.pointee.filter.map { String(cString: $0.pointee.name) } ?? ""
            switch name {
            case "crop": return crop
            case "pad": return pad
            case "rotate": return rotation
            case "transpose": return transposition
            case "hflip": return AffineTransform(xx: -1, xy: 0, x: inWidth, yx: 0, yy: 1, y: 0)
            case "vflip": return AffineTransform(xx: 1, xy: 0, x: 0, yx: 0, yy: -1, y: inHeight)
            case "scale", "zscale", "epx", "hqx", "super2xsai", "xbr":
                return AffineTransform(xx: outWidth / inWidth, xy: 0, x: 0, yx: 0, yy: outHeight / inHeight, y: 0)
            default:
                let keepsSize = inWidth == outWidth && inHeight == outHeight
                return keepsSize && FilterTraits.keepsPosition(name) ? .identity : nil
            }
        }

        private var crop: AffineTransform? {
            guard let x = value("x"), let y = value("y") else { return nil }
            let left = min(max(0, x.rounded(.toNearestOrEven)), inWidth - outWidth)
            let top = min(max(0, y.rounded(.toNearestOrEven)), inHeight - outHeight)
            if option("exact") == "true" { return Self.shift(-left, -top) }
            return Self.shift(-Self.aligned(left, chromaShift.x), -Self.aligned(top, chromaShift.y))
        }

        private var pad: AffineTransform? {
            guard var left = value("x"), var top = value("y") else { return nil }
            left.round(.towardZero)
            top.round(.towardZero)
            // The filter centres a frame that does not fit.
            if left < 0 || left + inWidth > outWidth { left = ((outWidth - inWidth) / 2).rounded(.towardZero) }
            if top < 0 || top + inHeight > outHeight { top = ((outHeight - inHeight) / 2).rounded(.towardZero) }
            return Self.shift(Self.aligned(left, chromaShift.x), Self.aligned(top, chromaShift.y))
        }

        private static func aligned(_ value: Double, _ shift: Int32) -> Double {
            Double(Int32(value) & ~((1 << shift) - 1))
        }

        private static func shift(_ x: Double, _ y: Double) -> AffineTransform {
            AffineTransform(xx: 1, xy: 0, x: x, yx: 0, yy: 1, y: y)
        }

        /// Clockwise about the centre.
        private var rotation: AffineTransform? {
            guard let angle = value("angle") else { return nil }
            let (sine, cosine) = (sin(angle), cos(angle))
            let (centerX, centerY) = (inWidth / 2, inHeight / 2)
            return AffineTransform(
                xx: cosine, xy: -sine, x: outWidth / 2 - cosine * centerX + sine * centerY, yx: sine, yy: cosine,
                y: outHeight / 2 - sine * centerX - cosine * centerY)
        }

        private var transposition: AffineTransform? {
            let passes =
                switch option("passthrough") {
                case "portrait", "2": inWidth <= inHeight
                case "landscape", "1": inWidth >= inHeight
                default: false
                }
            if passes { return .identity }
            var direction: Int64 = 0
            guard av_opt_get_int(context, "dir", AV_OPT_SEARCH_CHILDREN, &direction) >= 0 else { return nil }
            // As in `uprightFilters`.
            let (mirrorsX, mirrorsY) = (direction & 1 != 0, direction & 2 != 0)
            return AffineTransform(
                xx: 0, xy: mirrorsX ? -1 : 1, x: mirrorsX ? inHeight : 0, yx: mirrorsY ? -1 : 1, yy: 0,
                y: mirrorsY ? inWidth : 0)
        }

        private func option(_ name: String) -> String? {
            var text: UnsafeMutablePointer<UInt8>?
            guard av_opt_get(context, name, AV_OPT_SEARCH_CHILDREN, &text) >= 0, let text else { return nil }
            defer { av_free(text) }
            return String(cString: text)
        }

        /// `nil` if the value may differ between frames.
        private func value(_ name: String) -> Double? {
            guard let text = option(name) else { return nil }
            let changing: Set = ["n", "t", "pos", "random"]
            guard changing.isDisjoint(with: FilterTraits.names(in: text)) else { return nil }
            let display = inWidth / inHeight
            let ratio = input.pointee.sample_aspect_ratio
            let aspect = ratio.num > 0 && ratio.den > 0 ? Double(ratio.num) / Double(ratio.den) : 1
            let variables: [(String, Double)] = [
                ("in_w", inWidth), ("iw", inWidth), ("in_h", inHeight), ("ih", inHeight), ("out_w", outWidth),
                ("ow", outWidth), ("out_h", outHeight), ("oh", outHeight), ("w", outWidth), ("h", outHeight),
                ("a", display), ("sar", aspect), ("dar", display * aspect),
                ("hsub", Double(Int32(1) << chromaShift.x)), ("vsub", Double(Int32(1) << chromaShift.y)),
            ]
            let names = variables.map { strdup($0.0) }
            defer { for name in names { free(name) } }
            let constants = names.map { UnsafePointer($0) } + [nil]
            var result = 0.0
            let code = av_expr_parse_and_eval(
                &result, text, constants, variables.map(\.1) + [0], nil, nil, nil, nil, nil, 0, nil)
            return code >= 0 && result.isFinite ? result : nil
        }
    }
}
