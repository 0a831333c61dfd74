internal import Mustache
package import VidscanBase

/// A page that links to the reports of several results.
package struct ReportIndex: Sendable {
    package struct Row: Sendable {
        let name: String
        let hint: String?
        /// Relative to the index; `nil` without a report.
        let link: String?
        /// An error or notice, below the name.
        let note: String?
        /// Words without spaces.
        let groups: [String]
        let cells: [PageCell]
        let thumbnails: [String]
        /// Hidden until requested, because a browser takes seconds to lay out thousands of rows.
        var isLate = false

        package init(
            name: String, hint: String? = nil, link: String?, note: String?, groups: [String] = [], cells: [PageCell],
            thumbnails: [String] = []
        ) {
            (self.name, self.hint, self.link, self.note) = (name, hint, link, note)
            (self.groups, self.cells, self.thumbnails) = (groups, cells, thumbnails)
        }
    }

    /// The page can show one group alone.
    package struct Group: Sendable {
        /// As in `Row.groups`.
        let group: String
        let label: String

        package init(_ group: String, label: String) {
            (self.group, self.label) = (group, label)
        }
    }

    package struct Live: Sendable {
        let statusScript: String
        /// In milliseconds since 1970. The page reloads itself when the state names a later time.
        let made: Int64

        package init(script: String, page: Int64) {
            (statusScript, made) = (script, page)
        }
    }

    private static let shownAtOnce = 500

    package var head: PageHead
    /// `nil` for a page that does not change.
    package var live: Live?
    package var facts: [PageFact] = []
    package var groups: [Group] = []
    let heads: [PageCell]
    private(set) var rows: [Row]

    package init(title: String, summary: String, live: Live? = nil, heads: [PageCell], rows: [Row]) {
        head = PageHead(.index, title: title, summary: summary, loads: live == nil ? .nothing : .status)
        (self.live, self.heads, self.rows) = (live, heads, rows)
        for index in self.rows.indices.dropFirst(Self.shownAtOnce) { self.rows[index].isLate = true }
    }

    /// One HTML file, which loads only the script of `live`. `path` is for the error.
    package func html(for path: String) throws(VidscanError) -> String {
        try PageTemplate.index.render(self, for: path)
    }
}

/// Gives values to the template by name, because reflection takes several times as long for thousands of rows. Missing
/// values are `false`, because the template would look for `nil` in the enclosing values.
extension ReportIndex.Row: MustacheParent {
    package func child(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "hint": hint as Any? ?? false
        case "link": link as Any? ?? false
        case "note": note as Any? ?? false
        case "isLate": isLate
        case "groups": groups.joined(separator: " ")
        case "cells": cells
        case "thumbnails": thumbnails
        default: nil
        }
    }
}

extension Report {
    package static func writeIndex(
        _ summaries: [(result: String, outcome: Result<Summary, VidscanError>)], path: String, replaces: Bool
    ) throws(VidscanError) {
        let file = try AtomicFile(path: path, replaces: replaces, stage: .render)
        let folder = FilePath.folder(of: FilePath.absolute(path))
        var failures = 0
        let rows = summaries.map { result, outcome in
            switch outcome {
            case .success(let summary):
                return ReportIndex.Row(
                    name: summary.title, link: FilePath.relative(summary.path, to: folder),
                    note: summary.warnings > 0 ? NumberText.count(summary.warnings, "warning") : nil,
                    cells: [
                        TimeText.clock(Int64(summary.seconds * 1e6)), "\(summary.samples)", "\(summary.faces)",
                        "\(summary.cuts)",
                    ].map { PageCell($0) }, thumbnails: summary.thumbnails)
            case .failure(let error):
                failures += 1
                return ReportIndex.Row(
                    name: result, link: nil, note: error.reason, cells: Array(repeating: PageCell(""), count: 4))
            }
        }
        let index = ReportIndex(
            title: NumberText.count(summaries.count, "result"),
            summary: failures == 0 ? "Each video links to its report." : "\(failures) of them could not be shown.",
            heads: ["length", "samples", "ids", "cuts"].map { PageCell($0) }, rows: rows)
        try file.write(try index.html(for: path))
        try file.complete()
    }
}
