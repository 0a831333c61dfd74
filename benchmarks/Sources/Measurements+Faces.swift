/// vidscan relative to other programs that find or hide faces, on clips of people who face the camera.
extension Measurements {
    mutating func measurePortrait() throws {
        let clip = try clips.portraitMinute()
        let decoding = try Pair(analyze(clip), against: decode(clip), rounds: rounds) {
            try checkFaces(in: clip, expected: 1)
        }
        add(
            "one face, 60 s of 1920x1080 at 5 frames/s: CPU ÷ that of decoding with ffmpeg",
            decoding.ratio(\.cpuSeconds), aim: "≤ 1.15 (AVX2), ≤ 0.95 (AVX-512)")
        guard let peers else { return }
        let script = try Pair(analyze(clip), against: peers.faceMesh(clip, rate: 5), rounds: rounds)
        add("the same: CPU ÷ that of a MediaPipe script", script.ratio(\.cpuSeconds), aim: "≤ 0.67")
        add("the same: wall clock ÷ that of a MediaPipe script", script.ratio(\.wallSeconds))
    }

    mutating func measureEveryFrame() throws {
        let clip = try clips.portrait360()
        let command = analyze(clip, "--every-frame")
        let what = "one face, every frame of \(BenchClips.portraitFrames) of 640x360: "
        let pair = try Pair(command, against: peers?.faceMesh(clip, rate: nil) ?? decode(clip), rounds: rounds) {
            try checkFaces(in: clip, expected: 1)
        }
        if peers != nil {
            add(
                what + "frames/s ÷ that of a MediaPipe script",
                Spread(pair.ratios(\.wallSeconds).map { 1 / $0 }), aim: "≥ 2")
            add("the same: CPU ÷ that of a MediaPipe script", pair.ratio(\.cpuSeconds))
        } else {
            add(what + "CPU ÷ that of decoding with ffmpeg", pair.ratio(\.cpuSeconds))
        }
        let speed = Spread(pair.first.map { Double(BenchClips.portraitFrames) / $0.wallSeconds })
        report.add(Report.Line(what: "the same: frames/s", measured: speed.text(decimals: 0), aim: "355"))
    }

    /// Uses one worker. The clocks of the stages keep running while a thread waits for a core; with one worker, they
    /// measure little but work.
    mutating func measurePeople() throws {
        let clip = try clips.fourPeople()
        var timings: [RunTimings] = []
        let pair = try Pair(
            analyze(clip, "--every-frame", "--workers", "1"), against: decode(clip), rounds: rounds
        ) { timings.append(try checkFaces(in: clip, expected: 4)) }
        let milliseconds = { (stages: [String]) in
            Spread(timings.map { run in run.milliseconds(of: stages) })
        }
        add(
            "four people, every frame of 1280x720, per frame: detect, mesh and crop",
            milliseconds: milliseconds(["detect", "mesh", "crop"]), decimals: 1, aim: "≤ 15 ms")
        add("the same: resample", milliseconds: milliseconds(["resample"]), decimals: 1)
        add("the same: CPU of the whole analysis ÷ that of decoding with ffmpeg", pair.ratio(\.cpuSeconds))
    }

    /// Compares on a clip with moving faces and cuts, and on one of a person who faces the camera. Hiding analyses every
    /// frame, including small faces.
    mutating func measureHiding() throws {
        let (moving, portrait) = (try clips.elevenSeconds(), try clips.portrait720())
        for (clip, what) in [(moving, "11 s of 1280x720 with cuts"), (portrait, "10.8 s of 1280x720, one face")] {
            let command = hide(clip)
            let rounds = min(rounds, 2)
            let pair = try Pair(
                command, against: deface.map { [$0, "-o", results + "/defaced.mp4", clip] } ?? decode(clip),
                rounds: rounds)
            let speed = Spread(pair.first.map(\.wallSeconds)).text(decimals: 1)
            report.add(Report.Line(what: "hiding the faces of \(what)", measured: speed + " s"))
            guard deface != nil else { continue }
            add("the same: wall clock ÷ that of deface", pair.ratio(\.wallSeconds), aim: "≤ 0.2")
            add("the same: CPU ÷ that of deface", pair.ratio(\.cpuSeconds))
        }
    }

    /// Returns the timings of the last analysis of a clip.
    ///
    /// - Parameter count: The number of faces that a frame of the clip shows, on average.
    /// - Throws: `BenchError` if fewer than nine of ten were found. The time would then mean nothing.
    @discardableResult
    func checkFaces(in clip: String, expected count: Double) throws -> RunTimings {
        let run = try RunTimings(resultFolder: resultFolder(of: clip))
        let shown = Int(count * Double(run.sampledFrames))
        guard run.faces * 10 >= shown * 9 else {
            throw BenchError(
                "vidscan found \(run.faces) faces in \(run.sampledFrames) samples of \(clip), which show \(shown); its "
                    + "speed cannot be compared")
        }
        return run
    }
}
