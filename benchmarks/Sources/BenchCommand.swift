internal import ArgumentParser
internal import Foundation

/// A part of the benchmark.
enum BenchRow: String, CaseIterable, ExpressibleByArgument {
    case analysis, portrait
    case everyFrame = "every-frame"
    case people, recognition, sampling, stages, memory, workers, startup, filters, rendering, hiding, batch
}

@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vidscan-bench",
        abstract: "Measures the speed and memory of vidscan relative to ffmpeg and to other programs.",
        discussion: """
            Runs whole processes alternately, A B A B …, and prints the ratio in each round: the median, and in brackets \
            the minimum and maximum. Rely on the ratios; the times depend on the machine and its load. The whole \
            benchmark takes about half an hour on two idle cores. The first run makes the clips, and later runs use \
            them.

            With --peers, it also compares with a script that uses MediaPipe and OpenCV, and with deface, which hides \
            faces. It installs them from PyPI in the folder of the clips (1.5 GB, Python 3.11 or 3.12), and nowhere \
            else; delete the folder to remove them.

            EXAMPLES
              vidscan-bench                            all parts
              vidscan-bench --quick                    fewer rounds
              vidscan-bench --only sampling startup    two parts
              vidscan-bench --peers --only portrait every-frame hiding
                                                       relative to MediaPipe and deface
              vidscan-bench --only memory --long       the memory of long videos, too
              vidscan-bench --vidscan old/vidscan      another build
            """)

    @Option(help: ArgumentHelp("Number of rounds of each pair.", valueName: "count"))
    var rounds = 5

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Parts to measure. Default: all.", valueName: "part"))
    var only: [BenchRow] = []

    @Flag(help: "At most two rounds.")
    var quick = false

    @Flag(help: "Compare with MediaPipe and deface, which are installed first.")
    var peers = false

    @Flag(help: "Also measure the memory of hiding faces in 10 min of video, and of analysing an hour.")
    var long = false

    @Option(help: ArgumentHelp("A video with faces, from which the clips are made.", valueName: "file"))
    var sample = "samples/faces.mp4"

    @Option(help: ArgumentHelp("The folder for the clips.", valueName: "folder"))
    var cache = ".build/bench"

    @Option(
        help: ArgumentHelp("The program to measure.", valueName: "file"))
    var vidscan = ".build/release/vidscan"

    @Option(
        help: ArgumentHelp(
            "The program deface, to compare hiding with. Default: that of --peers.",
            valueName: "file"))
    var deface: String?

    func validate() throws {
        if rounds < 1 { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        let rounds = quick ? min(rounds, 2) : rounds
        guard FileManager.default.isExecutableFile(atPath: vidscan) else {
            throw BenchError("\(vidscan) does not exist; build it with 'make build', or name it with --vidscan")
        }
        let facts = MachineFacts.text(
            versions: [try MachineFacts.vidscanVersion(vidscan), try MachineFacts.ffmpegVersion()]
                + (peers ? [PeerPrograms.versions] : []))
        let clips = try BenchClips(sample: sample, folder: cache)
        var measurements = Measurements(
            vidscan: vidscan, clips: clips, rounds: rounds, long: long, results: cache + "/results",
            peers: peers ? try PeerPrograms(folder: cache + "/peers") : nil, deface: deface)
        for row in BenchRow.allCases where only.isEmpty || only.contains(row) {
            try measurements.measure(row)
        }
        print(measurements.report.markdown)
        print()
        print(
            """
            Median (minimum–maximum) of \(rounds) \(rounds == 1 ? "round" : "rounds"), in some rows of at most two. The \
            clips have 25 frames/s and are encoded by x264 (medium, crf 23). Those of 60 s have 1920x1080. \
            \(clips.bitRates())
            \(facts)
            """)
    }
}
