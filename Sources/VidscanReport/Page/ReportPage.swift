internal import Foundation
internal import Mustache
internal import VidscanBase

/// The content of a report page of one result. All values are formatted text, which rendering escapes.
public struct ReportPage: Sendable {
    /// A name and its value in the list of facts.
    public struct Fact: Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A cell of a table.
    public struct Cell: Sendable {
        public var text: String
        /// The CSS class: `number` or empty.
        public var kind: String

        public init(_ text: String, isNumber: Bool = true) {
            self.text = text
            kind = isNumber ? "number" : ""
        }
    }

    /// The heading of a column.
    public struct Head: Sendable {
        public var name: String
        /// The CSS class: `number` or empty.
        public var kind: String

        public init(_ name: String, isNumber: Bool = true) {
            self.name = name
            kind = isNumber ? "number" : ""
        }
    }

    /// A row of a table.
    public struct Row: Sendable {
        public var cells: [Cell]

        public init(_ cells: [Cell]) {
            self.cells = cells
        }
    }

    /// A face in the strip.
    public struct Face: Sendable {
        public var id: Int
        /// The index of the colour in the palette, from 0.
        public var color: Int
        /// An image as a `data:` URL.
        public var thumbnail: String?
        public var detail: String
        public var visible: String

        public init(id: Int, color: Int, thumbnail: String?, detail: String, visible: String) {
            self.id = id
            self.color = color
            self.thumbnail = thumbnail
            self.detail = detail
            self.visible = visible
        }
    }

    /// A row of the event list.
    public struct Event: Sendable {
        public var time: String
        public var seconds: String
        public var kind: String
        public var face: String
        public var value: String
        /// How much of it was measured: `71 %`, or empty.
        public var measured: String

        public init(
            time: String, seconds: String, kind: String, face: String, value: String, measured: String = ""
        ) {
            self.time = time
            self.seconds = seconds
            self.kind = kind
            self.face = face
            self.value = value
            self.measured = measured
        }
    }

    public var title: String
    public var summary: String
    public var warnings: [String] = []
    public var notices: [String] = []
    public var faces: [Face] = []
    /// A note that says how many faces the strip leaves out; `nil` if it shows all faces.
    public var facesLeftOut: String?
    public var trackHeads: [Head] = []
    public var tracks: [Row] = []
    public var events: [Event] = []
    public var eventKinds: [String] = []
    public var eventsNote = ""
    public var facts: [Fact] = []
    /// The curves that the page draws.
    public var curves: ReportCurves
    /// The video and the numbers of each sample, for a page that plays the video; `nil` for one without it.
    var review: Review?

    /// What a page with the video has in addition.
    struct Review {
        var data: ReviewData
        /// The packed rows of the faces.
        var rows: [UInt8]
    }

    public init(title: String, summary: String, curves: ReportCurves) {
        self.title = title
        self.summary = summary
        self.curves = curves
    }

    /// Renders the page.
    ///
    /// - Returns: One self-contained HTML file.
    public func html() throws -> String {
        guard let review else {
            return try ReportTemplates.render("report", Page(report: self, data: try curves.json()))
        }
        var page = Page(report: self, data: try review.data.json())
        page.rows = Data(review.rows).base64EncodedString()
        page.script = ReportTemplates.reviewScript
        page.style += ReportTemplates.reviewStyle
        page.isPicture = review.data.video.isPicture
        page.address = review.data.video.address
        return try ReportTemplates.render("review", page)
    }

    private struct Page {
        let title, summary: String
        let warnings, notices: [String]
        let hasFaces: Bool
        let faces: [Face]
        let facesLeftOut: String?
        let trackHeads: [Head]
        let tracks: [Row]
        let events: [Event]
        let eventKinds: [String]
        let eventsNote: String
        let facts: [Fact]
        let data: String
        var rows = ""
        var isPicture = false
        var address = ""
        var style = ReportTemplates.style
        var script = ReportTemplates.script

        init(report: ReportPage, data: String) {
            (title, summary) = (report.title, report.summary)
            (warnings, notices) = (report.warnings, report.notices)
            (faces, facesLeftOut, hasFaces) = (report.faces, report.facesLeftOut, !report.faces.isEmpty)
            (trackHeads, tracks) = (report.trackHeads, report.tracks)
            (events, eventKinds, eventsNote) = (report.events, report.eventKinds, report.eventsNote)
            facts = report.facts
            self.data = data
        }
    }
}

/// The templates, style and script of the pages. They are compiled into the program, so that it can be moved.
enum ReportTemplates {
    static let style = String(decoding: PackageResources.report_css, as: UTF8.self)
    /// The script of a report, and that of an index. Both begin with that of the tables.
    static let script = tableScript + String(decoding: PackageResources.report_js, as: UTF8.self)
    static let indexScript = tableScript + String(decoding: PackageResources.index_js, as: UTF8.self)
    private static let tableScript = String(decoding: PackageResources.tables_js, as: UTF8.self)
    static let reviewStyle = String(decoding: PackageResources.review_css, as: UTF8.self)
    /// The parts share one scope.
    static let reviewScript =
        tableScript + "\n(() => {\n\"use strict\";\n"
        + [
            PackageResources.review_data_js, PackageResources.review_player_js, PackageResources.review_timeline_js,
            PackageResources.review_corrections_js, PackageResources.review_lists_js, PackageResources.review_js,
        ].map { String(decoding: $0, as: UTF8.self) }.joined() + "})();\n"
    private static let sources = [
        "review": PackageResources.review_mustache,
        "report": PackageResources.report_mustache, "index": PackageResources.index_mustache,
        "people": PackageResources.people_mustache,
    ]

    static func render(_ name: String, _ context: Any) throws -> String {
        let template = try MustacheTemplate(string: String(decoding: sources[name] ?? [], as: UTF8.self))
        // On a page too, control characters in a name could reorder the text around it.
        return Printable.lines(template.render(context))
    }
}
