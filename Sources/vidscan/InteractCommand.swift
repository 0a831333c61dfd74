internal import ArgumentParser
internal import VidscanBase
internal import VidscanExport

struct InteractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interact",
        abstract:
            "Compares the people of a finished result in pairs: who follows whom, who looks at whom, who interrupts.",
        discussion: """
            Writes dyads.csv: one row per pair of people and measure, for people who are in sight together for \
            \(NumberText.plain(InteractionAnalysis.minimumSeconds)) s or more, with the time for which the measure is known.

              *_synchrony            how similarly they move and speak, and who leads
              looks_at, mutual_gaze  who looks in whose direction
              turns, gaps, overlaps_between, overlaps_within, interruptions
                                     if the result says who speaks

            'vidscan schema dyads' explains the columns. Analyse the video with --rate 12 or more.

            EXAMPLES
              vidscan interact interview.mp4.vidscan
              vidscan interact interview.mp4.vidscan --output pair.csv
              vidscan interact results/*.vidscan --output dyads/
            """)

    @Argument(help: .value("result", "Result folders of 'vidscan analyze'.")) var results: [String]

    @Option(
        name: .shortAndLong,
        help: .value("path", "A folder, or a file for one result. Default: dyads.csv in the result's folder."))
    var output: String?

    @Flag(help: "Replace existing files.") var force = false

    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func run() async throws {
        let reporter = try messages.makeReporter()
        var options = InteractionAnalysis.Options()
        options.output = output
        options.outputIsFolder = results.count > 1
        options.replaces = force
        let analysis = InteractionAnalysis(options: options)
        try await CommandWork.run(reporter) {
            try await CommandWork.each(of: results, reporter) { result, _ in
                let summary = try await analysis.run(resultPath: result)
                reporter.made(.exported, summary.path, from: result)
                if summary.pairs == 0 {
                    let seconds = NumberText.plain(InteractionAnalysis.minimumSeconds)
                    reporter.note("no two people are in sight together for \(seconds) s", input: result)
                }
            }
        }
    }
}
