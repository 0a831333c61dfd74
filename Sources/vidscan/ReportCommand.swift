internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanCorrections
internal import VidscanRender
internal import VidscanReport
internal import VidscanResults

struct ReportCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes a page from a finished result: the video with faces marked, people, events, curves.",
        discussion: """
            The page is one HTML file, report.html in the result's folder. It plays the video beside it, by its relative \
            path, and loads nothing else: keep both together, and it works from any folder, without a server or a network. \
            With --no-video it needs no video, so you can mail it. Several results get a page each, and an index.

            On the page you can join people, split tracks, give names, exclude times and add notes. Once they are saved, the \
            page gives the commands that put them into the tables.

            If your browser cannot play the video (HEVC, MPEG-2, many .mkv files), --proxy makes a small copy of it that \
            every browser plays. It shows the people in the video too.

            EXAMPLES
              vidscan report movie.mp4.vidscan
              vidscan report movie.mkv.vidscan --proxy
              vidscan report movie.mp4.vidscan --no-video --output page.html
              vidscan report movie.mp4.vidscan --hide-faces --output for-others.html
              vidscan report results/*.vidscan --output results/index.html
            """)

    @Argument(help: .value("result", "Result folders of 'vidscan analyze'.")) var results: [String]

    @Option(
        "file",
        "The page, or for several results the index. Default: report.html in the result's folder, or"
            + " index.html.", name: .shortAndLong)
    var output: String?

    @Option("file", "The source video, if it has moved.") var input: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Show thumbnails of the faces. Default: shown, unless faces are hidden, or --no-video is given and the video is gone."
    )
    var thumbnails: Bool?

    @Option("file", "Play this video instead: a copy with the same times.") var video: String?
    @Flag(help: "Make a page without the video.") var noVideo = false
    @Flag(help: "Make a small copy of the video, proxy.mp4 in the result's folder, and play that.") var proxy = false

    @Flag(
        help: """
            Make a page to pass on: no pictures of faces, no names of files and people; it plays the video with hidden faces, \
            if the result's folder has one.
            """)
    var hideFaces = false

    @Flag(help: "Replace existing pages.") var force = false
    @Flag(help: "Use the source video even if it has changed since the analysis.") var changedSource = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        try requirePage(output)
        try refuse(
            if: results.count > 1 && (input != nil || video != nil), "--input and --video work with one result only.")
        let choices = [(video != nil, "--video"), (noVideo, "--no-video"), (proxy, "--proxy")].filter(\.0).map(\.1)
        try refuse(if: choices.count > 1, "\(choices.joined(separator: " and ")) cannot be used together.")
        try refuse(
            if: hideFaces && video != nil,
            "--hide-faces and --video cannot be used together: the page plays the video with hidden faces.")
        try refuse(if: hideFaces && proxy, "--hide-faces and --proxy cannot be used together: a proxy shows faces.")
        try refuse(if: hideFaces && thumbnails == true, "--hide-faces and --thumbnails cannot be used together.")
    }

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        var options = Report.Options()
        (options.hasThumbnails, options.acceptsChangedSource) = (thumbnails, changedSource)
        options.hidesFaces = hideFaces
        options.video = noVideo ? .none : video.map { .file($0) } ?? .source
        // Before the work, not after it.
        if results.count > 1 { try AtomicFile.checkVacancy(output ?? "index.html", replaces: force) }
        var outcomes: [(result: String, outcome: Result<Report.Summary, VidscanError>)] = []
        for result in results {
            do {
                if proxy { options.video = .file(try await makeProxy(of: result, reporter)) }
                let summary = try await Report(options: options).run(
                    resultPath: result, input: input, outputPath: results.count == 1 ? output : nil, replaces: force)
                reporter.made(.reported, summary.path, from: result)
                if let notice = summary.notice { reporter.warned(result, message: notice) }
                outcomes.append((result, .success(summary)))
            } catch let error as VidscanError where error.code != .interrupted {
                reporter.failed(error)
                outcomes.append((result, .failure(error)))
            }
        }
        if results.count > 1 {
            let path = output ?? "index.html"
            try Report.writeIndex(outcomes, path: path, hidesFaces: hideFaces, replaces: force)
            reporter.made(.reported, path, from: NumberText.count(results.count, "result"))
            if hideFaces {
                reporter.warned(path, message: "its links contain the names of the results and their folders")
            }
        }
        return outcomes.count { if case .failure = $0.outcome { true } else { false } }
    }

    private func makeProxy(of result: String, _ reporter: ConsoleReporter) async throws -> String {
        _ = try StoredResult(path: result).mapToSource()
        let path = result + "/proxy.mp4"
        guard force || FileSystem.entry(path) == nil else { return path }
        var options = RenderOptions.proxy
        options.acceptsChangedSource = changedSource
        let summary = try await Renderer(options: options, observer: reporter).run(
            resultPath: result, input: input, replaces: force)
        reporter.rendered(result, summary: summary)
        return summary.path
    }
}

