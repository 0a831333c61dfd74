/// A measurement of a face other than its landmarks. The raw value is its column's name. A metric is a case here, a
/// line of `MetricDefinition`, and a formula in `ExpressionFormulas`; all columns derive from it.
public enum Metric: String, Sendable, CaseIterable, Codable, Comparable {
    // Eyes. `hasSmile` is among them to keep the order of columns.
    case leftEyeOpenness = "left_eye_openness", rightEyeOpenness = "right_eye_openness"
    case leftEyeClosed = "left_eye_closed", rightEyeClosed = "right_eye_closed"
    case hasSmile = "has_smile", gazeYaw = "gaze_yaw", gazePitch = "gaze_pitch", attention
    case browFurrow = "brow_furrow", browRaise = "brow_raise", cheekRaise = "cheek_raise", chinRaise = "chin_raise"
    case dimpler, eyeClosure = "eye_closure", eyeWiden = "eye_widen", innerBrowRaise = "inner_brow_raise"
    case jawDrop = "jaw_drop", lidTighten = "lid_tighten", lipCornerDepressor = "lip_corner_depressor"
    case lipPress = "lip_press", lipPucker = "lip_pucker", lipStretch = "lip_stretch", lipSuck = "lip_suck"
    case mouthOpen = "mouth_open", noseWrinkle = "nose_wrinkle", smile, smirk, upperLipRaise = "upper_lip_raise"
    case anger, contempt, disgust, fear, joy, sadness, surprise, engagement, valence
    case laughing, smiley, relaxed, wink, kissing
    case stuckOutTongue = "stuck_out_tongue"
    case stuckOutTongueWinkingEye = "stuck_out_tongue_winking_eye"
    case flushed, disappointed, rage, scream, emojiSmirk = "emoji_smirk"
    // Action units of the Facial Action Coding System (Ekman, Friesen and Hager, 2002): expressions, as 0…1. AU 23,
    // which OpenFace and Py-Feat have, is missing because no expression distinguishes tightened lips from pressed ones.
    case au01 = "AU01", au02 = "AU02", au04 = "AU04", au05 = "AU05", au06 = "AU06", au07 = "AU07", au09 = "AU09"
    case au10 = "AU10", au12 = "AU12", au14 = "AU14", au15 = "AU15", au17 = "AU17", au18 = "AU18", au20 = "AU20"
    case au24 = "AU24", au25 = "AU25", au26 = "AU26", au28 = "AU28", au43 = "AU43", au45 = "AU45"

    /// What `--metrics` accepts by name.
    public enum Group: String, Sendable, CaseIterable { case eyes, expressions, emotions, emojis, aus }

    /// How far a metric can be relied on.
    public enum Status: String, Sendable, CaseIterable {
        /// It agrees with the reference or people's labels on people who were not used in training.
        case validated
        /// It agrees a little, or was not validated; it may still be useful in averages.
        case weak
        /// Nothing shows that it measures what it says on new people. It names no face, not even by `dominant_emoji`.
        case experimental
    }

    public var group: Group { definition.group }
    /// Whether one of the names in `--metrics` stands for it.
    package func isChosen(by names: [String]) -> Bool {
        ["all", group.rawValue, rawValue].contains(where: names.contains)
    }
    /// In plain language. ``legend(for:)`` explains its figures.
    public var meaning: String { definition.meaning }
    /// The model card has the figures.
    public var status: Status { definition.status }
    public var values: ClosedRange<Double> { definition.values }
    public var unit: String { definition.unit }
    /// Whether the value is 1 (yes) or 0 (no).
    public var isFlag: Bool { definition.isFlag }
    public var emoji: Character? { definition.emoji }
    /// The name and the expression, which is divided by 100.
    public var actionUnit: (name: String, expression: Metric)? { definition.actionUnit }
    private var definition: MetricDefinition { Self.definitions[index] }
    private static let definitions = allCases.map(MetricDefinition.of)

    var index: Int { Self.positions[self] ?? 0 }
    private static let positions = Dictionary(uniqueKeysWithValues: zip(allCases, allCases.indices))

