internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// The resources that the stages of one run share: their threads, the queues between them, and the budget of frames in
/// flight.
struct StageContext: Sendable {
    let decodeThread = ThreadExecutor(name: "decode")
    let workerThreads: [ThreadExecutor]
    let writeThread = ThreadExecutor(name: "write")
    let runs = Channel<SampleRun>()
    let results = Channel<FrameResult>()
    /// A run takes a credit when it is sent and returns it when its last result has been written. This bounds both
    /// channels, and results cannot pile up behind one slow run.
    let budget: InFlightBudget

    init(settings: Settings) {
        let workers = max(1, settings.detect.workers)
        workerThreads = (0..<workers).map { ThreadExecutor(name: "worker \($0)") }
        // One run in the queue, and one whose results wait for an earlier one.
        budget = InFlightBudget(count: workers + 2, bytes: 192 << 20)
    }

    func shutDown() {
        for thread in [decodeThread, writeThread] + workerThreads { thread.shutDown() }
    }
}

/// The report of a stage that has finished.
enum StageResult: Sendable {
    case decoded(DecodingReport)
    case analyzed(StageTimes)
    case written(WriteStage.Report)
}
