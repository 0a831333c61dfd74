/// What a metric means, and how far it can be relied on. The model card has the details.
struct MetricDefinition: Sendable {
    var group: Metric.Group
    var meaning: String
    var status = Metric.Status.validated
    var values = 0.0...100
    var unit = ""
    var isFlag = false
    var emoji: Character?
    var actionUnit: (name: String, expression: Metric)?
    /// Blank if something covers one of them.
    var regions: FaceRegion = [.eyes, .mouth]
    /// Whether one side of the face is enough.
    var needsOneSide = false

    private static func eyes(
        _ meaning: String, _ status: Metric.Status = .validated, degrees: ClosedRange<Double>? = nil,
        isFlag: Bool = false
    ) -> Self {
        Self(
            group: .eyes, meaning: meaning, status: status, values: degrees ?? (isFlag ? 0...1 : 0...100),
            unit: degrees == nil ? "" : "degrees", isFlag: isFlag, regions: .eyes, needsOneSide: degrees == nil)
    }

    private static func expression(
        of regions: FaceRegion, fromSide: Bool = false, _ meaning: String, _ status: Metric.Status = .validated
    ) -> Self {
        Self(group: .expressions, meaning: meaning, status: status, regions: regions, needsOneSide: fromSide)
    }

    private static func emotion(
        _ meaning: String, _ status: Metric.Status = .validated, values: ClosedRange<Double> = 0...100
    ) -> Self {
        Self(
            group: .emotions, meaning: meaning + " A likelihood of what is seen, not of what is felt.", status: status,
            values: values)
    }

    private static func emoji(
        _ emoji: Character, of regions: FaceRegion = [.eyes, .mouth], _ meaning: String,
        _ status: Metric.Status = .validated
    ) -> Self {
        Self(group: .emojis, meaning: "\(emoji) \(meaning)", status: status, emoji: emoji, regions: regions)
    }

    private static func actionUnit(_ name: String, _ expression: Metric, _ caveat: String = "") -> Self {
        let definition = of(expression)
        return Self(
            group: .aus, meaning: "\(name): \(expression.rawValue) divided by 100. \(definition.meaning)\(caveat)",
            status: definition.status, values: 0...1, actionUnit: (name, expression), regions: definition.regions,
            needsOneSide: definition.needsOneSide)
    }

    private static let nearEyeOnly =
        " From \(Int(ExpressionLimits.maximumYaw)) to \(Int(ExpressionLimits.maximumYawOfSide)) degrees of yaw, only the eye"
        + " nearer to the camera has a value, which is less certain."
    private static let blankBeyond = "Blank beyond \(Int(ExpressionLimits.maximumYawOfHalves)) degrees of yaw."

