internal import VidscanFaces

/// The resting levels of a video's people, to which emotions, emojis and events are relative.
struct Baseline: Sendable {
    /// By face_id; faces without an entry are judged as they are.
    private(set) var levels: [Int: RestingLevels] = [:]
    /// `nil` if there are no levels.
    private var model: ExpressionModel?

    /// Measures each person at rest over the whole video, so that samples do not depend only on what came before. Only
    /// people who are seen well for long enough have levels.
    init(
        _ frames: TrackedFrames, _ outcome: TrackingOutcome, options: OutputOptions, model: () throws -> ExpressionModel
    ) async throws {
        guard options.baseline != .none, options.hasExpressions else { return }
        /// The person, or face, whose levels a track shares.
        let keys = outcome.tracks.map { options.baseline == .person ? $0.personID : $0.faceID }
        var (counts, last): ([Int: Int], [Int: Int]) = ([:], [:])
        for (key, track) in zip(keys, outcome.tracks) {
            counts[key, default: 0] += track.samples
            last[key] = max(last[key] ?? 0, track.lastSample)
        }
        last = last.filter { RestingLevelEstimate.suffices(samples: counts[$0.key] ?? 0, seconds: outcome.interval) }
        guard !last.isEmpty else { return }
        var (estimates, found): ([Int: RestingLevelEstimate], [Int: RestingLevels]) = ([:], [:])
        try await frames.forEach { frame in
            for face in frame.faces where face.track > 0 {
                let key = keys[face.track - 1]
                guard let last = last[key] else { continue }
                if face.isClear {
                    estimates[key, default: RestingLevelEstimate()].add(seconds: outcome.interval) {
                        face.numbers[.metric($0)]
                    }
                }
                if frame.sequence == last { found[key] = estimates.removeValue(forKey: key)?.levels }
            }
        }
        for (key, track) in zip(keys, outcome.tracks) { levels[track.faceID] = found[key] }
        if !levels.isEmpty { self.model = try model() }
    }

    /// Replaces emotions and emojis by those relative to the face's resting levels. No likelihood rises: an expression
    /// that lowers others, such as a resting smile, must not favour them. `metrics` must contain the dominant emoji.
    func apply(to face: inout FaceRecord, faceID: Int, metrics: Set<Metric>) {
        guard let levels = levels[faceID], let model else { return }
        var (measured, relative) = (MetricValues(), MetricValues())
        for metric in Metric.allCases {
            guard let value = face.numbers[.metric(metric)] else { continue }
            measured[metric] = value
            if metric.group == .expressions || metric.group == .eyes {
                relative[metric] = levels.relative(value, of: metric)
            }
        }
        guard Metric.allCases.contains(where: { relative[$0] != nil && relative[$0] != measured[$0] }) else { return }
        let scores = model.derivedScores(of: relative, measured: measured)
        for metric in Metric.allCases where metric.group == .emotions || metric.group == .emojis {
            guard let value = measured[metric], let score = scores[metric] else { continue }
            face.numbers[.metric(metric)] = metric == .valence ? score : min(value, score)
        }
        face.emoji = Metric.dominantEmoji(among: metrics) { face.numbers[.metric($0)] }
    }

    /// Relative to the face's resting level, if it has one.
    func relative(_ metric: Metric, of face: FaceRecord, faceID: Int) -> Double? {
        face.numbers[.metric(metric)].map { levels[faceID]?.relative($0, of: metric) ?? $0 }
    }

    /// Relative to the face's open eyes; `nil` if no eye was measured. In a turned head, the far lid moves too little in the
    /// mesh: in 25 of 29 samples with 25 to 40 degrees of yaw and a shut near eye, it stays above 30.
    func eyes(of face: FaceRecord, faceID: Int) -> EyeClosureFilter.Sample? {
        var left = relative(.leftEyeOpenness, of: face, faceID: faceID)
        var right = relative(.rightEyeOpenness, of: face, faceID: faceID)
        if let yaw = face.numbers[.yaw], abs(yaw) > ExpressionLimits.maximumYawOfHalves {
            if yaw > 0, right != nil { left = nil }
            if yaw < 0, left != nil { right = nil }
        }
        guard left != nil || right != nil else { return nil }
        return EyeClosureFilter.Sample(
            left: left, right: right, gazePitch: face.numbers[.metric(.gazePitch)], isClear: face.isClear)
    }
}
