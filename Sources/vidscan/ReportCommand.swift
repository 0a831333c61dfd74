internal import ArgumentParser
internal import VidscanPipeline

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes a page that shows a finished result: faces, timeline, curves, events.",
        discussion: """
            One HTML file that needs nothing else and reaches for nothing: it can be mailed, or opened years later. It \
            goes into the result's folder as report.html. Several results get a page each, and an index of them.

            EXAMPLES
              vidscan report movie.mp4.vidscan
              vidscan report movie.mp4.vidscan --no-thumbnails --output numbers.html
              vidscan report results/*.vidscan --output results/index.html
            """)

    @Argument(help: ArgumentHelp("Folders that 'vidscan analyze' has made.", valueName: "result"))
    var results: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The page; of several results, the index. Default: report.html in the result's folder, index.html here.",
            valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("The video, if it lies elsewhere now.", valueName: "file"))
    var input: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Show pictures of faces, or none; without them the video is not needed. Default: shown, unless faces are hidden."
    )
    var thumbnails: Bool?

    @Flag(help: "Replace pages that are there already.")
    var force = false

    @Flag(help: "Take the video though it has changed since it was analysed.")
    var changedSource = false

    @OptionGroup(title: "What to tell")
    var messages: MessageArguments

    func validate() throws {
        if results.isEmpty { throw ValidationError("Name at least one result.") }
        if results.count > 1, input != nil { throw ValidationError("--input goes with one result only.") }
    }

    func run() async throws {
        let reporter = try messages.makeReporter()
        var options = Reporting.Options()
        options.hasThumbnails = thumbnails
        options.acceptsChangedSource = changedSource
        let reporting = Reporting(options: options)
        try await CommandWork.run(reporter) {
            var outcomes: [(result: String, outcome: Result<Reporting.Summary, PipelineError>)] = []
            for result in results {
                do {
                    let summary = try await reporting.run(
                        resultPath: result, input: input, outputPath: results.count == 1 ? output : nil,
                        replaces: force)
                    reporter.reported(result, path: summary.path)
                    outcomes.append((result, .success(summary)))
                } catch let error as PipelineError where error.code != .interrupted {
                    reporter.failed(error)
                    outcomes.append((result, .failure(error)))
                }
            }
            if results.count > 1 {
                let path = output ?? "index.html"
                try Reporting.writeIndex(outcomes, path: path, replaces: force)
                reporter.reported("\(results.count) results", path: path)
            }
            return outcomes.count { if case .failure = $0.outcome { true } else { false } }
        }
    }
}
