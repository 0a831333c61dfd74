internal import Foundation
internal import VidscanBase

/// The JSON Schema (draft 2020-12) of pipeline files, for editors; made from the description of the keys.
public enum PipelineSchema {
    public static var json: String {
        let schema = JSONValue.object([
            "$schema": .text("https://json-schema.org/draft/2020-12/schema"),
            "title": .text("vidscan pipeline"),
            "type": .text("object"),
            "additionalProperties": .flag(false),
            "properties": .object(
                Dictionary(
                    uniqueKeysWithValues: PipelineStage.allCases.map { ($0.rawValue, stage($0)) }
                        + [
                            (
                                "description",
                                .object(["type": .text("string"), "description": .text("What the pipeline is for.")])
                            )
                        ])),
        ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding values of these types cannot fail.
        let data = (try? encoder.encode(schema)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private static func stage(_ stage: PipelineStage) -> JSONValue {
        if let whole = stage.keys.first(where: \.name.isEmpty) { return property(whole, meaning: stage.meaning) }
        return .object([
            "type": .list([.text("object"), .text("null")]), "additionalProperties": .flag(false),
            "description": .text(stage.meaning),
            "properties": .object(
                Dictionary(uniqueKeysWithValues: stage.keys.map { ($0.name, property($0, meaning: $0.meaning)) })),
        ])
    }

    private static func property(_ key: PipelineKey, meaning: String) -> JSONValue {
        var parts = type(of: key.kind, canBeAbsent: key.absence != nil)
        let options = key.options.isEmpty ? "" : " On the command line: \(key.options.joined(separator: ", "))."
        let absence = key.absence.map { " Without it: \($0)." } ?? ""
        parts["description"] = .text(meaning + absence + options)
        if !key.options.isEmpty { parts["x-options"] = .list(key.options.map(JSONValue.text)) }
        let preset = key.value(Configuration(workers: 1))
        if key.absence == nil { parts["default"] = JSONValue(preset) }
        return .object(parts)
    }

    private static func type(of kind: SettingKind, canBeAbsent: Bool) -> [String: JSONValue] {
        let types = { (names: [String]) -> JSONValue in
            .list((names + (canBeAbsent ? ["null"] : [])).map(JSONValue.text))
        }
        switch kind {
        case .flag: return ["type": types(["boolean"])]
        case .integer(let range):
            let most: [String: JSONValue] =
                range.upperBound == .max ? [:] : ["maximum": .integer(range.upperBound)]
            return ["type": types(["integer"]), "minimum": .integer(range.lowerBound)].merging(most) { $1 }
        case .number(let range, _):
            if range == SettingKind.positive { return ["type": types(["number"]), "exclusiveMinimum": .integer(0)] }
            return [
                "type": types(["number"]), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
            ]
        case .choice(let names):
            return ["enum": .list(names.map(JSONValue.text) + (canBeAbsent ? [.null] : []))]
        case .list(let names):
            let item = JSONValue.object(["enum": .list(names.map(JSONValue.text))])
            return [
                "anyOf": .list(
                    [item, .object(["type": .text("array"), "items": item, "minItems": .integer(1)])]
                        + (canBeAbsent ? [.object(["type": .text("null")])] : []))
            ]
        case .rate: return ["type": types(["number", "string"])]
        case .time: return ["type": types(["number", "string"])]
        case .text, .insets: return ["type": types(["string"])]
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
