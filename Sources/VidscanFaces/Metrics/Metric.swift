/// A measurement of a face other than its landmarks. The raw value is the name of its column.
public enum Metric: String, Sendable, CaseIterable, Comparable {
    // Eyes, and among them `hasSmile`, so that columns keep their order.
    case leftEyeOpenness = "left_eye_openness"
    case rightEyeOpenness = "right_eye_openness"
    case leftEyeClosed = "left_eye_closed"
    case rightEyeClosed = "right_eye_closed"
    case hasSmile = "has_smile"
    case gazeYaw = "gaze_yaw"
    case gazePitch = "gaze_pitch"
    // Expressions.
    case attention
    case browFurrow = "brow_furrow"
    case browRaise = "brow_raise"
    case cheekRaise = "cheek_raise"
    case chinRaise = "chin_raise"
    case dimpler
    case eyeClosure = "eye_closure"
    case eyeWiden = "eye_widen"
    case innerBrowRaise = "inner_brow_raise"
    case jawDrop = "jaw_drop"
    case lidTighten = "lid_tighten"
    case lipCornerDepressor = "lip_corner_depressor"
    case lipPress = "lip_press"
    case lipPucker = "lip_pucker"
    case lipStretch = "lip_stretch"
    case lipSuck = "lip_suck"
    case mouthOpen = "mouth_open"
    case noseWrinkle = "nose_wrinkle"
    case smile
    case smirk
    case upperLipRaise = "upper_lip_raise"
    // Emotions.
    case anger, contempt, disgust, fear, joy, sadness, surprise, engagement, valence
    // Emojis.
    case laughing, smiley, relaxed, wink, kissing
    case stuckOutTongue = "stuck_out_tongue"
    case stuckOutTongueWinkingEye = "stuck_out_tongue_winking_eye"
    case flushed, disappointed, rage, scream
    case emojiSmirk = "emoji_smirk"
    // Action units; `actionUnit` says what each of them is.
    case au01 = "AU01", au02 = "AU02", au04 = "AU04", au05 = "AU05", au06 = "AU06", au07 = "AU07", au09 = "AU09"
    case au10 = "AU10", au12 = "AU12", au14 = "AU14", au15 = "AU15", au17 = "AU17", au18 = "AU18", au20 = "AU20"
    case au24 = "AU24", au25 = "AU25", au26 = "AU26", au28 = "AU28", au43 = "AU43", au45 = "AU45"

    /// A group of metrics, which `--metrics` accepts by name.
    public enum Group: String, Sendable, CaseIterable {
        case eyes, expressions, emotions, emojis, aus
    }

    public var group: Group {
        switch self {
        case .leftEyeOpenness, .rightEyeOpenness, .leftEyeClosed, .rightEyeClosed, .gazeYaw, .gazePitch: .eyes
        case .anger, .contempt, .disgust, .fear, .joy, .sadness, .surprise, .engagement, .valence: .emotions
        case .laughing, .smiley, .relaxed, .wink, .kissing, .stuckOutTongue, .stuckOutTongueWinkingEye, .flushed,
            .disappointed, .rage, .scream, .emojiSmirk:
            .emojis
        case _ where actionUnit != nil: .aus
        default: .expressions
        }
    }

    /// Whether the metric is yes or no, written as 1 or 0.
    public var isFlag: Bool {
        switch self {
        case .leftEyeClosed, .rightEyeClosed, .hasSmile: true
        default: false
        }
    }

    /// The emoji character, for metrics that are emojis.
    public var emoji: Character? {
        switch self {
        case .laughing: "😆"
        case .smiley: "😃"
        case .relaxed: "☺️"
        case .wink: "😉"
        case .kissing: "😗"
        case .stuckOutTongue: "😛"
        case .stuckOutTongueWinkingEye: "😜"
        case .flushed: "😳"
        case .disappointed: "😞"
        case .rage: "😡"
        case .scream: "😱"
        case .emojiSmirk: "😏"
        default: nil
        }
    }

    /// How far a metric can be relied on.
    public enum Status: String, Sendable, CaseIterable {
        /// It agrees with the reference or with people's labels on people who were never used in training.
        case validated
        /// It agrees a little, or it is defined but not validated; it may still be useful in averages.
        case weak
        /// Nothing shows that it measures what its name says on people who were never used in training. It never names a
        /// face: no label, no `dominant_emoji`.
        case experimental
    }

    /// The minimum score of a likely expression: of at least 95 % of people, at most 5 % of the neutral pictures are
    /// named by anything. Lower scores are not named.
    public static let likelyScore = 50.0

    /// The smile score above which a face smiles, for `has_smile` and for events: at most one person in twenty exceeds it in
    /// more than one in twenty of the pictures that people call neutral.
    public static let smileThreshold = 30.0

    /// The candidates for a face's dominant emotion: only those that agree with people's labels.
    public static let namedEmotions: [Metric] = [.anger, .joy, .sadness, .surprise]

    /// The candidates for a face's dominant emoji.
    public static let namedEmojis: [Metric] = allCases.filter { $0.emoji != nil && $0.status != .experimental }

    /// Returns the metric with the highest score, if that score makes it likely.
    public static func likeliest(
        of metrics: some Sequence<Metric>, score: (Metric) -> Double?
    ) -> (metric: Metric, score: Double)? {
        let scored = metrics.compactMap { metric in score(metric).map { (metric: metric, score: $0) } }
        guard let best = scored.max(by: { $0.score < $1.score }), best.score >= likelyScore else { return nil }
        return best
    }

    public static func < (a: Metric, b: Metric) -> Bool { a.order < b.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
