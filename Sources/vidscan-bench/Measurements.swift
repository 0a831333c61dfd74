internal import Foundation
internal import VidscanBase

/// Runs the measurements. Each adds its lines to the report.
struct Measurements {
    let vidscan: String
    let clips: BenchClips
    let rounds: Int
    /// The durations, in minutes, of the clips whose peak memory is compared.
    let minutes: [Int]
    /// The folder of vidscan's results. Every run overwrites them.
    let results: String
    /// The path of deface, another program that hides faces, to compare with; `nil` skips the comparison.
    let deface: String?
    private(set) var report = Report()

    init(vidscan: String, clips: BenchClips, rounds: Int, minutes: [Int], results: String, deface: String?) {
        self.vidscan = vidscan
        self.clips = clips
        self.rounds = rounds
        self.minutes = minutes
        self.results = results
        self.deface = deface
    }

    mutating func measure(_ row: BenchRow) throws {
        Progress.report("measuring \(row.rawValue)")
        switch row {
        case .analysis: try measureAnalysis()
        case .sampling: try measureSampling()
        case .stages: try measureStages()
        case .memory: try measureMemory()
        case .workers: try measureWorkers()
        case .startup: try measureStartup()
        case .filters: try measureFilters()
        case .rendering: try measureRendering()
        case .hiding: try measureHiding()
        case .batch: try measureBatch()
        }
    }

    // MARK: Rows

    private mutating func measureAnalysis() throws {
        let clip = try clips.minute()
        let pair = try Pair(analyze(clip), against: decode(clip), rounds: rounds)
        add("whole analysis at 5 frames/s: CPU ÷ that of decoding with ffmpeg", pair.ratio(\.cpuSeconds), aim: "≤ 1")
        add("the same: wall clock", pair.ratio(\.wallSeconds))
        let speed = Spread(pair.first.map { Double(BenchClips.seconds) / $0.wallSeconds })
        report.add(Report.Line(what: "the same: times faster than real time", measured: speed.text(decimals: 1)))
        let peak = pair.first.map(\.peakBytes).max() ?? 0
        report.add(Report.Line(what: "the same: peak memory", measured: Self.megabytes(peak), aim: Self.memoryAim))
    }

    private mutating func measureSampling() throws {
        let clip = try clips.minute()
        let pair = try Pair([vidscan, "sample", clip], against: decode(clip), rounds: rounds)
        add("decode and sample alone: CPU ÷ that of decoding with ffmpeg", pair.ratio(\.cpuSeconds), aim: "≤ 0.75")
        add("the same: wall clock", pair.ratio(\.wallSeconds))
    }

    /// Uses one worker. The clocks of the stages keep running while a thread waits for a core; with one worker, they
    /// measure little but work.
    private mutating func measureStages() throws {
        let clip = try clips.minute()
        var timings: [RunTimings] = []
        let pair = try Pair(
            analyze(clip, "--workers", "1"), against: [vidscan, "sample", clip], rounds: min(rounds, 2)
        ) { timings.append(try RunTimings(resultFolder: resultFolder(of: clip))) }
        guard let last = timings.last else { return }
        let frames = Double(last.sampledFrames)
        let milliseconds = { (seconds: [Double]) in
            Spread(seconds.map { $0 * 1000 / frames }).text(decimals: 2) + " ms"
        }
        report.add(
            Report.Line(
                what: "per sampled frame: read and decode (\(last.decodedFrames) of 1500 frames decoded), CPU",
                measured: milliseconds(pair.second.map(\.cpuSeconds))))
        for name in last.stageSeconds.keys.sorted() {
            let measured = milliseconds(timings.compactMap { $0.stageSeconds[name] })
            report.add(Report.Line(what: "per sampled frame: \(name)", measured: measured))
        }
    }

