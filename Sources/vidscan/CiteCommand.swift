internal import ArgumentParser
internal import VidscanExport

struct CiteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cite", abstract: "Prints a paragraph about a finished result for the methods section of a paper.",
        discussion: """
            With version, models, settings, what was measured of each person, and what the scores mean.

            EXAMPLES
              vidscan cite movie.mp4.vidscan
            """)

    @Argument(help: .value("result", "Result folders of 'vidscan analyze'.")) var results: [String]

    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func run() async throws {
        let reporter = try messages.makeReporter()
        try await CommandWork.run(reporter) {
            try await CommandWork.each(of: results, reporter) { result, _ in
                Output.write(try MethodsParagraph.text(resultPath: result) + "\n")
            }
        }
    }
}
