internal import Foundation
internal import VidscanBase
internal import VidscanReport

/// The HTML index of a batch: a row for each input, with a link to its result. Failed inputs come first.
struct BatchPage {
    /// Browsers show this many rows without delay.
    private static let maximumRows = 20_000
    /// A row shows this many warnings.
    private static let maximumWarnings = 3

    let items: [BatchJournal.Item]
    /// The folder of the results.
    let folder: String
    /// Seconds since 1970.
    let now: Double
    let thumbnails: ReportThumbnails
    /// What the page watches while the batch runs.
    var live: ReportIndex.Live?

    /// What needs attention comes first.
    private static let order: [BatchJournal.ShownStatus] = [
        .failed, .quarantined, .interrupted, .running, .pending, .done, .pruned, .skipped,
    ]
    /// The group of the rows with warnings, besides those of the statuses.
    private static let warningGroup = "warnings"

    func html() throws -> String {
        let groups = Dictionary(grouping: items) { $0.shownStatus(now: now) }
        let sorted = Self.order.flatMap { status in
            (groups[status] ?? []).sorted { $0.resultPath < $1.resultPath }.map { (item: $0, status: status) }
        }
        let withWarnings = items.count { $0.hasCounts && !$0.warnings.isEmpty }
        let counts = Self.order.compactMap { status in
            groups[status].map { (status: status, text: "\($0.count) \(status.rawValue)") }
        }
        let shown = sorted.prefix(Self.maximumRows)
        let pictures = pictures(shown.map(\.item))
        var page = ReportIndex(
            title: FilePath.name(of: folder),
            summary: NumberText.count(items.count, "file")
                + (counts.isEmpty ? "" : ": " + counts.map(\.text).joined(separator: ", "))
                + (withWarnings > 0 ? "; \(withWarnings) with warnings" : ""),
            heads: [
                .init("status", isNumber: false), .init("length"), .init("samples"), .init("faces"), .init("people"),
                .init("events"), .init("warnings"), .init("processing time (s)"), .init("attempts"),
            ], rows: shown.map { row($0.item, $0.status, pictures[PathBytes($0.item.resultPath)] ?? []) })
        page.groups = counts.map { .init($0.status.rawValue, label: $0.text) }
        if withWarnings > 0 { page.groups.append(.init(Self.warningGroup, label: "\(withWarnings) with warnings")) }
        page.facts = facts
        page.live = live
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
            .init("events", "\(done.reduce(0) { $0 + ($1.events ?? 0) })"),
            .init("as of (UTC)", Self.moment(Date(timeIntervalSince1970: now))),
        ]
    }

    private func row(
        _ item: BatchJournal.Item, _ status: BatchJournal.ShownStatus, _ pictures: [String]
    ) -> ReportIndex.Row {
        let warnings = item.hasCounts ? item.warnings : []
        let figures: [String] = [
            item.videoSeconds.map(Self.clock), item.frames.map { "\($0)" }, item.faces.map { "\($0)" },
            item.people.map { "\($0)" }, item.events.map { "\($0)" },
            // Earlier versions did not record any.
            item.people == nil ? nil : "\(warnings.count)", item.wallSeconds.map { String(format: "%.1f", $0) },
        ].map { item.hasCounts ? $0 ?? "" : "" }
        let texts = [status.rawValue] + figures + ["\(item.attempts)"]
        let notes = [item.error].compactMap { $0 } + warnings.prefix(Self.maximumWarnings)
        let more = warnings.count > Self.maximumWarnings ? ["…"] : []
        return ReportIndex.Row(
            name: Printable.line(name(of: item)), hint: Printable.line(item.path), link: link(to: item.resultPath),
            note: notes.isEmpty ? nil : (notes + more).map(Printable.line).joined(separator: " · "),
            groups: [status.rawValue] + (warnings.isEmpty ? [] : [Self.warningGroup]),
            cells: texts.enumerated().map { .init($1, isNumber: $0 > 0) }, thumbnails: pictures)
    }

    /// The pictures of faces in the reports of the first rows that have any, as many as fit on the page.
    private func pictures(_ items: [BatchJournal.Item]) -> [PathBytes: [String]] {
        let done = items.filter { $0.status == .done }
        var left = ReportThumbnails.budget
        var pictures: [PathBytes: [String]] = [:]
        // Few results get several pictures each, many get one.
        let count = max(1, min(ReportThumbnails.maximumPerResult, left / max(1, done.count * 10_000)))
        for item in done {
            let found = thumbnails.pictures(inReport: "\(folder)/\(item.resultPath)/report.html", count: count)
            let length = found.reduce(0) { $0 + $1.utf8.count }
            guard length <= left else { break }
            left -= length
            if !found.isEmpty { pictures[PathBytes(item.resultPath)] = found }
        }
        return pictures
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
