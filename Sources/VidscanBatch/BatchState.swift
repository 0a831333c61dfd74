internal import Synchronization
internal import VidscanBase

/// What all jobs of a run have done so far.
final class BatchState: Sendable {
    private struct Values: Sendable {
        var counts = Batch.Progress()
        var failures: [(path: String, reason: String)] = []
        var finishedBytes = 0.0
        /// The files in progress, by the paths of their results.
        var running: [PathBytes: Batch.RunningFile] = [:]
        var hasWaited = false
        var taken = 0
    }

    let startTime = ContinuousClock.now
    private let values = Mutex(Values())
    private let files: Int
    /// As a floating-point number, because sparse files can claim sizes whose sum overflows an integer.
    private let totalBytes: Double

    init(plan: [BatchInput]) {
        files = plan.count
        totalBytes = plan.reduce(0) { $0 + Double($1.identity.bytes) }
    }

    func start(_ item: BatchJournal.Item) {
        values.withLock {
            $0.running[PathBytes(item.resultPath)] = Batch.RunningFile(
                path: item.path, resultPath: item.resultPath, bytes: item.bytes)
        }
    }

    /// - Returns: The progress of the run.
    func update(_ item: BatchJournal.Item, _ progress: FileProgress) -> Batch.Progress {
        values.withLock {
            $0.running[PathBytes(item.resultPath)]?.progress = progress
            return self.progress($0)
        }
    }

    func end(_ item: BatchJournal.Item) {
        values.withLock { $0.running[PathBytes(item.resultPath)] = nil }
    }

    func countDone(_ report: WorkerReport) {
        values.withLock {
            $0.counts.done += 1
            $0.counts.videoSeconds += report.videoSeconds
            if !report.warnings.isEmpty { $0.counts.withWarnings += 1 }
        }
    }

    func countFailed(_ path: String, _ reason: String) {
        values.withLock {
            $0.counts.failed += 1
            $0.failures.append((path, reason))
        }
    }

    func countSkipped() { values.withLock { $0.counts.skipped += 1 } }

    func countPostponed() { values.withLock { $0.counts.postponed += 1 } }

    func advance(bytes: Int64) -> Batch.Progress {
        values.withLock {
            $0.finishedBytes += Double(bytes)
            return progress($0)
        }
    }

    var progress: Batch.Progress { values.withLock { progress($0) } }

    var summary: Batch.Summary {
        values.withLock { Batch.Summary(progress: progress($0), failures: $0.failures) }
    }

    /// Numbers from 0, each once.
    func nextNumber() -> Int {
        values.withLock { values in
            defer { values.taken += 1 }
            return values.taken
        }
    }

    /// Whether no job has asked this before.
    func isFirstWait() -> Bool {
        values.withLock { values in
            defer { values.hasWaited = true }
            return !values.hasWaited
        }
    }

    private func progress(_ values: Values) -> Batch.Progress {
        var progress = values.counts
        progress.left = max(0, files - progress.done - progress.failed - progress.skipped - progress.postponed)
        progress.elapsedSeconds = (.now - startTime) / .seconds(1)
        progress.running = values.running.values.sorted { $0.resultPath < $1.resultPath }
        let begun = progress.running.reduce(0) { $0 + Double($1.bytes) * ($1.progress?.share ?? 0) }
        progress.fraction = totalBytes > 0 ? min(1, (values.finishedBytes + begun) / totalBytes) : 1
        progress.videoSeconds += progress.running.reduce(0) { $0 + ($1.progress?.seconds ?? 0) }
        return progress
    }
}
