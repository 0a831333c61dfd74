/// What telling people apart by face embeddings takes, relative to a run without.
extension Measurements {
    mutating func measureRecognition() throws {
        try measureRecognition(
            in: try clips.interview(), "two people for 5 min without a cut", faces: 2, cuts: 0, aim: "≤ 1.03")
        try measureRecognition(
            in: try clips.film(), "two people for 2 min with a cut every 3 s", faces: BenchClips.filmFaces,
            cuts: BenchClips.filmCuts, aim: "≤ 1.10")
    }

    /// - Parameters:
    ///   - faces: The mean number of faces in a frame of the clip.
    ///   - cuts: The number of cuts in the clip.
    private mutating func measureRecognition(
        in clip: String, _ what: String, faces: Double, cuts: Int, aim: String
    ) throws {
        let pair = try Pair(analyze(clip), against: analyze(clip, "--no-person"), rounds: rounds) {
            let run = try checkFaces(in: clip, expected: faces)
            // Each shot takes embeddings of its own, so that cuts that are missed would make the run too cheap.
            guard run.hardCuts * 10 >= cuts * 9, run.stageSeconds["embed", default: 0] > 0 else {
                throw BenchError(
                    "vidscan found \(run.hardCuts) of \(cuts) cuts in \(clip), or computed no embeddings; the cost of "
                        + "recognising people cannot be measured")
            }
        }
        add("\(what): CPU ÷ that of --no-person", pair.ratio(\.cpuSeconds), aim: aim)
        add("the same: wall clock", pair.ratio(\.wallSeconds))
    }
}
