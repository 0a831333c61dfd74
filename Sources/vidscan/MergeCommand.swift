internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanResults

struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Joins the segments of a long video, analysed separately, into one result.",
        discussion: """
            The result is identical, byte for byte, to that of a single run over the whole video: identities, cuts and \
            events are determined here, over all segments. Analyse the segments with 'vidscan analyze --segment' and the \
            same settings, on any machines. The inputs are kept; delete them when you have the result. Segments of \
            several videos give one result per video.

            EXAMPLES
              for k in 0 1 2 3; do vidscan analyze day.mp4 --segment $k/4; done
              vidscan merge day.mp4.part-*-of-4
              vidscan merge segments/* --output results
            """)

    @Argument(help: .value("segment", "Folders made by 'vidscan analyze --segment', in any order."))
    var segments: [String]

    @Option(name: .shortAndLong, help: .of("write.folder"))
    var output: String?

    @Flag(help: .of("write.replace"))
    var force = false

    @OptionGroup(title: MessageSettings.title)
    var messages: MessageArguments

    func run() async throws {
        let reporter = try messages.makeReporter()
        let sets = try ExitStatus.someFailed.onError(reporter) { try SegmentMerger.sets(of: segments) }
        let merger = SegmentMerger(observer: reporter, addition: VideoAndPage())
        try await CommandWork.run(reporter) {
            var notes = ResultNotes(inputCount: sets.count, reporter)
            let failures = try await CommandWork.each(of: sets.map(\.name), reporter) { name, position in
                let set = sets[position]
                let summary = try await merger.run(
                    set, resultPath: ResultPaths.path(of: set.resultName, folder: output), replaces: force)
                reporter.delivered(name, summary: summary)
                notes.add(summary, input: name)
            }
            notes.finish()
            return failures
        }
    }
}
