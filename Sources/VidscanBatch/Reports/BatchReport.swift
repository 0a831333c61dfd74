internal import Foundation
internal import VidscanBase

/// The state of a batch as text, JSON, CSV, HTML and metrics.
public struct BatchReport: Sendable {
    private struct Failure: Encodable {
        var path: String
        var status: String
        var attempts: Int
        var error: String
    }

    private struct Document: Encodable {
        var counts: [String: Int]
        var videoSeconds: Double
        var workSeconds: Double
        var frames: Int
        var faces: Int
        var failures: [Failure]
    }

    private let items: [BatchJournal.Item]

    public init(_ items: [BatchJournal.Item]) {
        self.items = items
    }

    /// Covers all journals in a folder.
    public init(folder: String) throws(BatchError) {
        var items: [BatchJournal.Item] = []
        for journal in try BatchJournal.all(in: folder) { items += try journal.items() }
        self.items = items.sorted { $0.resultPath < $1.resultPath }
    }

    private func count(_ status: BatchJournal.Status) -> Int { items.count { $0.status == status } }

    private var videoSeconds: Double { items.reduce(0) { $0 + ($1.videoSeconds ?? 0) } }

    /// A line of counts, and a line for each failure.
    public var text: String {
        let counts = BatchJournal.Status.allCases.map { "\(count($0)) \($0.rawValue)" }.joined(separator: ", ")
        let failures = items.filter { $0.status == .failed || $0.status == .quarantined }.map {
            Printable.line("\($0.status.rawValue)  \($0.path): \($0.error ?? "") (attempt \($0.failures))")
        }
        let files = "\(items.count) \(items.count == 1 ? "file" : "files")"
        return (["\(files): \(counts); \(Int(videoSeconds)) s of video analysed"] + failures).joined(separator: "\n")
    }

    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let document = Document(
            counts: Dictionary(
                uniqueKeysWithValues: BatchJournal.Status.allCases.map { ($0.rawValue, count($0)) }),
            videoSeconds: videoSeconds, workSeconds: items.reduce(0) { $0 + ($1.wallSeconds ?? 0) },
            frames: items.reduce(0) { $0 + ($1.frames ?? 0) }, faces: items.reduce(0) { $0 + ($1.faces ?? 0) },
            failures: items.filter { $0.status == .failed || $0.status == .quarantined }.map {
                Failure(path: $0.path, status: $0.status.rawValue, attempts: $0.failures, error: $0.error ?? "")
            })
        return Printable.json(String(decoding: try encoder.encode(document), as: UTF8.self))
    }

    /// A row for each input, in the order of their results' paths.
    private var index: String {
        let header = "video,result,status,attempts,video_seconds,wall_seconds,frames,faces,error"
        let rows = items.map { item in
            let seconds = [item.videoSeconds, item.wallSeconds].map { value in
                item.hasCounts ? value.map { String(format: "%.3f", $0) } ?? "" : ""
            }
            let counts = [item.frames, item.faces].map { value in item.hasCounts ? value.map { "\($0)" } ?? "" : "" }
            return
                ([CSVField.text(item.path), CSVField.text(item.resultPath), item.status.rawValue, "\(item.attempts)"]
                + seconds + counts + [CSVField.text(item.error ?? "")]).joined(separator: ",")
        }
        return ([header] + rows).joined(separator: "\n") + "\n"
    }

    /// Writes `summary.json`, `index.csv` and `index.html` next to the journal, each atomically.
    ///
    /// - Parameter shard: the shard that the items belong to; its number becomes part of the names.
    public func write(folder: String, shard: BatchShard?) throws(BatchError) {
        let suffix = shard?.fileSuffix ?? ""
        let summary: String
        let page: String
        do {
            summary = try json() + "\n"
            page = try BatchPage(items: items, folder: folder).html()
        } catch {
            throw BatchError(.journal, "cannot write the summary: \(error.localizedDescription)")
        }
        try Self.write(summary, to: "\(folder)/summary\(suffix).json")
        try Self.write(index, to: "\(folder)/index\(suffix).csv")
        try Self.write(page, to: "\(folder)/index\(suffix).html")
    }

    /// Writes counts for the textfile collector of node_exporter, atomically.
    public func writeMetrics(to path: String) throws(BatchError) {
        var lines = ["# HELP vidscan_batch_files Inputs by status.", "# TYPE vidscan_batch_files gauge"]
        for status in BatchJournal.Status.allCases {
            lines.append("vidscan_batch_files{status=\"\(status.rawValue)\"} \(count(status))")
        }
        lines += [
            "# HELP vidscan_batch_video_seconds Seconds of video analysed.",
            "# TYPE vidscan_batch_video_seconds gauge",
            "vidscan_batch_video_seconds \(videoSeconds)",
            "# HELP vidscan_batch_last_run_timestamp_seconds When the last run ended.",
            "# TYPE vidscan_batch_last_run_timestamp_seconds gauge",
            "vidscan_batch_last_run_timestamp_seconds \(Int(Date().timeIntervalSince1970))",
        ]
        try Self.write(lines.joined(separator: "\n") + "\n", to: path)
    }

    private static func write(_ text: String, to path: String) throws(BatchError) {
        do throws(VidscanError) {
            let file = try AtomicFile(path: path)
            try file.write(text)
            try file.complete()
        } catch {
            throw BatchError(error)
        }
    }
}
