internal import Glibc

/// Computes expressions from blendshape scores, distances and what the pixels show, and from these expressions emotions
/// and emojis: 0…1 (valence −1…1).
///
/// Emotions follow Affectiva's published table of the expressions that raise or lower each emotion, and what the
/// emotion network sees in the pixels. Their weights are learned from people's votes. Few neutral faces of few people
/// reach 50. Emojis are similarities, at most as likely as their emotion; those with a tongue have no value.
struct ExpressionFormulas: Sendable {
    private struct WeightedSum<Term: Sendable>: Sendable {
        private let terms: [(term: Term, factor: Double)]
        private let bias: Double

        init(
            _ weights: [String: Double], bias: Double = 0, _ resolve: (String) throws(ExpressionModelError) -> Term
        ) throws(ExpressionModelError) {
            var terms: [(term: Term, factor: Double)] = []
            // A floating-point sum depends on its order, and a dictionary's order changes from run to run.
            for (name, factor) in weights.sorted(by: { $0.key < $1.key }) { terms.append((try resolve(name), factor)) }
            (self.terms, self.bias) = (terms, bias)
        }

        func of(_ value: (Term) -> Double) -> Double { terms.reduce(0) { $0 + $1.factor * value($1.term) } + bias }
    }

    private struct Emotion: Sendable {
        var metric: Metric
        var raises, lowers: WeightedSum<Metric>
        var evidence: (weight: Double, output: Int)
        var bias, gain: Double

        func level(_ expressions: MetricValues) -> (raised: Double, lowered: Double) {
            (raises.of { expressions[$0] ?? 0 }, lowers.of { expressions[$0] ?? 0 })
        }
    }

    private let constants: ExpressionConstants
    private let residuals: [(measure: @Sendable (FaceMeasures) -> Double, constants: ExpressionConstants.Residual)]
    private let logits: [(scores: [Int], constants: ExpressionConstants.Logit)]
    private let scoreRules: [(metric: Metric, scores: [Int], constants: ExpressionConstants.BlendshapeExpression)]
    /// The terms are the residuals, then the logits; those of `seen`, the emotion network's outputs.
    private let learned: [(metric: Metric, sum: WeightedSum<Int>, seen: WeightedSum<Int>)]
    private let emotions: [Emotion]
    private let engagement, valence: WeightedSum<Metric>
    /// Raw values that become ½.
    private let emojiEdges: MetricValues
    private let smile, dimple, blink: [Int]
    private let jawOpen: Int

    /// Throws if the constants name something unknown.
    init(_ constants: ExpressionConstants, blendshapes: [String], outputs: [String]) throws(ExpressionModelError) {
        func position(_ name: String, _ names: [String]) throws(ExpressionModelError) -> Int {
            guard let position = names.firstIndex(of: name) else { throw .unknown(name) }
            return position
        }
        func scores(_ names: [String]) throws(ExpressionModelError) -> [Int] {
            try names.map { name throws(ExpressionModelError) in try position(name, blendshapes) }
        }
        func metric(_ name: String) throws(ExpressionModelError) -> Metric {
            guard let metric = Metric(rawValue: name) else { throw .unknown(name) }
            return metric
        }
        self.constants = constants
        let (measured, scored) = (constants.residuals.keys.sorted(), constants.logits.keys.sorted())
        residuals = try constants.residuals.sorted { $0.key < $1.key }.map { entry throws(ExpressionModelError) in
            guard let measure = FaceMeasures.named[entry.key] else { throw .unknown(entry.key) }
            return (measure, entry.value)
        }
        logits = try constants.logits.sorted { $0.key < $1.key }.map { entry throws(ExpressionModelError) in
            (try scores(entry.value.scores), entry.value)
        }
        scoreRules = try constants.blendshapeExpressions.map { entry throws(ExpressionModelError) in
            (try metric(entry.key), try scores(entry.value.scores), entry.value)
        }
        learned = try (Array(constants.learnedExpressions) + Array(constants.fixedExpressions)).map {
            entry throws(ExpressionModelError) in
            let sum = try WeightedSum(entry.value.weights, bias: entry.value.bias) {
                name throws(ExpressionModelError) in try position(name, measured + scored)
            }
            let seen = try WeightedSum(entry.value.evidence ?? [:]) {
                name throws(ExpressionModelError) in try position(name, outputs)
            }
            return (try metric(entry.key), sum, seen)
        }
        emotions = try constants.emotions.map { entry throws(ExpressionModelError) in
            Emotion(
                metric: try metric(entry.key), raises: try WeightedSum(entry.value.raises, metric),
                lowers: try WeightedSum(entry.value.lowers, metric),
                evidence: (entry.value.evidence, try position(entry.key, outputs)), bias: entry.value.bias,
                gain: entry.value.gain)
        }
        engagement = try WeightedSum(constants.engagement.weights, bias: constants.engagement.bias, metric)
        valence = try WeightedSum(constants.valence.weights, bias: constants.valence.bias, metric)
        var edges = MetricValues()
        for (name, edge) in constants.emojiEdges {
            // An expression has the same name.
            edges[name == "smirk" ? .emojiSmirk : try metric(name)] = edge / 100
        }
        emojiEdges = edges
        smile = try scores(["mouthSmileLeft", "mouthSmileRight"])
        dimple = try scores(["mouthDimpleLeft", "mouthDimpleRight"])
        blink = try scores(["eyeBlinkLeft", "eyeBlinkRight"])
        jawOpen = try position("jawOpen", blendshapes)
    }

