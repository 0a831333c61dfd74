internal import VidscanBase

/// The JSON Schema (draft 2020-12) of pipeline files, for editors. It is generated from the declarations of the
/// settings.
package enum PipelineSchema {
    package static var json: String {
        JSONValue.object([
            "$schema": .text("https://json-schema.org/draft/2020-12/schema"),
            "title": .text("vidscan pipeline"), "type": .text("object"), "additionalProperties": .flag(false),
            "properties": .object(
                SettingsSection.all.reduce(into: [
                    "description": .object([
                        "type": .text("string"), "description": .text("What the pipeline is for."),
                    ])
                ]) { $0[$1.name] = section($1) }),
        ]).lines
    }

    private static func section(_ section: SettingsSection) -> JSONValue {
        if let whole = section.whole { return property(whole) }
        return .object([
            "type": .list([.text("object"), .text("null")]), "additionalProperties": .flag(false),
            "description": .text(section.help),
            "properties": .object(Dictionary(uniqueKeysWithValues: section.settings.map { ($0.name, property($0)) })),
        ])
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

    private static func list(of item: JSONValue, canBeNull: Bool) -> [String: JSONValue] {
        [
            "anyOf": .list(
                [item, .object(["type": .text("array"), "items": item, "minItems": .integer(1)])]
                    + (canBeNull ? [.object(["type": .text("null")])] : []))
        ]
    }

    private static func type(of kind: SettingKind, canBeNull: Bool) -> [String: JSONValue] {
        let types = { (names: [String]) -> JSONValue in
            .list((names + (canBeNull ? ["null"] : [])).map(JSONValue.text))
        }
        switch kind {
        case .flag: return ["type": types(["boolean"])]
        case .integer(let range):
            var type = ["type": types(["integer"]), "minimum": .integer(range.lowerBound)]
            if range.upperBound < .max { type["maximum"] = .integer(range.upperBound) }
            return type
        case .number(let range, _):
            if range == SettingKind.positive { return ["type": types(["number"]), "exclusiveMinimum": .integer(0)] }
            return [
                "type": types(["number"]), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
            ]
        case .choice(let names):
            return ["enum": .list(names.map(JSONValue.text) + (canBeNull ? [.null] : []))]
        case .list(let names):
            return list(of: .object(["enum": .list(names.map(JSONValue.text))]), canBeNull: canBeNull)
        case .ids: return list(of: .object(["type": .text("integer"), "minimum": .integer(1)]), canBeNull: canBeNull)
        case .rate, .time: return ["type": types(["number", "string"])]
        case .text, .file, .folder, .insets: return ["type": types(["string"])]
        case .filters:
            let step = JSONValue.object([
                "anyOf": .list([
                    .object(["type": .text("string")]),
                    .object([
                        "type": .text("object"), "required": .list([.text("filter")]),
                        "additionalProperties": .flag(false),
                        "properties": .object([
                            "filter": .object(["type": .text("string")]),
                            "options": .object(["type": .list([.text("object"), .text("null")])]),
                        ]),
                    ]),
                ])
            ])
            return [
                "anyOf": .list([
                    .object(["type": types(["string"])]), .object(["type": .text("array"), "items": step]),
                ])
            ]
        }
    }
}
