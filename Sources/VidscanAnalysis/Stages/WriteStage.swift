internal import VidscanBase
internal import VidscanResults

/// The one ordered consumer: puts results back in time order and hands them on.
struct WriteStage {
    struct Report: Sendable {
        var frames = 0
        var faces = 0
        var identities = 0
        var people = 0
        var tracksDropped = 0
        var hardCuts = 0
        var gradualCuts = 0
        var events = 0
        /// There were faces, but too few samples a second to tell blinks.
        var lacksBlinks = false
        var firstMicroseconds: Int64?
        var lastMicroseconds: Int64?
        var followSeconds = 0.0
        var tableSeconds = 0.0

        /// Counts a frame, and its faces as they were found.
        mutating func add(_ frame: FrameRecord) {
            frames += 1
            faces += frame.faces.count
            firstMicroseconds = firstMicroseconds ?? frame.microseconds
            lastMicroseconds = frame.microseconds
        }
    }

    let line: StageContext
    let settings: Settings
    let observer: any RunObserver

    /// Hands every frame on as it comes in order, and gives its credit back.
    func run(into sink: any FrameSink) async throws -> Report {
        var order = ReorderBuffer<FrameResult>()
        var progress = RunProgress(microseconds: 0, frames: 0, faces: 0)
        while let result = try await line.results.receive() {
            for next in order.insert(result, sequence: result.sequence) {
                let frame = FrameRecord(next, metrics: settings.measure.metrics)
                try sink.add(frame, signature: next.signature)
                line.budget.giveBack(bytes: next.byteCount)
                progress.add(frame)
                observer.progressed(progress)
            }
        }
        precondition(order.count == 0, "a sampled frame has no outcome")
        return try sink.finish()
    }
}
