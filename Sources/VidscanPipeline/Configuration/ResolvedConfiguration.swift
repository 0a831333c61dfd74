internal import Foundation
internal import VidscanCore
internal import VidscanMedia

/// A configuration, and where each of its values came from: the default, then the file, then the command line, the last word
/// being the command line's.
public struct ResolvedConfiguration: Sendable {
    public enum Origin: Sendable, Equatable, CustomStringConvertible {
        case preset
        case file(String, TextPosition)
        /// `--rate`
        case option(String)
        /// Follows from another key: `render.anonymize`.
        case implied(String)

        public var description: String {
            switch self {
            case .preset: "default"
            case .file(let path, let position): "\(path):\(position.line)"
            case .option(let name): "option \(name)"
            case .implied(let key): "by \(key)"
            }
        }
    }

    /// A value that an option of the command line gave.
    public struct Override: Sendable {
        public let key: PipelineKey
        public let value: SettingValue
        /// `--rate`
        public let option: String

        /// - Throws: `ConfigurationError` when the value is none of those allowed, or there is no such key.
        public init(_ path: String, _ value: SettingValue, option: String) throws(ConfigurationError) {
            guard let key = PipelineKey.at(path) else { throw ConfigurationError("no key '\(path)'") }
            guard key.kind.allows(value) else {
                let unit =
                    if case .number(_, let unit?) = key.kind, key.kind.range != "positive" { " " + unit } else { "" }
                throw ConfigurationError("\(option) must be \(key.kind.range)\(unit).")
            }
            self.key = key
            self.value = value
            self.option = option
        }
    }

    public private(set) var configuration: Configuration
    private var origins: [String: Origin] = [:]

    /// - Parameters:
    ///   - workers: when nothing else is said.
    ///   - file: `nil` for the defaults.
    /// - Throws: `PipelineFileError` or `ConfigurationError` when values contradict each other.
    public init(workers: Int, file: PipelineFile? = nil, overrides: [Override] = []) throws {
        configuration = Configuration(workers: workers)
        for setting in file?.settings ?? [] {
            setting.key.set(Self.placed(setting.key, setting.value, in: file?.path), &configuration)
            origins[setting.key.path] = .file(file?.path ?? "", setting.position)
        }
        for override in overrides {
            override.key.set(Self.placed(override.key, override.value, in: nil), &configuration)
            origins[override.key.path] = .option(override.option)
        }
        try settle()
        for rule in Rule.all where !rule.holds(configuration) { throw rule.error(origins, configuration) }
    }

    /// Hiding faces asks for all of them, in every frame; a video is made from the tables.
    private mutating func settle() throws(ConfigurationError) {
        if configuration.render.anonymize != nil {
            if configuration.analysis.start != nil || configuration.analysis.end != nil {
                throw ConfigurationError(
                    "--anonymize is for whole videos: --start and --end would leave faces as they are.")
            }
            if configuration.analysis.maximumFaces != nil || configuration.analysis.minimumFace > 0 {
                throw ConfigurationError(
                    "--anonymize hides all faces: --max-faces and --min-face would leave some as they are.")
            }
            if let filters = configuration.analysis.filters,
                let objection = AnonymizationFilters.objection(to: filters.text)
            {
                throw ConfigurationError(
                    "--anonymize hides faces where they are in the video, but \(objection).")
            }
            let before = configuration
            configuration.analysis.lookThoroughly()
            for key in PipelineKey.all where key.value(before) != key.value(configuration) {
                origins[key.path] = .implied("render.anonymize")
            }
        }
        if configuration.render.height.map({ $0 % 2 == 1 }) == true {
            throw ConfigurationError("--height must be even.")
        }
        if let factor = configuration.render.rateFactor {
            let codec = configuration.render.codec
            guard let factors = codec.rateFactors else {
                throw ConfigurationError("\(codec.rawValue) takes no --crf.")
            }
            guard factors.contains(factor) else {
                throw ConfigurationError(
                    "--crf of \(codec.rawValue) must be \(Int(factors.lowerBound)) to \(Int(factors.upperBound)).")
            }
        }
        if configuration.report.isWanted, !configuration.analysis.formats.contains(.csv) {
            throw ConfigurationError("a page is made from the tables: --format must name csv.")
        }
        guard let rendering = configuration.analysis.rendering else { return }
        guard configuration.analysis.formats.contains(.csv) else {
            throw ConfigurationError("a video is made from the tables: --format must name csv.")
        }
        guard rendering.codec.isAvailable else {
            throw ConfigurationError("this FFmpeg has no encoder for \(rendering.codec.rawValue).")
        }
        if configuration.render.anonymize == .sticker, configuration.render.sticker == nil {
            throw ConfigurationError("--anonymize sticker needs --sticker.")
        }
        if rendering.needsLandmarks, !configuration.analysis.writesLandmarks {
            configuration.analysis.writesLandmarks = true
            origins["write.landmarks"] = .implied("render")
        }
    }

