internal import Foundation
internal import Mustache
package import VidscanBase

/// Templates, style and scripts are compiled in, so that the program can be moved. Rendering escapes all values.
package enum PageTemplate: String {
    case report, covers, index, people, verification

    private static let library: Result<MustacheLibrary, any Error> = Result {
        let sources = [
            "head": PackageResources.head_mustache, "face": PackageResources.face_mustache,
            "controls": PackageResources.controls_mustache, "tail": PackageResources.tail_mustache,
            report.rawValue: PackageResources.report_mustache, covers.rawValue: PackageResources.covers_mustache,
            index.rawValue: PackageResources.index_mustache, people.rawValue: PackageResources.people_mustache,
            verification.rawValue: PackageResources.verification_mustache,
        ]
        MustacheContentTypes.register(EscapedText(), named: "ESCAPED")
        let templates = try sources.mapValues {
            try MustacheTemplate(string: "{{% CONTENT_TYPE: ESCAPED }}" + String(decoding: $0, as: UTF8.self))
        }
        return MustacheLibrary(templates: templates)
    }

    /// `content` has a value for each name in the template, which looks for a missing one in the enclosing values. So
    /// optional values need distinct names, or are lists with or without an element.
    package func render(_ content: Any, for path: String) throws(VidscanError) -> String {
        do {
            // In a page too, control characters in a name could reorder the text around it.
            return Printable.lines(try Self.library.get().render(content, withTemplate: rawValue) ?? "")
        } catch { throw VidscanError(.output, "cannot write \(path): \(error.localizedDescription)", stage: .render) }
    }

    /// JSON for a script element.
    static func data(_ data: JSONValue) -> String {
        // The text must not contain a tag that ends the script element.
        Printable.json(data.encoded()).replacing(scalars: "<", with: "\\u003c")
    }

    package enum Loads: Sendable {
        case nothing
        /// Next to the page, or chosen by the user.
        case video
        /// A script next to the page.
        case status
    }

    /// They share one scope, and until the page has started, each uses only those before it.
    fileprivate var modules: [[UInt8]] {
        typealias Source = PackageResources
        let player = [Source.helpers_js, Source.state_js, Source.samples_js, Source.player_js, Source.controls_js]
        return switch self {
        case .verification: []
        case .people: [Source.helpers_js, Source.people_js]
        case .index: [Source.helpers_js, Source.index_js]
        case .covers: player + [Source.covers_js]
        case .report:
            player + [
                Source.model_js, Source.overlay_js, Source.timeline_js, Source.curves_js, Source.corrections_js,
                Source.lists_js, Source.page_js,
            ]
        }
    }
}

/// The library escapes whole characters, so it misses a `<` that forms one with its neighbours.
private struct EscapedText: MustacheContentType {
    func escapeText(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")]
            .reduce(text) { $0.replacing(scalars: $1.0, with: $1.1) }
    }
}

package struct PageHead: Sendable {
    let title, summary: String
    package var warnings, notices: [String]
    let style, script: String
    /// The content security policy.
    let policy: String

    package init(
        _ template: PageTemplate, title: String, summary: String, warnings: [String] = [], notices: [String] = [],
        loads: PageTemplate.Loads = .nothing
    ) {
        (self.title, self.summary, self.warnings, self.notices) = (title, summary, warnings, notices)
        let hasPlayer = [.report, .covers].contains(template)
        let styles = PackageResources.page_css + (hasPlayer ? PackageResources.report_css : PackageResources.lists_css)
        style = String(decoding: styles, as: UTF8.self)
        script = "(() => {\n\"use strict\";\n\(String(decoding: template.modules.joined(), as: UTF8.self))})();\n"
        let scripts = template.modules.isEmpty ? "" : "; script-src 'unsafe-inline'"
        policy =
            "default-src 'none'; style-src 'unsafe-inline'\(scripts)\(loads == .status ? " 'self'" : ""); img-src data:"
            + (loads == .video ? " blob: file: 'self'; media-src blob: file: 'self'" : "")
    }
}

package struct PageFace: Sendable {
    let thumbnail: String?
    /// For those who do not see the picture.
    let label: String
    let name: String?
    /// Its name, its path for a tooltip, and its report's URL relative to the page.
    let video: String?
    let path: String
    let link: String?
    let details: [String]

    package init(
        thumbnail: String?, label: String, name: String? = nil, video: String? = nil, path: String = "",
        link: String? = nil, details: [String]
    ) {
        (self.thumbnail, self.label, self.name, self.video) = (thumbnail, label, name, video)
        (self.path, self.link, self.details) = (path, link, details)
    }
}

package struct PageFact: Sendable {
    package let name, value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

package struct PageCell: Sendable, MustacheParent {
    let text, kind: String

    package init(_ text: String, isNumber: Bool = true) { (self.text, kind) = (text, isNumber ? "number" : "") }

    package func child(named name: String) -> Any? { name == "text" ? text : name == "kind" ? kind : nil }
}

extension FilePath {
    /// Percent-encoded: `../a/report.html`.
    package static func relative(_ path: String, to folder: String) -> String {
        percentEncoded(names(from: absolute(folder), to: absolute(path)).joined(separator: "/"))
    }

    package static func percentEncoded(_ path: String) -> String {
        // Text before a colon would be a scheme.
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":"))
        return path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    }
}
