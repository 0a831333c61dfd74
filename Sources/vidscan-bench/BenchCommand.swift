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
        abstract: "Measures the speed and memory of vidscan relative to ffmpeg.",
        discussion: """
            Runs whole processes alternately, A B A B …, and prints the ratio in each round: the median, and in brackets \
            the minimum and maximum. Rely on the ratios; the times depend on the machine and its load. The whole \
            benchmark takes about ten minutes on two idle cores. The first run makes the clips, and later runs use them.

            EXAMPLES
              vidscan-bench                            all parts
              vidscan-bench --quick                    fewer rounds, no hour-long video
              vidscan-bench --only sampling startup    two parts
            """)

    @Option(help: ArgumentHelp("Number of rounds of each pair.", valueName: "count"))
    var rounds = 5

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Parts to measure. Default: all.", valueName: "part"))
    var only: [BenchRow] = []

    @Flag(help: "At most two rounds, and no hour-long video.")
    var quick = false

    @Option(help: ArgumentHelp("A video with faces, from which the clips are made.", valueName: "file"))
    var sample = "samples/faces.mp4"

    @Option(help: ArgumentHelp("The folder for the clips.", valueName: "folder"))
    var cache = ".build/bench"

    @Option(
        help: ArgumentHelp(
            "The program to measure. Default: vidscan in the folder of vidscan-bench.", valueName: "file"))
    var vidscan: String?

    @Option(
        help: ArgumentHelp(
            "The program deface, to compare anonymization with. Default: no comparison.",
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
            Median (minimum–maximum) of \(rounds) rounds on a 60 s clip, 1920x1080, 25 frames/s, x264 medium, crf 23, \
            \(try clips.bitRate(of: clips.minute())).
            \(facts)
            """)
    }

    private func program() throws -> String {
        if let vidscan { return vidscan }
        let path = FilePath.programFolder + "/vidscan"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchError(
                "\(path) does not exist; build it with 'swift build -c release', or name it with --vidscan")
        }
        return path
    }
}
