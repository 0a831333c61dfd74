internal import Foundation
internal import Synchronization
internal import VidscanBase

/// Writes the state of a batch while it runs: `status.json`, the script `status.js` with the same content, and, less often,
/// `index.html`, which loads the script every few seconds.
///
/// A browser does not let a page that was opened from a folder read `status.json`, but it lets it load a script.
public final class LiveReport: Sendable {
    private struct Values {
        var page: Int64 = 0
        /// When the page may be written again.
        var nextPage = ContinuousClock.now
        var last = Batch.Progress()
    }

    private let folder: String
    private let journal: BatchJournal
    private let jobs: Int
    private let started = Date().timeIntervalSince1970
    private let thumbnails = ReportThumbnails()
    private let values = Mutex(Values())

    /// - Parameters:
    ///   - folder: absolute path of the folder of the results.
    ///   - jobs: files at a time.
    public init(folder: String, journal: BatchJournal, jobs: Int) {
        self.folder = folder
        self.journal = journal
        self.jobs = jobs
    }

    /// Writes the state. Nothing depends on it, so that a failure is ignored: what matters is in the journal.
    ///
    /// - Returns: how long to wait before the next time: two seconds, or longer if writing takes long.
    func update(_ progress: Batch.Progress) -> Duration {
        let begin = ContinuousClock.now
        values.withLock { $0.last = progress }
        if values.withLock({ begin >= $0.nextPage }) { try? writePage() }
        try? writeStatus(.running, nil, progress)
        return max(.seconds(2), (.now - begin) * 20)
    }

    /// Writes the state at the end of a run, with all indexes.
    ///
    /// - Parameters:
    ///   - state: how the run ended.
    ///   - message: why it stopped.
    /// - Returns: the journal's report.
    @discardableResult
    public func finish(_ state: BatchStatus.State, message: String? = nil) throws(BatchError) -> BatchReport {
        let items = try journal.items()
        let report = BatchReport(items)
        let page = try report.write(folder: folder, shard: journal.shard, thumbnails: thumbnails)
        let progress = values.withLock {
            $0.page = page
            return $0.last
        }
        // Another process may still work on the batch. It goes on writing the state.
        let isRunning = state == .finished && items.contains { $0.shownStatus(now: journal.clock()) == .running }
        do {
            try writeStatus(isRunning ? .running : state, message, progress)
        } catch let error as BatchError {
            throw error
        } catch {
            throw BatchError(.journal, "cannot write the status: \(error.localizedDescription)")
        }
        return report
    }

    /// The figures of the run, as of the last time that they were written or of its end.
    public var progress: Batch.Progress { values.withLock { $0.last } }

    /// Remembers the figures of a run that has ended.
    func record(_ progress: Batch.Progress) { values.withLock { $0.last = progress } }

    // MARK: Files

    private func writePage() throws {
        let begin = ContinuousClock.now
        let page = try BatchReport(try journal.items()).writePage(
            folder: folder, shard: journal.shard, thumbnails: thumbnails)
        values.withLock {
            $0.page = page
            // A page with many rows takes a second to write, and as long to load.
            $0.nextPage = .now + max(.seconds(10), (.now - begin) * 20)
        }
    }

    private func writeStatus(_ state: BatchStatus.State, _ message: String?, _ progress: Batch.Progress) throws {
        let now = journal.clock()
        let counts = try journal.counts()
        var status = BatchStatus(
            state: state, message: message, started: started, updated: (now * 1000).rounded() / 1000, jobs: jobs,
            counts: Dictionary(uniqueKeysWithValues: counts.files.map { ($0.key.rawValue, $0.value) }),
            warnings: counts.withWarnings, run: BatchStatus.Run(progress, state: state),
            files: state == .running ? progress.running.map(BatchStatus.File.init) : [],
            page: values.withLock { $0.page })
        let ours = Set(progress.running.map { PathBytes($0.resultPath) })
        for item in counts.running
        where !ours.contains(PathBytes(item.resultPath)) && item.shownStatus(now: now) == .running {
            status.files.append(BatchStatus.File(item))
        }
        let json = try status.json()
        try BatchReport.write(json + "\n", to: BatchStatus.path(in: folder, journal.shard))
        try BatchReport.write(
            "vidscanStatus(\(json));\n", to: "\(folder)/\(BatchStatus.scriptName(journal.shard))")
    }
}

extension BatchStatus.Run {
    fileprivate init(_ progress: Batch.Progress, state: BatchStatus.State) {
        (done, failed, skipped) = (progress.done, progress.failed, progress.skipped)
        (postponed, left) = (progress.postponed, progress.left)
        (videoSeconds, elapsedSeconds) = (Self.rounded(progress.videoSeconds), Self.rounded(progress.elapsedSeconds))
        fraction = Self.rounded(progress.fraction)
        secondsLeft = state == .running ? progress.secondsLeft.map(Self.rounded) : nil
    }

    /// To thousandths.
    fileprivate static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

extension BatchStatus.File {
    fileprivate init(_ file: Batch.RunningFile) {
        self.init(
            path: file.path, result: file.resultPath, seconds: file.progress?.seconds,
            lengthSeconds: file.progress?.lengthSeconds, fraction: file.progress?.share.map(BatchStatus.Run.rounded))
    }

    fileprivate init(_ item: BatchJournal.Item) {
        self.init(path: item.path, result: item.resultPath, fraction: item.progress)
    }
}
