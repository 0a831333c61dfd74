internal import Foundation
internal import VidscanBase
internal import VidscanReport

/// The state of a batch as text, JSON, CSV, HTML and metrics.
public struct BatchReport: Sendable {
    private struct Failure: Encodable {
        var path: String
        var status: String
        var attempts: Int
        var error: String
    }

    private struct Running: Encodable {
        var path: String
        var attempts: Int
        /// 0…1
        var fraction: Double?
    }

    private struct Warned: Encodable {
        var path: String
        var warnings: [String]
    }

    private struct Document: Encodable {
        var counts: [String: Int]
        var videoSeconds: Double
        var workSeconds: Double
        var frames: Int
        var faces: Int
        var running: [Running]
        /// Their processes have ended.
        var interrupted: [Running]
        var withWarnings: [Warned]
        var failures: [Failure]
        var secondsLeft: Double?
    }

    private let items: [BatchJournal.Item]
    private let now: Double
    /// What the processes that run or ran the batch wrote, one for each shard.
    private let states: [BatchStatus]

    /// - Parameter now: seconds since 1970.
    public init(_ items: [BatchJournal.Item], now: Double = BatchJournal.systemClock()) {
        self.items = items
        self.now = now
        states = []
    }

    /// Covers all journals in a folder.
    public init(folder: String) throws(BatchError) {
        var items: [BatchJournal.Item] = []
        var states: [BatchStatus] = []
        for journal in try BatchJournal.all(in: folder) {
            items += try journal.items()
            if let state = BatchStatus.read(folder: folder, shard: journal.fileShard) { states.append(state) }
        }
        self.items = items.sorted { PathBytes($0.resultPath) < PathBytes($1.resultPath) }
        self.states = states
        now = BatchJournal.systemClock()
    }

    private var counts: [BatchJournal.ShownStatus: Int] {
        var counts: [BatchJournal.ShownStatus: Int] = [:]
        for item in items { counts[item.shownStatus(now: now), default: 0] += 1 }
        return counts
    }

    private func items(_ statuses: BatchJournal.ShownStatus...) -> [BatchJournal.Item] {
        items.filter { statuses.contains($0.shownStatus(now: now)) }
    }

    private var videoSeconds: Double { items.reduce(0) { $0 + ($1.videoSeconds ?? 0) } }

    private var withWarnings: [BatchJournal.Item] { items.filter { $0.hasCounts && !$0.warnings.isEmpty } }

    /// What the processes that work on the batch say, or else an estimate from the files that are done; `nil` if nothing is
    /// left, or nothing can be said.
    private var secondsLeft: Double? {
        let left = items(.pending, .running, .interrupted)
        guard !left.isEmpty else { return nil }
        let fresh = states.filter { $0.state == .running && now - $0.updated < BatchJournal.leaseSeconds }
        if left.contains(where: { $0.shownStatus(now: now) == .running }),
            let longest = fresh.compactMap(\.run.secondsLeft).max()
        {
            return longest
        }
        let jobs = states.map(\.jobs).reduce(0, +)
        return TimeEstimate(items)?.seconds(left.map { $0.remainingBytes }, jobs: max(1, jobs))
    }

    /// A line of counts, and a line for each file in progress, each warning and each failure.
    public var text: String {
        let counts = counts
        let shown = BatchJournal.ShownStatus.allCases.compactMap { status in
            let count = counts[status] ?? 0
            // Unlike the others, this is unusual.
            guard status != .interrupted || count > 0 else { return nil as String? }
            let warned = withWarnings.count
            return "\(count) \(status.rawValue)" + (status == .done && warned > 0 ? " (\(warned) with warnings)" : "")
        }
        var first =
            "\(NumberText.count(items.count, "file")): \(shown.joined(separator: ", "));"
            + " \(Int(videoSeconds)) s of video analysed"
        if let secondsLeft { first += "; about \(TimeText.clock(Int64(secondsLeft * 1e6))) left" }
        var lines = items(.running).map { item in
            "running  \(item.path)" + (item.progress.map { ": \(Int($0 * 100)) %" } ?? "") + Self.attempt(item)
        }
        lines += items(.interrupted).map { item in
            "interrupted  \(item.path): its process has ended; the next run starts it again" + Self.attempt(item)
        }
        lines += withWarnings.flatMap { item in item.warnings.map { "warning  \(item.path): \($0)" } }
        lines += items(.failed, .quarantined).map { item in
            "\(item.status.rawValue)  \(item.path): \(item.error ?? "")" + Self.attempt(item)
        }
        return ([first] + lines.map(Printable.line)).joined(separator: "\n")
    }

