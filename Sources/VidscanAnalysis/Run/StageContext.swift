internal import Synchronization
internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// The resources that the stages of one run share: their threads, the queues between them, and the budget of frames in
/// flight.
final class StageContext: Sendable {
    let decodeThread: ThreadExecutor
    let workerThreads: [ThreadExecutor]
    let writeThread: ThreadExecutor
    /// Never carries an element; it is finished when the input is open.
    let opened = Channel<Never>()
    let runs = Channel<SampleRun>()
    let results = Channel<FrameResult>()
    /// A run takes a credit before its first sample is decoded and returns it when its last result has been written. This
    /// bounds both channels, and results cannot pile up behind one slow run.
    let budget: InFlightBudget
    private let frameLimit = Atomic(Int.max)

    /// - Throws: `VidscanError` with the code `setup` if the system refuses a thread.
    init(settings: Settings) throws(VidscanError) {
        let workers = max(1, settings.detect.workers)
        let threads = try ThreadExecutor.make(names: ["decode", "write"] + (0..<workers).map { "worker \($0)" })
        (decodeThread, writeThread, workerThreads) = (threads[0], threads[1], Array(threads[2...]))
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
