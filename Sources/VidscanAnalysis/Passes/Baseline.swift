internal import VidscanFaces
internal import VidscanResults

/// The resting levels of a video's people, to which emotions, emojis and events are relative.
struct Baseline: Sendable {
    /// By face_id; faces without an entry are judged as they are.
    var levels: [Int: RestingLevels] = [:]
    /// Computes emotions and emojis; `nil` if there are no levels.
    var model: ExpressionModel?

    /// Replaces emotions and emojis by those relative to the face's resting levels.
    ///
    /// No likelihood rises: an expression that lowers others, such as a resting smile, must not make room for them.
    ///
    /// - Parameter metrics: The requested metrics, among which the dominant emoji is.
    func apply(to face: inout FaceRecord, faceID: Int, metrics: Set<Metric>) {
        guard let levels = levels[faceID], let model else { return }
        var measured: [Metric: Double] = [:]
        for metric in Metric.allCases { measured[metric] = face.numbers[.metric(metric)] }
        var relative: [Metric: Double] = [:]
        for (metric, value) in measured where metric.group == .expressions || metric.group == .eyes {
            relative[metric] = levels.relative(value, of: metric)
        }
        guard relative.contains(where: { $0.value != measured[$0.key] }) else { return }
        for (metric, score) in model.derivedScores(of: relative, measured: measured) {
            guard let value = face.numbers[.metric(metric)] else { continue }
            face.numbers[.metric(metric)] = metric == .valence ? score : min(value, score)
        }
        let emojis = Metric.namedEmojis.filter(metrics.contains)
        face.emoji = Metric.likeliest(of: emojis) { face.numbers[.metric($0)] }?.metric
    }

    /// Returns the smile, relative to the face's resting level.
    func smile(of face: FaceRecord, faceID: Int) -> Double? {
        face.numbers[.metric(.smile)].map { levels[faceID]?.relative($0, of: .smile) ?? $0 }
    }

    /// Returns the eyes, relative to the face's open eyes; `nil` if none could be measured.
    func eyes(of face: FaceRecord, faceID: Int) -> EyeClosureFilter.Sample? {
        func openness(_ metric: Metric) -> Double? {
            face.numbers[.metric(metric)].map { levels[faceID]?.relative($0, of: metric) ?? $0 }
        }
        let (left, right) = (openness(.leftEyeOpenness), openness(.rightEyeOpenness))
        guard left != nil || right != nil else { return nil }
        return EyeClosureFilter.Sample(
            left: left, right: right, gazePitch: face.numbers[.metric(.gazePitch)], isClear: face.isClear)
    }
}
