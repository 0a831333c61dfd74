internal import Foundation
internal import Synchronization
internal import VidscanBase

/// One attempt to analyse a file in a worker. It receives the worker's messages, and kills the worker when it exceeds its
/// time or memory limit.
struct FileAttempt: Sendable {
    let path: String
    /// That of the batch.
    let folder: String
    /// Path of the result below the folder.
    let resultPath: String
    var work = WorkerJob.Work.analysis
    let worker: WorkerProcess
    let options: Batch.Options
    let observer: any BatchObserver
    /// Called when the worker says how far it is.
    let progressed: @Sendable (FileProgress) -> Void

    enum Result: Sendable {
        case done(WorkerReport)
        case failed(String, WorkerFailure)
    }

    struct Outcome: Sendable {
        var result: Result
        var workerHasEnded = false
    }

    private final class AttemptState: Sendable {
        private struct Values {
            var killReason: String?
            var isInterrupted = false
            var videoSeconds = 0.0
        }
        private let values = Mutex(Values())

        /// Why the batch killed the worker.
        var killReason: String? { values.withLock { $0.killReason } }
        var isInterrupted: Bool { values.withLock { $0.isInterrupted } }
        /// 0 as long as the length of the video is not known.
        var videoSeconds: Double { values.withLock { $0.videoSeconds } }

        /// The first reason counts.
        func setKillReason(_ reason: String) { values.withLock { $0.killReason = $0.killReason ?? reason } }
        func interrupt() { values.withLock { $0.isInterrupted = true } }
        func setVideoSeconds(_ seconds: Double?) { values.withLock { $0.videoSeconds = seconds ?? 0 } }
    }

    /// If the task is cancelled, this asks the worker to end, and waits for its answer.
    func run() async -> Outcome {
        let state = AttemptState()
        do throws(BatchError) {
            try worker.send(
                WorkerJob(
                    input: path, folder: folder, resultPath: resultPath, work: work,
                    takesDigest: options.takesDigests))
        } catch {
            stop(error.reason, state)
        }
        // Detached, so that a cancellation does not end them: the worker still says how it ended.
        let receiver = Task.detached { await self.receiveEvents(state) }
        let watchdog = Task.detached { await self.enforceLimits(state) }
        defer { watchdog.cancel() }
        return await withTaskCancellationHandler {
            await receiver.value
        } onCancel: {
            state.interrupt()
            worker.signal(SIGUSR1)
        }
    }

    private func receiveEvents(_ state: AttemptState) async -> Outcome {
        for await event in worker.events {
            switch event {
            // The worker is being ended, and its last words change nothing.
            case .message where state.killReason != nil: continue
            case .message(.opened(let seconds)): state.setVideoSeconds(seconds)
            case .message(.progressed(let progress)): progressed(progress)
            case .message(.warned(let message)): observer.warned(path, message)
            case .message(.done(let report)): return Outcome(result: .done(report))
            case .message(.failed(let reason, let kind)): return Outcome(result: .failed(reason, kind))
            case .unreadable(let line):
                stop("its worker sent something that is not a message: \(line)", state)
            case .ended(let termination, let lastErrorLine):
                let isInterrupted = state.isInterrupted && state.killReason == nil
                return Outcome(
                    result: .failed(
                        state.killReason ?? Self.reason(termination, lastErrorLine),
                        isInterrupted ? .interrupted : .other),
                    workerHasEnded: true)
            }
        }
        return Outcome(result: .failed("its worker has ended", .other), workerHasEnded: true)
    }

    /// Ends the worker. The first reason is that of the failure.
    private func stop(_ reason: String, _ state: AttemptState) {
        state.setKillReason(reason)
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

    private func enforceLimits(_ state: AttemptState) async {
        let startTime = ContinuousClock.now
        var interruptionTime: ContinuousClock.Instant?
        while true {
            try? await Task.sleep(for: .milliseconds(100))
            if Task.isCancelled { return }
            let now = ContinuousClock.now
            let limit = options.timeoutSeconds + options.timeoutPerVideoSecond * state.videoSeconds
            if (now - startTime) / .seconds(1) > limit {
                stop("took longer than \(Int(limit.rounded(.up))) s and was stopped", state)
            }
            if let bytes = worker.residentBytes, bytes > options.memoryLimit {
                stop("needed more than \(options.memoryLimit >> 20) MB of memory and was stopped", state)
            }
            if state.isInterrupted {
                let since = interruptionTime ?? now
                interruptionTime = since
                if now - since > .seconds(5) { worker.signal(SIGKILL) }
            }
        }
    }
}
