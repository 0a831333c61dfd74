internal import ArgumentParser
internal import VidscanBase
internal import VidscanReport

struct CoversCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "covers", abstract: "Makes a page to cover by hand what the detector missed in a video.",
        discussion: """
            The page plays the original beside the video with hidden faces, so do not pass it on. Draw a box over a face, \
            a plate, a caption or a screen, go on, and move the box. The page saves your boxes, and gives the command that \
            makes the video again with them.

            EXAMPLES
              vidscan covers street.mp4.vidscan
              vidscan covers street.mp4.vidscan --input /archive/street.mp4
            """)

    @Argument(help: .value("result", "The result folder, with or without tables.")) var result: String

    @Option(name: .shortAndLong, help: .value("file", "The page. Default: NAME.covers.html beside the result."))
    var output: String?

    @Option(help: .value("file", "The source video, if it has moved.")) var input: String?

    @Option(help: .value("file", "The boxes to begin with. Default: NAME.covers.json beside the result, if it exists."))
    var covers: String?

    @Flag(help: "Replace an existing page.") var force = false

    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws {
        if let output, !["html", "htm"].contains(FilePath.fileExtension(of: output)) {
            throw ValidationError("--output must name a page: a file that ends in .html.")
        }
    }

    func run() async throws {
        let reporter = try messages.makeReporter()
        try await CommandWork.run(reporter) {
            let path = try CoversPage.write(
                resultPath: result, input: input, coversPath: covers, outputPath: output, replaces: force)
            reporter.made(.reported, path, from: result)
            reporter.note(
                "the page plays the original: do not pass it on; open it in a browser, and save when you are done",
                input: result)
            return 0
        }
    }
}
