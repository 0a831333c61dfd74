/// The constants of the expressions, which training writes to `expressions.json`.
struct ExpressionConstants: Decodable, Sendable {
    /// A quantity that also depends on head turn, smile and jaw. The expression is what remains after these are
    /// subtracted.
    struct Residual: Decodable, Sendable {
        var coefficients: [Double]
        var deviation: Double
    }

    /// The logit of the mean of some blendshape scores, in standard deviations.
    struct Logit: Decodable, Sendable {
        var scores: [String]
        var mean: Double
        var deviation: Double
    }

    struct BlendshapeExpression: Decodable, Sendable {
        enum Combination: String, Decodable, Sendable { case mean, max }
        var scores: [String]
        var combine: Combination
        var gain: Double
    }

    /// The named factors of a sum, sorted by name: the result of a floating-point sum depends on its order, and the
    /// order of a dictionary changes from run to run.
    struct Weights: Decodable, Sendable {
        private var terms: [(name: String, factor: Double)]

        init(from decoder: any Decoder) throws {
            terms = try decoder.singleValueContainer().decode([String: Double].self).sorted { $0.key < $1.key }.map {
                ($0.key, $0.value)
            }
        }

        func sum(of values: [String: Double]) -> Double {
            terms.reduce(0) { $0 + $1.factor * (values[$1.name] ?? 0) }
        }
    }

    struct WeightedTerms: Decodable, Sendable {
        var weights: Weights
        var bias: Double

        func sum(of values: [String: Double]) -> Double { weights.sum(of: values) + bias }
    }

    struct Emotion: Decodable, Sendable {
        var raises: Weights
        var lowers: Weights
        /// The weight of the emotion network's evidence; `nil` for emotions that the mesh alone shows.
        var evidence: Double?
        var bias: Double
        var gain: Double
    }

    struct MouthOpen: Decodable, Sendable {
        var closedGap: Double
        var openGap: Double
    }

    struct Smirk: Decodable, Sendable {
        var gain: Double
    }

    struct Attention: Decodable, Sendable {
        var fullDegrees: Double
        var noneDegrees: Double
    }

    struct Eyes: Decodable, Sendable {
        var shutGap: Double
        var openGap: Double
        var shutBlink: Double
        var openBlink: Double
        var closureCentre: Double
        var closureWidth: Double
        var winkGapWeight: Double
        var winkCentre: Double
        var winkWidth: Double
        var winkOpenFrom: Double
        var winkOpenTo: Double
    }

    var residuals: [String: Residual]
    var logits: [String: Logit]
    var blendshapeExpressions: [String: BlendshapeExpression]
    var learnedExpressions: [String: WeightedTerms]
    var fixedExpressions: [String: WeightedTerms]
    var mouthOpen: MouthOpen
    var smirk: Smirk
    var attention: Attention
    var eyes: Eyes
    var emotions: [String: Emotion]
    var valence: WeightedTerms
    var engagement: WeightedTerms
    /// The raw value that becomes 50, of each emoji that follows no emotion, by its name in the formulas.
    var emojiEdges: [String: Double]
}
