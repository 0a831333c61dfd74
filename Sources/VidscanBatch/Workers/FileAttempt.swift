internal import Foundation
internal import Synchronization
internal import VidscanBase

/// One attempt to analyse a file. It kills the worker when that exceeds its time or memory limit.
struct FileAttempt: Sendable {
    let job: WorkerJob
    /// From 1, over all runs; `nil` unless it is an analysis.
    var attempt: Int?
    let worker: WorkerProcess
    let options: Batch.Options
    /// `nil`: nobody needs to know its warnings.
    var observer: (any BatchObserver)?
    let progressed: @Sendable (FileProgress) -> Void
    private let state = AttemptState()

    enum Result: Sendable {
        case done(WorkerReport)
        case failed(String, WorkerFailure)
    }

    struct Outcome: Sendable {
        var result: Result
        var workerHasEnded = false
        /// The length of the video; 0 if unknown.
        var videoSeconds = 0.0
    }

    private final class AttemptState: Sendable {
        struct Values {
            var killReason: String?
            var interruption: SuspendingClock.Instant?
            var videoSeconds = 0.0
        }
        let values = Mutex(Values())
        var current: Values { values.withLock { $0 } }
    }

    /// A cancellation asks the worker to end, and waits for its answer.
    func run() async -> Outcome {
        do throws(VidscanError) { try worker.send(job) } catch { stop(error.reason) }
        // Detached, so that they outlive a cancellation: the worker still says how it ended.
        let receiver = Task.detached { await self.receiveEvents() }
        let watchdog = Task.detached { await self.enforceLimits() }
        defer { watchdog.cancel() }
        return await withTaskCancellationHandler {
            var outcome = await receiver.value
            outcome.videoSeconds = state.current.videoSeconds
            return outcome
        } onCancel: {
            state.values.withLock { $0.interruption = .now }
            worker.signal(SIGUSR1)
        }
    }

    private func receiveEvents() async -> Outcome {
        for await event in worker.events {
            switch event {
            // The worker is about to end, and its last messages change nothing.
            case .message where state.current.killReason != nil: continue
            case .message(.opened(let seconds)): state.values.withLock { $0.videoSeconds = seconds ?? 0 }
            case .message(.progressed(let progress)): progressed(progress)
            case .message(.warned(let message)): observer?.warned(job.input, message, attempt: attempt)
            case .message(.done(let report)): return Outcome(result: .done(report))
            case .message(.failed(let reason, let kind)): return Outcome(result: .failed(reason, kind))
            case .unreadable(let line): stop("its worker sent something that is not a message: \(line)")
            case .ended(let termination, let lastErrorLine):
                let (state, reason) = (self.state.current, Self.reason(termination, lastErrorLine))
                let isInterrupted = state.interruption != nil && state.killReason == nil
                // Such as too few threads or too little memory for any file.
                let kind: WorkerFailure = termination == .status(2) ? .setup : .other
                return Outcome(
                    result: .failed(state.killReason ?? reason, isInterrupted ? .interrupted : kind),
                    workerHasEnded: true)
            }
        }
        return Outcome(result: .failed("its worker has ended", .other), workerHasEnded: true)
    }

    private func stop(_ reason: String) {
        state.values.withLock { $0.killReason = $0.killReason ?? reason }
        worker.signal(SIGKILL)
    }

    /// `its worker was killed by signal 6 (Aborted)`
    private static func reason(_ termination: SpawnedProcess.Termination, _ lastErrorLine: String) -> String {
        let details = lastErrorLine.isEmpty ? "" : ": \(lastErrorLine)"
        switch termination {
        case .status(let status): return "its worker ended with status \(status)\(details)"
        case .signal(let signal):
            let name = strsignal(signal).map { String(cString: $0) } ?? "unknown"
            return "its worker was killed by signal \(signal) (\(name))\(details)"
        }
    }

    private func enforceLimits() async {
        // Does not count the time in which the machine sleeps.
        let startTime = SuspendingClock.now
        while true {
            try? await Task.sleep(for: .milliseconds(100))
            if Task.isCancelled { return }
            let now = SuspendingClock.now
            let limit = options.timeoutSeconds + options.timeoutPerVideoSecond * state.current.videoSeconds
            if (now - startTime) / .seconds(1) > limit {
                stop("took longer than \(Int(limit.rounded(.up))) s and was stopped")
            }
            if let bytes = worker.residentBytes, bytes > options.memoryLimit {
                stop("needed more than \(options.memoryLimit >> 20) MB of memory and was stopped")
            }
            if let interruption = state.current.interruption, now - interruption > .seconds(5) {
                worker.signal(SIGKILL)
            }
        }
    }
}
