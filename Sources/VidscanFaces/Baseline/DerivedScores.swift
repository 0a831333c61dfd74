/// Emotions and emojis, which follow from expressions and the openness of the eyes.
struct DerivedScores {
    let constants: ExpressionConstants
    /// The value of each expression, 0…1.
    let expressions: [String: Double]
    let eyes: EyeState

    /// Returns the value of each emotion and emoji, 0…100 (valence −100…100).
    func values() -> [Metric: Double] {
        let emotions = EmotionFormulas(constants: constants, expressions: expressions).values()
        let emojis = EmojiFormulas(expressions: expressions, emotions: emotions, eyes: eyes).values()
        var values: [Metric: Double] = [:]
        for (name, share) in emotions.merging(emojis, uniquingKeysWith: { $1 }) {
            // Names that are not metrics are skipped.
            if let metric = Metric(rawValue: name) { values[metric] = 100 * share }
        }
        return values
    }
}

extension ExpressionModel {
    /// Returns the emotions and emojis of a face.
    ///
    /// - Parameter values: The expressions and the openness of the eyes, 0…100.
    public func derivedScores(of values: [Metric: Double]) -> [Metric: Double] {
        let shares = Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value / 100) })
        let eyes = EyeState(
            constants.eyes, leftOpenness: (values[.leftEyeOpenness] ?? 100) / 100,
            rightOpenness: (values[.rightEyeOpenness] ?? 100) / 100)
        return DerivedScores(constants: constants, expressions: shares, eyes: eyes).values()
    }
}
