/// vidscan relative to what ffmpeg takes for the same clip, which contains moving faces and cuts.
extension Measurements {
    mutating func measureAnalysis() throws {
        let clip = try clips.minute()
        let pair = try Pair(analyze(clip), against: decode(clip), rounds: rounds)
        add("whole analysis at 5 frames/s: CPU ÷ that of decoding with ffmpeg", pair.ratio(\.cpuSeconds), aim: "≤ 1")
        add("the same: wall clock", pair.ratio(\.wallSeconds))
        let speed = Spread(pair.first.map { Double(BenchClips.seconds) / $0.wallSeconds })
        report.add(Report.Line(what: "the same: times faster than real time", measured: speed.text(decimals: 1)))
        let peak = pair.first.map(\.peakBytes).max() ?? 0
        add("the same: peak memory", peakBytes: peak)
    }

    mutating func measureSampling() throws {
        let clip = try clips.minute()
        let pair = try Pair([vidscan, "sample", clip], against: decode(clip), rounds: rounds)
        add("decode and sample alone: CPU ÷ that of decoding with ffmpeg", pair.ratio(\.cpuSeconds), aim: "≤ 0.75")
        add("the same: wall clock", pair.ratio(\.wallSeconds))
    }

    /// Uses one worker. The clocks of the stages keep running while a thread waits for a core; with one worker, they
    /// measure little but work.
    mutating func measureStages() throws {
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

    /// Measures the CPU time that filters add, on sampled frames and on every frame. The two runs of a pair decode the
    /// same frames, so that they differ only in the filters.
    mutating func measureFilters() throws {
        let clip = try clips.minute()
        let sample = { [vidscan] (options: [String]) in [vidscan, "sample", clip] + options }
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
    mutating func measureRendering() throws {
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
}
