public import VidscanMedia

/// What a run tells while it is under way. Called from the run's threads.
public protocol RunObserver: Sendable {
    /// The input is open and its first frames are being decoded.
    func opened(_ input: String, info: VideoInfo)
    /// A sampled frame has been written.
    func progressed(_ progress: RunProgress)
    /// Something is odd with the input; the run goes on.
    func warned(_ input: String, message: String)
}

/// How far a run is.
public struct RunProgress: Sendable, Equatable {
    /// Of the last sampled frame written, on the video's clock.
    public var microseconds: Int64
    /// Sampled frames written.
    public var frames: Int
    /// Face rows written.
    public var faces: Int

    package init(microseconds: Int64, frames: Int, faces: Int) {
        self.microseconds = microseconds
        self.frames = frames
        self.faces = faces
    }
}

extension RunProgress {
    package mutating func add(_ frame: FrameRecord) {
        microseconds = frame.microseconds
        frames += 1
        faces += frame.faces.count
    }
}
