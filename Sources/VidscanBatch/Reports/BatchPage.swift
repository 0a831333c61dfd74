internal import Foundation
internal import Synchronization
internal import VidscanBase
internal import VidscanReport

/// The HTML index of a batch: a row for each input, those that need attention first.
struct BatchPage {
    /// Browsers show this many rows without delay.
    private static let maximumRows = 20_000
    private static let maximumWarnings = 3

    let items: [BatchJournal.Item]
    let folder: String
    /// Seconds since 1970.
    let now: Double
    let thumbnails: ReportThumbnails
    /// `nil` unless the batch runs.
    var live: ReportIndex.Live?

    private static let order: [BatchJournal.Status] = [
        .failed, .quarantined, .interrupted, .running, .pending, .done, .gone, .pruned, .skipped,
    ]
    private static let warningGroup = "warnings"

    func html(for path: String) throws(VidscanError) -> String {
        let groups = Dictionary(grouping: items, by: \.status)
        let sorted = Self.order.flatMap { (groups[$0] ?? []).sorted { $0.resultPath < $1.resultPath } }
        let withWarnings = items.count { !$0.currentWarnings.isEmpty }
        let counts = Self.order.compactMap { status in
            groups[status].map { (status: status, text: "\($0.count) \(status.rawValue)") }
        }
        let shown = sorted.prefix(Self.maximumRows)
        let pictures = pictures(shown)
        var page = ReportIndex(
            title: FilePath.name(of: folder),
            summary: NumberText.count(items.count, "file")
                + (counts.isEmpty ? "" : ": " + counts.map(\.text).joined(separator: ", "))
                + (withWarnings > 0 ? "; \(withWarnings) with warnings" : ""), live: live,
            heads: [
                .init("status", isNumber: false), .init("length"), .init("samples"), .init("faces"), .init("people"),
                .init("events"), .init("warnings"), .init("processing time (s)"), .init("attempts"),
            ], rows: shown.map { row($0, pictures[PathBytes($0.resultPath)] ?? [], page: FilePath.name(of: path)) })
        page.groups = counts.map { .init($0.status.rawValue, $0.text) }
        if withWarnings > 0 { page.groups.append(.init(Self.warningGroup, "\(withWarnings) with warnings")) }
        page.facts = facts
        if sorted.count > Self.maximumRows {
            page.head.notices = [
                "This page shows the first \(Self.maximumRows) of \(sorted.count) files; index.csv lists all."
            ]
        }
        return try page.html(for: path)
    }

    private var facts: [PageFact] {
        let done = items.filter(\.hasCounts)
        let (video, work) = (done.sum(of: \.videoSeconds), done.sum(of: \.wallSeconds))
        let minute = Date(timeIntervalSince1970: now).formatted(.iso8601).prefix("2026-11-21T02:10".count)
        return [
            .init("video analysed", Self.clock(video)), .init("processing time", Self.clock(work)),
            .init("times real time", work > 0 ? String(format: "%.1f", video / work) : "–"),
            .init("samples", "\(done.sum(of: \.frames))"), .init("faces", "\(done.sum(of: \.faces))"),
            .init("events", "\(done.sum(of: \.events))"),
            .init("as of (UTC)", minute.replacingOccurrences(of: "T", with: " ")),
        ]
    }

    private func row(_ item: BatchJournal.Item, _ pictures: [PageFact], page: String) -> ReportIndex.Row {
        let (link, warnings) = (link(to: item.resultPath), item.currentWarnings)
        let figures: [String] = [
            item.videoSeconds.map(Self.clock), item.frames.map { "\($0)" }, item.faces.map { "\($0)" },
            item.people.map { "\($0)" }, item.events.map { "\($0)" },
            item.people == nil ? nil : "\(warnings.count)", item.wallSeconds.map { String(format: "%.1f", $0) },
        ].map { item.hasCounts ? $0 ?? "" : "" }
        let texts = [item.status.rawValue] + figures + ["\(item.attempts)"]
        let notes = [item.error].compactMap { $0 } + warnings.prefix(Self.maximumWarnings)
        let more = warnings.count > Self.maximumWarnings ? ["…"] : []
        return ReportIndex.Row(
            name: Printable.line(name(of: item)), hint: Printable.line(item.path), link: link,
            back: link?.hasSuffix("/report.html") == true
                ? String(repeating: "../", count: FilePath.names(item.resultPath).count) + page : nil,
            note: notes.isEmpty ? nil : (notes + more).map(Printable.line).joined(separator: " · "),
            groups: [item.status.rawValue] + (warnings.isEmpty ? [] : [Self.warningGroup]),
            cells: texts.enumerated().map { .init($1, isNumber: $0 > 0) }, thumbnails: pictures)
    }

