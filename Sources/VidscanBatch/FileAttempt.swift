internal import Foundation
internal import Synchronization

/// One file and the worker that is at it: hears what the worker says, and ends it when it takes too long or too much.
struct FileAttempt: Sendable {
    let path: String
    /// Where the result goes.
    let result: String
    let worker: WorkerProcess
    let options: Batch.Options
    let observer: any BatchObserver

    enum Result: Sendable {
        case done(WorkerReport)
        case failed(String, WorkerFailure)
    }

    struct End: Sendable {
        var result: Result
        var workerIsGone = false
    }

    /// What is known of the file while the worker is at it.
    private final class Course: Sendable {
        private struct Values {
            var verdict: String?
            var isInterrupted = false
            var videoSeconds: Double?
        }
        private let values = Mutex(Values())

        /// Why the batch ended the worker.
        var verdict: String? { values.withLock { $0.verdict } }
        var isInterrupted: Bool { values.withLock { $0.isInterrupted } }
        var videoSeconds: Double { values.withLock { $0.videoSeconds ?? 0 } }

        func settle(_ reason: String) { values.withLock { $0.verdict = $0.verdict ?? reason } }
        func interrupt() { values.withLock { $0.isInterrupted = true } }
        func open(_ seconds: Double?) { values.withLock { $0.videoSeconds = seconds } }
    }

    /// When the task is cancelled the worker is asked to end, and its answer is waited for.
    func run() async -> End {
        _ = worker.send(WorkerJob(input: path, result: result, takesDigest: options.takesDigests))
        let course = Course()
        // Not cancelled with this task: a worker that is asked to end still says how it ended.
        let listener = Task.detached { await self.listen(course) }
        let watcher = Task.detached { await self.watch(course) }
        defer { watcher.cancel() }
        return await withTaskCancellationHandler {
            await listener.value
        } onCancel: {
            course.interrupt()
            worker.signal(SIGUSR1)
        }
    }

    private func listen(_ course: Course) async -> End {
        for await event in worker.events {
            switch event {
            case .message(.opened(let seconds)): course.open(seconds)
            case .message(.warned(let words)): observer.warned(path, words)
            case .message(.done(let report)): return End(result: .done(report))
            case .message(.failed(let reason, let kind)): return End(result: .failed(reason, kind))
            case .ended(let ending):
                let isInterrupted = course.isInterrupted && course.verdict == nil
                return End(
                    result: .failed(course.verdict ?? Self.text(ending), isInterrupted ? .interrupted : .other),
                    workerIsGone: true)
            }
        }
        return End(result: .failed("its worker is gone", .other), workerIsGone: true)
    }

    /// `its worker was ended by signal 6 (Aborted)`
    private static func text(_ ending: WorkerProcess.Ending) -> String {
        let words = ending.lastWords.isEmpty ? "" : ": \(ending.lastWords)"
        guard let signal = ending.signal else { return "its worker ended with status \(ending.status ?? 0)\(words)" }
        let name = strsignal(signal).map { String(cString: $0) } ?? "unknown"
        return "its worker was ended by signal \(signal) (\(name))\(words)"
    }

    private func watch(_ course: Course) async {
        let begin = ContinuousClock.now
        var interrupted: ContinuousClock.Instant?
        while true {
            try? await Task.sleep(for: .milliseconds(100))
            if Task.isCancelled { return }
            let now = ContinuousClock.now
            let allowed = options.timeoutSeconds + options.timeoutPerVideoSecond * course.videoSeconds
            if (now - begin) / .seconds(1) > allowed {
                course.settle("took longer than \(Int(allowed.rounded(.up))) s and was stopped")
                worker.signal(SIGKILL)
            }
            if let bytes = worker.residentBytes, bytes > options.memoryLimit {
                course.settle("needed more than \(options.memoryLimit >> 20) MB of memory and was stopped")
                worker.signal(SIGKILL)
            }
            if course.isInterrupted {
                let since = interrupted ?? now
                interrupted = since
                if now - since > .seconds(5) { worker.signal(SIGKILL) }
            }
        }
    }
}