    /// Leaves out the gaze and values that follow from others. `evidence` is empty without the emotion network.
    func values(scores: [Double], measures: FaceMeasures, evidence: [Double]) -> MetricValues {
        let eyes = EyeState(constants.eyes, measures, leftBlink: scores[blink[0]], rightBlink: scores[blink[1]])
        var values = expressions(scores, measures, evidence)
        values[.eyeClosure] = eyes.closure
        addEmotions(to: &values, evidence)
        addSums(to: &values)
        (values[.leftEyeOpenness], values[.rightEyeOpenness]) = (eyes.leftOpenness, eyes.rightOpenness)
        addEmojis(to: &values, wink: eyes.wink)
        values[.leftEyeClosed] = eyes.leftClosure >= 0.5 ? 1 : 0
        values[.rightEyeClosed] = eyes.rightClosure >= 0.5 ? 1 : 0
        return values
    }

    /// Adds emotions and emojis for the expressions in `values`, with the pixels' evidence as measured.
    func addEmotionsAndEmojis(to values: inout MetricValues, measured: MetricValues) {
        let expressions = values
        addEmotions(to: &values, [])
        for emotion in emotions {
            values[emotion.metric] = measured[emotion.metric].map { fraction in
                let (now, before) = (emotion.level(expressions), emotion.level(measured))
                let change = now.raised - before.raised - (now.lowered - before.lowered)
                // 0 and 1, to which values may be rounded, have no logarithm.
                let odds = min(max(fraction, 1e-7), 1 - 1e-7)
                return sigmoid(log(odds / (1 - odds)) + emotion.gain * change)
            }
        }
        addSums(to: &values)
        addEmojis(to: &values, wink: rawWink(measured[.wink] ?? 0))
    }

    private func expressions(_ scores: [Double], _ measures: FaceMeasures, _ evidence: [Double]) -> MetricValues {
        let seen = { (output: Int) in evidence.isEmpty ? 0 : evidence[output] }
        let terms = terms(scores, measures)
        var values = MetricValues()
        for rule in scoreRules {
            let parts = rule.scores.map { scores[$0] }
            let combined =
                rule.constants.combine == .max ? parts.max() ?? 0 : parts.reduce(0, +) / Double(max(parts.count, 1))
            values[rule.metric] = min(1, rule.constants.gain * combined)
        }
        for rule in learned { values[rule.metric] = sigmoid(rule.sum.of { terms[$0] } + rule.seen.of(seen)) }
        values[.mouthOpen] = ramp(measures.lipGap, constants.mouthOpen.closedGap, constants.mouthOpen.openGap)
        let uneven = abs(scores[smile[0]] - scores[smile[1]]) + abs(scores[dimple[0]] - scores[dimple[1]])
        values[.smirk] = min(1, constants.smirk.gain * uneven)
        values[.attention] = attention(measures)
        return values
    }

    /// 0…1.
    func attention(_ measures: FaceMeasures) -> Double {
        let degrees = acos(min(max(measures.viewAxis.z, -1), 1)) * 180 / .pi
        return 1 - ramp(degrees, constants.attention.fullDegrees, constants.attention.noneDegrees)
    }

    /// The inputs of the learned expressions, in standard deviations.
    private func terms(_ scores: [Double], _ measures: FaceMeasures) -> [Double] {
        func mean(_ indices: [Int]) -> Double { indices.reduce(0) { $0 + scores[$1] } / Double(max(indices.count, 1)) }
        func clipped(_ value: Double) -> Double { min(max(value, -3), 3) }
        let smile = mean(smile)
        let (x, y) = (measures.viewAxis.x, measures.viewAxis.y)
        // Besides the muscle, head turn, smile and jaw influence the distances.
        let covariates = [1, y, abs(x), y * y, smile, scores[jawOpen], smile * smile]
        let measured = residuals.map { measure, residual in
            let expected = zip(covariates, residual.coefficients).reduce(0) { $0 + $1.0 * $1.1 }
            return clipped((measure(measures) - expected) / residual.deviation)
        }
        return measured
            + logits.map { positions, logit in clipped((logOdds(mean(positions)) - logit.mean) / logit.deviation) }
    }

