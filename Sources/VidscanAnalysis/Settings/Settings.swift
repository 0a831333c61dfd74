public import VidscanBase
public import VidscanMedia
internal import VidscanInference
internal import VidscanRender

/// All settings of a run, with their defaults, nested like a pipeline file. Each section is in its own file in
/// `Sections`, with the declarations of its settings.
public struct Settings: Sendable, Equatable {
    public var sample = Sample()
    /// The filters that every sampled frame passes before detection; `nil` for none.
    public var filters: FilterChain?
    public var detect: Detect
    public var track = Track()
    public var measure = Measure()
    public var write = Write()
    public var render = Render()
    public var report = Report()
    /// The only segment of the video to analyse; `nil` for the whole video. The result of a segment has no tables;
    /// `SegmentMerger` makes them from all segments. A pipeline file cannot set this.
    public var segment: VideoSegment?

    /// - Parameter workers: The number of frames analysed in parallel; results do not depend on it.
    public init(workers: Int) {
        detect = Detect(workers: workers)
    }

    /// Changes the settings so that all faces can be hidden: every frame is analysed, small and uncertain faces are
    /// detected, none is dropped, and positions are not smoothed.
    public mutating func detectThoroughly() {
        sample.rate = max(sample.rate, AnonymizeRequirements.rate)
        detect.accuracy = max(detect.accuracy, AnonymizeRequirements.accuracy)
        detect.faces = max(detect.faces, AnonymizeRequirements.faces)
        detect.minimumConfidence = min(detect.minimumConfidence, AnonymizeRequirements.confidence)
        detect.keepsUncertainFaces = true
        detect.stride = AnonymizeRequirements.stride
        detect.precision = .exact
        detect.minimumFace = 0
        track.minimumSamples = min(track.minimumSamples, AnonymizeRequirements.trackSamples)
        track.maximumFaces = nil
        track.smoothing = false
    }
}