    /// Uses 2 frames/s and no noise, so that an hour of video takes minutes. Neither affects the peak memory.
    private mutating func measureMemory() throws {
        for count in minutes {
            let peak = try clips.withPlainMinutes(count) { clip in
                try MeasuredProcess(analyze(clip, "--rate", "2")).peakBytes
            }
            report.add(
                Report.Line(
                    what: "peak memory, \(count) min of video", measured: Self.megabytes(peak), aim: Self.memoryAim))
        }
    }

    /// Compares one worker with two, first with all cores for both, then with as many cores as workers. The first ratio
    /// shows the effect of a second worker while decoding already uses a core. The second ratio shows the effect of a
    /// second core.
    private mutating func measureWorkers() throws {
        let clip = try clips.minute()
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else {
            Progress.report("skipping the comparison of workers: this machine has one core")
            return
        }
        let workers = try Pair(
            analyze(clip, "--workers", "1"), against: analyze(clip, "--workers", "2"), rounds: min(rounds, 2))
        add("wall clock of 1 worker ÷ that of 2, all cores", workers.ratio(\.wallSeconds))
        let cores = try Pair(
            ["taskset", "--cpu-list", "0"] + analyze(clip, "--workers", "1"),
            against: ["taskset", "--cpu-list", "0,1"] + analyze(clip, "--workers", "2"), rounds: min(rounds, 2))
        add("wall clock of 1 core, 1 worker ÷ that of 2 cores, 2 workers", cores.ratio(\.wallSeconds), aim: "≥ 1.8")
    }

    /// Compares the same run with and without the model cache, which the first one fills. The program that does nothing
    /// shows how much of it the system takes to load the libraries.
    private mutating func measureStartup() throws {
        let milliseconds = { (runs: [MeasuredProcess]) in
            Spread(runs.map { $0.wallSeconds * 1000 }).text(decimals: 0) + " ms"
        }
        let inputs = [("a picture", try clips.picture()), ("a clip of one frame", try clips.oneFrame())]
        for (name, input) in inputs {
            let command = ["env", "VIDSCAN_CACHE=\(results)-models"] + analyze(input)
            let cold = ["env", "VIDSCAN_CACHE=off"] + analyze(input)
            let pair = try Pair(command, against: cold, rounds: rounds)
            report.add(Report.Line(what: "\(name), whole process", measured: milliseconds(pair.first), aim: "≤ 250 ms"))
            report.add(Report.Line(what: "the same, models not compiled yet", measured: milliseconds(pair.second)))
        }
        let version = try (0..<rounds).map { _ in try MeasuredProcess([vidscan, "--version"]) }
        report.add(Report.Line(what: "`vidscan --version`", measured: milliseconds(version)))
    }

    /// Measures the CPU time that filters add, on sampled frames and on every frame. All four runs decode every frame,
    /// so that they differ only in the filters.
    private mutating func measureFilters() throws {
        let clip = try clips.minute()
        let sample = { [vidscan] (options: [String]) in [vidscan, "sample", clip, "--decode-all"] + options }
        let chain = ["--filter", "eq=gamma=1.2,gblur=sigma=3,unsharp"]
        let few = try Pair(sample(chain), against: sample([]), rounds: min(rounds, 3))
        let all = try Pair(
            sample(["--every-frame"] + chain), against: sample(["--every-frame"]), rounds: min(rounds, 3))
        let added = { (pair: Pair) in zip(pair.first, pair.second).map { $0.cpuSeconds - $1.cpuSeconds } }
        add(
            "stateless filters at 5 of 25 frames/s: additional CPU ÷ that on every frame",
            Spread(zip(added(few), added(all)).map { $0 / $1 }), aim: "0.20")
    }

