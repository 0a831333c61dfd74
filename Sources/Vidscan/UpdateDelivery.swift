internal import Synchronization
internal import VidscanAnalysis
internal import VidscanFaces
internal import VidscanResults

/// Sends the values of a run as updates, and waits for a slow consumer.
final class UpdateDelivery: RunConsumer, RunObserver {
    private struct State: Sendable {
        var info: VideoInfo?
        var tracker: ProvisionalTracker
        var summary = VideoSummary()
    }

    private let queue: UpdateQueue
    private let settings: Settings
    private let state: Mutex<State>

    init(queue: UpdateQueue, settings: Settings) {
        (self.queue, self.settings) = (queue, settings)
        state = Mutex(State(tracker: ProvisionalTracker(settings: settings)))
    }

    func sampled(_ frame: FrameRecord) async throws { try await send { $0.tracker.updates(for: frame) } }

    func tracked(_ frame: FrameRecord, shot: Int, rows: [FaceRow]) async throws {
        try await send { $0.tracker.finish() + [.frame(VideoFrame(frame, shot: shot, faces: rows.map { Face($0) }))] }
    }

    func completed(_ tracks: [TrackRow], _ events: [FaceEvent], _ episodes: [Episode]) async throws {
        try await send {
            ($0.summary.tracks, $0.summary.events, $0.summary.episodes) = (tracks.map { Track($0) }, events, episodes)
            return $0.tracker.finish()
        }
    }

    func finish(warnings: [String], notices: [String]) async throws {
        try await send {
            ($0.summary.warnings, $0.summary.notices) = (warnings, notices)
            return [.finished($0.summary)]
        }
    }

    private func send(_ updates: (inout State) -> [VideoUpdate]) async throws {
        let updates = state.withLock { state in
            // The video is open: this comes first.
            let opened = state.info.map { [VideoUpdate.opened($0)] } ?? []
            state.info = nil
            return opened + updates(&state)
        }
        for update in updates { try await queue.send(update) }
    }

    func opened(_ input: String, info: VideoInfo) { state.withLock { $0.info = info } }

    // Updates show the progress, and the last one has the warnings.
    func progressed(_ progress: RunProgress) {}
    func warned(_ input: String, message: String) {}
}

/// Tracks faces while the video is read, with the tracker of the final pass, which also knows the cuts.
private struct ProvisionalTracker: Sendable {
    private let settings: Settings
    private var tracker: FaceTracker
    private var epoch: Int?
    /// In microseconds, for each face in sight.
    private var lastSeen: [Int: Int64] = [:]

    init(settings: Settings) {
        self.settings = settings
        tracker = settings.tracker
    }

    mutating func updates(for frame: FrameRecord) -> [VideoUpdate] {
        let ids = tracker.update(
            frame.faces.map(\.trackedDetection), seconds: frame.seconds,
            isAfterCut: epoch.map { $0 != frame.epoch } ?? false)
        epoch = frame.epoch
        var updates = lose(lastSeen.keys.filter { !tracker.activeTracks.contains($0) })
        // A face without a track is too uncertain to report.
        let faces = zip(ids, frame.faces).compactMap { id, face in id.map { Face(face, id: $0, settings: settings) } }
            .sorted { $0.id < $1.id }
        for face in faces where lastSeen.updateValue(frame.microseconds, forKey: face.id) == nil {
            updates.append(.faceAppeared(id: face.id, microseconds: frame.microseconds))
        }
        return updates + [.sample(VideoFrame(frame, shot: nil, faces: faces))]
    }

    /// Loses all faces; a second call does nothing.
    mutating func finish() -> [VideoUpdate] { lose(Array(lastSeen.keys)) }

    private mutating func lose(_ ids: [Int]) -> [VideoUpdate] {
        ids.sorted().compactMap { id in lastSeen.removeValue(forKey: id).map { .faceLost(id: id, microseconds: $0) } }
    }
}
