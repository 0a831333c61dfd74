internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanFaces
internal import VidscanPeople
internal import VidscanRender
internal import VidscanResults

struct RenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Makes a video from a finished result, with faces marked, decorated or hidden.",
        discussion: """
            Reads the result and its video; no face is detected again. The new video has the same frames at the same \
            times, upright and with square pixels. Audio and subtitles are copied unchanged, except that subtitles are \
            left out if faces are hidden. The video is written to the result's folder as overlay.mp4 or anonymized.mp4 (.mkv if MP4 cannot \
            contain the audio or the subtitles), and appears only when it is complete. A picture becomes a picture. Faces can be \
            hidden only in results of 'vidscan analyze --anonymize --tables', which analyses every frame.

            --keep and --hide choose people by the person_id in tracks.csv, which the report shows too. When in doubt about \
            a face, it is hidden: where its person_confidence is low, it overlaps a hidden face, a cut is near, or two \
            people may have swapped places. The last line, and a record beside the video, say in how many frames. \
            --keep-photo and --hide-photo choose people by photographs of them, if the result has face embeddings \
            ('vidscan analyze --people'). If nobody in the video looks like them, no video is made.

            EXAMPLES
              vidscan render movie.mp4.vidscan
              vidscan render movie.mp4.vidscan --show box,id,trail -o marked.mp4
              vidscan render movie.mp4.vidscan --sticker hat.png --sticker-place face
              vidscan render movie.mp4.vidscan --anonymize pixelate --keep 2
              vidscan render movie.mp4.vidscan --anonymize blur --keep-photo anna.jpg
            """)

    @Argument(help: .value("result", "Result folders of 'vidscan analyze'.")) var results: [String]

    @Option(
        "file",
        "The new video: .mp4, .mov or .mkv, or .jpg or .png for a picture. Default: in the result's"
            + " folder.", name: .shortAndLong)
    var output: String?

    @Option("file", "The source video, if it has moved.") var input: String?
    @Flag(help: "Replace an existing video.") var force = false
    @Flag(help: "Use the source video even if it has changed since the analysis.") var changedSource = false

    @Option(
        "name|file",
        "Take what to draw and hide from a pipeline: a shipped one or a YAML file. Options given here override it.")
    var pipeline: String?

    @OptionGroup(title: DrawingSettings.title) var drawing: SettingArguments<DrawingSettings>
    @OptionGroup(title: HidingSettings.title) var hiding: SettingArguments<HidingSettings>
    @OptionGroup(title: VisibilitySettings.title) var visibility: SettingArguments<VisibilitySettings>

    @Option(help: .value("file", "Keep the people on photographs visible, and hide everybody else. Can be repeated."))
    var keepPhoto: [String] = []

    @Option(
        help: .value(
            "file", "Hide the people on photographs, and everybody who might be one of them. Can be repeated."))
    var hidePhoto: [String] = []

    @OptionGroup(title: EncodingSettings.title) var encoding: SettingArguments<EncodingSettings>
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        try refuse(
            if: results.count > 1 && (output != nil || input != nil), "--output and --input work with one result only.")
    }

    func run() async throws {
        let settings = try ExitStatus.usage.onError {
            let file = try pipeline.map { try PipelineLibrary.load($0, filters: .keep) }
            return try ResolvedSettings(
                workers: 1, file: file,
                overrides: drawing.overrides + hiding.overrides + visibility.overrides + encoding.overrides
                    + messages.overrides
            ).settings
        }
        var options = settings.render.options(isRequested: true) ?? RenderOptions()
        let (hides, people) = (options.anonymize != nil, settings.render)
        let (keepsByPhoto, hidesByPhoto) = (!keepPhoto.isEmpty, !hidePhoto.isEmpty)
        try refuse(if: !hides && hiding.sets("render.invert"), "--invert needs --anonymize.")
        try refuse(
            if: hides && changedSource,
            "--changed-source and --anonymize cannot be used together: faces may have moved.")
        try refuse(if: !hides && (keepsByPhoto || hidesByPhoto), "--keep-photo and --hide-photo need --anonymize.")
        try refuse(
            if: keepsByPhoto && (hidesByPhoto || people.hiddenPeople != nil),
            "--keep-photo cannot be used with --hide-photo or --hide.")
        try refuse(if: hidesByPhoto && people.keptPeople != nil, "--hide-photo cannot be used with --keep.")
        try refuse(
            if: results.count > 1 && people.namesSomebody,
            "--keep and --hide work with one result only: in another one, the numbers are other people.")
        try refuse(if: output != nil && people.publishFolder != nil, "--publish and --output cannot be used together.")
        options.acceptsChangedSource = changedSource
        let reporter = ConsoleReporter(settings.messages)
        let publisher = try ExitStatus.usage.onError(reporter) {
            try Publisher(settings, reporter.log, replaces: force)
        }
        let models = keepsByPhoto || hidesByPhoto ? try ExitStatus.usage.onError(reporter) { try ModelStore() } : nil
        let requested = options
        try await CommandWork.run(reporter, publisher: publisher) {
            var photos: [FaceEmbedding] = []
            if let models {
                for path in keepPhoto + hidePhoto {
                    photos.append(try await FacePhoto.embedding(of: path, models: models))
                }
            }
            return try await CommandWork.each(of: results, reporter) { result, _ in
                var options = requested
                if !photos.isEmpty {
                    let search = try PhotoSearch(result: result)
                    let named = options.anonymize?.visible.namedPeople ?? []
                    options.anonymize?.visible.people =
                        keepsByPhoto
                        ? .only(named.union(try search.certain(photos)))
                        : .allBut(named.union(try search.possible(photos)))
                }
                let rendering = Renderer(options: try options.withCovers(beside: result), observer: reporter)
                let summary = try await rendering.run(
                    resultPath: result, input: input, outputPath: output, replaces: force)
                reporter.rendered(result, summary: summary)
                try await publisher?.publish(result, of: result)
            }
        }
    }
}
