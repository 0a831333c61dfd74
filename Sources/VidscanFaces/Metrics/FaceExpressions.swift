internal import Glibc
internal import VidscanBase

/// The expressions of one face: each value on a scale of 0…100 (valence −100…100), and blendshape scores of 0…1.
///
/// The values are likelihoods of visible expressions, as models and people label images. They are not feelings.
public struct FaceExpressions: Sendable, Equatable {
    /// The 52 blendshape scores, 0…1, in the model's order; none if only one eye can be measured.
    public let blendshapes: [Float]
    private var values: [Metric: Double]

    /// The value of a metric, in the metric's range; 0 or 1 for a yes-or-no metric.
    public subscript(metric: Metric) -> Double? {
        get { values[metric] }
        set { values[metric] = newValue }
    }

    init(
        model: ExpressionModel, blendshapes: [Float], measures: FaceMeasures, evidence: [String: Double], gaze: Gaze,
        pose: HeadPose, smileThreshold: Double
    ) {
        self.blendshapes = blendshapes
        let formulas = ExpressionFormulas(
            constants: model.constants,
            scores: Dictionary(uniqueKeysWithValues: zip(model.blendshapeNames, blendshapes.map(Double.init))),
            measures: measures, evidence: evidence)
        values = formulas.values()
        values[.hasSmile] = values[.smile].map { $0 > smileThreshold ? 1 : 0 }
        values[.gazeYaw] = gaze.yaw
        values[.gazePitch] = gaze.pitch
        if abs(pose.yaw) > ExpressionLimits.maximumYawOfHalves {
            for metric in ExpressionLimits.halves { values[metric] = nil }
        }
        for metric in Metric.actionUnits {
            values[metric] = metric.actionUnit.flatMap { values[$0.expression] }.map { $0 / 100 }
        }
    }

    /// The measurements of one eye alone, which are left of a head that is turned too far.
    init(_ whole: FaceExpressions, eye: NearEye) {
        blendshapes = []
        values = whole.values.filter { eye.metrics.contains($0.key) }
    }

    /// Returns the emoji most similar to the face, or `nil` if none is likely. Experimental ones are left out.
    public func dominantEmoji(among metrics: Set<Metric>) -> Character? {
        let emojis = Metric.namedEmojis.filter(metrics.contains)
        return Metric.likeliest(of: emojis) { values[$0] }?.metric.emoji
    }
}

/// The formulas that compute expressions from blendshape scores and measured distances, and emotions and emojis from
/// expressions.
private struct ExpressionFormulas {
    let constants: ExpressionConstants
    let scores: [String: Double]
    let measures: FaceMeasures
    let evidence: [String: Double]

    func values() -> [Metric: Double] {
        let eyes = EyeState(constants.eyes, measures, scores)
        var shares = expressions()
        shares["eye_closure"] = eyes.closure
        let emotions = EmotionFormulas(constants: constants, expressions: shares, evidence: evidence).values()
        var values = DerivedScores(
            constants: constants, expressions: shares, emotions: emotions, leftOpenness: eyes.leftOpenness,
            rightOpenness: eyes.rightOpenness, wink: eyes.wink
        ).values()
        for (name, share) in shares {
            // Names that are not metrics are skipped.
            if let metric = Metric(rawValue: name) { values[metric] = 100 * share }
        }
        values[.leftEyeOpenness] = 100 * eyes.leftOpenness
        values[.rightEyeOpenness] = 100 * eyes.rightOpenness
        values[.leftEyeClosed] = eyes.leftClosure >= 0.5 ? 1 : 0
        values[.rightEyeClosed] = eyes.rightClosure >= 0.5 ? 1 : 0
        return values
    }

    /// Returns the value of each expression, 0…1, by name.
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

    /// Returns the inputs of the learned expressions, in standard deviations.
    private func terms() -> [String: Double] {
        let smile = mean(["mouthSmileLeft", "mouthSmileRight"])
        let (x, y) = (measures.viewAxis.x, measures.viewAxis.y)
        // The other influences on the measured distances besides the muscle: head turn, smile, jaw.
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

/// Returns 0 up to `low`, 1 from `high`, and interpolates linearly in between.
func ramp(_ x: Double, _ low: Double, _ high: Double) -> Double { min(max((x - low) / (high - low), 0), 1) }

/// The openness of the eyes: half from the gap between the lids relative to the eye's width, half from the network's
/// blink score.
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
        // One eye is open, and the other one is much less open, by its score and by its gap. Unlike the openness, neither
        // stops growing when an eye is wide open or nearly shut.
        let gaps = (measures.leftLidGap, measures.rightLidGap)
        let apart =
            abs((scores["eyeBlinkLeft"] ?? 0) - (scores["eyeBlinkRight"] ?? 0))
            + constants.winkGapWeight * abs(gaps.0 - gaps.1) / max(gaps.0, gaps.1, 1e-6)
        wink =
            ramp(100 * max(leftOpenness, rightOpenness), constants.winkOpenFrom, constants.winkOpenTo)
            * sigmoid((apart - constants.winkCentre) / constants.winkWidth)
    }
}
