internal import Glibc

/// Emotions as functions of expressions, after Affectiva's published table of the expressions that raise or lower each
/// emotion, and of what the emotion network sees in the pixels. The weights are fitted to labelled images, or set by
/// reasoning where there are no labels (fear, contempt). 50 is reached by few neutral faces of few people.
struct EmotionFormulas {
    let constants: ExpressionConstants
    /// The value of each expression, 0…1.
    let expressions: [String: Double]
    /// The logarithm of the odds of each emotion, from the pixels.
    let evidence: [String: Double]

    /// Returns the value of each emotion, 0…1 (valence −1…1).
    func values() -> [String: Double] {
        var shares: [String: Double] = [:]
        for (name, emotion) in constants.emotions {
            let raised = emotion.raises.sum(of: expressions)
            let lowered = emotion.lowers.sum(of: expressions)
            let seen = (emotion.evidence ?? 0) * (evidence[name] ?? 0)
            shares[name] = sigmoid(emotion.gain * (raised - lowered + seen + emotion.bias))
        }
        shares["engagement"] = min(max(constants.engagement.sum(of: expressions), 0), 1)
        shares["valence"] = min(max(constants.valence.sum(of: expressions), -1), 1)
        return shares
    }
}

extension EmotionFormulas {
    /// Returns the value of each emotion after a change of the expressions, 0…1 (valence −1…1). What the pixels show is
    /// part of the values before it.
    ///
    /// - Parameters:
    ///   - before: The value of each emotion before the change, 0…1.
    ///   - expressions: The value of each expression before the change, 0…1.
    func values(after before: [String: Double], expressions earlier: [String: Double]) -> [String: Double] {
        var shares = values()
        for (name, emotion) in constants.emotions {
            guard let share = before[name] else { continue }
            let change =
                emotion.raises.sum(of: expressions) - emotion.raises.sum(of: earlier)
                - (emotion.lowers.sum(of: expressions) - emotion.lowers.sum(of: earlier))
            // A value that was rounded to 0 or 1 has no logarithm.
            let odds = min(max(share, Self.smallest), 1 - Self.smallest)
            shares[name] = sigmoid(log(odds / (1 - odds)) + emotion.gain * change)
        }
        return shares
    }

    private static let smallest = 1e-7
}

/// The similarity to emojis, by what people mean by them. Nothing measures the tongue, so the two emojis with a tongue
/// have no value. An emoji of an emotion is no likelier than the emotion.
struct EmojiFormulas {
    let constants: ExpressionConstants
    let expressions: [String: Double]
    let emotions: [String: Double]
    /// How far each eye is open, 0…1.
    let leftOpenness: Double
    let rightOpenness: Double
    /// Before calibration, 0…1.
    let wink: Double

    /// Returns the value of each emoji, 0…1.
    func values() -> [String: Double] {
        let e = { (name: String) in expressions[name] ?? 0 }
        let m = { (name: String) in emotions[name] ?? 0 }
        let (smile, mouthOpen) = (e("smile"), e("mouth_open"))
        let bothClosed = min(1 - leftOpenness, 1 - rightOpenness)
        let raw = [
            "laughing": m("joy") * mouthOpen.squareRoot(),
            "smiley": m("joy") * (1 - 0.5 * mouthOpen) * (1 - wink),
            "relaxed": (smile * bothClosed).squareRoot() * (1 - mouthOpen) * (1 - wink),
            "wink": wink,
            "kissing": e("lip_pucker") * (1 - mouthOpen) * (1 - smile),
            "flushed": e("eye_widen") * (1 - mouthOpen) * (1 - smile),
            "disappointed": m("sadness") * e("lip_corner_depressor").squareRoot() * (1 - smile),
            "rage": m("anger") * (1 - smile),
            "scream": m("surprise") * e("jaw_drop").squareRoot() * (1 - smile),
            "smirk": e("smirk") * (1 - wink),
        ]
        return Dictionary(
            uniqueKeysWithValues: raw.map { name, value in
                (name, constants.emojiEdges[name].map { Self.calibrated(value, edge: $0 / 100) } ?? value)
            })
    }

    /// Returns the wink before calibration, 0…1, of its calibrated value.
    static func rawWink(_ value: Double, constants: ExpressionConstants) -> Double {
        let edge = (constants.emojiEdges["wink"] ?? 50) / 100
        return value < 0.5 ? 2 * value * edge : 1 - 2 * (1 - value) * max(1 - edge, 1e-8)
    }

    /// Maps a value on two straight lines: `edge` becomes ½; 0 and 1 stay.
    private static func calibrated(_ value: Double, edge: Double) -> Double {
        value < edge ? 0.5 * value / edge : 1 - 0.5 * (1 - value) / max(1 - edge, 1e-8)
    }
}
