internal import Mustache
package import VidscanBase

/// A page that links to the reports of several results.
package struct ReportIndex: Sendable {
    /// The template finds the values by name, because reflection takes several times as long for thousands of rows.
    package struct Row: Sendable, MustacheParent {
        fileprivate var values: [String: any Sendable]

        /// - Parameters:
        ///   - link: Relative to the index; `nil` without a report.
        ///   - back: The index, relative to the report.
        ///   - note: An error or notice, below the name.
        ///   - groups: Words without spaces.
        ///   - thumbnails: Their face_ids, and their `data:` URLs.
        package init(
            name: String, hint: String? = nil, link: String?, back: String? = nil, note: String?, groups: [String] = [],
            cells: [PageCell], thumbnails: [PageFact] = []
        ) {
            values = ["name": name, "groups": groups.joined(separator: " "), "cells": cells, "thumbnails": thumbnails]
            // The template would look for a missing value in the enclosing ones.
            let optional = ["hint": hint, "link": link, "back": back, "note": note]
            for (key, value) in optional { values[key] = value ?? false }
        }

        package func child(named name: String) -> Any? { values[name] }
    }

    package struct Live: Sendable {
        let statusScript: String
        /// In milliseconds since 1970. The page reloads itself when the state names a later time.
        let made: Int64

        package init(script: String, page: Int64) { (statusScript, made) = (script, page) }
    }

    /// The other rows are hidden until requested, because a browser takes seconds to lay out thousands.
    private static let shownAtOnce = 500

    package var head: PageHead
    /// `nil` for a page that does not change.
    package var live: Live?
    package var facts: [PageFact] = []
    /// The page can show one group alone: its name, as in the rows, and its label.
    package var groups: [PageFact] = []
    let heads: [PageCell]
    private(set) var rows: [Row]
    /// The page that says who is who, beside the index.
    package static let peopleFile = "people.html"
    private var people: String?

    package init(title: String, summary: String, live: Live? = nil, heads: [PageCell], rows: [Row]) {
        head = PageHead(.index, title: title, summary: summary, loads: live == nil ? .nothing : .status)
        (self.live, self.heads, self.rows) = (live, heads, rows)
        for index in rows.indices { self.rows[index].values["isLate"] = index >= Self.shownAtOnce }
    }

    /// One HTML file for the path, which loads only the script of `live`.
    package func html(for path: String) throws(VidscanError) -> String {
        var page = self
        let people = FilePath.joining(FilePath.folder(of: path), Self.peopleFile)
        page.people = FileSystem.entry(people) == nil ? nil : Self.peopleFile
        return try PageTemplate.index.render(page, for: path)
    }
}

extension Report {
    package static func writeIndex(
        _ summaries: [(result: String, outcome: Result<Summary, VidscanError>)], path: String, hidesFaces: Bool,
        replaces: Bool
    ) throws(VidscanError) {
        let folder = FilePath.folder(of: path)
        let failures = summaries.count { if case .failure = $0.outcome { true } else { false } }
        let rows = summaries.map { result, outcome in
            switch outcome {
            case .success(let summary):
                return ReportIndex.Row(
                    name: summary.title, link: FilePath.relative(summary.path, to: folder),
                    back: FilePath.relative(path, to: FilePath.folder(of: summary.path)),
                    note: summary.warnings > 0 ? NumberText.count(summary.warnings, "warning") : nil,
                    cells: summary.figures.map { PageCell($0) }, thumbnails: summary.thumbnails)
            case .failure(let error):
                return ReportIndex.Row(
                    name: hidesFaces ? "could not be shown" : result, link: nil, note: hidesFaces ? nil : error.reason,
                    cells: Array(repeating: PageCell(""), count: 4))
            }
        }
        let index = ReportIndex(
            title: NumberText.count(summaries.count, "result"),
            summary: failures == 0 ? "Each video links to its report." : "\(failures) of them could not be shown.",
            heads: ["length", "samples", "ids", "cuts"].map { PageCell($0) }, rows: rows)
        try AtomicFile.write(try index.html(for: path), to: path, replaces: replaces, stage: .render)
    }
}
