internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanMedia
internal import VidscanResults

typealias SettingOptions = SettingOptionGroups<OutputSettings>

struct SettingOptionGroups<Output: SettingSelection>: ParsableArguments {
    @Option(
        "name|file",
        "Take settings from a pipeline: a shipped one, a YAML file, or the run.json of an earlier run. Options given"
            + " here override it.")
    var pipeline: String?

    @OptionGroup(title: Output.title) var output: SettingArguments<Output>
    @OptionGroup(title: FrameSettings.title) var video: VideoOptions
    @OptionGroup(title: FaceSettings.title) var faces: SettingArguments<FaceSettings>
    @OptionGroup(title: ExtraSettings.title) var extras: SettingArguments<ExtraSettings>
    @OptionGroup(title: DrawingSettings.title) var drawing: SettingArguments<DrawingSettings>
    @OptionGroup(title: HidingSettings.title) var hiding: SettingArguments<HidingSettings>
    @OptionGroup(title: VisibilitySettings.title) var visibility: SettingArguments<VisibilitySettings>
    @OptionGroup(title: EncodingSettings.title) var encoding: SettingArguments<EncodingSettings>
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    /// `named` replaces `pipeline`. `isOneVideo`: one video's settings may name people by number.
    func resolve(named: String? = nil, isOneVideo: Bool = false) throws -> ResolvedSettings {
        let file = try (named ?? pipeline).map {
            try PipelineLibrary.load($0, filters: .run(allowsFiles: video.filters.allowFileFilters))
        }
        let resolved = try ResolvedSettings(
            workers: max(1, ProcessInfo.processInfo.activeProcessorCount), file: file,
            overrides: output.overrides + video.overrides() + faces.overrides + extras.overrides + drawing.overrides
                + hiding.overrides + visibility.overrides + encoding.overrides + messages.overrides)
        if !isOneVideo, resolved.settings.render.namesSomebody {
            throw SettingsError(
                "--keep, --hide, --keep-face and --hide-face name people of one video, and in another one the same"
                    + " numbers are other people: use them with 'vidscan analyze' or 'vidscan render', one video at a"
                    + " time.")
        }
        return resolved
    }
}

struct VideoOptions: ParsableArguments {
    @OptionGroup var frames: SettingArguments<FrameSettings>
    @OptionGroup var filters: FilterOptions

    func overrides() throws -> [ResolvedSettings.Override] { frames.overrides + (try filters.overrides()) }
}

/// Filter steps stay text until the command line is parsed: only `--allow-file-filters` permits access to files.
struct FilterOptions: ParsableArguments {
    @Option(name: .customLong("filter"), help: .of("filters")) var steps: [String] = []
    @Flag(help: "Allow filters to access files, the network and devices.") var allowFileFilters = false

    func overrides() throws -> [ResolvedSettings.Override] {
        guard !steps.isEmpty else { return [] }
        do {
            let chain = try FilterChain(steps: steps, allowsFiles: allowFileFilters)
            return [try ResolvedSettings.Override("filters", .filters(chain), option: "--filter")]
        } catch let error as MediaError { throw ValidationError("--filter: \(error.message)") }
    }

    func validate() throws { _ = try overrides() }
}

typealias MessageArguments = SettingArguments<MessageSettings>

extension MessageArguments {
    func options() throws -> MessageOptions { try ResolvedSettings(workers: 1, overrides: overrides).settings.messages }
}

protocol SettingSelection {
    static var group: SettingGroup { get }
    /// Replaces the help of settings, by their paths.
    static var help: [String: String] { get }
}

extension SettingSelection {
    static var title: String { group.rawValue }
    static var help: [String: String] { [:] }
}

enum OutputSettings: SettingSelection { static let group = SettingGroup.output }

/// A batch keeps its journal with the results, so it needs a folder.
enum BatchOutputSettings: SettingSelection {
    static let group = SettingGroup.output
    static let help = [
        "write.folder": "Folder for the results and the journal. Required, unless the pipeline names it.",
        "write.replace":
            "Analyse all files again, also those that are done, and replace results that are not from this batch.",
    ]
}

enum FrameSettings: SettingSelection { static let group = SettingGroup.frames }
enum FaceSettings: SettingSelection { static let group = SettingGroup.faces }
enum ExtraSettings: SettingSelection { static let group = SettingGroup.extras }
enum DrawingSettings: SettingSelection { static let group = SettingGroup.drawing }
enum HidingSettings: SettingSelection { static let group = SettingGroup.hiding }
enum VisibilitySettings: SettingSelection { static let group = SettingGroup.visibility }
enum EncodingSettings: SettingSelection { static let group = SettingGroup.encoding }
enum MessageSettings: SettingSelection { static let group = SettingGroup.messages }

extension SettingKind {
    /// Commas separate the items of a list.
    func parse(word: String) throws -> SettingValue {
        guard isList else { return try parse(word) }
        let items = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for item in items {
            do { _ = try parse(item) } catch {
                let isName = if case .list = self { true } else { false }
                let fault =
                    item.isEmpty ? "an item is empty" : isName ? "there is no '\(item)'" : "'\(item)' is not one"
                throw ValidationError("\(fault); \(error)")
            }
        }
        return .list(items)
    }
}

extension Setting {
    var completion: CompletionKind? {
        switch kind {
        case .choice(let names), .list(let names): .list(names)
        case .folder: .directory
        case .file: .file()
        default: nil
        }
    }
}

/// The help shows the name of the value.
extension Option {
    /// An option that may be left out.
    init<T: ExpressibleByArgument>(_ valueName: String, _ help: String, name: NameSpecification = .long)
    where Value == T? { self.init(name: name, help: .value(valueName, help)) }

    init(wrappedValue: Value, _ valueName: String, _ help: String) where Value: ExpressibleByArgument {
        self.init(wrappedValue: wrappedValue, help: .value(valueName, help))
    }

    /// Can be repeated.
    init<T: ExpressibleByArgument>(wrappedValue: [T], _ valueName: String, _ help: String) where Value == [T] {
        self.init(wrappedValue: wrappedValue, help: .value(valueName, help))
    }
}

extension ArgumentHelp {
    static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp("\(text)", valueName: name) }
    static func of(_ path: String) -> ArgumentHelp { Setting.at(path).map { .of($0) } ?? "" }

    static func of(_ setting: Setting, text: String? = nil) -> ArgumentHelp {
        var text = text ?? setting.helpWithDefault
        if let values = setting.kind.listedValues, !setting.kind.isList || !values.allSatisfy(text.contains) {
            text += " (values: \(values.joined(separator: ", ")))"
        }
        let valueName = setting.options.lazy.compactMap { option -> String? in
            if case .value(let name) = option.form { name } else { nil }
        }.first
        return ArgumentHelp("\(text)", valueName: valueName)
    }
}
