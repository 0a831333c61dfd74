internal import CFFmpeg
internal import DequeModule
internal import VidscanBase

/// Runs the frames of one video through a filter chain. Rebuilds the graph when the format of the frames changes.
final class FrameFilter {
    let chain: FilterChain
    /// From display pixels of the current graph's output to those of the source; `nil` if unknown.
    private(set) var toSource: AffineTransform?
    private let timeBase: Rational
    private let frameRate: Rational?
    private let threads, maximumPixels: Int
    private let cancellation: CancellationFlag
    private let filters: [FilterCall]
    private var graph: FilterGraph?
    /// Their timestamps are in units of their own time bases, and may be lost.
    var outputs = UniqueDeque<Frame>()

    /// `grid`: shows which frames the filters after the last one that needs all can skip. `maximumPixels`: per output.
    init(
        _ chain: FilterChain, grid: SampleGrid, frameRate: Rational?, threads: Int, maximumPixels: Int,
        cancellation: CancellationFlag
    ) {
        (self.chain, timeBase, self.frameRate) = (chain, grid.clock.timeBase, frameRate)
        (self.threads, self.maximumPixels, self.cancellation) = (threads, maximumPixels, cancellation)
        filters = Self.filters(of: chain, grid: grid)
    }

    func push(_ frame: consuming Frame, timestamp: Int64, geometry: DisplayGeometry) throws(MediaError) {
        let aspect = frame.sample_aspect_ratio.rational.flatMap { $0.numerator > 0 ? $0 : nil } ?? 0
        let input = FilterInput(
            geometry: geometry, pixelFormat: frame.pixelFormat, colorSpace: frame.colorspace,
            colorRange: frame.color_range, timeBase: timeBase, pixelAspect: aspect, frameRate: frameRate)
        if graph?.input != input {
            try flush()
            guard !filters.isEmpty else {
                throw MediaError(.filter, "the filter chain '\(chain.text)' was read from a result and cannot run")
            }
            let graph = try FilterGraph(filters, input: input, threads: threads)
            let size = graph.outputGeometry.codedSize
            guard size.width * size.height <= maximumPixels else { throw .frameTooLarge(size, limit: maximumPixels) }
            self.graph = graph
            toSource = graph.geometry()?.after(geometry.displayToCoded).inverse?
                .after(graph.outputGeometry.displayToCoded)
        }
        frame.pts = timestamp
        // The graph has turned the frame upright.
        av_frame_remove_side_data(frame.pointer, AV_FRAME_DATA_DISPLAYMATRIX)
        try graph?.push(frame.pointer)
        try drain()
        guard chain.needsEveryFrame || !outputs.isEmpty else {
            throw MediaError(.filter, "the filter chain '\(chain.text)' gave no output for a frame")
        }
    }

    func flush() throws(MediaError) {
        guard let graph else { return }
        try graph.push(nil)
        try drain()
        self.graph = nil
    }

    private func drain() throws(MediaError) {
        guard let graph else { return }
        while let frame = try graph.pull() {
            if cancellation.isSet { throw .cancelled }
            frame.time_base = AVRational(graph.timeBase)
            outputs.append(frame)
        }
    }

    /// The chain with a `select` filter after the last filter that needs every frame. It drops frames that no sample can take; a
    /// few too many may pass, because the exact decision follows later.
    private static func filters(of chain: FilterChain, grid: SampleGrid) -> [FilterCall] {
        guard chain.parts != nil, chain.everyFramePrefix > 0, chain.everyFramePrefix < chain.calls.count,
            case .perSecond(let rate) = grid.rate
        else { return chain.calls }
        let start = grid.clock.start.value
        let ticks = { (time: String, slack: String) in
            "floor((\(time)-(\(start)))*\(rate.numerator)/\(rate.denominator)\(slack))"
        }
        let isSampled = "isnan(prev_t)+gt(\(ticks("t", "+1e-6")),\(ticks("prev_t", "-1e-6")))"
        var filters = chain.calls
        filters.insert(FilterCall("select", [("expr", isSampled)]), at: chain.everyFramePrefix)
        return filters
    }
}
