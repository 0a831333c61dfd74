internal import VidscanFaces

/// Holds frames back until it is known how far the eyes in them are closed, which depends on the next half second.
struct EyeClosures {
    private struct Waiting {
        var frame: FrameRecord
        /// Of its faces, how many have eyes that are not judged yet.
        var faces: Int
    }

    private struct Track {
        var filter: EyeClosureFilter
        /// The samples whose eyes are not judged yet: frame and face.
        var samples: [(sequence: Int, index: Int)] = []
    }

    private let outcome: TrackingOutcome
    private let baseline: Baseline
    private let longestBlinkSeconds: Double
    private var frames: [Waiting] = []
    /// By number; those that are not over.
    private var tracks: [Int: Track] = [:]

    init(_ outcome: TrackingOutcome, _ baseline: Baseline, longestBlinkSeconds: Double) {
        (self.outcome, self.baseline, self.longestBlinkSeconds) = (outcome, baseline, longestBlinkSeconds)
    }

    /// Adds the next frame. Returns the frames, in order, whose faces are all judged now.
    mutating func add(_ frame: FrameRecord) -> [FrameRecord] {
        frames.append(Waiting(frame: frame, faces: frame.faces.count { $0.track > 0 }))
        for (index, face) in frame.faces.enumerated() where face.track > 0 {
            let facts = outcome.tracks[face.track - 1]
            var track = tracks[face.track] ?? Track(filter: EyeClosureFilter(longestBlinkSeconds: longestBlinkSeconds))
            track.samples.append((frame.sequence, index))
            var values = track.filter.add(baseline.eyes(of: face, faceID: facts.faceID), at: frame.microseconds)
            if facts.lastSample == frame.sequence { values += track.filter.finish() }
            record(values, &track)
            tracks[face.track] = facts.lastSample == frame.sequence ? nil : track
        }
        // A face that is out of sight for longer than a blink adds nothing to its last samples.
        for number in tracks.keys.sorted() {
            guard var track = tracks[number], !track.samples.isEmpty else { continue }
            record(track.filter.advance(to: frame.microseconds), &track)
            tracks[number] = track
        }
        return takeJudged()
    }

    mutating func finish() -> [FrameRecord] {
        for var track in tracks.values { record(track.filter.finish(), &track) }
        tracks = [:]
        return takeJudged()
    }

    private mutating func record(_ values: [Double?], _ track: inout Track) {
        guard let first = frames.first?.frame.sequence else { return }
        for (value, sample) in zip(values, track.samples) {
            frames[sample.sequence - first].frame.faces[sample.index].eyeOpenness = value
            frames[sample.sequence - first].faces -= 1
        }
        track.samples.removeFirst(values.count)
    }

    private mutating func takeJudged() -> [FrameRecord] {
        let judged = frames.prefix { $0.faces == 0 }
        frames.removeFirst(judged.count)
        return judged.map(\.frame)
    }
}
