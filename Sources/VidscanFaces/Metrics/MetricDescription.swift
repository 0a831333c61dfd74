/// The description of each metric for the schema: its definition, its measured validity and its caveats.
///
/// `Metric.legend` says what the figures in it are. `MODEL_CARD.md` beside the weights has the details.
extension Metric {
    /// Returns what the figures in some meanings are: a sentence for each kind of figure; empty if there are none.
    public static func legend(for meanings: [String]) -> String {
        var sentences: [String] = []
        if meanings.contains(where: { $0.contains("r 0.") }) {
            sentences.append(
                "r is the correlation with MediaPipe FaceLandmarker v2 for people who were not used in training: the"
                    + " first number is for pictures, the second one for clips.")
        }
        if meanings.contains(where: { $0.contains("AUC") }) {
            sentences.append(
                "AUC is the area under the receiver operating characteristic for such people: how often, of two faces, the"
                    + " one that shows it has the higher score; 0.5 is chance.")
        }
        return sentences.joined(separator: " ")
    }

    public var unit: String {
        switch self {
        case .gazeYaw, .gazePitch: "degrees"
        default: ""
        }
    }

    /// The range of possible values.
    public var values: ClosedRange<Double> {
        switch self {
        case .valence: -100...100
        case .gazeYaw: Gaze.yaws
        case .gazePitch: Gaze.pitches
        case _ where isFlag || group == .aus: 0...1
        default: 0...100
        }
    }

    /// The definition in plain language.
    public var meaning: String {
        switch group {
        case .eyes: eyeMeaning
        case .expressions: expressionMeaning
        case .emotions: emotionMeaning + " A likelihood of what is seen, not of what is felt."
        case .emojis: emojiMeaning
        case .aus: actionUnitMeaning
        }
    }

    /// How far the metric can be relied on; the model card has the figures.
    public var status: Status {
        switch self {
        case .fear, .contempt, .disgust, .flushed, .relaxed, .emojiSmirk, .stuckOutTongue, .stuckOutTongueWinkingEye:
            .experimental
        case .sadness, .disappointed, .scream, .engagement, .valence, .cheekRaise, .noseWrinkle, .dimpler,
            .lipCornerDepressor, .smirk, .lipSuck, .gazePitch:
            .weak
        default: actionUnit?.expression.status ?? .validated
        }
    }

    private var eyeMeaning: String {
        switch self {
        case .leftEyeOpenness, .rightEyeOpenness:
            "How open the eye is: half from the gap of the lids over the eye's width, half from a learned blink score."
                + Self.nearEyeOnly
        case .leftEyeClosed, .rightEyeClosed:
            "1 when the eye's openness is 35 or less. AUC 0.99 against the reference's blinks." + Self.nearEyeOnly
        case .gazeYaw:
            "Where the eyes look, sideways, relative to the camera's axis: head yaw plus the irises' turn; > 0 to the"
                + " subject's left. The irises' part: r 0.84."
        case .gazePitch: "Where the eyes look, up (> 0) or down, as gaze_yaw. The irises' part is rough: r 0.62."
        default: rawValue
        }
    }

    private var expressionMeaning: String {
        switch self {
        case .attention:
            "100 while the head points within 10 degrees of the camera, 0 from 45 degrees on. Not the gaze."
        case .browFurrow: "Brows drawn down and together (FACS AU 4). Learned from browDown, r 0.91/0.92, and labels."
        case .browRaise: "Outer brows raised (AU 2). r 0.91/0.87."
        case .cheekRaise:
            "Cheeks raised (AU 6): from smile, squint and the cheek's height. Set by judgement, not validated."
        case .chinRaise: "Chin pushed up (AU 17). r 0.81/0.81."
        case .dimpler: "Mouth corners drawn inwards (AU 14). r 0.69/0.77: weak."
        case .eyeClosure: "Both eyes closed: the mean of the eyes' closures."
        case .eyeWiden: "Upper lids raised (AU 5). Learned from eyeWide, r 0.79/0.89, and the lids' gap."
        case .hasSmile:
            "1 when smile is above \(Int(Self.smileThreshold)) (or the setting track.smile_above), as in events. Found in 71 % of"
                + " the faces that people call happy, and in 3 % of those that they call neutral."
        case .innerBrowRaise: "Inner brows raised (AU 1). r 0.91/0.91."
        case .jawDrop: "Jaw lowered (AU 26). r 0.89/0.97."
        case .lidTighten: "Lids narrowed (AU 7). r 0.87/0.94."
        case .lipCornerDepressor:
            "Mouth corners drawn down (AU 15). Learned from mouthFrown, r 0.58/0.49, distances and labels: weak."
        case .lipPress: "Lips pressed together (AU 24). r 0.79/0.81."
        case .lipPucker: "Lips pushed forward (AU 18). r 0.82/0.95."
        case .lipStretch: "Mouth drawn wide (AU 20). r 0.81/0.76."
        case .lipSuck: "Lips rolled inwards (AU 28). r 0.74/0.74."
        case .mouthOpen:
            "Gap between the inner lips, 0 when closed, 100 from a quarter of the eyes' distance on. Geometry."
        case .noseWrinkle:
            "Nose wrinkled (AU 9): learned from nostrils, upper lip and brows, and labels. The reference has no such score, so"
                + " it was not validated separately."
        case .smile: "Mouth corners drawn up (AU 12). r 0.96/0.98."
        case .smirk: "One mouth corner drawn more than the other. \(Self.blankBeyond)"
        case .upperLipRaise: "Upper lip raised (AU 10). r 0.92/0.96."
        default: rawValue
        }
    }

