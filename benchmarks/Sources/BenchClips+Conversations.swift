/// Clips in which people are told apart: two people, filmed together or in turn. A hand-held camera films frames of the
/// sample, as in the clips of one person.
extension BenchClips {
    /// Returns a clip of two people side by side without a cut, as in an interview: 5 min, 1920x1080.
    func interview() throws -> String {
        try clip("interview.mp4") { path in
            // The camera's motion ends where it starts, so that the loop has no jump.
            let start = try filmed("interview-20s.mp4", [Shot(people: [0, 1])], frames: HandheldCamera.period)
            try ffmpeg(["-stream_loop", "14", "-i", start, "-c", "copy", path])
        }
    }

    /// The number of cuts in the clip that `film()` returns.
    static let filmCuts = 39
    /// The mean number of faces in its frames.
    static let filmFaces = 1.25

    /// Returns a clip with a cut every three seconds between one, the other and both of two people: 2 min, 1920x1080.
    func film() throws -> String {
        try clip("film.mp4") { path in
            let (close, mirrored) = ("crop=480:270:80:20,", "hflip,eq=gamma=0.8,")
            let shots = [
                Shot(people: [0]), Shot(people: [1]), Shot(people: [0, 1]), Shot(people: [0], framing: close),
                Shot(people: [1], framing: close), Shot(people: [1, 0], framing: mirrored),
                Shot(people: [0], framing: mirrored), Shot(people: [1], framing: mirrored),
            ]
            let start = try filmed("film-24s.mp4", shots, frames: 75)
            try ffmpeg(["-stream_loop", "4", "-i", start, "-c", "copy", path])
        }
    }

    private struct Shot {
        /// Whom it shows, from left to right: 0 and 1 are the people of the two stills.
        let people: [Int]
        /// Filters of ffmpeg for the stills, with a comma after each.
        var framing = ""
    }

    /// Returns a clip of several shots, each with a camera of its own.
    ///
    /// - Parameter frames: The length of each shot.
    private func filmed(_ name: String, _ shots: [Shot], frames: Int) throws -> String {
        try clip(name) { path in
            let stills = [try portraitStill(), try secondStill()]
            let people = shots.flatMap { shot in shot.people.map { (still: stills[$0], shot: shot) } }
            let views = people.enumerated().map { index, person in
                let isAlone = person.shot.people.count == 1
                // Both faces are in the middle of their stills.
                let half = isAlone ? "" : "crop=320:360:160:0,"
                let camera = HandheldCamera(phase: 1.3 * Double(index))
                return "[\(index):v]" + person.shot.framing + half
                    + filmed(isAlone ? "1920:1080" : "960:1080", camera)
                    + ",trim=end_frame=\(frames)[view\(index)]"
            }
            var first = 0
            let pictures = shots.enumerated().map { number, shot in
                let labels = shot.people.indices.map { "[view\(first + $0)]" }.joined()
                first += shot.people.count
                return labels + (shot.people.count == 1 ? "null" : "hstack") + "[shot\(number)]"
            }
            let labels = shots.indices.map { "[shot\($0)]" }.joined()
            let joined = labels + (shots.count == 1 ? "" : "concat=n=\(shots.count),") + Self.noise
            try ffmpeg(
                people.flatMap { looped($0.still) }
                    + ["-filter_complex", (views + pictures + [joined]).joined(separator: ";")] + Self.h264 + [path])
        }
    }
}
