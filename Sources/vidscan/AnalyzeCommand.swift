internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanResults

struct AnalyzeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Detects and tracks the faces in videos or pictures and writes their time series.",
        discussion: """
            Each input gets a result folder, INPUT.vidscan/, which appears only when it is complete:

              faces.csv   one row per face and sampled frame
              frames.csv  one row per sampled frame
              tracks.csv  one row per face
              events.csv  cuts, blinks, smiles, faces that appear and disappear
              run.json    the input, the settings, and the software that was used

            EXAMPLES
              vidscan analyze movie.mp4
              vidscan analyze interview.mov --rate 12 --format csv,json
              vidscan analyze match.mkv --start 1:02:00 --end 1:05:30 --every-frame
              vidscan analyze crowd.mp4 --faces small --accuracy high
              vidscan analyze dark.mp4 --filter eq=brightness=0.1 --filter hqdn3d
              vidscan analyze lobby.mp4 --pipeline thorough
              vidscan analyze movie.mp4 --overlay --style full --report
              vidscan analyze street.mp4 --anonymize blur
              vidscan analyze a.mp4 b.mov c.jpg --output results
              vidscan analyze day.mp4 --segment 2/7
            """)

    @Argument(help: .value("input", "Videos or pictures."))
    var inputs: [String]

    @Option(
        help: .value("K/N", "Analyse segment K of N equal ones, counted from 0. 'vidscan merge' joins their results."),
        transform: VideoSegment.init(text:))
    var segment: VideoSegment?

    @OptionGroup
    var options: SettingOptions

    func run() async throws {
        let resolved = try ExitStatus.usage.onError {
            let resolved = try options.resolve(isOneVideo: inputs.count == 1)
            if segment != nil, resolved.settings.render.namesSomebody {
                throw SettingsError(
                    "people are known only after the segments are merged: use --keep and --hide with 'vidscan render'.")
            }
            return resolved
        }
        var settings = resolved.settings
        let reporter = ConsoleReporter(settings.messages)
        for notice in resolved.notices { reporter.note(notice) }
        settings.segment = segment
        let models = try ExitStatus.usage.onError(reporter) { try ModelStore() }
        models.keepUntilExit()
        let analysis = Analysis(
            settings: settings, models: models, observer: reporter, addition: VideoAndPage())
        let targets = ResultPaths.plan(inputs: inputs, folder: settings.write.folder, segment: segment)
        let window = ConsoleReporter.Window(start: settings.sample.start, end: settings.sample.end, segment: segment)
        let replaces = settings.write.replaces
        try await CommandWork.run(reporter) {
            var notes = ResultNotes(inputCount: inputs.count, reporter)
            let failures = try await CommandWork.each(of: inputs, window: window, reporter) { input, position in
                let summary = try await analysis.run(
                    input: input, resultPath: targets[position], replaces: replaces)
                reporter.delivered(input, summary: summary)
                notes.add(summary, input: input)
            }
            notes.finish()
            return failures
        }
    }
}

extension VideoSegment {
    /// `2/7`
    init(text: String) throws {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let index = numbers[0], let count = numbers[1], count > 0 else {
            throw ValidationError("it must be a segment and the number of segments, such as 2/7.")
        }
        guard let segment = VideoSegment(index: index, count: count) else {
            throw ValidationError("segments are numbered from 0: 0/\(count) to \(count - 1)/\(count).")
        }
        self = segment
    }
}