    private var emotionMeaning: String {
        switch self {
        case .joy: "Raised by smile; lowered by brow raise and brow furrow; with the pixels' evidence. AUC 0.97."
        case .surprise:
            "Raised by inner brow raise, brow raise, eye widen, jaw drop; lowered by brow furrow; with the pixels' evidence."
                + " AUC 0.97."
        case .anger:
            "Raised by brow furrow, lid tighten, eye widen, chin raise, mouth open, lip suck; lowered by inner brow raise,"
                + " brow raise, smile; with the pixels' evidence. AUC 0.89."
        case .disgust:
            "Raised by nose wrinkle, upper lip raise; lowered by lip suck, smile. AUC 0.47 on 31 labels, most of them frames"
                + " of one film: do not rely on it."
        case .sadness:
            "Raised by inner brow raise, brow furrow, lip corner depressor; lowered by brow raise, eye widen, lip press,"
                + " mouth open, lip suck, smile; with the pixels' evidence. AUC 0.78: weak."
        case .fear:
            "Raised by inner brow raise, brow furrow, eye widen, lip stretch; lowered by brow raise, lip corner depressor,"
                + " jaw drop, smile. Weights set by judgement; no labels to validate it."
        case .contempt:
            "Raised by brow furrow, smirk; lowered by smile. Weights set by judgement; no labels to validate it."
                + " \(Self.blankBeyond)"
        case .engagement:
            "A weighted sum of brow raise, brow furrow, nose wrinkle, lip corner depressor, chin raise, lip pucker, lip"
                + " press, mouth open, lip suck and smile: how active the face is."
        case .valence:
            "How pleasant the face looks: raised by smile, cheek raise; lowered by inner brow raise, brow furrow, nose"
                + " wrinkle, upper lip raise, lip corner depressor, chin raise, lip press, lip suck."
        default: rawValue
        }
    }

    private var emojiMeaning: String {
        switch self {
        case .laughing: "😆 Joy with the mouth open."
        case .smiley: "😃 Joy with the mouth closed or a little open."
        case .relaxed: "☺️ A smile with the eyes closed."
        case .wink: "😉 One eye open, the other closed, by blink scores and gaps of the lids. \(Self.blankBeyond)"
        case .kissing: "😗 Lips pushed forward, no smile."
        case .stuckOutTongue: "😛 Always blank: the mesh has no tongue."
        case .stuckOutTongueWinkingEye: "😜 Always blank: the mesh has no tongue."
        case .flushed: "😳 Wide eyes without a smile; the face's colour is not measured."
        case .disappointed: "😞 Sadness with mouth corners drawn down."
        case .rage: "😡 Anger without a smile."
        case .scream: "😱 Surprise with the jaw dropped."
        case .emojiSmirk: "😏 A smirk without a wink. \(Self.blankBeyond)"
        default: rawValue
        }
    }

    /// The caveat of metrics of one eye.
    private static let nearEyeOnly =
        " From \(Int(ExpressionLimits.maximumYaw)) to \(Int(NearEye.maximumYaw)) degrees of yaw, only the eye nearer to the"
        + " camera has a value, which is less certain."
    /// The caveat of metrics that compare the halves of the face.
    private static let blankBeyond = "Blank beyond \(Int(ExpressionLimits.maximumYawOfHalves)) degrees of yaw."
}
