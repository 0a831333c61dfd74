internal import VidscanBase
internal import VidscanResults

/// The single consumer of results: restores their time order and passes them to the sink.
struct WriteStage {
    struct Report: Sendable {
        var counts = RunRecord.Counts()
        var timings = RunRecord.Timings()
        var tables = OutputPass.Summary()
        /// The number of people that `track.max_faces` left out.
        var peopleLeftOut = 0
        var firstMicroseconds, lastMicroseconds: Int64?
        /// The number of rows of `embeddings.npy`; `nil` if it is not written.
        var embeddings: Int?

        /// Counts a frame, and its faces before tracking.
        mutating func add(_ frame: FrameRecord) {
            counts.sampledFrames += 1
            counts.faces += frame.faces.count
            firstMicroseconds = firstMicroseconds ?? frame.microseconds
            lastMicroseconds = frame.microseconds
        }
    }

    let line: StageContext
    let settings: Settings
    let observer: any RunObserver
    let consumer: (any RunConsumer)?

    /// Passes every frame to the sink in time order, and returns the credits of their runs.
    func run(into sink: any FrameSink) async throws -> Report {
        var order = ReorderBuffer<FrameRecord>()
        var progress = RunProgress(microseconds: 0, frames: 0, faces: 0)
        while let result = try await line.results.receive() {
            for frame in order.insert(result, sequence: result.sequence) {
                try sink.add(frame)
                try await consumer?.sampled(frame)
                if let bytes = frame.credit { line.budget.giveBack(bytes: bytes) }
                progress.add(frame)
                observer.progressed(progress)
            }
        }
        precondition(order.count == 0, "a sampled frame has no outcome")
        return try await sink.finish()
    }
}
