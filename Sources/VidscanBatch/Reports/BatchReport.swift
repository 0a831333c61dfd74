internal import Foundation
package import VidscanBase
internal import VidscanReport

/// The state of a batch as text, JSON, CSV and HTML.
package struct BatchReport: Sendable {
    private let items: [BatchJournal.Item]
    private let now = BatchJournal.systemClock()
    /// One for each shard, as its process last wrote it.
    private let states: [BatchStatus]

    package init(_ items: [BatchJournal.Item]) { (self.items, states) = (items, []) }

    /// Covers all journals in the folder.
    package init(folder: String) throws(VidscanError) {
        let journals = try BatchJournal.all(in: folder)
        let items = try journals.map { journal throws(VidscanError) in try journal.items() }
        self.items = items.joined().sorted { PathBytes($0.resultPath) < PathBytes($1.resultPath) }
        states = journals.compactMap { BatchStatus.read(folder: folder, shard: $0.fileShard) }
    }

    var counts: [(status: BatchJournal.Status, count: Int)] {
        let groups = Dictionary(grouping: items, by: \.status)
        return BatchJournal.Status.allCases.map { ($0, groups[$0]?.count ?? 0) }
    }

    private func items(_ statuses: BatchJournal.Status...) -> [BatchJournal.Item] {
        items.filter { statuses.contains($0.status) }
    }

    var videoSeconds: Double { items.sum(of: \.videoSeconds) }
    var withWarnings: [BatchJournal.Item] { items.filter { !$0.currentWarnings.isEmpty } }

    /// What the running processes say, or else an estimate from the finished files; `nil` if nothing is left or known.
    private var secondsLeft: Double? {
        let left = items(.pending, .running, .interrupted)
        guard !left.isEmpty else { return nil }
        let fresh = states.filter { $0.state == .running && now - $0.updated < BatchJournal.leaseSeconds }
        if left.contains(where: { $0.status == .running }), let longest = fresh.compactMap(\.run.secondsLeft).max() {
            return longest
        }
        let jobs = states.map(\.jobs).reduce(0, +)
        return TimeEstimate(items)?.seconds(left.map { $0.remainingBytes }, jobs: max(1, jobs))
    }

    /// Counts, then a line for each file in progress, each warning and each failure.
    package var text: String {
        let warned = withWarnings.isEmpty ? "" : " (\(withWarnings.count) with warnings)"
        // Others are shown even if there are none.
        let shown = counts.filter { ![.interrupted, .gone].contains($0.status) || $0.count > 0 }.map { status, count in
            "\(count) \(status.rawValue)" + (status == .done ? warned : "")
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
            "\(item.status.rawValue)  \(item.path): \(item.error ?? "")" + Self.attempt(item, retry: retry(of: item))
        }
        lines += items(.gone).map { "gone  \($0.path): \($0.error ?? "")" }
        return ([first] + lines.map(Printable.line)).joined(separator: "\n")
    }

    private static func attempt(_ item: BatchJournal.Item, retry: String = "") -> String {
        " (attempt \(item.attempts)\(retry))"
    }

    /// When the next run tries it again: `, next in 0:03:20`, or empty for a quarantined file.
    private func retry(of item: BatchJournal.Item) -> String {
        guard item.status == .failed else { return "" }
        let seconds = min(item.due - now, Double(Int32.max))
        return seconds > 0 ? ", next in \(TimeText.clock(Int64(seconds.rounded(.up) * 1e6)))" : ", next is due"
    }

    package var hasFailures: Bool { !items(.failed, .quarantined).isEmpty }

    package func json() -> String {
        func list(_ items: [BatchJournal.Item], _ more: (BatchJournal.Item) -> [String: JSONValue?]) -> JSONValue {
            .list(items.map { .object(more($0).merging(["path": .text($0.path)]) { $1 }.compactMapValues { $0 }) })
        }
        let progress = { (item: BatchJournal.Item) -> [String: JSONValue?] in
            ["attempts": .integer(item.attempts), "fraction": item.progress.map { .number($0) }]
        }
        let numbers = counts.map { ($0.status.rawValue, JSONValue.integer($0.count)) }
        let document: [String: JSONValue?] = [
            "counts": .object(Dictionary(uniqueKeysWithValues: numbers)),
            "video_seconds": .number(videoSeconds), "work_seconds": .number(items.sum(of: \.wallSeconds)),
            "frames": .integer(items.sum(of: \.frames)), "faces": .integer(items.sum(of: \.faces)),
            "running": list(items(.running), progress), "interrupted": list(items(.interrupted), progress),
            "with_warnings": list(withWarnings) { ["warnings": .list($0.warnings.map { .text($0) })] },
            "failures": list(items(.failed, .quarantined)) {
                [
                    "status": .text($0.status.rawValue), "attempts": .integer($0.attempts),
                    "error": .text($0.error ?? ""),
                    "retry_at": $0.status == .failed ? .number($0.due.rounded()) : nil,
                ]
            },
            "gone": list(items(.gone)) { _ in [:] },
            "seconds_left": secondsLeft.map { .number($0) },
        ]
        return Printable.json(JSONValue.object(document.compactMapValues { $0 }).encoded(.prettyPrinted))
    }

    private var index: String {
        var writer = ByteWriter()
        writer.write("video,result,status,attempts,video_seconds,wall_seconds,frames,faces,people,events,")
        writer.write("warnings,warning_text,error\n")
        for item in items {
            let seconds = [item.videoSeconds, item.wallSeconds].map {
                $0.map { Field.text(String(format: "%.3f", $0)) }
            }
            let numbers = [
                item.frames, item.faces, item.people, item.events, item.people == nil ? nil : item.warnings.count,
            ].map { $0.map { Field.integer(Int64($0)) } }
            let counts = (seconds + numbers).map { item.hasCounts ? $0 ?? .missing : .missing }
            let fields: [Field] = [
                .text(item.path), .text(item.resultPath), .text(item.status.rawValue), .integer(Int64(item.attempts)),
            ]
            let warnings = item.currentWarnings.joined(separator: "; ")
            writer.writeCSV(foreign: fields + counts + [.text(warnings), .text(item.error ?? "")])
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes `summary.json`, `index.csv` and `index.html` next to the journal, each atomically. Names have the shard.
    @discardableResult package func write(
        folder: String, shard: BatchShard?, thumbnails: ReportThumbnails = ReportThumbnails()
    ) throws(VidscanError) -> Int64 {
        let suffix = BatchShard.suffix(shard)
        try AtomicFile.write(json() + "\n", to: "\(folder)/summary\(suffix).json")
        try AtomicFile.write(index, to: "\(folder)/index\(suffix).csv")
        return try writePage(folder: folder, shard: shard, thumbnails: thumbnails)
    }

    func writePage(folder: String, shard: BatchShard?, thumbnails: ReportThumbnails) throws(VidscanError) -> Int64 {
        let moment = Int64(BatchJournal.systemClock() * 1000)
        var page = BatchPage(items: items, folder: folder, now: now, thumbnails: thumbnails)
        // The page of all shards shows no progress, because each shard writes only its own.
        let isLive = shard != nil || !BatchJournal.hasShards(folder)
        page.live = isLive ? .init(script: BatchStatus.name(shard, "js"), page: moment) : nil
        let path = "\(folder)/index\(BatchShard.suffix(shard)).html"
        try AtomicFile.write(try page.html(for: path), to: path)
        return moment
    }
}

extension Array {
    func sum<Number: AdditiveArithmetic>(of value: (Element) -> Number?) -> Number {
        reduce(.zero) { $0 + (value($1) ?? .zero) }
    }
}

package struct TimeEstimate: Sendable {
    package struct Sample: Sendable, Equatable { var bytes, videoSeconds, wallSeconds: Double }

    private let secondsPerByte, videoPerByte: Double

    /// `nil` without samples.
    package init?(_ samples: [Sample]) {
        let bytes = samples.sum { $0.bytes }
        guard bytes > 0 else { return nil }
        secondsPerByte = samples.sum { $0.wallSeconds } / bytes
        videoPerByte = samples.sum { $0.videoSeconds } / bytes
    }

    /// - Parameter configuration: counts only inputs that were analysed with it, because other settings can take many
    ///   times as long.
    package init?(_ items: [BatchJournal.Item], configuration: String? = nil) {
        self.init(
            items.compactMap { item in
                guard item.hasCounts, let wall = item.wallSeconds, wall > 0, item.bytes > 0,
                    configuration == nil || item.configuration == configuration
                else { return nil }
                return Sample(bytes: Double(item.bytes), videoSeconds: item.videoSeconds ?? 0, wallSeconds: wall)
            })
    }

    package func seconds(_ bytes: [Double], jobs: Int) -> Double {
        // One worker analyses a file, so the largest file takes its time even when the others have ended. Sizes and
        // times in a journal can be absurd.
        min(1e10, secondsPerByte * max(bytes.reduce(0, +) / Double(jobs), bytes.max() ?? 0))
    }

    package func videoSeconds(_ bytes: [Double]) -> Double { min(1e10, videoPerByte * bytes.reduce(0, +)) }
}

extension BatchJournal.Item {
    var hasCounts: Bool { status == .done || status == .pruned }

    var currentWarnings: [String] { hasCounts ? warnings : [] }

    var remainingBytes: Double {
        Double(bytes) * (1 - ([.running, .interrupted].contains(status) ? progress ?? 0 : 0))
    }
}
