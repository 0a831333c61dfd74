internal import Foundation

/// What a journal says, for people and programs.
public struct BatchRecord: Sendable {
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

    /// Of all journals in a folder.
    public init(folder: String) throws(BatchError) {
        let names = BatchRecord.journals(in: folder)
        guard !names.isEmpty else { throw BatchError(.input, "\(folder): there is no journal of a batch") }
        var items: [BatchJournal.Item] = []
        for name in names { items += try BatchJournal(folder: folder, name: name).items() }
        self.items = items.sorted { $0.place < $1.place }
    }

    static func journals(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasPrefix("batch") && $0.hasSuffix(".sqlite") }.map { String($0.dropLast(7)) }.sorted()
    }

    private func count(_ status: BatchJournal.Status) -> Int { items.count { $0.status == status } }

    private var videoSeconds: Double { items.reduce(0) { $0 + ($1.videoSeconds ?? 0) } }

    /// A line of counts, and a line for each failure.
    public var text: String {
        let counts = BatchJournal.Status.allCases.map { "\(count($0)) \($0.rawValue)" }.joined(separator: ", ")
        let failures = items.filter { $0.error != nil && $0.status != .skipped }.map {
            "\($0.status.rawValue)  \($0.path): \($0.error ?? "") (attempt \($0.attempts))"
        }
        return (["\(items.count) files: \(counts); \(Int(videoSeconds)) s of video done"] + failures)
            .joined(separator: "\n")
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
                Failure(path: $0.path, status: $0.status.rawValue, attempts: $0.attempts, error: $0.error ?? "")
            })
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }

    /// Writes `summary.json` beside the journal, and counts for Prometheus where asked for; each appears whole.
    public func write(folder: String, name: String, metrics: String?) throws(BatchError) {
        let path = "\(folder)/\(name == "batch" ? "summary" : name).json"
        do {
            try Data((try json() + "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            guard let metrics else { return }
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
            try Data((lines.joined(separator: "\n") + "\n").utf8)
                .write(to: URL(fileURLWithPath: metrics), options: .atomic)
        } catch {
            throw BatchError(.journal, "cannot write the summary: \(error.localizedDescription)")
        }
    }
}