    /// Compares with ffmpeg. Both decode, draw, and encode with libx264 at its defaults; ffmpeg draws one box at a
    /// fixed position.
    private mutating func measureRendering() throws {
        let clip = try clips.minute()
        _ = try MeasuredProcess(analyze(clip))
        let pair = try Pair(
            [vidscan, "render", resultFolder(of: clip), "--quiet", "--force", "--output", results + "/overlay.mp4"],
            against: [
                "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", clip, "-vf", "drawbox=x=830:y=330:w=260:h=330:t=4",
                "-c:v", "libx264", "-crf", "23", "-c:a", "copy", "-movflags", "+faststart", results + "/drawbox.mp4",
            ], rounds: min(rounds, 2))
        add(
            "overlay video: wall clock ÷ that of `ffmpeg -vf drawbox … -c:v libx264`", pair.ratio(\.wallSeconds),
            aim: "≤ 1.15")
        add("the same: CPU", pair.ratio(\.cpuSeconds))
    }

    /// Analyses every frame, including small faces.
    private mutating func measureHiding() throws {
        let clip = try clips.elevenSeconds()
        let command = analyze(clip, "--anonymize", "blur")
        guard let deface else {
            let runs = try (0..<min(rounds, 2)).map { _ in try MeasuredProcess(command) }
            report.add(
                Report.Line(
                    what: "anonymizing 11 s of 1280x720, every frame analysed",
                    measured: Spread(runs.map(\.wallSeconds)).text(decimals: 1) + " s"))
            return
        }
        let pair = try Pair(command, against: [deface, "-o", results + "/defaced.mp4", clip], rounds: min(rounds, 2))
        report.add(
            Report.Line(
                what: "anonymizing 11 s of 1280x720, every frame analysed",
                measured: Spread(pair.first.map(\.wallSeconds)).text(decimals: 1) + " s"))
        add("the same: wall clock ÷ that of deface", pair.ratio(\.wallSeconds), aim: "≤ 0.25")
    }

    /// Uses pictures, because their analysis takes almost no time. What remains is the cost of processes, models, files
    /// and the journal.
    private mutating func measureBatch() throws {
        let pictures = try clips.pictures(count: Self.batchFiles)
        let folder = results + "-batch"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var whole: [Double] = []
        var overhead: [Double] = []
        for _ in 0..<rounds {
            try? FileManager.default.removeItem(atPath: folder)
            let batch = try MeasuredProcess([vidscan, "batch", pictures, "--output", folder, "--jobs", "1", "--quiet"])
            let names = try FileManager.default.contentsOfDirectory(atPath: pictures)
            let analysis = try names.reduce(0) { sum, name in
                try sum + RunTimings(resultFolder: "\(folder)/\(name).vidscan").stageSeconds.values.reduce(0, +)
            }
            whole.append(batch.wallSeconds * 1000 / Double(Self.batchFiles))
            overhead.append((batch.wallSeconds - analysis) * 1000 / Double(Self.batchFiles))
        }
        let files = "a batch of \(Self.batchFiles) pictures, one at a time: wall clock"
        report.add(Report.Line(what: files + " per file", measured: Spread(whole).text(decimals: 0) + " ms"))
        report.add(
            Report.Line(
                what: "the same, without the analysis itself", measured: Spread(overhead).text(decimals: 0) + " ms",
                aim: "< 150 ms"))
    }

    private static let batchFiles = 50

    // MARK: Commands

    private func analyze(_ clip: String, _ options: String...) -> [String] {
        [vidscan, "analyze", clip, "--quiet", "--force", "--output", results] + options
    }

    private func decode(_ clip: String) -> [String] {
        ["ffmpeg", "-nostdin", "-v", "error", "-i", clip, "-an", "-f", "null", "-"]
    }

    private func resultFolder(of clip: String) -> String {
        results + "/" + FilePath.name(of: clip) + ".vidscan"
    }

    private static let memoryAim = "< 300 MB"

    private static func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000) MB" }

    private mutating func add(_ what: String, _ ratio: Spread, aim: String = "") {
        report.add(Report.Line(what: what, measured: ratio.text(decimals: 2), aim: aim))
    }
}
