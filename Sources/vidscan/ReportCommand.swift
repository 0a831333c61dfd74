internal import ArgumentParser
internal import VidscanBase
internal import VidscanReport

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes a report page from a finished result: faces, timeline, curves, events.",
        discussion: """
            The page is one HTML file, report.html in the result's folder. It loads nothing else, so you can mail it or \
            open it years later. Several results get a page each, and an index.

            EXAMPLES
              vidscan report movie.mp4.vidscan
              vidscan report movie.mp4.vidscan --no-thumbnails --output numbers.html
              vidscan report results/*.vidscan --output results/index.html
            """)

    @Argument(help: ArgumentHelp("Result folders of 'vidscan analyze'.", valueName: "result"))
    var results: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The page, or for several results the index. Default: report.html in the result's folder, or index.html.",
            valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("The source video, if it has moved.", valueName: "file"))
    var input: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Show thumbnails of the faces; without them, the video is not needed. Default: shown, unless faces are hidden."
    )
    var thumbnails: Bool?

    @Flag(help: "Replace existing pages.")
    var force = false

    @Flag(help: "Use the source video even if it has changed since the analysis.")
    var changedSource = false

    @OptionGroup(title: MessageSettings.title)
    var messages: MessageArguments

    func validate() throws {
        if results.isEmpty { throw ValidationError("Name at least one result.") }
        if results.count > 1, input != nil { throw ValidationError("--input works with one result only.") }
    }

    func run() async throws {
        let reporter = try messages.makeReporter()
        var options = Reporting.Options()
        options.hasThumbnails = thumbnails
        options.acceptsChangedSource = changedSource
        let reporting = Reporting(options: options)
        try await CommandWork.run(reporter) {
            var outcomes: [(result: String, outcome: Result<Reporting.Summary, VidscanError>)] = []
            for result in results {
                do {
                    let summary = try await reporting.run(
                        resultPath: result, input: input, outputPath: results.count == 1 ? output : nil,
                        replaces: force)
                    reporter.reported(result, path: summary.path)
                    outcomes.append((result, .success(summary)))
                } catch let error as VidscanError where error.code != .interrupted {
                    reporter.failed(error)
                    outcomes.append((result, .failure(error)))
                }
            }
            if results.count > 1 {
                let path = output ?? "index.html"
                try Reporting.writeIndex(outcomes, path: path, replaces: force)
                reporter.reported(NumberText.count(results.count, "result"), path: path)
            }
            return outcomes.count { if case .failure = $0.outcome { true } else { false } }
        }
    }
}
