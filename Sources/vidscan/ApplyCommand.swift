internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanCorrections
internal import VidscanResults

struct ApplyCommand: AsyncParsableCommand {
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
    @Flag(help: "Replace an existing result at --output.") var force = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        try refuse(
            if: undo && (corrections != nil || output != nil || dryRun || force), "--undo needs the result alone.")
        try refuse(if: !undo && corrections == nil, "Name the file of corrections, or use --undo.")
        if let corrections, ResultFinder.isResult(corrections), !ResultFinder.isResult(result) {
            throw ValidationError("The result comes first: 'vidscan apply \(corrections) \(result)'.")
        }
        try refuse(if: force && output == nil, "--force replaces what is at --output.")
        try refuse(if: dryRun && output != nil, "--dry-run writes nothing, so --output has no use.")
    }

    func run() async throws {
        let reporter = try messages.makeReporter()
        var options = Corrector.Options()
        (options.output, options.replaces, options.isDryRun) = (output, force, dryRun)
        let corrector = Corrector(options: options, model: ModelStore.expressionModel(recordedAs:))
        try await CommandWork.run(reporter) {
            if let corrections, !undo {
                let summary = try await corrector.apply(corrections, to: result)
                if dryRun {
                    for (index, effect) in summary.effects.enumerated() { Output.standard("\(index + 1). \(effect)") }
                } else {
                    reporter.corrected(result, summary: summary)
                }
            } else {
                reporter.corrected(result, summary: try await corrector.undo(result), isUndone: true)
            }
            return 0
        }
    }
}
