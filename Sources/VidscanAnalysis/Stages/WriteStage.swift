internal import VidscanBase
package import VidscanResults

/// The single consumer of results: restores their time order and passes them to the sink.
struct WriteStage {
    struct Report: Sendable {
        var counts = RunRecord.Counts(), timings = RunRecord.Timings(), tables = OutputPass.Summary()
        /// The number of people that `track.max_faces` left out.
        var peopleLeftOut = 0
        var firstMicroseconds, lastMicroseconds: Int64?
        /// The number of rows of `embeddings.npy`; `nil` if it is not written.
        var embeddings: Int?

        mutating func add(_ frame: FrameRecord) {
            counts.sampledFrames += 1
            counts.faces += frame.faces.count
            firstMicroseconds = firstMicroseconds ?? frame.microseconds
            lastMicroseconds = frame.microseconds
        }
    }

    let line: StageContext
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

/// What the stages of one run share: their threads, the queues between them, and the budget of frames in flight.
final class StageContext: Sendable {
    let decodeThread: ThreadExecutor
    let workerThreads: [ThreadExecutor]
    let writeThread, digestThread: ThreadExecutor
    /// Never carries an element; it is finished when the input is open, so that the workers prepare for its frames.
    let opened = Channel<Never>()
    let runs = Channel<SampleSpan>()
    let results = Channel<FrameRecord>()
    /// A run takes a credit before its first sample is decoded and returns it when its last result has been written. This
    /// bounds both channels, and results cannot pile up behind one slow run.
    let budget: InFlightBudget

    /// Throws with the code `setup` if the system refuses a thread.
    init(settings: Settings) throws(VidscanError) {
        let workers = max(1, settings.detect.workers)
        let all = try ThreadExecutor.make(names: ["decode", "write", "digest"] + (0..<workers).map { "worker \($0)" })
        (decodeThread, writeThread, digestThread) = (all[0], all[1], all[2])
        workerThreads = Array(all[3...])
        // A run for each worker, and one that is being decoded.
        budget = InFlightBudget(count: workers + 1, bytes: 192 << 20)
    }

    func shutDown() { for thread in [decodeThread, writeThread, digestThread] + workerThreads { thread.shutDown() } }
}

enum StageResult: Sendable {
    case decoded(DecodingReport)
    case analyzed(StageTimes)
    case written(WriteStage.Report)
    case hashed(String?)
}

/// Receives the values of a run in addition to its files. The run waits for each call, so that a slow consumer slows the
/// run down instead of filling the memory. An error ends the run.
package protocol RunConsumer: RowConsumer, Sendable {
    /// Receives a sampled frame, in time order, when it has been analysed. Its faces are not tracked yet.
    func sampled(_ frame: FrameRecord) async throws
}
