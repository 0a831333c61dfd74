public import VidscanBase
public import VidscanMedia
internal import VidscanRender

/// Everything that can be set for a run, with its defaults; nested as a pipeline file is. Each section and the settings that
/// it declares are in a file of their own in `Sections`.
public struct Settings: Sendable, Equatable {
    public var sample = Sample()
    /// Applied to every sampled frame before detection; `nil` applies none.
    public var filters: FilterChain?
    public var detect: Detect
    public var track = Track()
    public var measure = Measure()
    public var write = Write()
    public var render = Render()
    public var report = Report()
    /// Analyse only this segment of the video. A segment's result has no tables; `SegmentMerger` makes them from all segments.
    /// No pipeline sets it.
    public var segment: VideoSegment?

    /// - Parameter workers: frames analysed in parallel; results do not depend on it.
    public init(workers: Int) {
        detect = Detect(workers: workers)
    }

    /// Detects faces as thoroughly as hiding them requires: in every frame, with small and uncertain faces, none left out,
    /// each where it was found.
    public mutating func detectThoroughly() {
        sample.rate = .everyFrame
        detect.faces = .small
        detect.minimumConfidence = min(detect.minimumConfidence, AnonymizeRequirements.confidence)
        detect.keepsUncertainFaces = true
        detect.minimumFace = 0
        track.minimumSamples = AnonymizeRequirements.trackSamples
        track.maximumFaces = nil
        track.smoothing = false
    }
}
