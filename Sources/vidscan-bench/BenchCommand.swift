internal import ArgumentParser
internal import Foundation
internal import VidscanBase

/// A part of the benchmark.
enum BenchRow: String, CaseIterable, ExpressibleByArgument {
    case analysis, sampling, stages, memory, workers, startup, filters, rendering, hiding, batch
}

@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vidscan-bench",
        abstract: "Measures vidscan's speed and memory against ffmpeg's, as ratios.",
        discussion: """
            Runs whole processes in turn, A B A B …, and prints the ratios within the rounds: median, and in brackets the \
            least and the most. Trust the ratios; the times depend on the machine and on what else it does. The whole \
            takes about ten minutes on two idle cores. The clips are made at the first run and kept.

            EXAMPLES
              vidscan-bench                            everything
              vidscan-bench --quick                    fewer rounds, no hour of video
              vidscan-bench --only sampling startup    two parts
            """)

    @Option(help: ArgumentHelp("How often each pair is run.", valueName: "count"))
    var rounds = 5

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Parts to measure. Default: all.", valueName: "part"))
    var only: [BenchRow] = []

    @Flag(help: "Two rounds at most, and no hour of video.")
    var quick = false

    @Option(help: ArgumentHelp("A video with faces to make the clips from.", valueName: "file"))
    var sample = "samples/faces.mp4"

    @Option(help: ArgumentHelp("Where the clips are kept.", valueName: "folder"))
    var cache = ".build/bench"

    @Option(help: ArgumentHelp("The program to measure. Default: the one beside this.", valueName: "file"))
    var vidscan: String?

    @Option(
        help: ArgumentHelp(
            "The program deface (of the package of that name), to compare hiding faces with. Default: no comparison.",
            valueName: "file"))
    var deface: String?

    func validate() throws {
        if rounds < 1 { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        let rounds = quick ? min(rounds, 2) : rounds
        let facts = MachineFacts.text(ffmpeg: try MachineFacts.ffmpegVersion())
        let clips = try BenchClips(sample: sample, folder: cache)
        var measurements = Measurements(
            vidscan: try program(), clips: clips, rounds: rounds, minutes: quick ? [1, 10] : [1, 10, 60],
            results: cache + "/results", deface: deface)
        for row in BenchRow.allCases where only.isEmpty || only.contains(row) {
            try measurements.measure(row)
        }
        print(measurements.report.markdown)
        print()
        print(
            """
            Median (least–most) of \(rounds) rounds on a 60 s clip, 1920x1080, 25 frames/s, x264 medium, crf 23, \
            \(try clips.bitRate(of: clips.minute())).
            \(facts)
            """)
    }

    private func program() throws -> String {
        if let vidscan { return vidscan }
        let path = FilePath.programFolder + "/vidscan"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchError("\(path) is not there; 'swift build -c release' builds it, or name it with --vidscan")
        }
        return path
    }
}
