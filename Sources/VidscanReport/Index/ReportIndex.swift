internal import Mustache

/// A page that leads to the reports of several results.
public struct ReportIndex: Sendable {
    public struct Row: Sendable {
        public var name: String
        /// More of the name, told when it is pointed at.
        public var hint: String?
        /// Relative to the index; `nil` where there is no report.
        public var link: String?
        /// What went wrong, or is to be known.
        public var note: String?
        /// Whose rows can be shown alone.
        public var group: String
        public var cells: [ReportPage.Cell]
        /// `data:` addresses.
        public var thumbnails: [String]

        public init(
            name: String, hint: String? = nil, link: String?, note: String?, group: String = "",
            cells: [ReportPage.Cell], thumbnails: [String] = []
        ) {
            self.name = name
            self.hint = hint
            self.link = link
            self.note = note
            self.group = group
            self.cells = cells
            self.thumbnails = thumbnails
        }
    }

    /// Rows that can be shown alone.
    public struct Group: Sendable {
        /// As the rows name it.
        public var name: String
        public var label: String

        public init(_ name: String, label: String) {
            self.name = name
            self.label = label
        }
    }

    public var title: String
    public var summary: String
    public var notices: [String] = []
    /// Totals.
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

    /// - Returns: one HTML file; its links lead to the reports.
    public func html() throws -> String {
        try ReportTemplates.render("index", Page(index: self))
    }

    private struct Page {
        package let title, summary: String
        package let notices: [String]
        let hasFacts, hasGroups, hasThumbnails: Bool
        package let facts: [ReportPage.Fact]
        package let groups: [Group]
        package let heads: [ReportPage.Head]
        package let rows: [RenderedRow]
        package let style = ReportTemplates.style
        let script = ReportTemplates.script

        init(index: ReportIndex) {
            (title, summary, heads) = (index.title, index.summary, index.heads)
            (notices, facts, groups) = (index.notices, index.facts, index.groups)
            (hasFacts, hasGroups) = (!index.facts.isEmpty, !index.groups.isEmpty)
            let hasThumbnails = index.rows.contains { !$0.thumbnails.isEmpty }
            self.hasThumbnails = hasThumbnails
            rows = index.rows.map { RenderedRow(row: $0, hasThumbnails: hasThumbnails) }
        }
    }
}

/// A row as the page finds its parts: there are thousands, and by reflection it takes several times as long. What is
/// absent is false, so that it is not looked for around the row.
private struct RenderedRow: MustacheParent {
    package let row: ReportIndex.Row
    package let hasThumbnails: Bool

    package func child(named name: String) -> Any? {
        switch name {
        case "name": row.name
        case "hint": row.hint as Any? ?? false
        case "link": row.link as Any? ?? false
        case "note": row.note as Any? ?? false
        case "hasThumbnails": hasThumbnails
        case "group": row.group
        case "cells": row.cells.map(RenderedCell.init)
        case "thumbnails": row.thumbnails
        default: nil
        }
    }
}

private struct RenderedCell: MustacheParent {
    package let cell: ReportPage.Cell

    package func child(named name: String) -> Any? {
        switch name {
        case "text": cell.text
        case "kind": cell.kind
        default: nil
        }
    }
}
