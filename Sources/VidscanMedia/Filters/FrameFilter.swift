internal import CFFmpeg
internal import DequeModule
internal import VidscanBase

/// Runs the frames of one video through a filter chain. Builds the graph for the first frame, and again when the format
/// of the frames changes.
final class FrameFilter {
    struct Output: ~Copyable {
        let frame: Frame
        /// In units of `timeBase`; `nil` when the chain lost it.
        let timestamp: Int64?
        let timeBase: Rational
    }

    let chain: FilterChain
    /// From display pixels of the output of the current graph to display pixels of the source; `nil` if unknown.
    private(set) var toSource: AffineTransform?
    private let timeBase: Rational
    private let frameRate: Rational?
    private let threads: Int
    private let maximumPixels: Int
    private let filters: [FilterCall]
    private var graph: FilterGraph?
    private var outputs = UniqueDeque<Output>()

    /// - Parameters:
    ///   - grid: the sampling grid. If only the first filters of the chain need every frame, it shows which frames the others
    ///     can do without.
    ///   - frameRate: as the container announces it.
    ///   - maximumPixels: of an output frame.
    init(_ chain: FilterChain, grid: SampleGrid, frameRate: Rational?, threads: Int, maximumPixels: Int) {
        self.chain = chain
        self.timeBase = grid.clock.timeBase
        self.frameRate = frameRate
        self.threads = threads
        self.maximumPixels = maximumPixels
        filters = Self.filters(of: chain, grid: grid)
    }

    var needsEveryFrame: Bool { chain.needsEveryFrame }

    /// Runs one frame through a chain that depends on no other frame.
    ///
    /// - Parameter timestamp: in units of the stream's time base.
    func apply(
        _ frame: consuming Frame, timestamp: Int64, geometry: DisplayGeometry
    ) throws(MediaError) -> Frame {
        try push(frame, timestamp: timestamp, geometry: geometry)
        guard let output = pop() else {
            throw MediaError(.filter, "the filter chain '\(chain.text)' gave no output for a frame")
        }
        return output.frame
    }

    /// Sends the next frame of the video into the chain. `pop` gives what comes out.
    func push(_ frame: consuming Frame, timestamp: Int64, geometry: DisplayGeometry) throws(MediaError) {
        let aspect = frame.sample_aspect_ratio
        let input = FilterInput(
            size: geometry.codedSize, pixelFormat: frame.pixelFormat, timeBase: timeBase,
            pixelAspect: aspect.num > 0 && aspect.den > 0 ? (aspect.num, aspect.den) : (0, 1), frameRate: frameRate,
            orientation: geometry.orientation, colorSpace: frame.colorspace, colorRange: frame.color_range)
        if graph?.input != input {
            try flush()
            guard !filters.isEmpty else {
                throw MediaError(.filter, "the filter chain '\(chain.text)' was read from a result and cannot run")
            }
            let graph = try FilterGraph(filters, input: input, threads: threads)
            let size = graph.outputGeometry.codedSize
            guard size.width * size.height <= maximumPixels else { throw .frameTooLarge(size, limit: maximumPixels) }
            self.graph = graph
            toSource = Self.map(graph, source: geometry)
        }
        frame.pts = timestamp
        // The graph has turned the frame upright.
        frame.removeSideData(AV_FRAME_DATA_DISPLAYMATRIX)
        try graph?.push(frame)
        try drain()
    }

    /// Ends the graph's input, so that `pop` gives everything that the filters have held back.
    func flush() throws(MediaError) {
        guard let graph else { return }
        try graph.pushEnd()
        try drain()
        self.graph = nil
    }

    /// The next frame that has come out.
    func pop() -> Output? { outputs.popFirst() }

    private func drain() throws(MediaError) {
        guard let graph else { return }
        while let frame = try graph.pull() {
            let timestamp = FFmpeg.timestamp(frame.pts)
            outputs.append(Output(frame: frame, timestamp: timestamp, timeBase: graph.timeBase))
        }
    }

    /// From display pixels of the output to display pixels of the source.
    private static func map(_ graph: FilterGraph, source: DisplayGeometry) -> AffineTransform? {
        graph.geometry()?.after(source.displayToCoded).inverse?.after(graph.outputGeometry.displayToCoded)
    }

    /// The chain with a `select` filter after the last filter that needs every frame. It drops frames that no sample can
    /// take. A few too many may pass, because the exact decision follows later.
    private static func filters(of chain: FilterChain, grid: SampleGrid) -> [FilterCall] {
        guard chain.parts != nil, (1..<chain.calls.count).contains(chain.everyFramePrefix),
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
