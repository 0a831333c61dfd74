internal import VidscanBase
package import VidscanResults

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
        let names = ["decode", "write", "digest"] + (0..<workers).map { "worker \($0)" }
        let threads = try ThreadExecutor.make(names: names)
        (decodeThread, writeThread, digestThread) = (threads[0], threads[1], threads[2])
        workerThreads = Array(threads[3...])
        // A run for each worker, and one that is being decoded.
        budget = InFlightBudget(count: workers + 1, bytes: 192 << 20)
    }

    func shutDown() { for thread in [decodeThread, writeThread, digestThread] + workerThreads { thread.shutDown() } }
}

/// The report of a stage that has finished.
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
