internal import ArgumentParser
internal import Foundation
internal import VidscanPipeline

/// Everything that a run can be told, by a pipeline and by options.
struct SettingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take settings from a shipped pipeline, a YAML file, or the run.json of an earlier run. Options given here"
                + " override it.", valueName: "name|file"))
    var pipeline: String?

    @OptionGroup(title: "What to write")
    var output: OutputArguments

    @OptionGroup(title: "Which frames")
    var video: VideoOptions

    @OptionGroup(title: "Which faces")
    var faces: FaceOptions

    @OptionGroup(title: "What else to make")
    var making: MakingOptions

    @OptionGroup(title: "What to draw")
    var drawing: DrawingOptions

    @OptionGroup(title: "What to hide")
    var hiding: HidingOptions

    @OptionGroup(title: "How to code the video")
    var coding: CodingOptions

    @OptionGroup(title: "What to tell")
    var messages: MessageArguments

    /// - Parameter named: takes the place of `pipeline`.
    /// - Throws: `PipelineFileError`, `ConfigurationError`.
    func resolve(named: String? = nil) throws -> ResolvedConfiguration {
        let file = try (named ?? pipeline).map {
            try PipelineLibrary.load($0, allowsFileFilters: video.filtering.allowFileFilters)
        }
        return try ResolvedConfiguration(
            workers: max(1, ProcessInfo.processInfo.activeProcessorCount), file: file,
            overrides: output.overrides() + video.overrides() + faces.overrides() + making.overrides()
                + drawing.overrides() + hiding.overrides() + coding.overrides() + messages.overrides())
    }
}