    static func of(_ metric: Metric) -> Self {
        switch metric {
        case .leftEyeOpenness, .rightEyeOpenness:
            eyes(
                "How open the eye is: half from the gap of the lids over the eye's width, half from a learned blink score."
                    + nearEyeOnly)
        case .leftEyeClosed, .rightEyeClosed:
            eyes(
                "1 when the eye's openness is 35 or less. AUC 0.99 against the reference's blinks." + nearEyeOnly,
                isFlag: true)
        case .hasSmile:
            Self(
                group: .expressions,
                meaning: "1 when smile is above \(Int(Metric.smileThreshold)) (or the setting track.smile_above), as in"
                    + " events. Found in 95 % of the faces that people call happy, and in 4 % of those that they call"
                    + " neutral.", values: 0...1, isFlag: true, regions: .mouth, needsOneSide: true)
        case .gazeYaw:
            eyes(
                "Where the eyes look, sideways, relative to the line from the face to the camera (0: at the camera): head yaw"
                    + " plus the irises' turn; > 0 to the subject's left. Blank while an eye is shut. The irises' part: r 0.84.",
                degrees: Gaze.yaws)
        case .gazePitch:
            eyes(
                "Where the eyes look, up (> 0) or down, as gaze_yaw. The irises' part is rough: r 0.62.", .weak,
                degrees: Gaze.pitches)
        case .attention:
            expression(
                of: [], fromSide: true,
                "100 while the head points within 10 degrees of the camera, 0 from 45 degrees on. By the mesh's own"
                    + " axis, which can differ from yaw and pitch by some degrees. Every mesh has it. Not the gaze.")
        case .browFurrow:
            expression(
                of: .eyes, fromSide: true,
                "Brows drawn down and together (FACS AU 4): points and pixels together, learned from faces labelled by"
                    + " eye. AUC 0.98 on such faces held back.")
        case .browRaise: expression(of: .eyes, fromSide: true, "Outer brows raised (AU 2). r 0.91/0.87.")
        case .cheekRaise:
            expression(
                of: [.eyes, .mouth], fromSide: true,
                "Cheeks raised (AU 6): from smile, squint and cheek height, by judgement. AUC 0.94 on CK+.", .weak)
        case .chinRaise: expression(of: .mouth, "Chin pushed up (AU 17). r 0.81/0.81.")
        case .dimpler:
            expression(
                of: .mouth,
                "Mouth corners drawn inwards (AU 14): points and pixels together, learned from votes for contempt. AUC 0.93"
                    + " on 91 faces labelled by eye, most of them used in training.", .weak)
        case .eyeClosure: expression(of: .eyes, "Both eyes closed: the mean of the eyes' closures.")
        case .eyeWiden:
            expression(of: .eyes, "Upper lids raised (AU 5). Learned from eyeWide, r 0.79/0.89, and the lids' gap.")
        case .innerBrowRaise: expression(of: .eyes, fromSide: true, "Inner brows raised (AU 1). r 0.91/0.91.")
        case .jawDrop: expression(of: .mouth, fromSide: true, "Jaw lowered (AU 26). r 0.89/0.97.")
        case .lidTighten: expression(of: .eyes, "Lids narrowed (AU 7). r 0.87/0.94.")
        case .lipCornerDepressor:
            expression(
                of: .mouth,
                "Mouth corners drawn down (AU 15): points and pixels together, learned from faces labelled by eye. AUC"
                    + " 0.98 on such faces held back.")
        case .lipPress: expression(of: .mouth, "Lips pressed together (AU 24). r 0.79/0.81.", .weak)
        case .lipPucker: expression(of: .mouth, "Lips pushed forward (AU 18). r 0.82/0.95.")
        case .lipStretch: expression(of: .mouth, "Mouth drawn wide (AU 20). r 0.81/0.76.")
        case .lipSuck: expression(of: .mouth, "Lips rolled inwards (AU 28). r 0.74/0.74.", .weak)
        case .mouthOpen:
            expression(
                of: .mouth, fromSide: true,
                "Gap between the inner lips, 0 when closed, 100 from a quarter of the eyes' distance on. Geometry.")
        case .noseWrinkle:
            expression(
                of: [.eyes, .mouth],
                "Nose wrinkled (AU 9): learned from nostrils, upper lip, brows, and labels. AUC 0.86 on CK+.", .weak)
        case .smile:
            expression(
                of: .mouth, fromSide: true,
                "A smile (AU 12): the mouth's points and the face's pixels together, so that crying or speaking is not taken for"
                    + " one. AUC 0.99 on what people call happy, in faces within 20 degrees; 0.95 at 40 to 50.")
        case .smirk: expression(of: .mouth, "One mouth corner drawn more than the other. \(blankBeyond)", .weak)
        case .upperLipRaise: expression(of: .mouth, "Upper lip raised (AU 10). r 0.92/0.96.")
        case .joy:
            emotion(
                "Raised by smile; lowered by brow raise, brow furrow, nose wrinkle, jaw drop, lip corner depressor; with the"
                    + " pixels' evidence. AUC 0.99.")
        case .surprise:
            emotion(
                "Raised by inner brow raise, brow raise, eye widen, jaw drop; lowered by brow furrow; with the pixels'"
                    + " evidence. AUC 0.99.")
        case .anger:
            emotion(
                "Raised by brow furrow, nose wrinkle, lid tighten, eye widen, chin raise, mouth open, lip suck; lowered by"
                    + " inner brow raise, brow raise, smile; with the pixels' evidence. AUC 0.98.")
        case .disgust:
            emotion(
                "Raised by nose wrinkle, upper lip raise; lowered by lip suck, smile; with the pixels' evidence. AUC"
                    + " 0.94 on 23 faces.", .weak)
        case .sadness:
            emotion(
                "Raised by inner brow raise, brow furrow, lip corner depressor, eye closure, lid tighten; lowered by brow"
                    + " raise, eye widen, lip press, mouth open, lip suck, smile; with the pixels' evidence. AUC 0.95.")
        case .fear:
            emotion(
                "Raised by inner brow raise, brow furrow, eye widen, lip stretch; lowered by brow raise, lip corner"
                    + " depressor, jaw drop, smile; with the pixels' evidence. AUC 0.98 on 59 faces.")
        case .contempt:
            emotion(
                "Raised by brow furrow, smirk; lowered by smile; with the pixels' evidence. AUC 0.92 on 14 faces."
                    + " \(blankBeyond)", .weak)
        case .engagement:
            emotion(
                "A weighted sum of brow raise, brow furrow, nose wrinkle, lip corner depressor, chin raise, lip pucker, lip"
                    + " press, mouth open, lip suck and smile: how active the face is.", .weak)
        case .valence:
            emotion(
                "How pleasant the face looks: raised by joy, smile, cheek raise; lowered by sadness, anger, disgust, fear,"
                    + " contempt, inner brow raise, brow furrow, nose wrinkle, upper lip raise, lip corner depressor, chin"
                    + " raise, lip press, lip suck.", .weak, values: -100...100)
        case .laughing: emoji("😆", "Joy with the mouth open.")
        case .smiley: emoji("😃", "Joy with the mouth closed or a little open.")
        case .relaxed: emoji("☺️", "A smile with the eyes closed.", .experimental)
        case .wink:
            emoji(
                "😉", of: .eyes, "One eye open, the other closed, by blink scores and gaps of the lids. \(blankBeyond)")
        case .kissing: emoji("😗", of: .mouth, "Lips pushed forward, no smile.", .weak)
        case .stuckOutTongue: emoji("😛", "Always blank: the mesh has no tongue.", .experimental)
        case .stuckOutTongueWinkingEye: emoji("😜", "Always blank: the mesh has no tongue.", .experimental)
        case .flushed: emoji("😳", "Wide eyes without a smile; the face's colour is not measured.", .experimental)
        case .disappointed: emoji("😞", "Sadness with mouth corners drawn down.", .weak)
        case .rage: emoji("😡", "Anger without a smile.")
        case .scream: emoji("😱", "Surprise with the jaw dropped.", .weak)
        case .emojiSmirk: emoji("😏", "A smirk without a wink. \(blankBeyond)", .experimental)
        case .au01: actionUnit("Inner brow raiser", .innerBrowRaise)
        case .au02: actionUnit("Outer brow raiser", .browRaise)
        case .au04: actionUnit("Brow lowerer", .browFurrow)
        case .au05: actionUnit("Upper lid raiser", .eyeWiden)
        case .au06: actionUnit("Cheek raiser", .cheekRaise)
        case .au07: actionUnit("Lid tightener", .lidTighten)
        case .au09: actionUnit("Nose wrinkler", .noseWrinkle)
        case .au10: actionUnit("Upper lip raiser", .upperLipRaise)
        case .au12: actionUnit("Lip corner puller", .smile)
        case .au14: actionUnit("Dimpler", .dimpler)
        case .au15: actionUnit("Lip corner depressor", .lipCornerDepressor)
        case .au17: actionUnit("Chin raiser", .chinRaise)
        case .au18: actionUnit("Lip pucker", .lipPucker)
        case .au20: actionUnit("Lip stretcher", .lipStretch)
        case .au24: actionUnit("Lip pressor", .lipPress)
        case .au25: actionUnit("Lips part", .mouthOpen)
        case .au26: actionUnit("Jaw drop", .jawDrop)
        case .au28: actionUnit("Lip suck", .lipSuck)
        case .au43: actionUnit("Eyes closed", .eyeClosure)
        case .au45:
            // A single sample cannot distinguish a blink from eyes that stay closed.
            actionUnit(
                "Blink", .eyeClosure,
                " In a video, it is counted from the person's open eyes instead, as blink and eyes_closed are: 0.5 or more while the"
                    + " eyes are closed enough for either to begin.")
        }
    }
}