    private static func attempt(_ item: BatchJournal.Item) -> String { " (attempt \(item.attempts))" }

    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let counts = counts
        let running = { (status: BatchJournal.ShownStatus) in
            items(status).map { Running(path: $0.path, attempts: $0.attempts, fraction: $0.progress) }
        }
        let document = Document(
            counts: Dictionary(
                uniqueKeysWithValues: BatchJournal.ShownStatus.allCases.map { ($0.rawValue, counts[$0] ?? 0) }),
            videoSeconds: videoSeconds, workSeconds: items.reduce(0) { $0 + ($1.wallSeconds ?? 0) },
            frames: items.reduce(0) { $0 + ($1.frames ?? 0) }, faces: items.reduce(0) { $0 + ($1.faces ?? 0) },
            running: running(.running), interrupted: running(.interrupted),
            withWarnings: withWarnings.map { Warned(path: $0.path, warnings: $0.warnings) },
            failures: items(.failed, .quarantined).map {
                Failure(path: $0.path, status: $0.status.rawValue, attempts: $0.attempts, error: $0.error ?? "")
            }, secondsLeft: secondsLeft)
        return Printable.json(String(decoding: try encoder.encode(document), as: UTF8.self))
    }

    /// A row for each input, in the order of their results' paths.
    private var index: String {
        let header =
            "video,result,status,attempts,video_seconds,wall_seconds,frames,faces,people,events,warnings,warning_text,error"
        let rows = items.map { item in
            let seconds = [item.videoSeconds, item.wallSeconds].map { value in
                item.hasCounts ? value.map { String(format: "%.3f", $0) } ?? "" : ""
            }
            let numbers = [
                item.frames, item.faces, item.people, item.events, item.people == nil ? nil : item.warnings.count,
            ]
            let counts = numbers.map { value in item.hasCounts ? value.map { "\($0)" } ?? "" : "" }
            let warnings = item.hasCounts ? item.warnings.joined(separator: "; ") : ""
            let fields = [
                CSVField.text(item.path), CSVField.text(item.resultPath), item.shownStatus(now: now).rawValue,
                "\(item.attempts)",
            ]
            return (fields + seconds + counts + [CSVField.text(warnings), CSVField.text(item.error ?? "")])
                .joined(separator: ",")
        }
        return ([header] + rows).joined(separator: "\n") + "\n"
    }

    /// Writes `summary.json`, `index.csv` and `index.html` next to the journal, each atomically.
    ///
    /// - Parameter shard: the shard that the items belong to; its number becomes part of the names.
    public func write(folder: String, shard: BatchShard?) throws(BatchError) {
        try write(folder: folder, shard: shard, thumbnails: ReportThumbnails())
    }

    /// - Returns: When the page was made, in milliseconds since 1970.
    @discardableResult
    func write(folder: String, shard: BatchShard?, thumbnails: ReportThumbnails) throws(BatchError) -> Int64 {
        let suffix = shard?.fileSuffix ?? ""
        let summary: String
        do {
            summary = try json() + "\n"
        } catch {
            throw BatchError(.journal, "cannot write the summary: \(error.localizedDescription)")
        }
        try Self.write(summary, to: "\(folder)/summary\(suffix).json")
        try Self.write(index, to: "\(folder)/index\(suffix).csv")
        return try writePage(folder: folder, shard: shard, thumbnails: thumbnails)
    }

    /// Writes `index.html`.
    ///
    /// - Returns: When it was made, in milliseconds since 1970.
    func writePage(folder: String, shard: BatchShard?, thumbnails: ReportThumbnails) throws(BatchError) -> Int64 {
        let moment = Int64(BatchJournal.systemClock() * 1000)
        var page = BatchPage(items: items, folder: folder, now: now, thumbnails: thumbnails)
        // The page of all shards together shows no progress, because each shard writes only its own.
        let isLive = shard != nil || !BatchJournal.hasShards(folder)
        page.live = isLive ? .init(script: BatchStatus.scriptName(shard), page: moment) : nil
        let html: String
        do {
            html = try page.html()
        } catch {
            throw BatchError(.journal, "cannot write the index: \(error.localizedDescription)")
        }
        try Self.write(html, to: "\(folder)/index\(shard?.fileSuffix ?? "").html")
        return moment
    }

    /// Writes counts for the textfile collector of node_exporter, atomically.
    public func writeMetrics(to path: String) throws(BatchError) {
        var lines = ["# HELP vidscan_batch_files Inputs by status.", "# TYPE vidscan_batch_files gauge"]
        let counts = counts
        for status in BatchJournal.ShownStatus.allCases {
            lines.append("vidscan_batch_files{status=\"\(status.rawValue)\"} \(counts[status] ?? 0)")
        }
        lines += [
            "# HELP vidscan_batch_files_with_warnings Finished inputs with warnings.",
            "# TYPE vidscan_batch_files_with_warnings gauge",
            "vidscan_batch_files_with_warnings \(withWarnings.count)",
            "# HELP vidscan_batch_video_seconds Seconds of video analysed.",
            "# TYPE vidscan_batch_video_seconds gauge",
            "vidscan_batch_video_seconds \(videoSeconds)",
            "# HELP vidscan_batch_last_run_timestamp_seconds When the last run ended.",
            "# TYPE vidscan_batch_last_run_timestamp_seconds gauge",
            "vidscan_batch_last_run_timestamp_seconds \(Int(Date().timeIntervalSince1970))",
        ]
        try Self.write(lines.joined(separator: "\n") + "\n", to: path)
    }

    static func write(_ text: String, to path: String) throws(BatchError) {
        do throws(VidscanError) {
            let file = try AtomicFile(path: path)
            try file.write(text)
            try file.complete()
        } catch {
            throw BatchError(error)
        }
    }
}
