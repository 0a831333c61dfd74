internal import Foundation
public import VidscanBase
internal import VidscanMedia

extension JSONValue {
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
    /// Returns a digest of everything except the input that a result depends on: settings, version and models.
    ///
    /// - Throws: `VidscanError` with the code `setup` if a model is missing, or if a setting is not a number that JSON can
    ///   have. Results of other settings would otherwise have the same digest.
    public func digest(models: ModelStore) throws(VidscanError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let settings: String
        do {
            settings = String(decoding: try encoder.encode(record), as: UTF8.self)
        } catch {
            throw VidscanError(.setup, "cannot make a digest of the settings: \(error)")
        }
        let digests = try models.digests().sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return FileDigest.sha256(text: ([Vidscan.version, settings] + digests).joined(separator: "\n"))
    }

    /// The settings that results depend on, for `run.json`. They can be read back like a pipeline file.
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
