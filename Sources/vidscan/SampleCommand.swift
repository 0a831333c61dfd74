internal import ArgumentParser
internal import Foundation
internal import VidscanCore
internal import VidscanMedia
internal import VidscanPipeline

struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Lists the frames that an analysis would look at, without looking at them.",
        discussion: """
            Decodes and samples only, and prints a CSV: time, frame and, with --md5, the checksum of the planes \
            after the filters, as FFmpeg's framemd5 prints it. So what was sampled can be compared with what any other tool decodes.

            EXAMPLES
              vidscan sample movie.mp4 --rate 2
              vidscan sample movie.mp4 --md5 --start 10 --end 12
              vidscan sample movie.mp4 --md5 --filter yadif
            """)

    @Argument(help: ArgumentHelp("A video or picture.", valueName: "input"))
    var input: String

    @OptionGroup(title: "Which frames")
    var video: VideoOptions

    @Flag(name: .customLong("md5"), help: "Print the checksum of each frame's planes.")
    var printsDigest = false

    @Flag(help: "Decode every frame, whatever is sampled. The samples are the same; it takes longer.")
    var decodeAll = false

    func run() async throws {
        do {
            _ = try InputFile(input)
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.someFailed
        }
        let options: AnalysisOptions
        do {
            options = try ResolvedConfiguration(workers: 1, overrides: video.overrides()).configuration.analysis
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
        do {
            let reader = try FrameReader(
                path: input,
                options: FrameReader.Options(
                    rate: options.rate, start: options.start, end: options.end, streamIndex: options.streamIndex,
                    skipsUnneededPackets: !decodeAll, limits: options.limits, filters: options.filters))
            var writer = ByteWriter()
            writer.write(text: printsDigest ? "time,frame,md5\n" : "time,frame\n")
            while let frame = try reader.next() {
                var row: [Field] = [.microseconds(frame.microseconds), .integer(frame.index)]
                if printsDigest { row.append(.text(try frame.md5())) }
                writer.writeCSV(row: row)
                Output.write(
                    String(decoding: writer.bytes, as: UTF8.self), to: FileHandle.standardOutput.fileDescriptor)
                writer.removeAll()
            }
        } catch {
            Output.error("vidscan: error: \(input): \(error.message)")
            throw ExitStatus.someFailed
        }
    }
}
