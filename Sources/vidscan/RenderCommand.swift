internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanFaces
internal import VidscanPeople
internal import VidscanRender
internal import VidscanResults
internal import VidscanVerify

struct RenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Makes a video from a finished result, with faces marked, decorated or hidden.",
        discussion: """
            Reads the result and its video; no face is detected again. The new video has the same frames, upright and \
            with square pixels, with their times from 0 on. Audio and subtitles are copied unchanged; if faces are \
            hidden, the sound is encoded again and subtitles are left out. The video is written to the result's folder as overlay.mp4 or anonymized.mp4 (.mkv if MP4 cannot \
            contain the audio or the subtitles), and appears only when it is complete. A picture becomes a picture. Faces can be \
            hidden only in results of 'vidscan analyze --anonymize --tables', which analyses every frame.

            --keep and --hide choose people by the person_id in tracks.csv, which the report shows too. A face is \
            hidden in case of doubt: if its person_confidence is low, it overlaps a hidden face by a twentieth, a cut is near, \
            or two people may have swapped places. The last line, and a record beside the video, count these frames. \
            --keep-photo and --hide-photo choose people by photographs of them, if the result has face embeddings \
            ('vidscan analyze --people'). If nobody in the video looks like them, no video is made.

            EXAMPLES
              vidscan render movie.mp4.vidscan
              vidscan render movie.mp4.vidscan --show box,id,trail -o marked.mp4
              vidscan render movie.mp4.vidscan --sticker hat.png --sticker-place face
              vidscan render movie.mp4.vidscan --anonymize pixelate --keep 2
              vidscan render movie.mp4.vidscan --anonymize blur --keep-photo anna.jpg
            """)

    @Argument(help: .value("result", "Result folders of 'vidscan analyze'.")) var results: [String]

    @Option(
        "file", "The new video: .mp4, .mov or .mkv, or .jpg or .png for a picture. Default: in the result's folder.",
        name: .shortAndLong)
    var output: String?

    @Option("file", "The source video, if it has moved.") var input: String?
    @Flag(help: "Replace an existing video.") var force = false
    @Flag(help: "Use the source video even if it has changed since the analysis.") var changedSource = false

    @Option(
        "name|file",
        "Take what to draw and hide from a pipeline: a shipped one or a YAML file. Options given here override it.")
    var pipeline: String?

    @OptionGroup(title: DrawingSettings.title) var drawing: SettingArguments<DrawingSettings>
    @OptionGroup(title: HidingSettings.title) var hiding: SettingArguments<HidingSettings>
    @OptionGroup(title: VisibilitySettings.title) var visibility: SettingArguments<VisibilitySettings>

    @Option("file", "Keep the people in photographs visible, and hide everybody else. Can be repeated.")
    var keepPhoto: [String] = []

    @Option("file", "Hide the people in photographs, and everybody who might be one of them. Can be repeated.")
    var hidePhoto: [String] = []

    @OptionGroup(title: EncodingSettings.title) var encoding: SettingArguments<EncodingSettings>
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        try refuse(
            if: results.count > 1 && (output != nil || input != nil), "--output and --input work with one result only.")
    }

    func run() async throws {
        let file = try pipeline.map { try PipelineLibrary.load($0, filters: .keep) }
        let (keepsByPhoto, hidesByPhoto) = (!keepPhoto.isEmpty, !hidePhoto.isEmpty)
        let settings = try ResolvedSettings(
            workers: 1, file: file,
            overrides: drawing.overrides + hiding.overrides + visibility.overrides + encoding.overrides
                + messages.overrides, choosesByPhoto: keepsByPhoto || hidesByPhoto
        ).settings
        var options = settings.render.options(isRequested: true) ?? RenderOptions()
        let (hides, people) = (options.anonymize != nil, settings.render)
        try refuse(
            if: hides && changedSource,
            "--changed-source and --anonymize cannot be used together: faces may have moved.")
        try refuse(if: !hides && (keepsByPhoto || hidesByPhoto), "--keep-photo and --hide-photo need --anonymize.")
        try refuse(
            if: keepsByPhoto && (hidesByPhoto || people.hiddenPeople != nil),
            "--keep-photo cannot be used with --hide-photo or --hide.")
        try refuse(if: hidesByPhoto && people.keptPeople != nil, "--hide-photo cannot be used with --keep.")
        try refuse(
            if: results.count > 1 && people.namesSomebody,
            "--keep and --hide work with one result only: in another one, the numbers are other people.")
        try refuse(if: output != nil && people.publishFolder != nil, "--publish and --output cannot be used together.")
        options.acceptsChangedSource = changedSource
        let reporter = ConsoleReporter(settings.messages)
        let publisher = try ExitStatus.usage.onError(reporter) {
            let originals = results.compactMap { try? StoredResult(path: $0, needsTables: false).record.input.path }
            return try Publisher(settings, reporter.log, replaces: force, sources: results + originals)
        }
        try await CommandWork.run(reporter, publisher: publisher) { [options] in
            var photos: [FaceEmbedding] = []
            if keepsByPhoto || hidesByPhoto {
                let models = try ModelStore()
                for path in keepPhoto + hidePhoto {
                    photos.append(try await FacePhoto.embedding(of: path, models: models))
                }
            }
            return try await CommandWork.each(of: results, reporter) { result, _ in
                var options = options
                if !photos.isEmpty {
                    let search = try PhotoSearch(result: result)
                    let named = options.anonymize?.visible.namedPeople ?? []
                    options.anonymize?.visible.people =
                        keepsByPhoto
                        ? .only(named.union(try search.certain(photos)))
                        : .allBut(named.union(try search.possible(photos)))
                }
                options = try options.withCovers(beside: result, output: output)
                let summary = try await Renderer(options: options, observer: reporter).run(
                    resultPath: result, input: input, outputPath: output, replaces: force)
                reporter.rendered(result, summary: summary)
                try await publisher?.publish(result, of: result)
            }
        }
    }
}

