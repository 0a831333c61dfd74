internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Reads the intermediate file when the people are known, and measures what each of them looks like at rest. A sample is then
/// judged by the whole video, not only by what came before it.
struct BaselinePass {
    let settings: Settings

    /// Returns the resting levels of the people who are seen well for long enough.
    ///
    /// - Parameter model: Computes emotions and emojis; it is loaded only if anybody has levels.
    func run(
        _ intermediate: IntermediateFrameFile, _ tracking: TrackingResult,
        model: () throws -> ExpressionModel
    ) throws -> Baseline {
        guard settings.measure.baseline != .none, settings.needsExpressions else { return Baseline() }
        let lastSamples = lastSamples(tracking)
        guard !lastSamples.isEmpty else { return Baseline() }
        let frames = try IntermediateFrameReader(intermediate)
        let tracks = try TrackIndexReader(tracking.indices, trackCount: tracking.summaries.count)
        var estimates: [Int: RestingLevelEstimate] = [:]
        var levels: [Int: RestingLevels] = [:]
        var sample = 0
        while let frame = try frames.next() {
            try Task.checkCancellation()
            for (face, track) in zip(frame.faces, try tracks.next(frame.faces.count)) {
                guard let key = key(track, tracking), let last = lastSamples[key] else { continue }
                if face.isClear {
                    estimates[key, default: RestingLevelEstimate()].add(seconds: tracking.interval) {
                        face.numbers[.metric($0)]
                    }
                }
                if sample == last { levels[key] = estimates.removeValue(forKey: key)?.levels }
            }
            sample += 1
        }
        var baseline = Baseline()
        for identity in tracking.identities {
            guard let identity, let found = levels[key(of: identity)] else { continue }
            baseline.levels[identity.faceID] = found
        }
        if !baseline.levels.isEmpty { baseline.model = try model() }
        return baseline
    }

    /// Returns the last sample of each person, or face, that has enough of them.
    private func lastSamples(_ tracking: TrackingResult) -> [Int: Int] {
        var counts: [Int: Int] = [:]
        var last: [Int: Int] = [:]
        for (summary, identity) in zip(tracking.summaries, tracking.identities) {
            guard let key = identity.map(key(of:)) else { continue }
            counts[key, default: 0] += summary.samples
            last[key] = max(last[key] ?? 0, summary.lastSample)
        }
        return last.filter {
            RestingLevelEstimate.suffices(samples: counts[$0.key] ?? 0, seconds: tracking.interval)
        }
    }

    /// Returns the number of the person, or face, whose levels a track shares; `nil` for a track that is dropped.
    private func key(_ track: Int, _ tracking: TrackingResult) -> Int? {
        track > 0 ? tracking.identities[track - 1].map(key(of:)) : nil
    }

    private func key(of identity: TrackSelection.Identity) -> Int {
        settings.measure.baseline == .person ? identity.personID : identity.faceID
    }
}

extension FaceRecord {
    /// Whether the face is seen so well that its resting level can be told: it faces the camera, and is neither small nor
    /// blurred.
    var isClear: Bool {
        guard let yaw = numbers[.yaw], let pitch = numbers[.pitch], let sharpness = numbers[.sharpness],
            let width = numbers[.interocularDistance]
        else { return false }
        return abs(yaw) <= 25 && abs(pitch) <= 20 && width >= 40 && sharpness >= 10
    }
}
