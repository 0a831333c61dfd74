internal import VidscanMedia
internal import VidscanBase

/// Writes settings as the text of a pipeline file.
package enum PipelineText {
    /// The text of `pipelines/default.yaml`: every setting at its default, with its help.
    package static var template: String {
        var text = """
            # yaml-language-server: $schema=schema.json
            \(wrapped("Every setting at its default, as a starting point. A pipeline needs only the settings that it changes. Its sections are in the order of the data flow. Options of the command line override it.", indent: ""))
            description: Every setting at its default

            """
        for section in SettingsSection.all {
            text += "\n" + wrapped(section.help, indent: "") + "\n"
            if let whole = section.whole {
                text += """
                    #   filters:
                    #     - yadif
                    #     - {filter: eq, options: {brightness: 0.06, saturation: 1.2}}
                    \(whole.path): []

                    """
                continue
            }
            text += "\(section.name):\n"
            for setting in section.settings {
                let null = setting.nullMeaning.map { " null: \($0)." } ?? ""
                let value = setting.nullMeaning == nil ? setting.get(Settings(workers: 1)) : .absent
                text += wrapped(setting.help + null, indent: "  ") + "\n  \(setting.name): \(yaml(value))\n"
            }
        }
        return text
    }

    static func yaml(_ value: SettingValue) -> String {
        switch value {
        case .absent: "null"
        case .flag, .integer, .number: JSONValue(value).words
        case .text(let text): isPlain(text) ? text : quoted(text)
        case .list(let names): "[" + names.joined(separator: ", ") + "]"
        case .filters(let chain): quoted(chain.text)
        }
    }

    /// Wraps a YAML comment at 118 columns.
    private static func wrapped(_ words: String, indent: String) -> String {
        var lines = [indent + "#"]
        for word in words.split(separator: " ") {
            if lines[lines.count - 1].count + 1 + word.count > 118 { lines.append(indent + "#") }
            lines[lines.count - 1] += " " + word
        }
        return lines.joined(separator: "\n")
    }

    /// Whether YAML reads the text as a string without quotation marks.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.lowercased() != "null"
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_/.".contains(Character($0)))
            }
            && text.first != "-"
    }

    /// Quotes a text as a JSON string, which is valid YAML too.
    fileprivate static func quoted(_ text: String) -> String {
        var writer = ByteWriter(reservingCapacity: text.utf8.count + 8)
        writer.writeJSON(text: text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension ResolvedSettings {
    /// The text of a pipeline file with all settings, each with the origin of its value.
    package var yaml: String {
        var lines: [(text: String, comment: String)] = []
        for section in SettingsSection.all {
            if let whole = section.whole {
                lines += filterLines(whole)
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

    private func filterLines(_ setting: Setting) -> [(text: String, comment: String)] {
        let origin = origin(of: setting).description
        guard case .filters(let chain) = setting.get(settings) else { return [("\(setting.path): []", origin)] }
        return [("\(setting.path):", origin)] + chain.steps.map { ("  - \(PipelineText.quoted($0))", "") }
    }
}
