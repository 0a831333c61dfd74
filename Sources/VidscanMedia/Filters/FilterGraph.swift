internal import CFFmpeg
internal import VidscanBase

/// What a graph is built for: pictures of one size, format and shape.
struct FilterInput: Equatable {
    var size: PictureSize
    var pixelFormat: AVPixelFormat
    var timeBase: Rational
    /// 0/1 when it is not known.
    var pixelAspect: (numerator: Int32, denominator: Int32)
    var frameRate: Rational?
    /// How the pictures must be turned to stand upright; done before the first filter.
    var orientation: Orientation
    var colorSpace: AVColorSpace
    var colorRange: AVColorRange

    static func == (a: FilterInput, b: FilterInput) -> Bool {
        // Later libraries refuse pictures whose colours change their meaning; earlier ones do not look.
        a.size == b.size && a.pixelFormat == b.pixelFormat && a.timeBase == b.timeBase && a.orientation == b.orientation
            && a.pixelAspect == b.pixelAspect && a.colorSpace == b.colorSpace && a.colorRange == b.colorRange
    }
}

/// A configured libavfilter graph: one video in, one video out. Set up as the ffmpeg command does it, so that the same
/// chain gives the same pictures.
final class FilterGraph {
    private let graph: UnsafeMutablePointer<AVFilterGraph>
    private let source: UnsafeMutablePointer<AVFilterContext>
    private let sink: UnsafeMutablePointer<AVFilterContext>
    let input: FilterInput

    /// - Parameters:
    ///   - filters: permitted already.
    ///   - threads: for filters that work on parts of a picture at the same time.
    init(_ filters: [FilterCall], input: FilterInput, threads: Int) throws(MediaError) {
        guard let graph = avfilter_graph_alloc() else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        self.graph = graph
        self.input = input
        graph.pointee.nb_threads = Int32(threads)
        // The ffmpeg command's own default.
        graph.pointee.scale_sws_opts = av_strdup("flags=bicubic")
        do {
            (source, sink) = try Self.build(graph, FilterCall.text(filters), input)
        } catch {
            var optional: UnsafeMutablePointer<AVFilterGraph>? = graph
            avfilter_graph_free(&optional)
            throw error
        }
    }

    deinit {
        var optional: UnsafeMutablePointer<AVFilterGraph>? = graph
        avfilter_graph_free(&optional)
    }

    /// Seconds per unit of the output's timestamps.
    var timeBase: Rational {
        let base = av_buffersink_get_time_base(sink)
        return Rational(Int64(base.num), Int64(base.den)) ?? input.timeBase
    }

    /// Gives the graph a frame, whose contents it takes; `nil` is the end.
    func push(_ frame: UnsafeMutablePointer<AVFrame>?) throws(MediaError) {
        Libav.beginErrors()
        let result = av_buffersrc_add_frame_flags(source, frame, 0)
        guard result >= 0 || result == Libav.endOfFile else { throw Self.failure("failed", result) }
    }

