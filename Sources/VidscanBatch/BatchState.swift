internal import Synchronization
internal import VidscanBase

/// What all jobs of a run have done so far.
final class BatchState: Sendable {
    struct Values: Sendable {
        var counts = Batch.Progress()
        fileprivate var failures: [InputFinder.Problem] = []
        fileprivate var finishedBytes = 0.0
        var running: [PathBytes: Batch.RunningFile] = [:]
    }

    let startTime = ContinuousClock.now
    private let taken = Atomic(0)
    let hasWaited = Atomic(false)
    private let values = Mutex(Values())
    private let files: Int
    /// Floating-point, because sparse files can claim sizes whose sum overflows an integer.
    private let totalBytes: Double

    init(plan: [BatchInput], failures: [InputFinder.Problem] = []) {
        files = plan.count + failures.count
        totalBytes = plan.reduce(0) { $0 + Double($1.state.bytes) }
        update {
            $0.counts.failed = failures.count
            $0.failures = failures
        }
    }

    @discardableResult func update(_ change: (inout Values) -> Void) -> Batch.Progress {
        values.withLock {
            change(&$0)
            return progress($0)
        }
    }

    /// The position of the next input of a list; `nil` if the jobs have taken all.
    func next(below count: Int) -> Int? {
        let position = taken.add(1, ordering: .relaxed).oldValue
        return position < count ? position : nil
    }

    func countDone(_ report: WorkerReport) {
        update {
            $0.counts.done += 1
            $0.counts.videoSeconds += report.videoSeconds
            if !report.warnings.isEmpty { $0.counts.withWarnings += 1 }
        }
    }

    func countFailed(_ path: String, _ reason: String) {
        update {
            $0.counts.failed += 1
            $0.failures.append(InputFinder.Problem(path: path, reason: reason))
        }
    }

    func advance(bytes: Int64) -> Batch.Progress { update { $0.finishedBytes += Double(bytes) } }

    var progress: Batch.Progress { update { _ in } }
    var summary: Batch.Summary { values.withLock { Batch.Summary(progress: progress($0), failures: $0.failures) } }

    private func progress(_ values: Values) -> Batch.Progress {
        var progress = values.counts
        let others = progress.skipped + progress.postponed + progress.gone
        progress.left = max(0, files - progress.done - progress.failed - others)
        progress.elapsedSeconds = (.now - startTime) / .seconds(1)
        progress.running = values.running.values.sorted { $0.resultPath < $1.resultPath }
        let begun = progress.running.reduce(0) { $0 + Double($1.bytes) * ($1.progress?.fraction ?? 0) }
        let fraction = totalBytes > 0 ? min(1, (values.finishedBytes + begun) / totalBytes) : 1
        progress.fraction = fraction
        if fraction > 0.001, fraction < 1 { progress.secondsLeft = progress.elapsedSeconds * (1 - fraction) / fraction }
        progress.videoSeconds += progress.running.reduce(0) { $0 + ($1.progress?.seconds ?? 0) }
        return progress
    }
}
