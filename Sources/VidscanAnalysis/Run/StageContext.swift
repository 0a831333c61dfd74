internal import Synchronization
internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// The resources that the stages of one run share: their threads, the queues between them, and the budget of frames in
/// flight.
final class StageContext: Sendable {
    let decodeThread = ThreadExecutor(name: "decode")
    let workerThreads: [ThreadExecutor]
    let writeThread = ThreadExecutor(name: "write")
    /// Never carries an element; it is finished when the input is open.
    let opened = Channel<Never>()
    let runs = Channel<SampleRun>()
    let results = Channel<FrameResult>()
    /// A run takes a credit before its first sample is decoded and returns it when its last result has been written. This
    /// bounds both channels, and results cannot pile up behind one slow run.
    let budget: InFlightBudget
    private let frameLimit = Atomic(Int.max)

    init(settings: Settings) {
        let workers = max(1, settings.detect.workers)
        workerThreads = (0..<workers).map { ThreadExecutor(name: "worker \($0)") }
        // A run for each worker, and one that is being decoded.
        budget = InFlightBudget(count: workers + 1, bytes: 192 << 20)
    }

    /// Lets the workers prepare for the frames of the input.
    func open(_ info: VideoInfo) {
        // A hint from the container: another frame would be analysed as well, only not at the same time.
        if info.isPicture { frameLimit.store(1, ordering: .relaxed) }
        opened.finish()
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
