package import VidscanFaces
package import VidscanResults

/// Receives the values of a run in addition to its files. The run waits for each call, so that a slow consumer slows the
/// run down instead of filling the memory. An error ends the run.
package protocol RunConsumer: Sendable {
    /// Receives a sampled frame, in time order, when it has been analysed. Its faces are not tracked yet.
    func sampled(_ frame: FrameRecord) async throws
    /// Receives a frame, the number of its shot and the rows of the faces that are kept, in time order, after the last
    /// sample.
    func tracked(_ frame: FrameRecord, shot: Int, rows: [FaceRow]) async throws
    /// Receives the tracks and the events, after the last frame.
    func completed(_ tracks: [TrackRow], _ events: [FaceEvent]) async throws
}
