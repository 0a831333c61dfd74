internal import Glibc
internal import VidscanBase

/// What one face shows: each number on a scale of 0…100 (valence −100…100), or blendshape scores of 0…1.
///
/// These are likelihoods of visible expressions, as models and people label pictures; they are not feelings.
public struct FaceExpressions: Sendable, Equatable {
    /// The 52 scores, in the model's order, 0…1.
    public let blendshapes: [Float]
    private var values: [Metric: Double]

    /// The value of a metric, in the metric's range; 0 or 1 for those that are yes or no.
    public subscript(metric: Metric) -> Double? {
        get { values[metric] }
        set { values[metric] = newValue }
    }

    init(model: ExpressionModel, blendshapes: [Float], measures: FaceMeasures, gaze: Gaze, pose: HeadPose) {
        self.blendshapes = blendshapes
        let formulas = ExpressionFormulas(
            constants: model.constants,
            scores: Dictionary(uniqueKeysWithValues: zip(model.blendshapeNames, blendshapes.map(Double.init))),
            measures: measures)
        values = formulas.values()
        values[.gazeYaw] = gaze.yaw
        values[.gazePitch] = gaze.pitch
        if abs(pose.yaw) > ExpressionLimits.maximumYawOfHalves {
            for metric in ExpressionLimits.halves { values[metric] = nil }
        }
    }

    /// The emoji most like the face, or `nil` when none is likely.
    public func dominantEmoji(among metrics: Set<Metric>) -> Character? {
        let emojis = Metric.allCases.filter { $0.emoji != nil && metrics.contains($0) }
        return Metric.likeliest(of: emojis) { values[$0] }?.metric.emoji
    }
}

/// The formulas that make expressions of blendshape scores and measured distances, and emotions and emojis of expressions.
private struct ExpressionFormulas {
    let constants: ExpressionConstants
    let scores: [String: Double]
    let measures: FaceMeasures

    func values() -> [Metric: Double] {
        let eyes = EyeState(constants.eyes, measures, scores)
        var shares = expressions()
        shares["eye_closure"] = eyes.closure
        let emotions = EmotionFormulas(constants: constants, expressions: shares).values()
        let emojis = EmojiFormulas(expressions: shares, emotions: emotions, eyes: eyes).values()
        var values: [Metric: Double] = [:]
        for (name, share) in shares.merging(emotions, uniquingKeysWith: { $1 }).merging(
            emojis, uniquingKeysWith: { $1 })
        {
            // Two names serve twice: an expression and an emoji.
            if let metric = Metric(rawValue: name) { values[metric] = 100 * share }
        }
        values[.emojiSmirk] = emojis["emoji_smirk"].map { 100 * $0 }
        values[.leftEyeOpenness] = 100 * eyes.leftOpenness
        values[.rightEyeOpenness] = 100 * eyes.rightOpenness
        values[.leftEyeClosed] = eyes.leftClosure >= 0.5 ? 1 : 0
        values[.rightEyeClosed] = eyes.rightClosure >= 0.5 ? 1 : 0
        values[.hasSmile] = 100 * (shares["smile"] ?? 0) >= constants.thresholds.hasSmile ? 1 : 0
        return values
    }

    /// Each expression's name and its share, 0…1.
    private func expressions() -> [String: Double] {
        let terms = terms()
        var shares: [String: Double] = [:]
        for (name, rule) in constants.blendshapeExpressions {
            let parts = rule.scores.map { scores[$0] ?? 0 }
            let combined = rule.combine == .max ? parts.max() ?? 0 : parts.reduce(0, +) / Double(max(parts.count, 1))
            shares[name] = min(1, rule.gain * combined)
        }
        for (name, rule) in constants.learnedExpressions.merging(constants.fixedExpressions, uniquingKeysWith: { $1 }) {
            shares[name] = sigmoid(rule.sum(of: terms))
        }
        shares["mouth_open"] = ramp(
            measures.lipGap, constants.mouthOpen.closedGap, constants.mouthOpen.openGap)
        let uneven =
            abs(score("mouthSmileLeft") - score("mouthSmileRight"))
            + abs(score("mouthDimpleLeft") - score("mouthDimpleRight"))
        shares["smirk"] = min(1, constants.smirk.gain * uneven)
        let degrees = acos(min(max(measures.viewAxis.z, -1), 1)) * 180 / .pi
        shares["attention"] = 1 - ramp(degrees, constants.attention.fullDegrees, constants.attention.noneDegrees)
        return shares
    }

    /// The inputs of learned expressions, in standard deviations.
    private func terms() -> [String: Double] {
        let smile = mean(["mouthSmileLeft", "mouthSmileRight"])
        let (x, y) = (measures.viewAxis.x, measures.viewAxis.y)
        // What moves measured distances besides the muscle in question: head turn, smile, jaw.
        let covariates = [1, y, abs(x), y * y, smile, score("jawOpen"), smile * smile]
        var terms: [String: Double] = [:]
        for (name, residual) in constants.residuals {
            let expected = zip(covariates, residual.coefficients).reduce(0) { $0 + $1.0 * $1.1 }
            terms[name] = clipped(((measures.values[name] ?? expected) - expected) / residual.deviation)
        }
        for (name, logit) in constants.logits {
            let share = mean(logit.scores)
            terms[name] = clipped((log((share + 0.01) / (1.01 - share)) - logit.mean) / logit.deviation)
        }
        return terms
    }

    private func score(_ name: String) -> Double { scores[name] ?? 0 }

    private func mean(_ names: [String]) -> Double {
        names.reduce(0) { $0 + score($1) } / Double(max(names.count, 1))
    }

    private func clipped(_ value: Double) -> Double { min(max(value, -3), 3) }
}

func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }

/// 0 up to `low`, 1 from `high` on, straight between.
func ramp(_ x: Double, _ low: Double, _ high: Double) -> Double { min(max((x - low) / (high - low), 0), 1) }

/// How open the eyes are: half by the gap of the lids over the eye's width, half by the network's blink score.
struct EyeState {
    let leftOpenness: Double
    let rightOpenness: Double
    let leftClosure: Double
    let rightClosure: Double
    let wink: Double

    var closure: Double { (leftClosure + rightClosure) / 2 }

    init(_ constants: ExpressionConstants.Eyes, _ measures: FaceMeasures, _ scores: [String: Double]) {
        func openness(_ gap: Double, _ blink: String) -> Double {
            let byGap = ramp(gap, constants.shutGap, constants.openGap)
            let byBlink = ramp(-(scores[blink] ?? 0), -constants.shutBlink, -constants.openBlink)
            return (byGap + byBlink) / 2
        }
        func closure(_ openness: Double) -> Double {
            sigmoid((constants.closureCentre - 100 * openness) / constants.closureWidth)
        }
        leftOpenness = openness(measures.leftLidGap, "eyeBlinkLeft")
        rightOpenness = openness(measures.rightLidGap, "eyeBlinkRight")
        leftClosure = closure(leftOpenness)
        rightClosure = closure(rightOpenness)
        // One eye is open, and the other much less so.
        wink =
            ramp(100 * max(leftOpenness, rightOpenness), constants.winkOpenFrom, constants.winkOpenTo)
            * sigmoid((100 * abs(leftOpenness - rightOpenness) - constants.winkCentre) / constants.winkWidth)
    }
}
