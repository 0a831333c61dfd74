internal import ArgumentParser
internal import VidscanBase
internal import VidscanExport

struct InteractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interact",
        abstract:
            "Compares the people of a finished result in pairs: who follows whom, who looks at whom, who interrupts.",
        discussion: """
            Writes dyads.csv: for two people who are in sight together for at least \
            \(NumberText.plain(InteractionAnalysis.minimumSeconds)) s, one row per measure, with the time for which it is \
            known.

              turns, gaps, overlaps, interruptions   if the result says who speaks
              synchrony                              of smiles, brows, head and speech: how similar, how much later, and \
            how similar by chance
              looks_at, mutual_gaze                  who looks in whose direction

            'vidscan schema dyads.csv' explains the columns. Analyse the video with at least --rate 12.

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
