internal import Glibc

/// Emotions and emojis, which follow from expressions, the openness of the eyes, and what the pixels show.
struct DerivedScores {
    let constants: ExpressionConstants
    /// The value of each expression, 0…1.
    let expressions: [String: Double]
    /// The value of each emotion, 0…1 (valence −1…1).
    let emotions: [String: Double]
    /// How far each eye is open, 0…1.
    let leftOpenness: Double
    let rightOpenness: Double
    /// The wink before calibration, 0…1.
    let wink: Double

    /// Returns the value of each emotion and emoji, 0…100 (valence −100…100).
    func values() -> [Metric: Double] {
        var emojis = EmojiFormulas(
            constants: constants, expressions: expressions, emotions: emotions, leftOpenness: leftOpenness,
            rightOpenness: rightOpenness, wink: wink
        ).values()
        // The expression has the same name.
        let smirk = emojis.removeValue(forKey: "smirk")
        var values: [Metric: Double] = [:]
        for (name, share) in emotions.merging(emojis, uniquingKeysWith: { $1 }) {
            // Names that are not metrics are skipped.
            if let metric = Metric(rawValue: name) { values[metric] = 100 * share }
        }
        values[.emojiSmirk] = smirk.map { 100 * $0 }
        return values
    }
}

extension ExpressionModel {
    /// Returns the emotions and emojis that a face would have with other expressions, and with the same evidence in its
    /// pixels.
    ///
    /// - Parameters:
    ///   - relative: The expressions and the openness of the eyes, 0…100.
    ///   - measured: All values of the face as they were measured, 0…100 (valence −100…100).
    public func derivedScores(of relative: [Metric: Double], measured: [Metric: Double]) -> [Metric: Double] {
        let shares = { (values: [Metric: Double]) in
            Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value / 100) })
        }
        let (now, before) = (shares(relative), shares(measured))
        let emotions = EmotionFormulas(constants: constants, expressions: now, evidence: [:]).values(
            after: before, expressions: before)
        return DerivedScores(
            constants: constants, expressions: now, emotions: emotions,
            leftOpenness: (relative[.leftEyeOpenness] ?? 100) / 100,
            rightOpenness: (relative[.rightEyeOpenness] ?? 100) / 100,
            wink: EmojiFormulas.rawWink((measured[.wink] ?? 0) / 100, constants: constants)
        ).values()
    }
}
