internal import CFFmpeg
internal import VidscanBase

/// Puts the frames of one video through a chain: builds its graph from the first frame, and anew when the pictures change.
final class FrameFilter {
    /// A picture that has come out.
    struct Output {
        let frame: UnsafeMutablePointer<AVFrame>
        /// In units of `timeBase`; `nil` when the chain lost it.
        let timestamp: Int64?
        let timeBase: Rational
    }

    let chain: FilterChain
    /// Of the picture that came out last.
    private(set) var toSource: AffineTransform?
    private let timeBase: Rational
    private let frameRate: Rational?
    private let threads: Int
    private let maximumPixels: Int
    private let filters: [FilterCall]
    private var graph: FilterGraph?
    private var waiting: [Output] = []

    /// - Parameters:
    ///   - grid: what is sampled; tells a chain that needs every frame for its first filters which pictures the others may
    ///     leave out.
    ///   - frameRate: as the container announces it.
    ///   - maximumPixels: of the pictures that come out.
    init(_ chain: FilterChain, grid: SampleGrid, frameRate: Rational?, threads: Int, maximumPixels: Int) {
        self.chain = chain
        self.timeBase = grid.clock.timeBase
        self.frameRate = frameRate
        self.threads = threads
        self.maximumPixels = maximumPixels
        filters = Self.filters(of: chain, grid: grid)
    }

    deinit {
        for output in waiting { Self.free(output.frame) }
    }

    var needsEveryFrame: Bool { chain.needsEveryFrame }

    /// Puts a sampled frame through a chain that needs no others.
    ///
    /// - Parameters:
    ///   - frame: is taken.
    ///   - timestamp: in the stream's time base.
    func apply(
        _ frame: UnsafeMutablePointer<AVFrame>, timestamp: Int64, geometry: DisplayGeometry
    ) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
        try push(frame, timestamp: timestamp, geometry: geometry)
        guard let output = pop() else {
            throw MediaError(.filter, "the filter chain '\(chain.text)' swallowed a frame")
        }
        return output.frame
    }

    /// Gives the chain the next frame of the video, and takes out what comes.
    func push(
        _ frame: UnsafeMutablePointer<AVFrame>, timestamp: Int64, geometry: DisplayGeometry
    ) throws(MediaError) {
        var owned: UnsafeMutablePointer<AVFrame>? = frame
        defer { av_frame_free(&owned) }
        let aspect = frame.pointee.sample_aspect_ratio
        let input = FilterInput(
            size: geometry.codedSize, pixelFormat: AVPixelFormat(frame.pointee.format), timeBase: timeBase,
            pixelAspect: aspect.num > 0 && aspect.den > 0 ? (aspect.num, aspect.den) : (0, 1), frameRate: frameRate,
            orientation: geometry.orientation, colorSpace: frame.pointee.colorspace,
            colorRange: frame.pointee.color_range)
        if graph?.input != input {
            try flush()
            guard !filters.isEmpty else {
                throw MediaError(.filter, "the filter chain '\(chain.text)' was only read back, and cannot run")
            }
            let graph = try FilterGraph(filters, input: input, threads: threads)
            let size = graph.outputGeometry.codedSize
            guard size.width * size.height <= maximumPixels else {
                throw .pictureTooLarge(size.width, size.height, limit: maximumPixels)
            }
            self.graph = graph
            toSource = Self.map(graph, source: geometry)
        }
        frame.pointee.pts = timestamp
        // The turn has been made; what comes out stands upright.
        av_frame_remove_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX)
        try graph?.push(frame)
        try drain()
    }

    /// Takes out all that the chain holds back. It cannot be used again until it has been built anew.
    func flush() throws(MediaError) {
        guard let graph else { return }
        try graph.push(nil)
        try drain()
        self.graph = nil
    }

    /// The next picture that has come out; the caller owns it.
    func pop() -> Output? { waiting.isEmpty ? nil : waiting.removeFirst() }

    private func drain() throws(MediaError) {
        guard let graph else { return }
        while let frame = try graph.pull() {
            waiting.append(
                Output(frame: frame, timestamp: Libav.timestamp(frame.pointee.pts), timeBase: graph.timeBase))
        }
    }

    /// From display pixels of what comes out to display pixels of the source.
    private static func map(_ graph: FilterGraph, source: DisplayGeometry) -> AffineTransform? {
        graph.geometry()?.after(source.displayToCoded).inverse?.after(graph.outputGeometry.displayToCoded)
    }

    /// The chain, with pictures that no tick can take left out before the first filter that does not need them. Which are
    /// taken is settled later and exactly; here a little too many may pass.
    private static func filters(of chain: FilterChain, grid: SampleGrid) -> [FilterCall] {
        guard chain.parts != nil, (1..<chain.calls.count).contains(chain.everyFramePrefix),
            case .perSecond(let rate) = grid.rate
        else { return chain.calls }
        let start = grid.clock.start.value
        let ticks = { (time: String, slack: String) in
            "floor((\(time)-(\(start)))*\(rate.numerator)/\(rate.denominator)\(slack))"
        }
        let taken = "isnan(prev_t)+gt(\(ticks("t", "+1e-6")),\(ticks("prev_t", "-1e-6")))"
        var filters = chain.calls
        filters.insert(FilterCall("select", [("expr", taken)]), at: chain.everyFramePrefix)
        return filters
    }

    static func free(_ frame: UnsafeMutablePointer<AVFrame>) {
        var optional: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&optional)
    }
}
