internal import Foundation
internal import VidscanBase
internal import VidscanReport

/// The HTML index of a batch: a row for each input, with a link to its result. Failed inputs come first.
struct BatchPage {
    /// Browsers show this many rows without delay.
    private static let maximumRows = 20_000

    let items: [BatchJournal.Item]
    /// The folder of the results.
    let folder: String

    /// What needs attention comes first.
    private static let order: [BatchJournal.Status] = [
        .failed, .quarantined, .running, .pending, .done, .pruned, .skipped,
    ]

    func html() throws -> String {
        let groups = Dictionary(grouping: items, by: \.status)
        let sorted = Self.order.flatMap { (groups[$0] ?? []).sorted { $0.resultPath < $1.resultPath } }
        let counts = Self.order.compactMap { status in
            groups[status].map { (status: status, text: "\($0.count) \(status.rawValue)") }
        }
        var page = ReportIndex(
            title: FilePath.name(of: folder),
            summary: "\(items.count) \(items.count == 1 ? "file" : "files")"
                + (counts.isEmpty ? "" : ": " + counts.map(\.text).joined(separator: ", ")),
            heads: [
                .init("status", isNumber: false), .init("length"), .init("samples"), .init("faces"),
                .init("processing time (s)"), .init("attempts"),
            ], rows: sorted.prefix(Self.maximumRows).map(row))
        page.groups = counts.map { .init($0.status.rawValue, label: $0.text) }
        page.facts = facts
        if sorted.count > Self.maximumRows {
            page.notices = [
                "This page shows the first \(Self.maximumRows) of \(sorted.count) files; index.csv lists all."
            ]
        }
        return try page.html()
    }

    private var facts: [ReportPage.Fact] {
        let done = items.filter(\.hasCounts)
        let video = done.reduce(0) { $0 + ($1.videoSeconds ?? 0) }
        let work = done.reduce(0) { $0 + ($1.wallSeconds ?? 0) }
        return [
            .init("video analysed", Self.clock(video)), .init("processing time", Self.clock(work)),
            .init("times real time", work > 0 ? String(format: "%.1f", video / work) : "–"),
            .init("samples", "\(done.reduce(0) { $0 + ($1.frames ?? 0) })"),
            .init("faces", "\(done.reduce(0) { $0 + ($1.faces ?? 0) })"),
            .init("as of (UTC)", Self.moment(Date())),
        ]
    }

    private func row(_ item: BatchJournal.Item) -> ReportIndex.Row {
        let cells: [ReportPage.Cell] =
            item.hasCounts
            ? [
                .init(item.videoSeconds.map(Self.clock) ?? ""), .init(item.frames.map { "\($0)" } ?? ""),
                .init(item.faces.map { "\($0)" } ?? ""),
                .init(item.wallSeconds.map { String(format: "%.1f", $0) } ?? ""),
            ] : Array(repeating: .init(""), count: 4)
        return ReportIndex.Row(
            name: Printable.line(name(of: item)), hint: Printable.line(item.path), link: link(to: item.resultPath),
            note: item.error.map(Printable.line), group: item.status.rawValue,
            cells: [.init(item.status.rawValue, isNumber: false)] + cells + [.init("\(item.attempts)")])
    }

    /// The path below the input's folder, which is that of the result; the whole path if the result's path has a number.
    private func name(of item: BatchJournal.Item) -> String {
        let relativePath = String(item.resultPath.dropLast(".vidscan".count))
        return item.path.hasSuffix("/" + relativePath) ? relativePath : item.path
    }

    /// A link, relative to the page, to the report if there is one, or else to the folder of the result.
    private func link(to resultPath: String) -> String? {
        let target = ["report.html", "run.json"].first {
            FileManager.default.fileExists(atPath: "\(folder)/\(resultPath)/\($0)")
        }
        guard let target else { return nil }
        // Text before a colon would be a scheme.
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":"))
        return (resultPath + "/" + (target == "report.html" ? target : "")).addingPercentEncoding(
            withAllowedCharacters: allowed)
    }

    /// `2026-11-21 02:10`
    private static func moment(_ date: Date) -> String {
        String(date.formatted(.iso8601).prefix("2026-11-21T02:10".count)).replacingOccurrences(of: "T", with: " ")
    }

    /// `1:02:03`; with tenths below ten seconds: `0:00.4`.
    private static func clock(_ seconds: Double) -> String {
        let tenths = Int64((max(0, seconds) * 10).rounded())
        if tenths < 100 { return "0:0\(tenths / 10).\(tenths % 10)" }
        let whole = (tenths + 5) / 10
        let rest = String(format: "%02d", whole % 60)
        if whole < 3600 { return "\(whole / 60):\(rest)" }
        return "\(whole / 3600):\(String(format: "%02d", whole / 60 % 60)):\(rest)"
    }
}

extension BatchJournal.Item {
    /// Whether its figures are those of its current result.
    var hasCounts: Bool { status == .done || status == .pruned }
}
