internal import CYaml
internal import VidscanBase
internal import VidscanMedia
internal import Yams

/// Finds what no pipeline needs and what could make reading one endless, before anything is built from the text.
///
/// Yams replaces an alias by the whole node and compares the keys of a mapping node by node: 40 aliases, each of a list
/// that contains the previous alias twice, take years. It also reads nested nodes recursively.
enum YAMLLimits {
    /// A pipeline needs 5 levels, and the record of a run 8.
    private static let maximumDepth = 32

    /// The message is the end of a sentence about the file.
    typealias Violation = (position: TextPosition, message: String)

    /// Returns `nil` if there is none before the end of the text or the first error in its syntax, which Yams reports.
    static func violation(in text: String) -> Violation? {
        var text = text
        var parser = yaml_parser_t()
        // The parser keeps its own address and that of the text.
        return withUnsafeMutablePointer(to: &parser) { parser in
            text.withUTF8 { bytes in
                guard yaml_parser_initialize(parser) == 1 else { return nil }
                defer { yaml_parser_delete(parser) }
                yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
                yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
                return firstViolation(parser)
            }
        }
    }

    private static func firstViolation(_ parser: UnsafeMutablePointer<yaml_parser_t>) -> Violation? {
        var depth = 0
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { return nil }
            defer { yaml_event_delete(&event) }
            let isShared: Bool
            switch event.type {
            case YAML_STREAM_END_EVENT: return nil
            case YAML_ALIAS_EVENT: isShared = true
            case YAML_SCALAR_EVENT: isShared = event.data.scalar.anchor != nil
            case YAML_SEQUENCE_START_EVENT:
                depth += 1
                isShared = event.data.sequence_start.anchor != nil
            case YAML_MAPPING_START_EVENT:
                depth += 1
                isShared = event.data.mapping_start.anchor != nil
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
                depth -= 1
                continue
            default: continue
            }
            guard isShared || depth > maximumDepth else { continue }
            return (
                TextPosition(line: event.start_mark.line + 1, column: event.start_mark.column + 1),
                isShared
                    ? "anchors and aliases ('&' and '*') are not allowed; write the value where it is needed"
                    : "is nested more than \(maximumDepth) levels deep"
            )
        }
    }
}

extension Node {
    var position: TextPosition { mark.map { TextPosition(line: $0.line, column: $0.column) } ?? .start }

    var isEmpty: Bool {
        guard let scalar, !scalar.style.isQuoted else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    var words: String {
        switch self {
        case .mapping: return "a mapping"
        case .sequence: return "a list"
        case .alias: return "an alias"
        case .scalar(let scalar):
            if isEmpty { return "empty" }
            return scalar.style.isQuoted ? "the text \"\(scalar.string)\"" : scalar.string
        }
    }
}

extension Node.Scalar.Style { var isQuoted: Bool { self != .plain && self != .any } }

extension SettingValue {
    package var yaml: String {
        switch self {
        case .absent: "null"
        case .flag, .integer, .number: JSONValue(self).words
        case .text(let text): Self.isPlain(text) ? text : ByteWriter.quoted(text)
        case .list(let names): "[" + names.joined(separator: ", ") + "]"
        case .filters(let chain): ByteWriter.quoted(chain.text)
        }
    }

    /// Whether YAML reads the text as a string without quotation marks.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.lowercased() != "null"
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_/.".contains(Character($0)))
            }
            && text.first != "-"
    }
}

extension ResolvedSettings {
    /// The text of a pipeline file with all settings, each with the origin of its value.
    package var yaml: String {
        let lines = SettingsSection.all.flatMap { section -> [(text: String, comment: String)] in
            if let whole = section.whole { return wholeLines(whole) }
            return [("\(section.name):", "")]
                + section.settings.map { setting in
                    let value = setting.get(settings)
                    let meaning = value == .absent ? setting.nullMeaning.map { ": \($0)" } ?? "" : ""
                    return ("  \(setting.name): \(value.yaml)", "\(origin(of: setting))\(meaning)")
                }
        }
        let width = lines.filter { !$0.comment.isEmpty }.map(\.text.count).filter { $0 < 60 }.max() ?? 0
        return lines.map { line in
            guard !line.comment.isEmpty else { return line.text + "\n" }
            return line.text + String(repeating: " ", count: max(0, width - line.text.count)) + "  # \(line.comment)\n"
        }.joined()
    }

    private func wholeLines(_ setting: Setting) -> [(text: String, comment: String)] {
        let (origin, value) = (origin(of: setting).description, setting.get(settings))
        guard case .filters(let chain) = value else {
            return [("\(setting.path): \(value == .absent ? "[]" : value.yaml)", origin)]
        }
        return [("\(setting.path):", origin)] + chain.steps.map { ("  - \(ByteWriter.quoted($0))", "") }
    }
}