    /// Pictures of faces from the reports of the first rows that have any, as many as fit on the page.
    private func pictures(_ items: some Sequence<BatchJournal.Item>) -> [PathBytes: [PageFact]] {
        let done = items.filter { $0.status == .done }
        var left = ReportThumbnails.budget
        var pictures: [PathBytes: [PageFact]] = [:]
        // Few results get several pictures each, many get one.
        let count = max(1, min(ReportThumbnails.maximumPerResult, left / max(1, done.count * 10_000)))
        for item in done {
            let found = thumbnails.pictures(inReport: "\(folder)/\(item.resultPath)/report.html", count: count)
            let length = found.reduce(0) { $0 + $1.value.utf8.count }
            guard length <= left else { break }
            left -= length
            if !found.isEmpty { pictures[PathBytes(item.resultPath)] = found }
        }
        return pictures
    }

    /// The path below the input's folder; the whole path if the result's name has a number.
    private func name(of item: BatchJournal.Item) -> String {
        let relativePath = String(item.resultPath.dropLast(".vidscan".count))
        return item.path.hasSuffix("/" + relativePath) ? relativePath : item.path
    }

    /// The report, or else the result's folder, relative to the page.
    private func link(to resultPath: String) -> String? {
        let target = ["report.html", "run.json"].first { FileSystem.entry("\(folder)/\(resultPath)/\($0)") != nil }
        return target.map { FilePath.percentEncoded(resultPath + "/" + ($0 == "report.html" ? $0 : "")) }
    }

    /// `1:02:03`; with tenths below ten seconds: `0:00.4`.
    private static func clock(_ seconds: Double) -> String {
        let tenths = Int64(min(max(0, seconds) * 10, 1e11).rounded())
        return tenths < 100 ? "0:0\(tenths / 10).\(tenths % 10)" : TimeText.clock((tenths + 5) / 10 * 1_000_000)
    }
}

/// The pictures of faces in the report pages of results. It decodes no video, so a result without a page has none.
package final class ReportThumbnails: Sendable {
    /// The limit for a page, in characters of its `data:` URLs.
    static let budget = 4 << 20
    static let maximumPerResult = 3
    /// A picture takes about 10,000 characters.
    private static let maximumLength = 40_000
    /// Pictures are near the beginning of a report.
    private static let maximumBytes = 512 << 10
    private static let prefix = Array("data:image/jpeg;base64,".utf8)

    private let entries = Mutex<[PathBytes: (state: FileState, pictures: [PageFact])]>([:])

    package init() {}

    func pictures(inReport path: String, count: Int) -> [PageFact] {
        guard let state = FileState(path: path) else { return [] }
        let known = entries.withLock { $0[PathBytes(path)] }
        let pictures = if let known, known.state == state { known.pictures } else { Self.read(path) }
        entries.withLock { $0[PathBytes(path)] = (state, pictures) }
        return Array(pictures.prefix(count))
    }

    private static func read(_ path: String) -> [PageFact] {
        guard let file = try? FileSystem.openFile(path).descriptor else { return [] }
        defer { close(file) }
        return find(in: (try? FileSystem.read(file, limit: maximumBytes)) ?? [])
    }

    /// Finds the `data:` URLs of JPEG files, which end before a character that they cannot contain, and their keys, which
    /// are face_ids: `"3":"data:…"`. Without one, the first text is empty.
    private static func find(in bytes: [UInt8]) -> [PageFact] {
        var pictures: [PageFact] = []
        var position = bytes.startIndex
        while pictures.count < maximumPerResult, let start = bytes[position...].firstRange(of: prefix) {
            guard let end = bytes[start.upperBound...].firstIndex(where: { !base64.contains($0) }) else { break }
            position = end
            if end > start.upperBound, end - start.lowerBound <= maximumLength {
                let face = bytes[..<start.lowerBound].suffix(13).dropLast(3).reversed().prefix { digits.contains($0) }
                let url = String(decoding: bytes[start.lowerBound..<end], as: UTF8.self)
                pictures.append(PageFact(String(decoding: face.reversed(), as: UTF8.self), url))
            }
        }
        return pictures
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    private static let base64 = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".utf8)
}
