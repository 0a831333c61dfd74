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

/// The similarity to emojis, by what people mean by them. Nothing measures the tongue, so the two emojis with a tongue
/// have no value. An emoji of an emotion is no likelier than the emotion.
struct EmojiFormulas {
    let constants: ExpressionConstants
    let expressions: [String: Double]
    let emotions: [String: Double]
    let eyes: EyeState

    /// Returns the value of each emoji, 0…1.
    func values() -> [String: Double] {
        let e = { (name: String) in expressions[name] ?? 0 }
        let m = { (name: String) in emotions[name] ?? 0 }
        let wink = eyes.wink
        let (smile, mouthOpen) = (e("smile"), e("mouth_open"))
        let bothClosed = min(1 - eyes.leftOpenness, 1 - eyes.rightOpenness)
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

    /// Maps a value on two straight lines: `edge` becomes ½; 0 and 1 stay.
    private static func calibrated(_ value: Double, edge: Double) -> Double {
        value < edge ? 0.5 * value / edge : 1 - 0.5 * (1 - value) / max(1 - edge, 1e-8)
    }
}
