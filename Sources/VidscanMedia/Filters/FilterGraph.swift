internal import CFFmpeg
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
        // The default of the ffmpeg command.
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

    func geometry() -> AffineTransform? { FilterGeometry.map(from: source, to: sink) }

    private static func sourceArguments(_ input: FilterInput) -> String {
        var text =
            "video_size=\(input.geometry.codedSize):pix_fmt=\(input.pixelFormat.rawValue)"
            + ":time_base=\(input.timeBase.numerator)/\(input.timeBase.denominator)"
            + ":pixel_aspect=\(input.pixelAspect.numerator)/\(input.pixelAspect.denominator)"
        if let rate = input.frameRate { text += ":frame_rate=\(rate.numerator)/\(rate.denominator)" }
        // Since FFmpeg 7.
        let declaresColor = avfilter_get_by_name("buffer").map {
            vs_find_option($0.pointee.priv_class, "colorspace") != nil
        }
        if declaresColor == true {
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
        var inputs = OpenPads()
        var outputs = OpenPads()
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
