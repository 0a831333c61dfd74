import VidscanAnalysis
import VidscanBase

/// The JSON Schema (draft 2020-12) of pipeline files, for editors, made from the declarations of the settings.
enum PipelineSchema {
    static var json: String {
        let summary: JSONValue = ["type": "string", "description": "What the pipeline is for."]
        let sections = SettingsSection.all.map { ($0.name, section($0)) }
        let schema: JSONValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "vidscan pipeline", "type": "object",
            "additionalProperties": false,
            "properties": .object(Dictionary(uniqueKeysWithValues: [("description", summary)] + sections)),
        ]
        return schema.lines
    }

    private static func section(_ section: SettingsSection) -> JSONValue {
        if let whole = section.whole { return property(whole) }
        return [
            "type": ["object", "null"], "additionalProperties": false, "description": .text(section.help),
            "properties": .object(Dictionary(uniqueKeysWithValues: section.settings.map { ($0.name, property($0)) })),
        ]
    }

    private static func property(_ setting: Setting) -> JSONValue {
        var parts = type(of: setting.kind, canBeNull: setting.nullMeaning != nil)
        let names = setting.optionNames
        let options = names.isEmpty ? "" : " On the command line: \(names.joined(separator: ", "))."
        let null = setting.nullMeaning.map { " Default: \($0)." } ?? ""
        parts["description"] = .text(setting.help + null + options)
        if !names.isEmpty { parts["x-options"] = .list(names.map(JSONValue.text)) }
        if setting.nullMeaning == nil { parts["default"] = JSONValue(setting.get(Settings(workers: 1))) }
        return .object(parts)
    }

    private static func type(of kind: SettingKind, canBeNull: Bool) -> [String: JSONValue] {
        let types = { (names: [String]) -> JSONValue in .list((names + (canBeNull ? ["null"] : [])).map(JSONValue.text))
        }
        let oneOrMore = { (item: JSONValue) -> JSONValue in
            .list([item, ["type": "array", "items": item, "minItems": 1]] + (canBeNull ? [["type": "null"]] : []))
        }
        switch kind {
        case .flag: return ["type": types(["boolean"])]
        case .integer(let range):
            var type = ["type": types(["integer"]), "minimum": .integer(range.lowerBound)]
            if range.upperBound < .max { type["maximum"] = .integer(range.upperBound) }
            return type
        case .number(SettingKind.positive, _): return ["type": types(["number"]), "exclusiveMinimum": 0]
        case .number(let range, _):
            return [
                "type": types(["number"]), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
            ]
        case .choice(let names): return ["enum": .list(names.map(JSONValue.text) + (canBeNull ? [.null] : []))]
        case .list(let names): return ["anyOf": oneOrMore(["enum": .list(names.map(JSONValue.text))])]
        case .ids: return ["anyOf": oneOrMore(["type": "integer", "minimum": 1])]
        case .rate, .time: return ["type": types(["number", "string"])]
        case .text, .file, .folder, .insets: return ["type": types(["string"])]
        case .filters:
            let filter: JSONValue = [
                "type": "object", "required": ["filter"], "additionalProperties": false,
                "properties": ["filter": ["type": "string"], "options": ["type": ["object", "null"]]],
            ]
            let step: JSONValue = ["anyOf": [["type": "string"], filter]]
            return ["anyOf": [["type": types(["string"])], ["type": "array", "items": step]]]
        }
    }
}

/// `pipelines/default.yaml`: every setting at its default, with its help.
enum PipelineTemplate {
    private static let introduction =
        "Every setting at its default, as a starting point. A pipeline needs only the settings that it changes. Its"
        + " sections are in the order of the data flow. Options of the command line override it."

    static var text: String {
        var text = """
            # yaml-language-server: $schema=schema.json
            \(wrapped(introduction, indent: ""))
            description: Every setting at its default

            """
        for section in SettingsSection.all {
            text += "\n" + wrapped(section.help, indent: "") + "\n"
            if let whole = section.whole {
                guard whole.kind == .filters else {
                    text +=
                        wrapped(whole.help, indent: "")
                        + "\n\(whole.path): \(whole.get(Settings(workers: 1)).yaml)\n"
                    continue
                }
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
                text +=
                    wrapped(setting.help + null, indent: "  ") + "\n  \(setting.name): \(value.yaml)\n"
            }
        }
        return text
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
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .text(text) }
    init(booleanLiteral flag: Bool) { self = .flag(flag) }
    init(integerLiteral number: Int) { self = .integer(number) }
    init(arrayLiteral values: JSONValue...) { self = .list(values) }
    init(dictionaryLiteral pairs: (String, JSONValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: pairs))
    }
}
