package import VidscanMedia

/// Receives a run's progress and warnings, on the run's threads.
package protocol RunObserver: Sendable {
    /// Called once the input is open and its first frames are being decoded.
    func opened(_ input: String, info: VideoInfo)
    /// Called after each frame.
    func progressed(_ progress: RunProgress)
    /// Reports a problem with the input that does not stop the run.
    func warned(_ input: String, message: String)
}

package struct RunProgress: Sendable, Equatable {
    /// The time of the last processed frame, on the video's clock.
    package var microseconds: Int64
    /// The numbers of processed frames and of the faces in them. Tracking may still drop some of the faces.
    package var frames, faces: Int

    package init(microseconds: Int64, frames: Int, faces: Int) {
        (self.microseconds, self.frames, self.faces) = (microseconds, frames, faces)
    }

    package mutating func add(_ frame: FrameRecord) {
        microseconds = frame.microseconds
        frames += 1
        faces += frame.faces.count
    }
}
