internal import Foundation
internal import VidscanBase
internal import VidscanReport

/// The page of a batch: a row for each input, those that failed first, which leads to its result.
struct BatchPage {
    /// As many rows as a browser shows without effort.
    private static let mostRows = 20_000

    let items: [BatchJournal.Item]
    /// That holds the results.
    let folder: String

    /// What asks for attention comes first.
    private static let order: [BatchJournal.Status] = [
        .failed, .quarantined, .running, .pending, .done, .pruned, .skipped,
    ]

    func html() throws -> String {
        let groups = Dictionary(grouping: items, by: \.status)
        let sorted = Self.order.flatMap { (groups[$0] ?? []).sorted { $0.place < $1.place } }
        let counts = Self.order.compactMap { status in
            groups[status].map { (status: status, text: "\($0.count) \(status.rawValue)") }
        }
        var page = ReportIndex(
            title: PathText.name(folder),
            summary: "\(items.count) \(items.count == 1 ? "file" : "files")"
                + (counts.isEmpty ? "" : ": " + counts.map(\.text).joined(separator: ", ")),
            heads: [
                .init("status", isNumber: false), .init("length"), .init("samples"), .init("faces"),
                .init("seconds taken"), .init("attempts"),
            ], rows: sorted.prefix(Self.mostRows).map(row))
        page.groups = counts.map { .init($0.status.rawValue, label: $0.text) }
        page.facts = facts
        if sorted.count > Self.mostRows {
            page.notices = ["The first \(Self.mostRows) of \(sorted.count) are shown; index.csv beside this has all."]
        }
        return try page.html()
    }

    private var facts: [ReportPage.Fact] {
        let done = items.filter(\.hasCounts)
        let video = done.reduce(0) { $0 + ($1.videoSeconds ?? 0) }
        let work = done.reduce(0) { $0 + ($1.wallSeconds ?? 0) }
        return [
            .init("length done", Self.clock(video)), .init("time taken, summed", Self.clock(work)),
            .init("times real time", work > 0 ? String(format: "%.1f", video / work) : "–"),
            .init("samples", "\(done.reduce(0) { $0 + ($1.frames ?? 0) })"),
            .init("faces in them", "\(done.reduce(0) { $0 + ($1.faces ?? 0) })"),
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
            name: Printable.line(name(of: item)), hint: Printable.line(item.path), link: link(to: item.place),
            note: item.error.map(Printable.line), group: item.status.rawValue,
            cells: [.init(item.status.rawValue, isNumber: false)] + cells + [.init("\(item.attempts)")])
    }

    /// The path below the input's folder, as the place keeps it; all of the path where the place had to have a number.
    private func name(of item: BatchJournal.Item) -> String {
        let below = String(item.place.dropLast(".vidscan".count))
        return item.path.hasSuffix("/" + below) ? below : item.path
    }

    /// To the report, or else to the folder of the result, relative to the page.
    private func link(to place: String) -> String? {
        let target = ["report.html", "run.json"].first {
            FileManager.default.fileExists(atPath: "\(folder)/\(place)/\($0)")
        }
        guard let target else { return nil }
        // A colon would make a scheme of what is before it.
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":"))
        return (place + "/" + (target == "report.html" ? target : "")).addingPercentEncoding(
            withAllowedCharacters: allowed)
    }

    /// `2026-11-21 02:10`
    private static func moment(_ date: Date) -> String {
        String(date.formatted(.iso8601).prefix("2026-11-21T02:10".count)).replacingOccurrences(of: "T", with: " ")
    }

    /// `1:02:03`; of less than ten seconds the tenths too: `0:00.4`.
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
    /// Whether its figures are of what was done last.
    var hasCounts: Bool { status == .done || status == .pruned }
}
