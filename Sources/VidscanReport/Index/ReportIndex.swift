internal import Mustache

/// An index page that links to the reports of several results.
public struct ReportIndex: Sendable {
    /// A row of the index: one result.
    public struct Row: Sendable {
        public var name: String
        /// More about the name, shown as a tooltip.
        public var hint: String?
        /// The address of the report, relative to the index; `nil` if there is no report.
        public var link: String?
        /// An error or a notice, shown below the name.
        public var note: String?
        /// The names of the groups that the row belongs to: words without spaces.
        public var groups: [String]
        public var cells: [ReportPage.Cell]
        /// Images as `data:` URLs.
        public var thumbnails: [String]

        public init(
            name: String, hint: String? = nil, link: String?, note: String?, groups: [String] = [],
            cells: [ReportPage.Cell], thumbnails: [String] = []
        ) {
            self.name = name
            self.hint = hint
            self.link = link
            self.note = note
            self.groups = groups
            self.cells = cells
            self.thumbnails = thumbnails
        }
    }

    /// A group of rows. The page can show the rows of one group only.
    public struct Group: Sendable {
        /// The name, as in `Row.groups`.
        public var name: String
        /// The text in the menu of groups.
        public var label: String

        public init(_ name: String, label: String) {
            self.name = name
            self.label = label
        }
    }

    /// What a page watches to show the progress of the work that it describes.
    public struct Live: Sendable {
        /// The name of the script with the state, which is next to the page.
        public var script: String
        /// When the page was made, in milliseconds since 1970. The page reloads itself if the state names a later time.
        public var page: Int64

        public init(script: String, page: Int64) {
            self.script = script
            self.page = page
        }
    }

    public var title: String
    public var summary: String
    public var notices: [String] = []
    /// `nil` for a page that does not change.
    public var live: Live?
    /// The totals.
    public var facts: [ReportPage.Fact] = []
    public var groups: [Group] = []
    public var heads: [ReportPage.Head]
    public var rows: [Row]

    public init(title: String, summary: String, heads: [ReportPage.Head], rows: [Row]) {
        self.title = title
        self.summary = summary
        self.heads = heads
        self.rows = rows
    }

    /// Renders the page.
    ///
    /// - Returns: One HTML file. Its links lead to the reports. It loads nothing, except for the script of `live`.
    public func html() throws -> String {
        try ReportTemplates.render("index", Page(index: self))
    }

    private struct Page {
        /// The script shows the other rows on request, because a browser takes seconds to lay out thousands.
        private static let shownAtOnce = 500

        let title, summary: String
        let notices: [String]
        let hasFacts, hasGroups, isLive: Bool
        let statusScript: String
        let page: Int64
        let facts: [ReportPage.Fact]
        let groups: [Group]
        let heads: [ReportPage.Head]
        let rows: [RenderedRow]
        let style = ReportTemplates.style
        let script = ReportTemplates.indexScript

        init(index: ReportIndex) {
            (title, summary, heads) = (index.title, index.summary, index.heads)
            (notices, facts, groups) = (index.notices, index.facts, index.groups)
            isLive = index.live != nil
            (statusScript, page) = (index.live?.script ?? "", index.live?.page ?? 0)
            (hasFacts, hasGroups) = (!index.facts.isEmpty, !index.groups.isEmpty)
            rows = index.rows.enumerated().map { RenderedRow(row: $1, isLate: $0 >= Self.shownAtOnce) }
        }
    }
}

/// A row, which gives the template its values by name. An index can have thousands of rows, and the default,
/// reflection, takes several times as long. A missing value is `false` instead of `nil`, because the template would
/// look for `nil` in the enclosing contexts.
private struct RenderedRow: MustacheParent {
    let row: ReportIndex.Row
    /// Whether the row is hidden at first.
    let isLate: Bool

    func child(named name: String) -> Any? {
        switch name {
        case "name": row.name
        case "hint": row.hint as Any? ?? false
        case "link": row.link as Any? ?? false
        case "note": row.note as Any? ?? false
        case "isLate": isLate
        case "hasThumbnails": !row.thumbnails.isEmpty
        case "groups": row.groups.joined(separator: " ")
        case "cells": row.cells.map(RenderedCell.init)
        case "thumbnails": row.thumbnails
        default: nil
        }
    }
}

private struct RenderedCell: MustacheParent {
    let cell: ReportPage.Cell

    func child(named name: String) -> Any? {
        switch name {
        case "text": cell.text
        case "kind": cell.kind
        default: nil
        }
    }
}
