internal import Foundation
internal import VidscanMedia

/// Any JSON value.
indirect enum JSONValue: Encodable, Equatable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }

    init(_ value: SettingValue) {
        switch value {
        case .absent: self = .null
        case .flag(let value): self = .flag(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .text(let value): self = .text(value)
        case .list(let names): self = .list(names.map(JSONValue.text))
        case .filters(let chain): self = .list(chain.steps.map(JSONValue.text))
        }
    }
}

extension Settings {
    /// A digest of everything that a result depends on besides its input: settings, version, models.
    ///
    /// - Throws: `PipelineError` when a model is missing.
    public func digest(models: ModelStore) throws(PipelineError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let settings = (try? encoder.encode(record)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let digests = try models.digests().sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return FileDigest.sha256(text: ([Vidscan.version, settings] + digests).joined(separator: "\n"))
    }

    /// The settings that results depend on, for `run.json`; a pipeline file can be read from them.
    var record: JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: SettingsSection.allCases.map { section in
                    if let whole = section.whole { return (section.rawValue, JSONValue(whole.get(self))) }
                    let pairs = section.settings.filter(\.isRecorded).map { ($0.name, JSONValue($0.get(self))) }
                    return (section.rawValue, .object(Dictionary(uniqueKeysWithValues: pairs)))
                }))
    }
}
