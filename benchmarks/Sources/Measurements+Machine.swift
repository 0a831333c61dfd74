internal import Foundation

/// What vidscan takes of the machine: memory, cores, and the time to start.
extension Measurements {
    /// Uses clips without noise, which take as much memory as clips with noise, and less time.
    mutating func measureMemory() throws {
        for count in long ? [1, 10, 60] : [1, 10] {
            try clips.withPlainMinutes(count) { clip in
                add(
                    "peak memory, \(count) min of 1920x1080: analysis",
                    peakBytes: try MeasuredProcess(analyze(clip)).peakBytes, aim: "≤ 250 MB")
                guard count == 1 || (long && count == 10) else { return }
                add("the same: hiding", peakBytes: try MeasuredProcess(hide(clip)).peakBytes, aim: "≤ 350 MB")
            }
        }
        let clip = try clips.portrait4K()
        add(
            "peak memory, 10-bit HEVC of 3840x2160: analysis",
            peakBytes: try MeasuredProcess(analyze(clip)).peakBytes, aim: "≤ 450 MB")
        add("the same: hiding", peakBytes: try MeasuredProcess(hide(clip)).peakBytes, aim: "≤ 900 MB")
        add("the same: decoding with ffmpeg", peakBytes: try MeasuredProcess(decode(clip)).peakBytes)
    }

    /// Compares one worker with two, first with all cores for both, then with as many cores as workers. The first ratio
    /// shows the effect of a second worker while decoding already uses a core. The others show the effect of a second
    /// core, on a clip with cuts and on one without.
    mutating func measureWorkers() throws {
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else {
            Progress.report("skipping the comparison of workers: this machine has one core")
            return
        }
        let rounds = min(rounds, 2)
        let (minute, portrait) = (try clips.minute(), try clips.portraitMinute())
        let workers = try Pair(
            analyze(minute, "--workers", "1"), against: analyze(minute, "--workers", "2"), rounds: rounds)
        add("wall clock of 1 worker ÷ that of 2, all cores", workers.ratio(\.wallSeconds))
        for (clip, what) in [(minute, ""), (portrait, "the same, one face without cuts: ")] {
            let cores = try Pair(
                ["taskset", "--cpu-list", "0"] + analyze(clip, "--workers", "1"),
                against: ["taskset", "--cpu-list", "0,1"] + analyze(clip, "--workers", "2"), rounds: rounds)
            add(
                what + "wall clock of 1 core, 1 worker ÷ that of 2 cores, 2 workers", cores.ratio(\.wallSeconds),
                aim: "≥ 1.85")
        }
    }

    mutating func measureStartup() throws {
        let clip = try clips.oneFrame()
        let pair = try Pair(analyze(clip), against: [vidscan, "--version"], rounds: rounds)
        let milliseconds = { (runs: [MeasuredProcess]) in Spread(runs.map { $0.wallSeconds * 1000 }) }
        add("analysis of a clip of one frame", milliseconds: milliseconds(pair.first))
        add("`vidscan --version`", milliseconds: milliseconds(pair.second))

        // A cache of compiled models, if vidscan keeps one, is below this folder.
        let cache = URL(fileURLWithPath: results + "-cache").path
        let command = ["env", "XDG_CACHE_HOME=" + cache] + analyze(try clips.portraitPicture())
        defer { try? FileManager.default.removeItem(atPath: cache) }
        var (cold, warm): ([MeasuredProcess], [MeasuredProcess]) = ([], [])
        for _ in 0..<rounds {
            try? FileManager.default.removeItem(atPath: cache)
            cold.append(try MeasuredProcess(command))
            warm.append(try MeasuredProcess(command))
        }
        add("analysis of one picture, without a cache of models", milliseconds: milliseconds(cold))
        add("the same once more", milliseconds: milliseconds(warm), aim: "≤ 250 ms")
        // Under load, the wall-clock time says little.
        add("the same: CPU", milliseconds: Spread(warm.map { $0.cpuSeconds * 1000 }))
    }

    /// Uses pictures, because their analysis takes almost no time. What remains is the cost of processes, models, files
    /// and the journal.
    mutating func measureBatch() throws {
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
        add(files + " per file", milliseconds: Spread(whole))
        add("the same, without the analysis itself", milliseconds: Spread(overhead), aim: "< 150 ms")
    }

    private static var batchFiles: Int { 50 }
}
