internal import VidscanMedia
internal import VidscanBase

/// Writes settings as the text of a pipeline file.
package enum PipelineText {
    package static func yaml(_ value: SettingValue) -> String {
        switch value {
        case .absent: "null"
        case .flag, .integer, .number: JSONValue(value).words
        case .text(let text): isPlain(text) ? text : ByteWriter.quoted(text)
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
        var lines: [(text: String, comment: String)] = []
        for section in SettingsSection.all {
            if let whole = section.whole {
                lines += wholeLines(whole)
                continue
            }
            lines.append(("\(section.name):", ""))
            for setting in section.settings {
                let value = setting.get(settings)
                let meaning = value == .absent ? setting.nullMeaning.map { ": \($0)" } ?? "" : ""
                lines.append(("  \(setting.name): \(PipelineText.yaml(value))", "\(origin(of: setting))\(meaning)"))
            }
        }
        let width = lines.filter { !$0.comment.isEmpty }.map(\.text.count).filter { $0 < 60 }.max() ?? 0
        return lines.map { line in
            guard !line.comment.isEmpty else { return line.text + "\n" }
            let padding = String(repeating: " ", count: max(0, width - line.text.count))
            return line.text + padding + "  # \(line.comment)\n"
        }.joined()
    }

    private func wholeLines(_ setting: Setting) -> [(text: String, comment: String)] {
        let (origin, value) = (origin(of: setting).description, setting.get(settings))
        guard case .filters(let chain) = value else {
            return [("\(setting.path): \(value == .absent ? "[]" : PipelineText.yaml(value))", origin)]
        }
        return [("\(setting.path):", origin)] + chain.steps.map { ("  - \(ByteWriter.quoted($0))", "") }
    }
}
