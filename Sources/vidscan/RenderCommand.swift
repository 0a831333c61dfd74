internal import ArgumentParser
internal import VidscanPipeline

struct RenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Makes a video of a finished result: faces marked, decorated or hidden.",
        discussion: """
            Reads the result and the video that it was made of; nothing is detected again. The new video has the same \
            frames at the same times, upright and with square pixels; sound and subtitles are copied as they are, but no \
            subtitles where faces are hidden. It goes into the result's folder as overlay.mp4 or anonymized.mp4 (.mkv \
            where MP4 does not hold the sound or the subtitles), and appears only when it is complete. Faces are hidden \
            only in videos that were analysed by 'vidscan analyze --anonymize', which looks at every frame.

            EXAMPLES
              vidscan render movie.mp4.vidscan
              vidscan render movie.mp4.vidscan --show box,id,trail --crf 18 --output marked.mp4
              vidscan render movie.mp4.vidscan --sticker pipelines/mustache.png --sticker-place mustache
              vidscan render movie.mp4.vidscan --anonymize pixelate --except 3
            """)

    @Argument(help: ArgumentHelp("Folders that 'vidscan analyze' has made.", valueName: "result"))
    var results: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The new video: .mp4, .mov or .mkv. Default: in the result's folder.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("The video, if it lies elsewhere now.", valueName: "file"))
    var input: String?

    @Flag(help: "Replace a video that is there already.")
    var force = false

    @Flag(help: "Take the video though it has changed since it was analysed.")
    var changedSource = false

    @Option(
        help: ArgumentHelp(
            "Take what to draw and hide from a pipeline: a shipped one, or a YAML file. Options given here override it.",
            valueName: "name|file"))
    var pipeline: String?

    @OptionGroup(title: "What to draw")
    var drawing: DrawingOptions

    @OptionGroup(title: "What to hide")
    var hiding: HidingOptions

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Hide these face_ids only.", valueName: "id"))
    var only: [Int] = []

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Do not hide these face_ids.", valueName: "id"))
    var except: [Int] = []

    @OptionGroup(title: "How to code it")
    var coding: CodingOptions

    @OptionGroup(title: "What to tell")
    var messages: MessageArguments

    func validate() throws {
        if results.isEmpty { throw ValidationError("Name at least one result.") }
        if results.count > 1, output != nil || input != nil {
            throw ValidationError("--output and --input go with one result only.")
        }
    }

    func run() async throws {
        let configuration: Configuration
        do {
            let file = try pipeline.map { try PipelineLibrary.load($0, filters: .keep) }
            configuration = try ResolvedConfiguration(
                workers: 1, file: file,
                overrides: drawing.overrides() + hiding.overrides() + coding.overrides() + messages.overrides()
            ).configuration
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
        var options = configuration.render.options(isAskedFor: true) ?? RenderOptions()
        if options.anonymize == nil, hiding.invert || !only.isEmpty || !except.isEmpty {
            throw ValidationError("--invert, --only and --except need --anonymize.")
        }
        if options.anonymize != nil, changedSource {
            throw ValidationError("--changed-source and --anonymize exclude each other: faces may be elsewhere now.")
        }
        if let both = Set(only).intersection(except).min() {
            throw ValidationError("--only and --except both name \(both).")
        }
        options.anonymize?.only = only.isEmpty ? nil : Set(only)
        options.anonymize?.except = Set(except)
        options.acceptsChangedSource = changedSource
        let reporter = ConsoleReporter(configuration.messages)
        let rendering = Rendering(options: options, observer: reporter)
        try await CommandWork.run(reporter) {
            try await CommandWork.each(of: results, reporter) { result, _ in
                let summary = try await rendering.run(
                    resultPath: result, input: input, outputPath: output, replaces: force)
                reporter.rendered(result, summary: summary)
            }
        }
    }
}
