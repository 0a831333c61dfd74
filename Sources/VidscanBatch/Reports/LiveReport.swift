internal import Synchronization
package import VidscanBase
internal import VidscanResults

/// Writes the state of a running batch: `status.json`, and less often `index.html`. A page in a local folder cannot
/// read `status.json`, but it can load the script `status.js` with the same content every few seconds.
package final class LiveReport: Sendable {
    private struct Values {
        var page: Int64 = 0
        var nextPage = ContinuousClock.now
        var last = Batch.Progress()
    }

    private let folder: String
    private let journal: BatchJournal
    private let jobs: Int
    private let started = BatchJournal.systemClock()
    private let thumbnails = ReportThumbnails()
    private let values = Mutex(Values())

    init(folder: String, journal: BatchJournal, jobs: Int) {
        (self.folder, self.journal, self.jobs) = (folder, journal, jobs)
    }

    /// Writes the state, ignoring failures, because everything that matters is in the journal. Returns how long to wait
    /// before the next time: two seconds, or longer if writing takes long.
    func update(_ progress: Batch.Progress) -> Duration {
        let begin = ContinuousClock.now
        record(progress)
        if values.withLock({ begin >= $0.nextPage }) { try? writePage() }
        try? writeStatus(.running, nil, progress)
        return max(.seconds(2), (.now - begin) * 20)
    }

    /// Writes the state at the end of a run, with all indexes.
    package func finish(_ result: Result<Batch.Summary, any Error>) throws(VidscanError) {
        let (state, message): (BatchStatus.State, String?) =
            switch result {
            case .success: (.finished, nil)
            case .failure(let error as VidscanError) where error.code != .interrupted: (.stopped, error.reason)
            case .failure: (.interrupted, nil)
            }
        let items = try journal.items()
        let page = try BatchReport(items).write(folder: folder, shard: journal.shard, thumbnails: thumbnails)
        let progress = values.withLock {
            $0.page = page
            return $0.last
        }
        // Another process may still work on the batch, and continue to write the state.
        let isRunning = state == .finished && items.contains { $0.status == .running }
        try writeStatus(isRunning ? .running : state, message, progress)
    }

    package var progress: Batch.Progress { values.withLock { $0.last } }

    func record(_ progress: Batch.Progress) { values.withLock { $0.last = progress } }

    private func writePage() throws(VidscanError) {
        let begin = ContinuousClock.now
        let page = try BatchReport(try journal.items()).writePage(
            folder: folder, shard: journal.shard, thumbnails: thumbnails)
        values.withLock {
            $0.page = page
            // A page with many rows takes a second to write, and another to load.
            $0.nextPage = .now + max(.seconds(10), (.now - begin) * 20)
        }
    }

    private func writeStatus(
        _ state: BatchStatus.State, _ message: String?, _ progress: Batch.Progress
    ) throws(VidscanError) {
        let now = journal.clock()
        let counts = try journal.counts()
        var run = progress
        (run.videoSeconds, run.elapsedSeconds) = (run.videoSeconds.rounded3, run.elapsedSeconds.rounded3)
        run.fraction = run.fraction.rounded3
        run.secondsLeft = state == .running ? run.secondsLeft?.rounded3 : nil
        var status = BatchStatus(
            state: state, message: message, started: started, updated: now.rounded3, jobs: jobs,
            counts: Dictionary(uniqueKeysWithValues: counts.files.map { ($0.key.rawValue, $0.value) }),
            warnings: counts.withWarnings, run: run,
            files: (state == .running ? run.running : []).map { file in
                BatchStatus.File(
                    path: file.path, result: file.resultPath, seconds: file.progress?.seconds,
                    lengthSeconds: file.progress?.lengthSeconds, fraction: file.progress?.fraction?.rounded3)
            }, page: values.withLock { $0.page })
        let ours = Set(progress.running.map { PathBytes($0.resultPath) })
        for item in counts.running where !ours.contains(PathBytes(item.resultPath)) && item.isLeased(now: now) {
            status.files.append(BatchStatus.File(path: item.path, result: item.resultPath, fraction: item.progress))
        }
        let name = BatchStatus.name(journal.shard, "json")
        let json = Printable.json(try RecordFile.text(status, name: name, isPretty: false))
        try AtomicFile.write(json, to: "\(folder)/\(name)")
        let script = "vidscanStatus(\(json.dropLast()));\n"
        try AtomicFile.write(script, to: "\(folder)/\(BatchStatus.name(journal.shard, "js"))")
    }
}

extension Double { fileprivate var rounded3: Double { (self * 1000).rounded() / 1000 } }

/// `status.json`: the state of a batch as its process last wrote it.
package struct BatchStatus: Sendable, Codable {
    package enum State: String, Sendable, Codable {
        case running
        /// Nothing is left to do for now.
        case finished
        /// By a signal.
        case interrupted
        /// By an error, which the message names.
        case stopped
    }

    /// In progress in this or another process.
    package struct File: Sendable, Codable {
        package var path, result: String
        package var seconds, lengthSeconds: Double?
        /// 0…1; `nil` if unknown.
        package var fraction: Double?
    }

    package var state: State
    package var message: String?
    /// The start of the run and the time of writing, in seconds since 1970.
    package var started, updated: Double
    package var jobs: Int
    package var counts: [String: Int]
    package var warnings: Int
    package var run: Batch.Progress
    package var files: [File]
    /// The time of `index.html`, in milliseconds since 1970.
    package var page: Int64

    /// `status.json`, or `status-0-of-4.json`. The script `.js` holds the same: pages may load scripts, but not data.
    static func name(_ shard: BatchShard?, _ ending: String) -> String { "status\(BatchShard.suffix(shard)).\(ending)" }

    static func read(folder: String, shard: BatchShard?) -> BatchStatus? {
        let name = name(shard, "json")
        guard let status = try? RecordFile.decode(Self.self, folder: folder, name: name, limit: maximumBytes),
            (1...256).contains(status.jobs), (0...1e12).contains(status.updated),
            (0...1e10).contains(status.run.secondsLeft ?? 0)
        else { return nil }
        return status
    }

    /// Enough for 256 files with the longest paths.
    private static let maximumBytes = 4 << 20
}
