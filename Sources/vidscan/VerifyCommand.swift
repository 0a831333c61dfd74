internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanResults
internal import VidscanVerify

struct VerifyCommand: AsyncParsableCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument { case text, csv, json }

    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Searches a finished video for faces that may still be visible.",
        discussion: """
            An independent check of a video before you pass it on. All its video streams and cover pictures are searched \
            at several scales, with detectors that 'vidscan analyze' does not use, and no table is read. Prints the times \
            at which a face may be visible for two frames or more. People whom you kept visible are not listed, if the \
            record beside the video is that of the same video. For a result folder, its videos with hidden faces are \
            searched.

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

    @Option(
        help: .value(
            "score", "Minimum score of a face, 0.1 to 1. A lower one finds more faces, and raises more false alarms."))
    var minScore = FaceSearch.confirmedScore

    @Flag(help: "Search every frame, and list every face that is seen in one. Takes three times as long.")
    var everyFrame = false

    @Option(
        "file",
        "Leave out findings marked as reviewed in this file; if it does not exist, write it. It holds for exactly this"
            + " video.")
    var reviewed: String?

    @Option("count", "Frames searched in parallel. Default: one per core.") var workers: Int?
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        try refuse(if: !(0.1...1).contains(minScore), "--min-score must be 0.1 to 1.")
        try refuse(if: !(1...256).contains(workers ?? 1), "--workers must be 1 to 256.")
    }

    func run() async throws {
        let videos = inputs.flatMap(Self.videos)
        try refuse(if: videos.count > 1 && output != nil, "--output works with one input only.")
        try refuse(if: videos.count > 1 && format != .text, "--format \(format.rawValue) works with one input only.")
        try refuse(if: videos.count > 1 && reviewed != nil, "--reviewed works with one input only.")
        let reporter = try messages.makeReporter()
        var options = Verification.Options(
            minimumScore: minScore, workers: workers ?? max(1, ProcessInfo.processInfo.activeProcessorCount))
        options.keepsPictures = page || output != nil
        options.isThorough = everyFrame
        let verification = try ExitStatus.usage.onError(reporter) {
            try Verification(models: try ModelStore.verificationFolder(), options: options)
        }
        try await CommandWork.run(reporter) {
            var withFaces = 0
            let failures = try await CommandWork.each(of: videos, reporter) { input, _ in
                try require(FileSystem.entry(input) != .folder, .result, "has no video with hidden faces", input: input)
                let path = page || output != nil ? output ?? input + ".verify.html" : nil
                if let path { try AtomicFile.checkVacancy(path, replaces: force) }
                let known = try reviewed.flatMap { path throws(VidscanError) in
                    FileSystem.entry(path) == nil ? nil : try ReviewedFindings(path: path, for: input)
                }
                var findings = try await verification.run(input, observer: reporter)
                if let known {
                    let count = findings.remove(known)
                    reporter.note("\(NumberText.count(count, "finding")) marked as reviewed", input: input)
                } else if let reviewed, !findings.episodes.isEmpty {
                    try ReviewedFindings(findings, of: input).write(to: reviewed)
                    reporter.note("look at each finding, and mark in \(reviewed) those that may stay", input: input)
                }
                if !findings.episodes.isEmpty { withFaces += 1 }
                report(findings, of: input, to: reporter)
                if let path {
                    let page = try findings.page(of: input, at: path)
                    try AtomicFile.write(page, to: path, replaces: force, source: input)
                    reporter.made(.reported, path, from: input)
                    if !findings.episodes.isEmpty {
                        reporter.note(
                            "the page shows these faces; remove it before you pass on the folder", input: input)
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
    }

    /// A result stands for all videos with hidden faces in it.
    private static func videos(_ input: String) -> [String] {
        let videos = FileSystem.entry(input) == .folder ? StoredResult.videosWithHiddenFaces(in: input) : []
        return videos.isEmpty ? [input] : videos
    }

    private func report(_ findings: Verification.Findings, of input: String, to reporter: ConsoleReporter) {
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
        let searched =
            "\(NumberText.count(findings.frames, "frame")) searched in \(String(format: "%.1f", findings.wallSeconds)) s"
        let text =
            findings.episodes.isEmpty
            ? "no face found\(findings.unsearched.isEmpty ? "" : " in what was searched"); \(searched)"
            : "a face may be visible in \(NumberText.count(findings.framesWithFaces, "frame")); \(searched)"
        reporter.log(
            .info, .verified, input: input, text,
            [
                "frames": findings.frames, "frames_with_faces": findings.framesWithFaces,
                "wall_seconds": findings.wallSeconds,
            ])
    }
}