    private func addEmotions(to values: inout MetricValues, _ evidence: [Double]) {
        let expressions = values
        for emotion in emotions {
            let (raised, lowered) = emotion.level(expressions)
            let seen = evidence.isEmpty ? 0 : emotion.evidence.weight * evidence[emotion.evidence.output]
            values[emotion.metric] = sigmoid(emotion.gain * (raised - lowered + seen + emotion.bias))
        }
    }

    /// Emotions are among the terms of valence.
    private func addSums(to values: inout MetricValues) {
        let terms = values
        values[.engagement] = min(max(engagement.of { terms[$0] ?? 0 }, 0), 1)
        values[.valence] = min(max(valence.of { terms[$0] ?? 0 }, -1), 1)
    }

    /// - Parameter wink: Before calibration.
    private func addEmojis(to values: inout MetricValues, wink: Double) {
        let known = values
        let value = { (metric: Metric) in known[metric] ?? 0 }
        let (smile, mouthOpen) = (value(.smile), value(.mouthOpen))
        let bothClosed = min(1 - (known[.leftEyeOpenness] ?? 1), 1 - (known[.rightEyeOpenness] ?? 1))
        let raw: [(Metric, Double)] = [
            (.laughing, value(.joy) * mouthOpen.squareRoot()),
            (.smiley, value(.joy) * (1 - 0.5 * mouthOpen) * (1 - wink)),
            (.relaxed, (smile * bothClosed).squareRoot() * (1 - mouthOpen) * (1 - wink)),
            (.wink, wink),
            (.kissing, value(.lipPucker) * (1 - mouthOpen) * (1 - smile)),
            (.flushed, value(.eyeWiden) * (1 - mouthOpen) * (1 - smile)),
            (.disappointed, value(.sadness) * value(.lipCornerDepressor).squareRoot() * (1 - smile)),
            (.rage, value(.anger) * (1 - smile)),
            (.scream, value(.surprise) * value(.jawDrop).squareRoot() * (1 - smile)),
            (.emojiSmirk, value(.smirk) * (1 - wink)),
        ]
        for (emoji, value) in raw { values[emoji] = emojiEdges[emoji].map { calibrated(value, edge: $0) } ?? value }
    }

    /// Maps on two straight lines: `edge` becomes ½; 0 and 1 stay.
    private func calibrated(_ value: Double, edge: Double) -> Double {
        value < edge ? 0.5 * value / edge : 1 - 0.5 * (1 - value) / max(1 - edge, 1e-8)
    }

    private func rawWink(_ value: Double) -> Double {
        let edge = emojiEdges[.wink] ?? 0.5
        return value < 0.5 ? 2 * value * edge : 1 - 2 * (1 - value) * max(1 - edge, 1e-8)
    }
}

/// Openness, 0…1: half from the lids' gap relative to the eye's width, half from the network's blink score.
private struct EyeState {
    let leftOpenness, rightOpenness, leftClosure, rightClosure, wink: Double

    var closure: Double { (leftClosure + rightClosure) / 2 }

    init(_ constants: ExpressionConstants.Eyes, _ measures: FaceMeasures, leftBlink: Double, rightBlink: Double) {
        func openness(_ gap: Double, _ blink: Double) -> Double {
            let byGap = ramp(gap, constants.shutGap, constants.openGap)
            let byBlink = ramp(-blink, -constants.shutBlink, -constants.openBlink)
            return (byGap + byBlink) / 2
        }
        func closure(_ openness: Double) -> Double {
            sigmoid((constants.closureCentre - 100 * openness) / constants.closureWidth)
        }
        let gaps = (measures.leftLidGap, measures.rightLidGap)
        (leftOpenness, rightOpenness) = (openness(gaps.0, leftBlink), openness(gaps.1, rightBlink))
        (leftClosure, rightClosure) = (closure(leftOpenness), closure(rightOpenness))
        // By score and by gap, because unlike the openness, neither saturates when an eye is wide open or nearly shut.
        let apart =
            abs(leftBlink - rightBlink) + constants.winkGapWeight * abs(gaps.0 - gaps.1) / max(gaps.0, gaps.1, 1e-6)
        wink =
            ramp(100 * max(leftOpenness, rightOpenness), constants.winkOpenFrom, constants.winkOpenTo)
            * sigmoid((apart - constants.winkCentre) / constants.winkWidth)
    }
}

/// Of a score of 0…1, which may be either.
private func logOdds(_ score: Double) -> Double { log((score + 0.01) / (1.01 - score)) }

private func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }

func ramp(_ x: Double, _ low: Double, _ high: Double) -> Double { min(max((x - low) / (high - low), 0), 1) }