    /// A path is relative to the file that names it, on the command line to the current folder; in the configuration it is
    /// absolute, so that it means the same wherever it is read again.
    private static func placed(_ key: PipelineKey, _ value: SettingValue, in file: String?) -> SettingValue {
        guard key.path == "render.sticker", case .text(let path) = value, !(path as NSString).isAbsolutePath else {
            return value
        }
        let folder = file.map { $0.contains("/") ? ($0 as NSString).deletingLastPathComponent : "" } ?? ""
        let below = (folder as NSString).appendingPathComponent(path)
        guard !(below as NSString).isAbsolutePath else { return .text(below) }
        return .text((FileManager.default.currentDirectoryPath as NSString).appendingPathComponent(below))
    }

    public func origin(of key: PipelineKey) -> Origin { origins[key.path] ?? .preset }

    /// The whole configuration as a pipeline file, every value with its origin.
    public var yaml: String {
        var lines: [(text: String, comment: String)] = []
        for stage in PipelineStage.allCases {
            if let whole = stage.keys.first(where: \.name.isEmpty) {
                lines += Self.filterLines(whole.value(configuration), stage, origin(of: whole).description)
                continue
            }
            lines.append(("\(stage.rawValue):", ""))
            for key in stage.keys {
                let value = key.value(configuration)
                let absence = value == .absent ? key.absence.map { ": \($0)" } ?? "" : ""
                lines.append(("  \(key.name): \(Self.yaml(value))", "\(origin(of: key))\(absence)"))
            }
        }
        let width = lines.filter { !$0.comment.isEmpty }.map(\.text.count).filter { $0 < 60 }.max() ?? 0
        return lines.map { line in
            guard !line.comment.isEmpty else { return line.text + "\n" }
            let padding = String(repeating: " ", count: max(0, width - line.text.count))
            return line.text + padding + "  # \(line.comment)\n"
        }.joined()
    }

    private static func filterLines(
        _ value: SettingValue, _ stage: PipelineStage, _ origin: String
    ) -> [(text: String, comment: String)] {
        guard case .filters(let chain) = value else { return [("\(stage.rawValue): []", origin)] }
        return [("\(stage.rawValue):", origin)] + chain.steps.map { ("  - \(quoted($0))", "") }
    }

    fileprivate static func yaml(_ value: SettingValue) -> String {
        switch value {
        case .absent: "null"
        case .flag(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): NumberText.plain(value)
        case .text(let text): isPlain(text) ? text : quoted(text)
        case .list(let names): "[" + names.joined(separator: ", ") + "]"
        case .filters(let chain): quoted(chain.text)
        }
    }

    /// Whether YAML takes it for a text as it stands.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.lowercased() != "null"
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_/.".contains(Character($0)))
            }
            && text.first != "-"
    }

    /// A JSON text is a YAML text.
    private static func quoted(_ text: String) -> String {
        var writer = ByteWriter(reservingCapacity: text.utf8.count + 8)
        writer.writeJSON(text: text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Values that do not go together, in one line.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// Two keys of which one must not be less than the other.
private struct Rule: Sendable {
    let lesser: String
    let greater: String
    /// What must hold, after the greater's name.
    let words: String
    let holds: @Sendable (Configuration) -> Bool

    static let all = [
        Rule(lesser: "sample.start", greater: "sample.end", words: "must come after") {
            guard let end = $0.analysis.end else { return true }
            return end > $0.analysis.start ?? -1
        },
        Rule(lesser: "track.eyes_closed_below", greater: "track.eyes_open_above", words: "must not be less than") {
            $0.analysis.events.eyesClosedBelow <= $0.analysis.events.eyesOpenAbove
        },
        Rule(lesser: "track.smile_until_below", greater: "track.smile_above", words: "must not be less than") {
            $0.analysis.events.smileStopsBelow <= $0.analysis.events.smileStartsAbove
        },
        Rule(lesser: "track.look_back_below", greater: "track.look_away_above", words: "must not be less than") {
            $0.analysis.events.lookBackBelowDegrees <= $0.analysis.events.lookAwayAboveDegrees
        },
    ]

    func error(_ origins: [String: ResolvedConfiguration.Origin], _ configuration: Configuration) -> any Error {
        let places = [greater, lesser].compactMap { path -> (String, TextPosition)? in
            if case .file(let file, let position)? = origins[path] { (file, position) } else { nil }
        }
        let isOption = [greater, lesser].contains {
            if case .option? = origins[$0] { true } else { false }
        }
        guard !isOption, let (file, position) = places.first else {
            let names = [greater, lesser].map { PipelineKey.at($0)?.options.first ?? "'\($0)'" }
            return ConfigurationError("\(names[0]) \(words) \(names[1]).")
        }
        let names = [greater, lesser].map { path in
            "'\(path)' (\(PipelineKey.at(path).map { ResolvedConfiguration.yaml($0.value(configuration)) } ?? ""))"
        }
        let message = "\(names[0]) \(words) \(names[1])"
        return PipelineFileError([PipelineProblem(file: file, position: position, message: message)])
    }
}
