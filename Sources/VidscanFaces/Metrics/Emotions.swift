/// Emotions from expressions, by Affectiva's published table of what raises and what lowers each; the weights are fitted
/// to labelled pictures, or set by reason where there are no labels (fear, contempt).
struct EmotionFormulas {
    let constants: ExpressionConstants
    /// 0…1 each.
    let expressions: [String: Double]

    /// Each emotion's share, 0…1 (valence −1…1).
    func values() -> [String: Double] {
        var shares = constants.emotions.mapValues { emotion in
            let raised = emotion.raises.sum(of: expressions)
            let lowered = emotion.lowers.sum(of: expressions)
            return sigmoid(emotion.gain * (raised - lowered + emotion.bias))
        }
        shares["engagement"] = min(max(constants.engagement.sum(of: expressions), 0), 1)
        shares["valence"] = min(max(constants.valence.sum(of: expressions), -1), 1)
        return shares
    }
}

/// Likeness to emojis, by what people mean by them. There is no signal for a tongue, so its two are never given.
struct EmojiFormulas {
    let expressions: [String: Double]
    let emotions: [String: Double]
    let eyes: EyeState

    /// Each emoji's share, 0…1.
    func values() -> [String: Double] {
        let e = { (name: String) in expressions[name] ?? 0 }
        let m = { (name: String) in emotions[name] ?? 0 }
        let wink = eyes.wink
        let (smile, mouthOpen) = (e("smile"), e("mouth_open"))
        let bothClosed = min(1 - eyes.leftOpenness, 1 - eyes.rightOpenness)
        return [
            "laughing": (smile * mouthOpen).squareRoot(),
            "smiley": smile * (1 - 0.5 * mouthOpen) * (1 - wink),
            "relaxed": (smile * bothClosed).squareRoot() * (1 - mouthOpen) * (1 - wink),
            "wink": wink,
            "kissing": e("lip_pucker") * (1 - mouthOpen) * (1 - smile),
            "flushed": e("eye_widen") * (1 - mouthOpen) * (1 - smile),
            "disappointed": (m("sadness") * e("lip_corner_depressor")).squareRoot() * (1 - smile),
            "rage": m("anger") * (1 - smile),
            "scream": (max(m("fear"), m("surprise")) * e("jaw_drop")).squareRoot() * (1 - smile),
            "emoji_smirk": e("smirk") * (1 - wink),
        ]
    }
}
