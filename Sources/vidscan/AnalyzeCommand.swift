internal import ArgumentParser
internal import VidscanCore
internal import VidscanPipeline

struct AnalyzeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Finds and follows the faces of videos or pictures, and writes their time series.",
        discussion: """
            Each input gets a folder of its own, INPUT.vidscan/, with faces.csv (one row per face and sampled frame), \
            frames.csv (one row per sampled frame), tracks.csv (one row per face), events.csv (cuts, blinks, smiles, who comes \
            and goes) and run.json (what was done, and to what). It appears only when it \
            is complete.

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
              vidscan analyze day.mp4 --segment 2/7     the third of seven parts; see 'vidscan merge --help'
            """)

    @Argument(help: ArgumentHelp("Videos or pictures.", valueName: "input"))
    var inputs: [String]

    @Option(
        help: ArgumentHelp(
            "Analyse one of several equal parts: its number from 0, and how many. 'vidscan merge' joins them.",
            valueName: "K/N"),
        transform: VideoSegment.init(text:))
    var segment: VideoSegment?

    @OptionGroup
    var settings: SettingOptions

    func validate() throws {
        if inputs.isEmpty { throw ValidationError("Name at least one video or picture.") }
    }

    func run() async throws {
        let configuration: Configuration
        do {
            configuration = try settings.resolve().configuration
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
        let reporter = ConsoleReporter(configuration.messages)
        var options = configuration.analysis
        options.segment = segment
        let models: ModelStore
        do {
            models = try ModelStore(concurrency: options.workers, precision: options.precision)
        } catch {
            reporter.failed(error)
            throw ExitStatus.usage
        }
        let analysis = Analysis(options: options, models: models, observer: reporter)
        let targets = ResultPlaces.plan(inputs: inputs, folder: configuration.output.folder, segment: segment)
        let window = ConsoleReporter.Window(start: options.start, end: options.end, segment: segment)
        try await CommandWork.run(reporter) {
            try await CommandWork.each(of: inputs, window: window, reporter) { input, position in
                let summary = try await analysis.run(
                    input: input, resultPath: targets[position], replaces: configuration.output.replaces)
                reporter.delivered(input, summary: summary)
            }
        }
    }
}

extension VideoSegment {
    /// - Parameter text: `2/7`
    init(text: String) throws {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let index = numbers[0], let count = numbers[1], count > 0 else {
            throw ValidationError("'\(text)' is no part of a number of parts: 2/7.")
        }
        guard let segment = VideoSegment(index: index, count: count) else {
            throw ValidationError("parts are numbered from 0: 0/\(count) to \(count - 1)/\(count).")
        }
        self = segment
    }
}