    /// Takes the next picture out; the caller owns it. `nil` when the graph needs another frame, or has come to its end.
    func pull() throws(MediaError) -> UnsafeMutablePointer<AVFrame>? {
        guard let frame = av_frame_alloc() else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        Libav.beginErrors()
        let result = av_buffersink_get_frame(sink, frame)
        if result >= 0 { return frame }
        var optional: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&optional)
        guard result == Libav.tryAgain || result == Libav.endOfFile else { throw Self.failure("failed", result) }
        return nil
    }

    /// Of the pictures that come out, which stand upright.
    var outputGeometry: DisplayGeometry {
        let aspect = av_buffersink_get_sample_aspect_ratio(sink)
        return DisplayGeometry(
            codedSize: PictureSize(width: Int(av_buffersink_get_w(sink)), height: Int(av_buffersink_get_h(sink))),
            pixelAspect: Rational(Int64(aspect.num), Int64(aspect.den)) ?? .one, orientation: .upright)
    }

    /// The map from the pictures that go in to those that come out, in pixels; `nil` where some filter moves things in a way
    /// that is not known.
    func geometry() -> AffineTransform? { FilterGeometry.map(from: source, to: sink) }

    // MARK: Building

    private static func build(
        _ graph: UnsafeMutablePointer<AVFilterGraph>, _ text: String, _ input: FilterInput
    ) throws(MediaError) -> (source: UnsafeMutablePointer<AVFilterContext>, sink: UnsafeMutablePointer<AVFilterContext>)
    {
        Libav.beginErrors()
        var source: UnsafeMutablePointer<AVFilterContext>?
        var sink: UnsafeMutablePointer<AVFilterContext>?
        let made = avfilter_graph_create_filter(
            &source, avfilter_get_by_name("buffer"), "in", sourceArguments(input), nil, graph)
        guard made >= 0, let source else { throw failure("cannot take these pictures", made) }
        let ended = avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), "out", nil, nil, graph)
        guard ended >= 0, let sink else { throw failure("cannot be built", ended) }
        var last = source
        for (name, arguments) in uprightFilters(input.orientation) {
            var turn: UnsafeMutablePointer<AVFilterContext>?
            let made = avfilter_graph_create_filter(&turn, avfilter_get_by_name(name), nil, arguments, nil, graph)
            guard made >= 0, let turn, avfilter_link(last, 0, turn, 0) >= 0 else {
                throw failure("cannot turn the pictures upright", made)
            }
            last = turn
        }
        try parse(text, graph, from: last, to: sink)
        let configured = avfilter_graph_config(graph, nil)
        guard configured >= 0 else { throw failure("cannot be built for pictures of \(input.size)", configured) }
        return (source, sink)
    }

    private static func sourceArguments(_ input: FilterInput) -> String {
        var text =
            "video_size=\(input.size):pix_fmt=\(input.pixelFormat.rawValue)"
            + ":time_base=\(input.timeBase.numerator)/\(input.timeBase.denominator)"
            + ":pixel_aspect=\(input.pixelAspect.numerator)/\(max(1, input.pixelAspect.denominator))"
        if let rate = input.frameRate { text += ":frame_rate=\(rate.numerator)/\(rate.denominator)" }
        // From FFmpeg 7 on the source tells what the colours mean.
        let tellsColor = avfilter_get_by_name("buffer").map {
            vs_find_option($0.pointee.priv_class, "colorspace") != nil
        }
        if tellsColor == true {
            text += ":colorspace=\(input.colorSpace.rawValue):range=\(input.colorRange.rawValue)"
        }
        return text
    }

    /// The filters that turn a coded picture upright, each moving pixels only.
    private static func uprightFilters(_ orientation: Orientation) -> [(name: String, arguments: String?)] {
        if orientation.swapsAxes {
            let turn =
                switch (orientation.mirrorsX, orientation.mirrorsY) {
                case (false, false): "cclock_flip"
                case (true, false): "clock"
                case (false, true): "cclock"
                case (true, true): "clock_flip"
                }
            return [("transpose", turn)]
        }
        return (orientation.mirrorsX ? [("hflip", nil)] : []) + (orientation.mirrorsY ? [("vflip", nil)] : [])
    }

    private static func parse(
        _ text: String, _ graph: UnsafeMutablePointer<AVFilterGraph>, from last: UnsafeMutablePointer<AVFilterContext>,
        to sink: UnsafeMutablePointer<AVFilterContext>
    ) throws(MediaError) {
        var outputs = avfilter_inout_alloc()
        var inputs = avfilter_inout_alloc()
        defer {
            avfilter_inout_free(&outputs)
            avfilter_inout_free(&inputs)
        }
        guard let output = outputs, let input = inputs else {
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        output.pointee.name = av_strdup("in")
        output.pointee.filter_ctx = last
        input.pointee.name = av_strdup("out")
        input.pointee.filter_ctx = sink
        let parsed = avfilter_graph_parse_ptr(graph, text, &inputs, &outputs, nil)
        guard parsed >= 0 else { throw failure("cannot be built", parsed) }
        guard inputs == nil, outputs == nil else {
            throw MediaError(.filter, "the filter chain must lead from one video to one video")
        }
    }

    private static func failure(_ what: String, _ code: Int32) -> MediaError {
        MediaError(.filter, "the filter chain \(what): \(Libav.reason(code))")
    }

    // MARK: Checking

    /// Makes every filter with its options, without building the graph for pictures.
    ///
    /// - Parameter filters: permitted already: making a filter runs its code.
    /// - Throws: `MediaError` with the code `filter` and the library's reason.
    static func check(_ filters: [FilterCall]) throws(MediaError) {
        guard let graph = avfilter_graph_alloc() else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        var optional: UnsafeMutablePointer<AVFilterGraph>? = graph
        defer { avfilter_graph_free(&optional) }
        var inputs: UnsafeMutablePointer<AVFilterInOut>?
        var outputs: UnsafeMutablePointer<AVFilterInOut>?
        defer {
            avfilter_inout_free(&outputs)
            avfilter_inout_free(&inputs)
        }
        Libav.beginErrors()
        let parsed = avfilter_graph_parse2(graph, FilterCall.text(filters), &inputs, &outputs)
        guard parsed >= 0 else { throw failure("cannot be built", parsed) }
        guard let input = inputs, let output = outputs, input.pointee.next == nil, output.pointee.next == nil,
            isVideo(input, isOutput: false), isVideo(output, isOutput: true)
        else { throw MediaError(.filter, "the filter chain must lead from one video to one video") }
    }

    private static func isVideo(_ end: UnsafeMutablePointer<AVFilterInOut>, isOutput: Bool) -> Bool {
        let context = end.pointee.filter_ctx
        let pads = isOutput ? context?.pointee.output_pads : context?.pointee.input_pads
        return avfilter_pad_get_type(pads, end.pointee.pad_idx) == AVMEDIA_TYPE_VIDEO
    }
}