struct CoversCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "covers", abstract: "Makes a page for covering missed faces by hand.",
        discussion: """
            The page plays the original beside the video with hidden faces, so do not pass it on. Draw a box over a face, \
            a plate, a caption or a screen, go on, and move the box. The page saves your boxes, and gives the command that \
            makes the video again with them.

            EXAMPLES
              vidscan covers street.mp4.vidscan
              vidscan covers street.mp4.vidscan --input /archive/street.mp4
            """)

    @Argument(help: .value("result", "The result folder, with or without tables.")) var result: String

    @Option("file", "The page. Default: NAME.covers.html beside the result.", name: .shortAndLong) var output: String?
    @Option("file", "The source video, if it has moved.") var input: String?

    @Option("file", "The boxes to begin with. Default: NAME.covers.json beside the result, if it exists.")
    var covers: String?

    @Flag(help: "Replace an existing page.") var force = false

    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws { try requirePage(output) }

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        let path = try CoversPage.write(
            resultPath: result, input: input, coversPath: covers, outputPath: output, replaces: force)
        reporter.made(.reported, path, from: result)
        reporter.note(
            "the page plays the original: do not pass it on; open it in a browser, and save when you are done",
            input: result)
        return 0
    }
}

struct ApplyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Applies a file of corrections to the tables of a finished result.",
        discussion: """
            The report page saves corrections: people to join, tracks to split, pseudonyms, detections that are not faces, \
            time ranges to leave out, and notes. They name faces by time and box, so that they also fit another analysis \
            of the same video. The tables keep their columns; run.json records the corrections. A file that \
            does not fit is refused, and nothing is changed.

            The tables as the analysis wrote them are kept in the folder 'original' of the result. Corrections always apply \
            to these: another file replaces the corrections that were applied before, and --undo restores every byte.

            EXAMPLES
              vidscan apply movie.mp4.vidscan corrections.json --dry-run
              vidscan apply movie.mp4.vidscan corrections.json
              vidscan apply movie.mp4.vidscan corrections.json --output corrected
              vidscan apply movie.mp4.vidscan --undo
            """)

    @Argument(help: .value("result", "The result folder of 'vidscan analyze'.")) var result: String
    @Argument(help: .value("corrections", "The file of corrections.")) var corrections: String?

    @Option(
        "folder",
        "Write a corrected copy of the tables to this folder, and leave the result as it is.", name: .shortAndLong)
    var output: String?

    @Flag(help: "Print what each correction does, and change nothing.") var dryRun = false
    @Flag(help: "Restore the tables as the analysis wrote them.") var undo = false
    @Flag(help: "Replace an existing result at --output, and corrected tables that somebody has edited.") var force =
        false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        try refuse(if: undo && (corrections != nil || output != nil || dryRun), "--undo needs the result alone.")
        try refuse(if: !undo && corrections == nil, "Name the file of corrections, or use --undo.")
        if let corrections, ResultFinder.isResult(corrections), !ResultFinder.isResult(result) {
            throw ValidationError("The result comes first: 'vidscan apply \(corrections) \(result)'.")
        }
        try refuse(if: dryRun && output != nil, "--dry-run writes nothing, so --output has no use.")
    }

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        var options = Corrector.Options()
        (options.output, options.replaces, options.isDryRun) = (output, force, dryRun)
        let corrector = Corrector(options: options, model: ModelStore.expressionModel(recordedAs:))
        guard let corrections else {
            reporter.corrected(result, summary: try await corrector.undo(result), isUndone: true)
            return 0
        }
        let summary = try await corrector.apply(corrections, to: result)
        if dryRun {
            for (index, effect) in summary.effects.enumerated() { Output.standard("\(index + 1). \(effect)") }
        } else {
            reporter.corrected(result, summary: summary)
        }
        return 0
    }
}
