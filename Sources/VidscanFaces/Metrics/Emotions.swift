/// Emotions as functions of expressions, after Affectiva's published table of the expressions that raise or lower each
/// emotion. The weights are fitted to labelled images, or set by reasoning where there are no labels (fear, contempt).
struct EmotionFormulas {
    let constants: ExpressionConstants
    /// The value of each expression, 0…1.
    let expressions: [String: Double]

    /// Returns the value of each emotion, 0…1 (valence −1…1).
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

/// The similarity to emojis, by what people mean by them. Nothing measures the tongue, so the two emojis with a tongue
/// have no value.
struct EmojiFormulas {
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
