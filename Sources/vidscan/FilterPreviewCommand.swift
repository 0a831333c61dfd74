internal import ArgumentParser
internal import VidscanAnalysis

struct FilterPreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Writes a contact sheet: a frame of a video, before and after each filter.",
        discussion: """
            EXAMPLES
              vidscan filters preview movie.mp4 --at 12.5 --filter hqdn3d -o sheet.png
              vidscan filters preview movie.mp4 --pipeline lobby.yaml -o sheet.png
            """)

    @Argument(help: ArgumentHelp("A video or picture.", valueName: "input"))
    var input: String

    @Option(help: ArgumentHelp("Which frame: seconds or [hh:]mm:ss. Default: the first.", valueName: "time"))
    var at: TimeArgument?

    @Option(name: .shortAndLong, help: ArgumentHelp("The PNG file to write.", valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp("Take the filters from a pipeline.", valueName: "name|file"))
    var pipeline: String?

    @OptionGroup
    var filters: FilterOptions

    @Flag(help: "Mark the faces that are detected after the last filter.")
    var markFaces = false

    @Flag(help: "Replace an existing file.")
    var force = false

    func run() async throws {
        let settings: Settings
        let models: ModelStore?
        do {
            let file = try pipeline.map {
                try PipelineLibrary.load($0, allowsFileFilters: filters.allowFileFilters)
            }
            settings = try ResolvedSettings(workers: 1, file: file, overrides: filters.overrides()).settings
            models = markFaces ? try ModelStore(precision: settings.detect.precision) : nil
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
        do {
            let preview = FilterPreview(
                settings: settings, allowsFileFilters: filters.allowFileFilters, models: models)
            try preview.write(input: input, at: at?.microseconds ?? 0, to: output, replaces: force)
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.someFailed
        }
    }
}
