internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The settings of a run and the origin of each value: a default, a file that overrides it, or an option.
package struct ResolvedSettings: Sendable {
    package enum Origin: Sendable, Equatable, CustomStringConvertible {
        case `default`
        case file(String, TextPosition)
        /// `--rate`
        case option(String)
        /// Implied by another setting, such as `render.anonymize`.
        case implied(String)

        package var description: String {
            switch self {
            case .default: "default"
            case .file(let path, let position): "\(path):\(position.line)"
            case .option(let name): "option \(name)"
            case .implied(let path): "by \(path)"
            }
        }
    }

    /// A value that a pipeline file or a command-line option sets.
    package struct Override: Sendable {
        package let setting: Setting
        package let value: SettingValue
        let origin: Origin
    }

    package internal(set) var settings: Settings
    package private(set) var notices: [String] = []
    var origins: [String: Origin] = [:]

    /// Throws `PipelineFileError` or `SettingsError` for contradictory values. `workers`: unless something sets them.
    /// `choosesByPhoto`: photographs choose who stays visible.
    package init(
        workers: Int, file: PipelineFile? = nil, overrides: [Override] = [], choosesByPhoto: Bool = false
    ) throws {
        settings = Settings(workers: workers)
        for override in (file?.settings ?? []) + overrides {
            override.setting.set(override.absoluteValue, &settings)
            origins[override.setting.path] = override.origin
        }
        try complete(choosesByPhoto: choosesByPhoto)
    }

    /// Checks a program's settings, and adds what they imply. Throws if values are out of range or contradictory.
    package init(_ settings: Settings) throws {
        self.settings = settings
        for setting in Setting.all where !setting.kind.allows(setting.get(settings)) {
            throw SettingsError("'\(setting.path)' must be \(setting.kind.allowed)")
        }
        try complete()
    }

    private mutating func complete(choosesByPhoto: Bool = false) throws {
        try checkHiding()
        try checkVisibility(choosesByPhoto: choosesByPhoto)
        try checkEmbeddings()
        try checkTables()
        try addImplied()
        try checkOutputs()
        try checkOrder()
    }

    package func origin(of setting: Setting) -> Origin { origins[setting.path] ?? .default }

    /// Sets the values that other settings imply. Throws if an option asks for less than that.
    private mutating func addImplied() throws {
        addSilence()
        if settings.render.anonymize != nil { try addHiding() }
        if isOption("render.style"), isFile("render.show") {
            (settings.render.show, origins["render.show"]) = (nil, .implied("render.style"))
        }
        // Whether a face smiles follows from its smile, under another name.
        if settings.measure.metrics.contains(.smile) { settings.measure.metrics.insert(.hasSmile) }
        if settings.rendering?.needsLandmarks == true, !settings.write.landmarks {
            settings.write.landmarks = true
            origins["write.landmarks"] = .implied("render")
        }
    }

    /// An option that hides faces or leaves out the sound overrides a file that asks who speaks.
    private mutating func addSilence() {
        guard settings.speech, case .file? = origins["speech"] else { return }
        let reasons = [
            ("render.anonymize", settings.render.anonymize != nil),
            ("render.audio", !settings.render.video.copiesAudio),
        ]
        for (path, holds) in reasons where holds {
            guard case .option(let option)? = origins[path] else { continue }
            settings.speech = false
            origins["speech"] = .implied(path)
            notices.append("who speaks is not written, because of \(option); --speech asks for it")
            return
        }
    }

    /// Sets the values without which faces would stay visible; leaves out what nobody wants beside a video to pass on.
    private mutating func addHiding() throws {
        var thorough = settings
        thorough.detectThoroughly()
        var raised: [String] = []
        for setting in Setting.all {
            let (asked, needed) = (setting.get(settings), setting.get(thorough))
            guard asked != needed else { continue }
            switch origin(of: setting) {
            case .option: throw tooWeak(setting, needed: needed)
            case .file: raised.append("\(setting.path) from \(asked.yaml) to \(needed.yaml)")
            case .default, .implied: break
            }
            origins[setting.path] = .implied("render.anonymize")
        }
        settings = thorough
        if !raised.isEmpty {
            notices.append("hiding faces changes settings of the pipeline: \(raised.joined(separator: ", "))")
        }
        guard settings.write.tables == nil else { return }
        settings.write.tables = asksForTables
        origins["write.tables"] = .implied("render.anonymize")
        // Only tables and drawings show them.
        if !asksForTables, settings.rendering?.overlay == nil, !settings.measure.metrics.isEmpty {
            settings.measure.metrics = []
            origins["measure.metrics"] = .implied("render.anonymize")
        }
    }
}

extension ResolvedSettings.Override {
    /// Throws if the setting does not exist or does not accept the value.
    package init(_ path: String, _ value: SettingValue, option: String) throws(SettingsError) {
        guard let setting = Setting.at(path) else { throw SettingsError("there is no setting '\(path)'") }
        guard setting.kind.allows(value) else { throw SettingsError("\(option): allowed: \(setting.kind.allowed)") }
        self.init(setting: setting, value: value, origin: .option(option))
    }

    package var option: String? { if case .option(let name) = origin { name } else { nil } }

    /// With an absolute path for a file, so that it means the same wherever it is read again. A relative path is relative
    /// to the folder of the pipeline file, or to the current folder on the command line.
    fileprivate var absoluteValue: SettingValue {
        guard setting.kind == .file, var path = value.text, !FilePath.isAbsolute(path) else { return value }
        if case .file(let file, _) = origin { path = FilePath.sibling(of: file, named: path) }
        return .text(FilePath.isAbsolute(path) ? path : FilePath.joining(FilePath.currentFolder, path))
    }
}

/// A contradiction between settings, or a value out of its range, described in one line.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
