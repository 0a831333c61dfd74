internal import VidscanResults
internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanMedia

typealias SettingOptions = SettingOptionGroups<OutputSettings>

/// All settings of a run, from a pipeline and from options.
struct SettingOptionGroups<Output: SettingSelection>: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take settings from a pipeline: a shipped one, a YAML file, or the run.json of an earlier run. Options given"
                + " here override it.", valueName: "name|file"))
    var pipeline: String?

    @OptionGroup(title: Output.title)
    var output: SettingArguments<Output>

    @OptionGroup(title: FrameSettings.title)
    var video: VideoOptions

    @OptionGroup(title: FaceSettings.title)
    var faces: SettingArguments<FaceSettings>

    @OptionGroup(title: ExtraSettings.title)
    var extras: SettingArguments<ExtraSettings>

    @OptionGroup(title: DrawingSettings.title)
    var drawing: SettingArguments<DrawingSettings>

    @OptionGroup(title: HidingSettings.title)
    var hiding: SettingArguments<HidingSettings>

    @OptionGroup(title: VisibilitySettings.title)
    var visibility: SettingArguments<VisibilitySettings>

    @OptionGroup(title: EncodingSettings.title)
    var encoding: SettingArguments<EncodingSettings>

    @OptionGroup(title: MessageSettings.title)
    var messages: MessageArguments

    /// Resolves the settings.
    ///
    /// - Parameters:
    ///   - named: The name or path of a pipeline, which replaces `pipeline`.
    ///   - isOneVideo: Whether the settings are for one video, whose people they may name by number.
    /// - Throws: `PipelineFileError`, `SettingsError`, or `ValidationError` for a filter.
    func resolve(named: String? = nil, isOneVideo: Bool = false) throws -> ResolvedSettings {
        let file = try (named ?? pipeline).map {
            try PipelineLibrary.load($0, allowsFileFilters: video.filters.allowFileFilters)
        }
        let resolved = try ResolvedSettings(
            workers: max(1, ProcessInfo.processInfo.activeProcessorCount), file: file,
            overrides: output.overrides + video.overrides() + faces.overrides + extras.overrides + drawing.overrides
                + hiding.overrides + visibility.overrides + encoding.overrides + messages.overrides())
        if !isOneVideo, resolved.settings.render.namesSomebody {
            throw SettingsError(
                "--keep, --hide, --keep-face and --hide-face name people of one video, and in another one the same"
                    + " numbers are other people: use them with 'vidscan analyze' or 'vidscan render', one video at a"
                    + " time.")
        }
        return resolved
    }
}

/// The frames of a video to analyse, and the filters to apply to them.
struct VideoOptions: ParsableArguments {
    @OptionGroup
    var frames: SettingArguments<FrameSettings>

    @OptionGroup
    var filters: FilterOptions

    func overrides() throws -> [ResolvedSettings.Override] { frames.overrides + (try filters.overrides()) }
}

/// The filters. The steps stay text until the whole command line is parsed, because only `--allow-file-filters` can
/// permit filters to access files.
struct FilterOptions: ParsableArguments {
    @Option(name: .customLong("filter"), help: .of("filters"))
    var steps: [String] = []

    @Flag(help: "Allow filters to access files, the network and devices.")
    var allowFileFilters = false

    func overrides() throws -> [ResolvedSettings.Override] {
        guard !steps.isEmpty else { return [] }
        do {
            let chain = try FilterChain(steps: steps, allowsFiles: allowFileFilters)
            return [try ResolvedSettings.Override("filters", .filters(chain), option: "--filter")]
        } catch let error as MediaError {
            throw ValidationError("--filter: \(error.message)")
        }
    }

    func validate() throws { _ = try overrides() }
}
