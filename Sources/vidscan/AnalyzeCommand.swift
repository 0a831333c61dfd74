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

              faces.csv     one row per face and sampled frame
              frames.csv    one row per sampled frame
              tracks.csv    one row per face
              events.csv    cuts, blinks, smiles, faces that appear and disappear
              episodes.csv  the same as intervals, and what is known of their ends
              quality.csv   one row per person: how much was measured, and why not more
              run.json      the input, the settings, and the software that was used

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

    @Argument(help: .value("input", "Videos or pictures.")) var inputs: [String]

    @Option(
        help: .value("K/N", "Analyse segment K of N equal ones, counted from 0. 'vidscan merge' joins their results."),
        transform: VideoSegment.init(text:))
    var segment: VideoSegment?

    @OptionGroup var options: SettingOptions

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
        let analysis = Analysis(settings: settings, models: models, observer: reporter, addition: VideoAndPage())
        let targets = ResultPaths.plan(inputs: inputs, folder: settings.write.folder, segment: segment)
        let window = ConsoleReporter.Window(start: settings.sample.start, end: settings.sample.end, segment: segment)
        let replaces = settings.write.replaces
        let command = CommandLine.arguments.filter { !inputs.contains($0) }
        try refuse(if: segment != nil && settings.render.publishFolder != nil, "--segment makes no video to --publish.")
        let publisher = try ExitStatus.usage.onError(reporter) { [settings] in try Publisher(settings, reporter.log) }
        try await CommandWork.run(reporter, publisher: publisher) {
            try await CommandWork.deliver(inputs, window: window, reporter) { input, position in
                let outcome = try await analysis.run(
                    input: input, resultPath: targets[position], replaces: replaces, command: command + [input])
                try await publisher?.publish(targets[position], of: input)
                return outcome
            }
        }
    }
}

struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Joins the segments of a long video, analysed separately, into one result.",
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

    @Option(name: .shortAndLong, help: .of("write.folder")) var output: String?
    @Flag(help: .of("write.replace")) var force = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func run() async throws {
        let reporter = try messages.makeReporter()
        let sets = try ExitStatus.someFailed.onError(reporter) { try SegmentMerger.sets(of: segments) }
        let merger = SegmentMerger(observer: reporter, addition: VideoAndPage())
        try await CommandWork.run(reporter) {
            try await CommandWork.deliver(sets.map(\.name), reporter) { _, position in
                let set = sets[position]
                return try await merger.run(
                    set, resultPath: ResultPaths.path(of: set.resultName, folder: output), replaces: force)
            }
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
