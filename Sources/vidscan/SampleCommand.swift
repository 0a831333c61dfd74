internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample", abstract: "Lists the frames that an analysis would sample, without analysing them.",
        discussion: """
            Prints a CSV with the time and number of each frame and, with --md5, the checksum of its planes after the \
            filters. FFmpeg's framemd5 prints the same checksum, so that you can compare the samples with what other \
            tools decode.

            EXAMPLES
              vidscan sample movie.mp4 --rate 2
              vidscan sample movie.mp4 --md5 --start 10 --end 12
              vidscan sample movie.mp4 --md5 --filter yadif
            """)

    @Argument(help: .value("input", "A video or picture.")) var input: String
    @OptionGroup(title: "Which frames") var video: VideoOptions
    @Flag(name: .customLong("md5"), help: "Print the checksum of each frame's planes.") var printsDigest = false

    @Flag(help: "Decode every frame, not only those that samples need. The output is the same, but takes longer.")
    var decodeAll = false

    func run() async throws {
        _ = try ExitStatus.someFailed.onError { try InputFile(input) }
        let settings = try ExitStatus.usage.onError {
            try ResolvedSettings(workers: 1, overrides: video.overrides()).settings
        }
        do {
            let reader = try FrameReader(
                path: input,
                options: FrameReader.Options(
                    rate: settings.sample.rate, start: settings.sample.start, end: settings.sample.end,
                    streamIndex: settings.sample.stream, skipsUnneededPackets: !decodeAll,
                    limits: settings.sample.limits, filters: settings.filters))
            var writer = ByteWriter()
            writer.write(text: printsDigest ? "time,frame,md5\n" : "time,frame\n")
            while let frame = try reader.next() {
                var row: [Field] = [.microseconds(frame.microseconds), .integer(frame.index)]
                if printsDigest { row.append(.text(try frame.md5())) }
                writer.writeCSV(row: row)
                Output.print(writer.bytes)
                writer.removeAll()
            }
        } catch {
            Output.error("vidscan: error: \(input): \(error.message)")
            throw ExitStatus.someFailed
        }
    }
}
