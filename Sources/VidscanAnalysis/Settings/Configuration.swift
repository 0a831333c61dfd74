package import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Everything except the input that a result depends on: the version, the settings and the models.
package struct Configuration: Sendable {
    private let version: String
    /// The settings that results depend on, by section.
    private let settings: JSONValue
    /// SHA-256 by file name.
    private let models: [String: String]

    /// Throws if a model is missing.
    package init(_ settings: Settings, models: ModelStore) throws(VidscanError) {
        (version, self.models) = (Vidscan.version, try models.digests())
        self.settings = Self.withoutLimits(settings.record)
    }

    /// The configuration that `run.json` of a result records. Throws if it cannot be read.
    package init(resultPath: String) throws(VidscanError) {
        let record = try RecordFile.decode(RunRecord.self, folder: resultPath, name: "run.json")
        (version, models) = (record.vidscanVersion, record.models)
        settings = Self.withoutLimits(record.pipeline.all)
    }

    /// A finished result does not depend on what would have been refused.
    private static func withoutLimits(_ settings: JSONValue) -> JSONValue {
        guard case .object(var sections) = settings, case .object(var sample)? = sections["sample"] else {
            return settings
        }
        for name in ["max_pixels", "max_duration"] { sample[name] = nil }
        sections["sample"] = .object(sample)
        return .object(sections)
    }

    /// What is different in a newer configuration, for example `vidscan 0.1.0 → 0.2.0`, `sample.rate 5 → every-frame`.
    package func changes(to newer: Configuration) -> [String] {
        var changes = version == newer.version ? [] : ["vidscan \(version) → \(newer.version)"]
        let (before, after) = (Self.values(settings), Self.values(newer.settings))
        for (path, new) in after.sorted(by: { $0.key < $1.key }) {
            // A setting that the older version did not have is part of the new version.
            if let old = before[path], old != new { changes.append("\(path) \(old) → \(new)") }
        }
        for name in newer.models.keys.sorted() where models[name] != newer.models[name] {
            changes.append(models[name] == nil ? "new model \(name)" : "model \(name)")
        }
        return changes
    }

    /// The settings as text, by their paths.
    private static func values(_ settings: JSONValue) -> [String: String] {
        guard case .object(let sections) = settings else { return [:] }
        var values: [String: String] = [:]
        for (section, value) in sections {
            guard case .object(let members) = value else {
                values[section] = value.words
                continue
            }
            for (name, value) in members { values["\(section).\(name)"] = value.words }
        }
        return values
    }

    package var digest: String {
        let digests = models.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return FileDigest.sha256(text: ([version, settings.encoded()] + digests).joined(separator: "\n"))
    }
}

extension JSONValue {
    /// `5`, `csv,json`, `none`
    var words: String {
        switch self {
        case .null: "none"
        case .flag(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): NumberText.plain(value)
        case .text(let text): text
        case .list(let values): values.isEmpty ? "none" : values.map(\.words).joined(separator: ",")
        case .object: "…"
        }
    }

    package init(_ value: SettingValue) {
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
    /// The settings that results depend on, for `run.json`. They can be read back like a pipeline file.
    var record: JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: SettingsSection.all.map { section in
                    if let whole = section.whole { return (section.name, JSONValue(whole.get(self))) }
                    let pairs = section.settings.filter(\.isRecorded).map { ($0.name, JSONValue($0.get(self))) }
                    return (section.name, .object(Dictionary(uniqueKeysWithValues: pairs)))
                }))
    }
}
