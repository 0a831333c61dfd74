public import VidscanBase
internal import VidscanResults

/// Everything except the input that a result depends on: the version, the settings and the models. `Settings.digest` is its
/// digest.
public struct Configuration: Sendable {
    private let version: String
    /// The settings that results depend on, by section.
    private let settings: JSONValue
    /// SHA-256 by file name.
    private let models: [String: String]

    /// - Throws: `VidscanError` if a model is missing.
    public init(_ settings: Settings, models: ModelStore) throws(VidscanError) {
        version = Vidscan.version
        self.settings = settings.record
        self.models = try models.digests()
    }

    /// The configuration that `run.json` of a result records.
    ///
    /// - Throws: `VidscanError` if it cannot be read.
    public init(resultPath: String) throws(VidscanError) {
        let record = try RecordFile.decode(RunRecord.self, folder: resultPath, name: "run.json")
        version = record.vidscanVersion
        settings = record.pipeline.all
        models = record.models
    }

    /// What is different in a newer configuration, for example `vidscan 0.1.0 → 0.2.0`, `sample.rate 5 → every-frame`.
    public func changes(to newer: Configuration) -> [String] {
        var changes = version == newer.version ? [] : ["vidscan \(version) → \(newer.version)"]
        let (before, after) = (Self.values(settings), Self.values(newer.settings))
        for path in after.keys.sorted() where before[path] != after[path] {
            // A setting that the older version did not have is part of the new version.
            guard let old = before[path], let new = after[path] else { continue }
            changes.append("\(path) \(old) → \(new)")
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
                values[section] = text(value)
                continue
            }
            for (name, value) in members { values["\(section).\(name)"] = text(value) }
        }
        return values
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "none"
        case .flag(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): NumberText.plain(value)
        case .text(let text): text
        case .list(let values): values.isEmpty ? "none" : values.map(text).joined(separator: ",")
        case .object: "…"
        }
    }
}
