/// Training writes these to `expressions.json`; `ExpressionFormulas` resolves the names.
struct ExpressionConstants: Decodable, Sendable {
    /// A quantity minus what head turn, smile and jaw contribute to it.
    struct Residual: Decodable, Sendable {
        var coefficients: [Double]
        var deviation: Double
    }

    /// The logit of the mean of some blendshape scores, in standard deviations.
    struct Logit: Decodable, Sendable {
        var scores: [String]
        var mean, deviation: Double
    }

    struct BlendshapeExpression: Decodable, Sendable {
        enum Combination: String, Decodable, Sendable { case mean, max }
        var scores: [String]
        var combine: Combination
        var gain: Double
    }

    struct WeightedTerms: Decodable, Sendable {
        var weights: [String: Double]
        /// Of the emotion network's log odds, by emotion.
        var evidence: [String: Double]?
        var bias: Double
    }

    struct Emotion: Decodable, Sendable {
        var raises, lowers: [String: Double]
        /// The weight of the emotion network's log odds.
        var evidence: Double
        var bias, gain: Double
    }

    struct MouthOpen: Decodable, Sendable { var closedGap, openGap: Double }
    struct Smirk: Decodable, Sendable { var gain: Double }
    struct Attention: Decodable, Sendable { var fullDegrees, noneDegrees: Double }

    struct Eyes: Decodable, Sendable {
        var shutGap, openGap, shutBlink, openBlink, closureCentre, closureWidth: Double
        var winkGapWeight, winkCentre, winkWidth, winkOpenFrom, winkOpenTo: Double
    }

    var residuals: [String: Residual]
    var logits: [String: Logit]
    var blendshapeExpressions: [String: BlendshapeExpression]
    var learnedExpressions, fixedExpressions: [String: WeightedTerms]
    var mouthOpen: MouthOpen
    var smirk: Smirk
    var attention: Attention
    var eyes: Eyes
    var emotions: [String: Emotion]
    var valence, engagement: WeightedTerms
    /// The raw value, 0…100, that becomes 50, of each emoji that follows no emotion.
    var emojiEdges: [String: Double]
}
