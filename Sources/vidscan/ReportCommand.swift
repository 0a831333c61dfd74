internal import ArgumentParser
internal import Foundation
internal import VidscanBase
internal import VidscanRender
internal import VidscanReport
internal import VidscanResults

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes a page from a finished result: the video with faces marked, people, events, curves.",
        discussion: """
            The page is one HTML file, report.html in the result's folder. It plays the video beside it, by its relative \
            path, and loads nothing else: keep both together, and it works from any folder, without a server or a network. \
            With --no-video it needs no video at all, so you can mail it. Several results get a page each, and an index.

            On the page you can join people, split tracks, give names, exclude times and add notes. Once they are saved, the \
            page gives the commands that put them into the tables.

            If your browser cannot play the video (HEVC, MPEG-2, many .mkv files), --proxy makes a small copy of it that \
            every browser plays. It shows the people in the video too.

            EXAMPLES
              vidscan report movie.mp4.vidscan
              vidscan report movie.mkv.vidscan --proxy
              vidscan report movie.mp4.vidscan --no-video --output page.html
              vidscan report movie.mp4.vidscan --hide-faces --output for-others.html
              vidscan report results/*.vidscan --output results/index.html
            """)

    @Argument(help: .value("result", "Result folders of 'vidscan analyze'.")) var results: [String]

    @Option(
        "file",
        "The page, or for several results the index. Default: report.html in the result's folder, or"
            + " index.html.", name: .shortAndLong)
    var output: String?

    @Option("file", "The source video, if it has moved.") var input: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Show thumbnails of the faces; without them, the video is not needed. Default: shown, unless faces are hidden."
    )
    var thumbnails: Bool?

    @Option("file", "Play this video instead: a copy with the same times.") var video: String?
    @Flag(help: "Make a page without the video.") var noVideo = false
    @Flag(help: "Make a small copy of the video, proxy.mp4 in the result's folder, and play that.") var proxy = false

    @Flag(
        help: """
            Make a page to pass on: no pictures of faces, no names of files and people; it plays the video with hidden faces, \
            if the result's folder has one.
            """)
    var hideFaces = false

    @Flag(help: "Replace existing pages.") var force = false
    @Flag(help: "Use the source video even if it has changed since the analysis.") var changedSource = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        if let output, !["html", "htm"].contains(FilePath.fileExtension(of: output)) {
            throw ValidationError("--output must name a page: a file that ends in .html.")
        }
        try refuse(
            if: results.count > 1 && (input != nil || video != nil), "--input and --video work with one result only.")
        let choices = [(video != nil, "--video"), (noVideo, "--no-video"), (proxy, "--proxy")].filter(\.0).map(\.1)
        try refuse(if: choices.count > 1, "\(choices.joined(separator: " and ")) cannot be used together.")
        try refuse(
            if: hideFaces && video != nil,
            "--hide-faces and --video cannot be used together: the page plays the video with hidden faces.")
        try refuse(if: hideFaces && proxy, "--hide-faces and --proxy cannot be used together: a proxy shows faces.")
        try refuse(if: hideFaces && thumbnails == true, "--hide-faces and --thumbnails cannot be used together.")
    }

    func run() async throws {
        let reporter = try messages.makeReporter()
        try await CommandWork.run(reporter) {
            var options = Report.Options()
            (options.hasThumbnails, options.acceptsChangedSource) = (thumbnails, changedSource)
            options.hidesFaces = hideFaces
            options.video = noVideo ? .none : video.map { .file($0) } ?? .source
            var outcomes: [(result: String, outcome: Result<Report.Summary, VidscanError>)] = []
            for result in results {
                do {
                    if proxy { options.video = .file(try await makeProxy(of: result, reporter)) }
                    let summary = try await Report(options: options).run(
                        resultPath: result, input: input, outputPath: results.count == 1 ? output : nil,
                        replaces: force)
                    reporter.made(.reported, summary.path, from: result)
                    if let notice = summary.notice { reporter.warned(result, message: notice) }
                    outcomes.append((result, .success(summary)))
                } catch let error as VidscanError where error.code != .interrupted {
                    reporter.failed(error)
                    outcomes.append((result, .failure(error)))
                }
            }
            if results.count > 1 {
                let path = output ?? "index.html"
                try Report.writeIndex(outcomes, path: path, replaces: force)
                reporter.made(.reported, path, from: NumberText.count(results.count, "result"))
            }
            return outcomes.count { if case .failure = $0.outcome { true } else { false } }
        }
    }

    private func makeProxy(of result: String, _ reporter: ConsoleReporter) async throws -> String {
        let path = result + "/proxy.mp4"
        guard force || !FileManager.default.fileExists(atPath: path) else { return path }
        var options = RenderOptions.proxy
        options.acceptsChangedSource = changedSource
        let summary = try await Renderer(options: options, observer: reporter).run(
            resultPath: result, input: input, replaces: force)
        reporter.rendered(result, summary: summary)
        return summary.path
    }
}