    public static func < (a: Metric, b: Metric) -> Bool { a.index < b.index }

    /// In ascending order.
    public static let actionUnits = allCases.filter { $0.actionUnit != nil }

    /// Those that show what a face does and can have a value: nothing measures a tongue, and the attention is the head's.
    public static let expressive = allCases.filter {
        ![.attention, .stuckOutTongue, .stuckOutTongueWinkingEye].contains($0)
    }

    /// For `has_smile` and events: at most one person in twenty exceeds it in over 5 % of the pictures called neutral.
    public static let smileThreshold = 30.0
    /// From here on, an expression is named: for at least 95 % of people, in at most 5 % of the neutral pictures.
    public static let likelyScore = 50.0
    /// Only those that agree with people's labels.
    public static let namedEmotions: [Metric] = [.anger, .joy, .sadness, .surprise]
    public static let namedEmojis: [Metric] = allCases.filter { $0.emoji != nil && $0.status != .experimental }

    /// Returns the emoji most similar to the face, if one is likely. Leaves out experimental ones.
    public static func dominantEmoji(among metrics: Set<Metric>, score: (Metric) -> Double?) -> Metric? {
        likeliest(of: namedEmojis.filter(metrics.contains), score: score)?.metric
    }

    /// Returns the metric with the highest score, if it is likely.
    public static func likeliest(
        of metrics: some Sequence<Metric>, score: (Metric) -> Double?
    ) -> (metric: Metric, score: Double)? {
        let scored = metrics.compactMap { metric in score(metric).map { (metric: metric, score: $0) } }
        guard let best = scored.max(by: { $0.score < $1.score }), best.score >= likelyScore else { return nil }
        return best
    }

    /// Beyond this yaw, in degrees, the metric is blank or measured from one side.
    package var maximumYaw: Double {
        ExpressionLimits.halves.contains(self) ? ExpressionLimits.maximumYawOfHalves : ExpressionLimits.maximumYaw
    }

    /// Says why the metric has no value in a face that is measured from `side`; `nil` if it has one. `isSmall`: whether
    /// the face is too small for the eye of one side.
    func blankReason(yaw: Double, from side: MeasuredSide, covered: FaceRegion, isSmall: Bool) -> BlankReason? {
        if !definition.regions.isDisjoint(with: covered) { return .covered }
        if ExpressionLimits.halves.contains(self), abs(yaw) > maximumYaw { return .turned }
        guard side != .both else { return nil }
        let near: MeasuredSide
        switch self {
        case .leftEyeOpenness, .leftEyeClosed: near = .left
        case .rightEyeOpenness, .rightEyeClosed: near = .right
        default: return definition.needsOneSide ? nil : .turned
        }
        return side != near ? .turned : isSmall ? .small : nil
    }

    /// Explains each kind of figure in some meanings, a sentence each.
    public static func legend(for meanings: [String]) -> String {
        let sentences: KeyValuePairs = [
            "r 0.":
                "r is the correlation with MediaPipe FaceLandmarker v2 for people who were not used in training: the first"
                + " number is for pictures, the second one for clips.",
            "AUC":
                "AUC is the area under the receiver operating characteristic for such people: how often, of two faces, the"
                + " one that shows it has the higher score; 0.5 is chance.",
        ]
        return sentences.filter { figure, _ in meanings.contains { $0.contains(figure) } }
            .map(\.value).joined(separator: " ")
    }
}

package struct MetricValues: Sendable, Equatable {
    private var values = [Double?](repeating: nil, count: Metric.allCases.count)

    package init() {}

    package subscript(metric: Metric) -> Double? {
        get { values[metric.index] }
        set { values[metric.index] = newValue }
    }

    var fractions: Self { scaled { $0 / 100 } }
    var percentages: Self { scaled { 100 * $0 } }

    private func scaled(_ scale: (Double) -> Double) -> Self {
        var result = self
        for metric in Metric.allCases where !metric.isFlag { result[metric] = self[metric].map(scale) }
        return result
    }
}
