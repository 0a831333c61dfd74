public import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanExport
public import VidscanResults

struct ExportCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a finished result for other programs: ELAN, Praat, players, BIDS, OpenFace and Py-Feat.",
        discussion: """
            Exports the intervals of episodes.csv: when faces are in sight, smile, speak and so on, and the shots. Times are \
            those of the tables, which players and annotation programs show too.

              elan      NAME.eaf: a tier for each person and kind, linked to the video
              vtt       NAME.vtt: captions; NAME.metadata.vtt: boxes as JSON
              textgrid  NAME.TextGrid for Praat
              bids      NAME_events.tsv and its description NAME_events.json
              rttm      NAME.rttm: who speaks when; without --speech, who is in sight
              openface  NAME.openface.csv; with --output FOLDER, NAME.csv, as OpenFace does
              pyfeat    NAME.pyfeat.csv, as 'vidscan analyze --format pyfeat' writes it

            NAME is the video's name without its extension. The video itself is not needed. openface and pyfeat need \
            faces.csv, and an analysis with one of these formats, or with --landmarks and any metrics. A table of \
            several people has a row for each in every sample; scripts for one need --split (NAME.person_1.csv, …).

            EXAMPLES
              vidscan export movie.mp4.vidscan --to elan
              vidscan export movie.mp4.vidscan --to elan,vtt --output annotations/
              vidscan export movie.mp4.vidscan --to textgrid --output movie.TextGrid
              vidscan export results/*.vidscan --to bids --output events/
              vidscan export results/*.vidscan --to openface --split --output processed/
            """)

    @Argument(help: .value("result", "Result folders of 'vidscan analyze'.")) var results: [String]

    @Option(help: .value("formats", "The formats, with commas between them: \(formatNames), or all. Can be repeated."))
    var to: [String] = []

    @Option(
        "path", "A folder, or a file for one result in one format. Default: the result's folder.", name: .shortAndLong)
    var output: String?

    @Option(
        "what",
        "Whose annotations share a tier: person or face. Default: person, and a face without a person has its own.")
    var by: String?

    @Flag(help: "openface, pyfeat: a file for each person, or for each face with --by face.") var split = false

    @Option("how", "Missing values in OpenFace's table: zero or nan (blank). Default: as analysed, or zero.")
    var openfaceBlanks: OpenFaceBlanks?

    @Flag(help: "Replace existing files.") var force = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        if try formats().isEmpty { throw ValidationError("Name a format with --to: \(Self.formatNames).") }
        try refuse(if: grouping == nil, "--by must be person or face.")
    }

    private static var formatNames: String { ExportFormat.allCases.map(\.rawValue).joined(separator: ", ") }
    private var takesAll: Bool { to.contains { $0.split(separator: ",").contains("all") } }

    private func formats() throws -> [ExportFormat] {
        var formats: [ExportFormat] = takesAll ? ExportFormat.allCases : []
        for name in to.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) where name != "all" {
            guard let format = ExportFormat(rawValue: String(name)) else {
                throw ValidationError("--to \(name): the formats are \(Self.formatNames).")
            }
            if !formats.contains(format) { formats.append(format) }
        }
        return formats
    }

    private var grouping: Exporter.Grouping? { Exporter.Grouping(rawValue: by ?? "person") }

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        var options = Exporter.Options(formats: try formats())
        options.grouping = grouping ?? .person
        options.output = output
        options.outputIsFolder = results.count > 1 || options.formats.count > 1 || split
        (options.splitsTables, options.mayLackTables) = (split, takesAll)
        (options.openFaceBlanks, options.replaces) = (openfaceBlanks, force)
        try ExportPlaces.checkNames(
            of: results, endings: options.formats.flatMap { $0.endings(inResult: false) }, in: output)
        let exporter = Exporter(options: options, model: ModelStore.expressionModel(recordedAs:))
        return try await CommandWork.each(of: results, reporter) { result, _ in
            let summary = try await exporter.run(resultPath: result)
            for path in summary.paths { reporter.made(.exported, path, from: result) }
            for note in summary.notes { reporter.note(note, input: result) }
        }
    }
}

extension OpenFaceBlanks: ExpressibleByArgument {}

struct InteractCommand: ReportingCommand {
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
        "path", "A folder, or a file for one result. Default: dyads.csv in the result's folder.", name: .shortAndLong)
    var output: String?

    @Flag(help: "Replace existing files.") var force = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        try ExportPlaces.checkNames(of: results, endings: [".\(ResultFiles.dyads)"], in: output)
        let analysis = InteractionAnalysis(output: output, outputIsFolder: results.count > 1, replaces: force)
        return try await CommandWork.each(of: results, reporter) { result, _ in
            let summary = try await analysis.run(resultPath: result) { reporter.compared($0, of: $1) }
            reporter.made(.exported, summary.path, from: result)
            if summary.pairs == 0 {
                let seconds = NumberText.plain(InteractionAnalysis.minimumSeconds)
                reporter.note("no two people are in sight together for \(seconds) s", input: result)
            }
        }
    }
}

struct CiteCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "cite", abstract: "Prints a paragraph about a finished result for the methods section of a paper.",
        discussion: """
            It names the version, models and settings, says what was measured of each person, and explains the scores.

            EXAMPLES
              vidscan cite movie.mp4.vidscan
            """)

    @Argument(help: .value("result", "Result folders of 'vidscan analyze'.")) var results: [String]
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        try await CommandWork.each(of: results, reporter) { result, _ in
            Output.write(try MethodsParagraph.text(resultPath: result) + "\n")
        }
    }
}