struct VerifyCommand: ReportingCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument { case text, csv, json }

    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Searches a finished video for faces that may still be visible.",
        discussion: """
            An independent check of a video before you pass it on. All its video streams and cover pictures are searched \
            at several scales, with detectors that 'vidscan analyze' does not use, and no table is read. Prints the times \
            at which a face may be visible for two frames or more. People whom you kept visible are not listed, if the \
            record beside the video is that of the same video. For a folder, the videos with hidden faces of all \
            results in it are searched; without results, all videos.

            Exits with status 1 if a face may be visible, and with 2 if something was not searched: a damaged part, \
            subtitles that are pictures, or an attachment.

            Nothing is written unless you ask for it: --page makes a page with a picture of each finding, which shows \
            these faces: remove it before you pass on the folder. --reviewed writes the findings to a file, in which you \
            mark those that may stay; with the file, the same video passes.

            EXAMPLES
              vidscan verify street.mp4.vidscan/anonymized.mp4
              vidscan verify street.mp4 --page
              vidscan verify street.mp4 --format csv > faces.csv
              vidscan verify street.mp4 --reviewed street.reviewed.json
            """)

    @Argument(help: .value("input", "Videos or pictures.")) var inputs: [String]
    @Option(help: "What to print for each face: text, csv or json.") var format: Format = .text
    @Flag(help: "Write a page with a picture of each finding, INPUT.verify.html.") var page = false

    @Option("file", "The page; implies --page. Default: INPUT.verify.html beside the input.", name: .shortAndLong)
    var output: String?

    @Flag(help: "Replace an existing page.") var force = false

    @Option("score", "Minimum score of a face, 0.1 to 0.9. A lower one finds more faces, and raises more false alarms.")
    var minScore = FaceSearch.confirmedScore

    @Flag(help: "Search every frame, and list every face that is seen in one. Takes three times as long.")
    var everyFrame = false

    @Option(
        "file",
        "Leave out findings marked as reviewed in this file; if it does not exist, write it. It is valid for this very"
            + " video only.")
    var reviewed: String?

    @Option("count", "Frames searched in parallel. Default: one per core.") var workers: Int?
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        try requirePage(output)
        try refuse(if: !(0.1...0.9).contains(minScore), "--min-score must be 0.1 to 0.9.")
        try refuse(if: !(1...256).contains(workers ?? 1), "--workers must be 1 to 256.")
    }

    func work(_ reporter: ConsoleReporter) async throws -> Int {
        let videos = inputs.flatMap(Self.videos)
        try refuse(if: videos.count > 1 && output != nil, "--output works with one input only.")
        try refuse(if: videos.count > 1 && format != .text, "--format \(format.rawValue) works with one input only.")
        try refuse(if: videos.count > 1 && reviewed != nil, "--reviewed works with one input only.")
        var options = Verification.Options()
        options.minimumScore = minScore
        if let workers { options.workers = workers }
        options.keepsPictures = page || output != nil
        options.isThorough = everyFrame
        let verification = try Verification(models: try ModelStore.verificationFolder(), options: options)
        var withFaces = 0
        let failures = try await CommandWork.each(of: videos, reporter) { input, _ in
            try require(FileSystem.entry(input) != .folder, .result, "has no video with hidden faces", input: input)
            let path = page || output != nil ? output ?? input + ".verify.html" : nil
            if let path { try AtomicFile.checkVacancy(path, replaces: force) }
            let known = try reviewed.flatMap { path throws(VidscanError) in
                FileSystem.entry(path) == nil ? nil : try ReviewedFindings(path: path, for: input)
            }
            var findings = try await verification.run(input, observer: reporter)
            let removed = known.map { findings.remove($0) }
            if let removed {
                reporter.note("\(NumberText.count(removed, "finding")) marked as reviewed", input: input)
            } else if let reviewed, !findings.episodes.isEmpty {
                try ReviewedFindings(findings, of: input).write(to: reviewed)
                reporter.note("look at each finding, and mark in \(reviewed) those that may stay", input: input)
            }
            if !findings.episodes.isEmpty { withFaces += 1 }
            report(findings, reviewed: removed ?? 0, of: input, to: reporter)
            if let path {
                let page = try findings.page(of: input, at: path)
                try AtomicFile.write(page, to: path, replaces: force, source: input)
                reporter.made(.reported, path, from: input)
                if !findings.episodes.isEmpty {
                    reporter.note("the page shows these faces; remove it before you pass on the folder", input: input)
                }
            }
            try require(
                findings.unsearched.isEmpty, .media(.undecodable),
                "not everything was searched, and a face may be visible in the rest: \(findings.unsearchedText)",
                input: input, stage: .decode)
        }
        // An incomplete search is an error, not a finding.
        if failures > 0 { throw ExitStatus.usage }
        return withFaces
    }

    /// A result stands for all videos with hidden faces in it, and another folder for all results, or all videos, in it.
    private static func videos(_ input: String) -> [String] {
        guard FileSystem.entry(input) == .folder else { return [input] }
        let videos = StoredResult.videosWithHiddenFaces(in: input)
        let files = InputFinder().find([input])
        // What cannot be read counts, so that the search is not taken for complete.
        let found = (try? ResultFinder.find(input)) ?? files.inputs.map(\.path) + files.problems.map(\.path)
        let inner = videos.isEmpty ? found.filter { $0 != FilePath.absolute(input) }.flatMap(Self.videos) : videos
        return (inner.isEmpty ? [input] : inner) + files.skipped.map(\.path)
    }

    private func report(
        _ findings: Verification.Findings, reviewed: Int, of input: String, to reporter: ConsoleReporter
    ) {
        let searched =
            "\(NumberText.count(findings.frames, "frame")) searched in \(String(format: "%.1f", findings.wallSeconds)) s"
        let kept = findings.framesWithKeptFaces
        let others =
            kept == 0
            ? "" : "; the record beside it keeps people visible in \(NumberText.count(kept, "frame"))"
        let text =
            findings.episodes.isEmpty
            ? "no \(kept + reviewed == 0 ? "" : "other ")face found\(findings.unsearched.isEmpty ? "" : " in the searched parts")"
            : "a face may be visible in \(NumberText.count(findings.framesWithFaces, "frame"))"
        reporter.log(
            .info, .verified, input: input, "\(text)\(others); \(searched)",
            [
                "frames": findings.frames, "frames_with_faces": findings.framesWithFaces,
                "frames_with_kept_faces": kept, "wall_seconds": findings.wallSeconds,
            ])
        // After the message, which clears the line of the progress.
        switch format {
        case .csv: Output.write(findings.csv)
        case .json: Output.json(findings.json)
        case .text:
            for episode in findings.episodes {
                Output.standard(
                    "\(input): \(findings.place(of: episode)): \(NumberText.count(episode.sightings.count, "frame")), at"
                        + " \(episode.place), score \(String(format: "%.2f", episode.best.score))")
            }
        }
    }
}
