package import VidscanBase
package import VidscanFaces
public import VidscanMedia
package import VidscanResults

/// All settings of a run, with their defaults, nested like a pipeline file. The sections are declared in `Sections`.
public struct Settings: Sendable, Equatable {
    public var sample = Sample()
    /// The filters that every sampled frame passes before detection; `nil` for none.
    public var filters: FilterChain?
    public var detect: Detect
    public var track = Track()
    public var measure = Measure()
    /// Whether to find out who speaks.
    public var speech = false
    public var write = Write()
    package var render = Render()
    package var report = Report()
    /// The only segment of the video to analyse; `nil` for the whole video. The result of a segment has no tables;
    /// `SegmentMerger` makes them from all segments. A pipeline file cannot set this.
    package var segment: VideoSegment?

    /// - Parameter workers: The number of frames analysed in parallel; results do not depend on it.
    public init(workers: Int) { detect = Detect(workers: workers) }

    /// Changes the settings so that all faces can be hidden: every frame is analysed, small and uncertain faces are
    /// detected, none is dropped, and positions are not smoothed.
    package mutating func detectThoroughly() {
        sample.rate = max(sample.rate, AnonymizeRequirements.rate)
        detect.accuracy = max(detect.accuracy, AnonymizeRequirements.accuracy)
        detect.faces = max(detect.faces, AnonymizeRequirements.faces)
        detect.minimumConfidence = min(detect.minimumConfidence, AnonymizeRequirements.confidence)
        detect.keepsUncertainFaces = true
        detect.stride = AnonymizeRequirements.stride
        detect.minimumFace = 0
        track.minimumSamples = min(track.minimumSamples, AnonymizeRequirements.trackSamples)
        track.maximumFaces = nil
        track.smoothing = false
    }

    // MARK: Options of the libraries that an analysis uses

    /// The minimum confidence of a face that continues a track; it may be lower than that of a face that starts one.
    var candidateConfidence: Double { min(detect.minimumConfidence, max(0.25, detect.minimumConfidence * 0.6)) }

    package var tracker: FaceTracker {
        FaceTracker(
            maximumGapSeconds: track.maximumGapSeconds, startingConfidence: detect.minimumConfidence,
            shapeVariances: FaceShape.betweenVariances)
    }

    /// Returns the size in which the detector receives a frame. Frames are never enlarged.
    func detectorPictureSize(for display: PictureSize) -> PictureSize {
        let longSide = detect.accuracy.longSide * (detect.faces == .small ? 2 : 1)
        let scale = min(1, Double(longSide) / Double(display.longSide))
        return PictureSize(
            width: max(1, Int((Double(display.width) * scale).rounded())),
            height: max(1, Int((Double(display.height) * scale).rounded())))
    }

    /// The samples that are searched for faces. If faces are to be hidden, `SpanAnalyzer` looks for them in the others too.
    var anchors: AnchorSchedule {
        AnchorSchedule(
            rate: sample.rate, maximumSamples: detect.keepsUncertainFaces ? .max : detect.stride ?? .max,
            maximumBytes: 12 << 20)
    }

    var needsExpressions: Bool {
        !measure.metrics.isEmpty || write.blendshapes || write.formats.contains(where: \.needsMeshes)
    }

    /// The options for the video to make from the result; `nil` makes none.
    package var rendering: RenderOptions? {
        var options = render.options()
        options?.limits = sample.limits
        return options
    }

    package var messages: MessageOptions { MessageOptions(level: write.messages, format: write.logFormat) }
}
