internal import ArgumentParser
internal import VidscanPipeline

struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Joins the parts of a long video, analysed apart, into one result.",
        discussion: """
            The result is the one that a single run over the whole video gives, to the byte: who is who, the cuts and the \
            events are told here, over all parts. The parts stay; delete them when you have the result. Each part was \
            made by 'vidscan analyze --segment' with the same settings, on whatever machine.

            EXAMPLES
              for part in 0 1 2 3; do vidscan analyze day.mp4 --segment $part/4; done
              vidscan merge day.mp4.part-*-of-4
              vidscan merge parts/* --output results    parts of several videos: a result each
            """)

    @Argument(help: ArgumentHelp("Folders that 'vidscan analyze --segment' has made, in any order.", valueName: "part"))
    var parts: [String]

    @Option(name: .shortAndLong, help: .of("write.folder", valueName: "folder"))
    var output: String?

    @Flag(help: .of("write.replace"))
    var force = false

    @OptionGroup(title: "What to tell")
    var messages: MessageArguments

    func validate() throws {
        if parts.isEmpty { throw ValidationError("Name the parts.") }
    }

    func run() async throws {
        let reporter = try messages.makeReporter()
        let sets: [Joining.PartSet]
        do {
            sets = try Joining.sets(of: parts)
        } catch {
            reporter.failed(error)
            throw ExitStatus.someFailed
        }
        let joining = Joining(observer: reporter)
        try await CommandWork.run(reporter) {
            try await CommandWork.each(of: sets.map(\.name), reporter) { name, position in
                let set = sets[position]
                let summary = try await joining.run(
                    set, resultPath: ResultPlaces.place(of: set.resultName, folder: output), replaces: force)
                reporter.delivered(name, summary: summary)
            }
        }
    }
}
