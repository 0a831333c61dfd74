internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanRender
internal import VidscanReport
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
              faces.record  what corrections and exports are made from
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
        let resolved = try options.resolve(isOneVideo: inputs.count == 1)
        var settings = resolved.settings
        if segment != nil, settings.render.namesSomebody {
            throw SettingsError(
                "people are known only after the segments are merged: use --keep and --hide with 'vidscan render'.")
        }
        settings.segment = segment
        let reporter = ConsoleReporter(settings.messages, analysis: settings)
        for notice in resolved.notices { reporter.note(notice) }
        let models = try ExitStatus.usage.onError(reporter) { try ModelStore() }
        models.keepUntilExit()
        let analysis = Analysis(settings: settings, models: models, observer: reporter, addition: VideoAndPage())
        let targets = ResultPaths.plan(inputs: inputs, folder: settings.write.folder, segment: segment)
        let replaces = settings.write.replaces
        let command = CommandLine.arguments.filter { !inputs.contains($0) }
        try refuse(if: segment != nil && settings.render.publishFolder != nil, "--segment makes no video to --publish.")
        let publisher = try ExitStatus.usage.onError(reporter) { [settings] in
            try Publisher(settings, reporter.log, sources: inputs + targets)
        }
        try await CommandWork.run(reporter, publisher: publisher) {
            try await CommandWork.deliver(inputs, reporter) { input, position in
                let outcome = try await analysis.run(
                    input: input, resultPath: targets[position], replaces: replaces, command: command + [input])
                try await publisher?.publish(targets[position], of: input)
                return outcome
            }
        }
    }
}

struct MergeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Joins the segments of a long video, analysed separately, into one result.",
        discussion: """
            The tables are identical, byte for byte, to those of a single run over the whole video: identities, cuts and \
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
    @Flag(help: "With '--speech': allow the segments' filters to access files, the network and devices.")
    var allowFileFilters = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        let sets = try SegmentMerger.sets(of: segments)
        let merger = SegmentMerger(observer: reporter, addition: VideoAndPage(), allowsFiles: allowFileFilters)
        let command = CommandLine.arguments.filter { !segments.contains($0) }
        return try await CommandWork.deliver(sets.map(\.name), reporter) { _, position in
            let set = sets[position]
            return try await merger.run(
                set, resultPath: ResultPaths.path(of: set.resultName, folder: output), replaces: force,
                command: command)
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

/// The video and the report page that a run makes from its tables.
struct VideoAndPage: ResultAddition {
    func check(_ settings: Settings, resultPath: String) throws {
        if let path = try settings.rendering?.withCovers(beside: resultPath).anonymize?.covers {
            _ = try CoverFile(path: path)
        } else if settings.render.anonymize == nil {
            // The earlier record, which this run replaces, says that covers are needed.
            _ = try CoverFile.path(beside: resultPath)
        }
        // Finds a wrong number before the work.
        if settings.render.namesSomebody { _ = try EarlierPeople(resultPath: resultPath, settings: settings.render) }
    }

    func make(
        _ settings: Settings, in folder: String, resultPath: String, name: String, observer: any RunObserver
    ) async throws -> [String] {
        var outcome: [String] = []
        if settings.render.namesSomebody {
            try EarlierPeople(resultPath: resultPath, settings: settings.render).check(folder)
        }
        if let rendering = try settings.rendering?.withCovers(beside: resultPath) {
            let summary = try await Renderer(options: rendering, observer: observer).run(
                resultPath: folder, name: name, replaces: false, isNew: true)
            outcome = [summary.hidden, summary.visibility?.words, summary.visibility?.reasons].compactMap { $0 }
        }
        if settings.report.page {
            let page = try await page(settings).run(resultPath: folder, replaces: false)
            if let notice = page.notice { observer.warned(name, message: notice) }
        }
        return outcome
    }

    func page(_ settings: Settings) -> Report {
        var options = Report.Options()
        options.hasThumbnails = settings.report.thumbnails
        options.limits = settings.sample.limits
        return Report(options: options)
    }
}

/// The people and faces of an earlier result, by whose numbers a run keeps people visible.
///
/// Numbers depend on the video, the settings and the models. A run may use earlier ones only if it finds the same
/// tracks and gives them the same numbers; otherwise it could show somebody else.
struct EarlierPeople {
    /// Must be equal in both runs.
    private static let columns = ["face_id", "person_id", "person_confidence", "first_time", "last_time", "samples"]

    private let name: String
    private let rows: [[String]]

    init(resultPath: String, settings: Settings.Render) throws(VidscanError) {
        let method = settings.anonymize?.rawValue ?? "blur"
        name = FilePath.relative(resultPath)
        guard FileSystem.entry(resultPath + "/tracks.csv") != nil else {
            let isThere = FileSystem.entry(resultPath) != nil
            throw .result(
                "people are chosen by the person_ids of an earlier result, but"
                    + " \(isThere ? "\(name) has no tracks.csv" : "there is no \(name)"); first run 'vidscan analyze"
                    + " VIDEO --anonymize \(method) --report\(isThere ? " --force" : "")' (with the same"
                    + " --output, if any) and 'vidscan report \(name) --thumbnails --force', see who is who, and repeat"
                    + " this command with --force")
        }
        do throws(VidscanError) {
            let result = try StoredResult(path: resultPath)
            let found = try result.analysed()
            if let options = settings.options()?.anonymize { try AnonymizePreconditions.check(found, for: options) }
            _ = try ChosenFaces(settings.visible, in: FaceTables(hiding: result))
            rows = try Self.rows(of: resultPath)
            try require(
                Self.rows(of: found.name) == rows, .result,
                "has corrections, and a new analysis numbers people and faces without them; use 'vidscan render"
                    + " \(name)' with the same options")
        } catch { throw VidscanError(error.code, "the earlier result \(name) \(error.reason)", stage: .open) }
    }

    /// Throws if this run's unfinished result in the folder numbers people and faces differently.
    func check(_ folder: String) throws(VidscanError) {
        try require(
            Self.rows(of: folder) == rows, .result,
            "this run numbers people differently from the earlier result \(name), so that"
                + " somebody else might stay visible; it was made with other settings, by another version, or on another"
                + " kind of processor: analyse the video again with --anonymize and --report, and choose again",
            stage: .render)
    }

    private static func rows(of folder: String) throws(VidscanError) -> [[String]] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let places = try columns.map(table.column)
        var rows: [[String]] = []
        while try table.next() {
            rows.append(places.map { table.text($0) ?? "" })
            try table.require(rows.count <= ReadLimits.tracks, "is one of more than \(ReadLimits.tracks) faces")
        }
        return rows
    }
}
