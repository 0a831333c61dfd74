internal import CFFmpeg
internal import DequeModule
internal import VidscanBase

/// Runs the frames of one video through a filter chain. Rebuilds the graph when the format of the frames changes.
final class FrameFilter {
    let chain: FilterChain
    /// From display pixels of the latest output to those of the source; `nil` if unknown.
    private(set) var toSource: AffineTransform?
    /// Of the frames from which the latest output was made, upright.
    private(set) var sourceSize = PictureSize(width: 0, height: 0)
    private let timeBase: Rational
    private let frameRate: Rational?
    private let threads, maximumPixels: Int
    private let cancellation: CancellationFlag
    private let filters: [FilterCall]
    /// The last one gets the frames. Those before it have ended, and may still have outputs.
    private var graphs = Deque<(graph: FilterGraph, toSource: AffineTransform?, sourceSize: PictureSize)>()
    private var outputs = UniqueDeque<Frame>()

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
        if graphs.last?.graph.input != input {
            try flush()
            guard !filters.isEmpty else {
                throw MediaError(.filter, "the filter chain '\(chain.text)' was read from a result and cannot run")
            }
            let graph = try FilterGraph(filters, input: input, threads: threads)
            let size = graph.outputGeometry.codedSize
            guard size.width * size.height <= maximumPixels else { throw .frameTooLarge(size, limit: maximumPixels) }
            let toOutput = graph.geometry()?.after(geometry.displayToCoded)
            graphs.append(
                (graph, toOutput?.inverse?.after(graph.outputGeometry.displayToCoded), geometry.displaySize))
        }
        frame.pts = timestamp
        // The graph has turned the frame upright.
        av_frame_remove_side_data(frame.pointer, AV_FRAME_DATA_DISPLAYMATRIX)
        try graphs.last?.graph.push(frame.pointer)
        guard !chain.needsEveryFrame else { return }
        guard let output = try pull() else {
            throw MediaError(.filter, "the filter chain '\(chain.text)' gave no output for a frame")
        }
        outputs.append(output)
    }

    /// Ends the input of the graph, which may still have outputs.
    func flush() throws(MediaError) { try graphs.last?.graph.push(nil) }

    /// One output at a time: a filter may make any number from one frame. Its timestamp, in its own time base, may be lost.
    func next() throws(MediaError) -> Frame? {
        if let first = outputs.popFirst() { return first }
        return try pull()
    }

    private func pull() throws(MediaError) -> Frame? {
        if cancellation.isSet { throw .cancelled }
        while let (graph, toSource, sourceSize) = graphs.first {
            if let frame = try graph.pull() {
                (self.toSource, self.sourceSize) = (toSource, sourceSize)
                frame.time_base = AVRational(graph.timeBase)
                return frame
            }
            guard graphs.count > 1 else { return nil }
            graphs.removeFirst()
        }
        return nil
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
