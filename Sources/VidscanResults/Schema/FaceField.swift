internal import VidscanBase
package import VidscanFaces

/// A number that is recorded of a face in a frame.
///
/// The columns of `faces.csv`, the JSON formats, the schema, the intermediate file, the statistics in `tracks.csv` and
/// all readers follow this description. To add a number, add a case, its position in `all`, its description, and its
/// value in `FaceRecord.init`.
package enum FaceField: Hashable, Sendable {
    case confidence
    case left, top, width, height
    case presence
    case x(FacePoint), y(FacePoint)
    case interocularDistance
    case yaw, pitch, roll
    case axisYaw, axisPitch, axisGazeYaw, axisGazePitch
    case brightness, sharpness
    case mouthCovered, eyesCovered
    case speaking, speechMovement
    case metric(Metric)

    package static let box: [FaceField] = [.left, .top, .width, .height]
    package static let points = FacePoint.allCases.flatMap { [FaceField.x($0), .y($0)] }
    package static let pose: [FaceField] = [.yaw, .pitch, .roll]
    static let metrics = Metric.allCases.map(FaceField.metric)

    /// In the order of the columns of `faces.csv`.
    package static let all: [FaceField] =
        [confidence] + box + [presence] + points + [interocularDistance] + pose
        + [axisYaw, axisPitch, axisGazeYaw, axisGazePitch, brightness, sharpness, mouthCovered, eyesCovered]
        + [speaking, speechMovement] + metrics

    /// The mouth is not stored because it follows from its corners.
    static let stored = all.filter { ![.x(.mouth), .y(.mouth)].contains($0) }

    /// Over time.
    package static let smoothed = stored.filter { (box + points + [interocularDistance]).contains($0) }

    /// Numbers whose raw values are in the JSON formats too: those that are smoothed or relative to a resting level.
    static let processed = smoothed + relative.map(FaceField.metric)
    private static let relative = Metric.allCases.filter { $0.group == .emotions || $0.group == .emojis }

    /// In `all`.
    package var position: Int {
        guard let position = Self.positions[self] else { preconditionFailure("\(self) is missing in FaceField.all") }
        return position
    }

    private static let positions = Dictionary(uniqueKeysWithValues: zip(all, 0...))

    var description: Description { Self.descriptions[position] }

    private static let descriptions = all.map(\.described)

    package var name: String { description.column.name }
    package var unit: String { description.column.unit }
    package var meaning: String { description.column.meaning }
    package var range: ClosedRange<Double> { description.range }

    struct Description: Sendable {
        let column: Column
        let range: ClosedRange<Double>
        let decimals: Int
        /// Whether every face has the number.
        let isRequired: Bool

        init(
            _ name: String, unit: String = "", _ range: ClosedRange<Double>, rangeText: String? = nil,
            decimals: Int = 2, isRequired: Bool = false, status: Metric.Status? = nil, _ meaning: String
        ) {
            column = Column(
                name: name, unit: unit, range: rangeText ?? Column.text(of: range), meaning: meaning, status: status)
            (self.range, self.decimals, self.isRequired) = (range, decimals, isRequired)
        }
    }

    private var described: Description {
        switch self {
        case .confidence:
            Description(
                "confidence", 0...1, decimals: 4, isRequired: true,
                "The detector's score for the face. Between two samples that were searched, it is interpolated, as the"
                    + " box is.")
        case .left: Self.side("x", ReadLimits.coordinates, "Left edge")
        case .top: Self.side("y", ReadLimits.coordinates, "Top edge")
        case .width: Self.side("width", ReadLimits.extents, "Width")
        case .height: Self.side("height", ReadLimits.extents, "Height")
        case .presence:
            Description(
                "presence", 0...1, decimals: 4, isRequired: true,
                "The mesh model's score for a face in the box. Below \(NumberText.plain(MeshPresence.threshold)) there is"
                    + " no mesh, and the values from the mesh are blank (full profiles); a box with a confidence below"
                    + " \(NumberText.plain(MeshPresence.trusted)) is then dropped.")
        case .x(let point): Self.coordinate("x", of: point)
        case .y(let point): Self.coordinate("y", of: point)
        case .interocularDistance:
            Description(
                "interocular_distance", unit: "px", ReadLimits.extents, rangeText: "0 and up",
                "Distance between the outer corners of the eyes in the frame; it shrinks as the head turns.")
        case .yaw:
            Description(
                "yaw", unit: "degrees", HeadPose.yaws,
                "Head turned sideways, relative to the line from the head to the camera: 0 if the face points at the camera,"
                    + " wherever it is in the frame; > 0 when the subject turns to their left. Differs by 1.1 on average from"
                    + " MediaPipe's matrices within 27 degrees; beyond 45 degrees it is rough.")
        case .pitch:
            Description(
                "pitch", unit: "degrees", HeadPose.pitches,
                "Head turned up or down, relative to the same line; > 0 up. Differs by 1.6 on average from MediaPipe's matrices."
            )
        case .roll:
            Description(
                "roll", unit: "degrees", HeadPose.rolls,
                "Head tilted sideways; > 0 clockwise in the frame. Differs by 0.6 on average from MediaPipe's matrices. With x to"
                    + " the right, y down and z away, the head's rotation is Rz(roll) Ry(-yaw) Rx(-pitch).")
        case .axisYaw: Self.axisAngle("yaw", HeadPose.yaws)
        case .axisPitch: Self.axisAngle("pitch", HeadPose.pitches)
        case .axisGazeYaw: Self.axisAngle("gaze_yaw", -180...180)
        case .axisGazePitch: Self.axisAngle("gaze_pitch", -180...180)
        case .brightness:
            Description("brightness", 0...100, "Mean luma of the middle of the face: 0 is black, 100 is white.")
        case .sharpness:
            Description(
                "sharpness", ReadLimits.sharpness, rangeText: "0 and up",
                "Variance of the Laplacian of the face's luma, scaled to a fixed size: small if the face is blurred or enlarged."
            )
        case .mouthCovered: Self.cover("mouth", "a mask, a hand, a microphone, food")
        case .eyesCovered: Self.cover("eyes", "sunglasses, a hand, a bar")
        case .speaking:
            Description(
                "speaking", 0...100, decimals: 1,
                "How likely the face is the one that speaks, by the movements of its mouth and the sound, over 0.2 s: from 50"
                    + " on, it counts as speaking. Blank without --speech, where sound is missing, for faces under 24 px,"
                    + " for all but twelve faces at a time, and where a face is in sight for less than 0.4 s, begins or is lost"
                    + " between two of the 25 pictures per second that are judged.")
        case .speechMovement:
            Description(
                "speech_movement", 0...100, decimals: 1,
                "How much the mouth moves as in speech, by the picture alone, over 0.2 s. Needs no sound; blank for the"
                    + " other reasons of speaking.")
        case .metric(let metric):
            Description(
                metric.rawValue, unit: metric.unit, metric.values, rangeText: metric.isFlag ? "0 or 1" : nil,
                decimals: metric.isFlag ? 0 : metric.group == .aus ? 4 : 2, status: metric.status,
                metric.meaning
                    + (Self.relative.contains(metric) ? " Relative to the face at rest, unless --baseline none." : ""))
        }
    }

    private static func side(_ name: String, _ range: ClosedRange<Double>, _ what: String) -> Description {
        Description(
            name, unit: "px", range, rangeText: "inside the frame", isRequired: true,
            "\(what) of the face's box, clipped to the frame."
                + " Relative to the top left corner of the upright frame with square pixels. Smoothed where five samples or more lie within"
                + " \(NumberText.plain(LocalRegression.reach)) s on either side, unless you use --no-smoothing; JSON has the raw values too."
        )
    }

    private static func axisAngle(_ name: String, _ range: ClosedRange<Double>) -> Description {
        Description(
            "axis_\(name)", unit: "degrees", range,
            "\(name) relative to the camera's axis, which points out of the middle of the frame: two people who face the same"
                + " way have the same value, wherever they are. Assumes a view of about 65 degrees across 4:3.")
    }

    private static func cover(_ region: String, _ examples: String) -> Description {
        Description(
            "\(region)_covered", 0...100, status: .weak,
            "How likely something hides the \(region): \(examples), or the edge of the frame. From"
                + " \(NumberText.plain(ExpressionLimits.covered)) on, the scores that need the \(region) are blank. Blank"
                + " if the eyes are less than \(NumberText.plain(ExpressionLimits.minimumEyePixelsOfCovers))"
                + " px apart, and if the head is turned too far to measure both sides, unless a mask is all but certain."
        )
    }

    private static func coordinate(_ axis: String, of point: FacePoint) -> Description {
        let source =
            point == .chin ? "From the mesh; blank without one." : "From the mesh; without one, from the detector."
        return Description(
            "\(point.rawValue)_\(axis)", unit: "px", ReadLimits.coordinates, rangeText: "may lie outside the frame",
            isRequired: point != .chin, "\(point.meaning), \(axis). \(source)")
    }
}

/// A point of a face in `faces.csv`, whose columns begin with the raw value. Left and right are the subject's own.
package enum FacePoint: String, CaseIterable, Sendable {
    case leftEye = "left_eye", rightEye = "right_eye", nose, mouth
    case leftMouthCorner = "left_mouth_corner", rightMouthCorner = "right_mouth_corner", chin

    /// The points that the detector finds too, in the order of `FaceLandmarks.points`.
    static let detected: [FacePoint] = [.leftEye, .rightEye, .nose, .leftMouthCorner, .rightMouthCorner]

    var mirrored: FacePoint {
        switch self {
        case .leftEye: .rightEye
        case .rightEye: .leftEye
        case .leftMouthCorner: .rightMouthCorner
        case .rightMouthCorner: .leftMouthCorner
        case .nose, .mouth, .chin: self
        }
    }

    var meaning: String {
        switch self {
        case .leftEye: "Middle of the subject's left eye, between its corners"
        case .rightEye: "Middle of the subject's right eye, between its corners"
        case .nose: "Tip of the nose"
        case .mouth: "Middle of the mouth, between its corners"
        case .leftMouthCorner: "The mouth's corner on the subject's left"
        case .rightMouthCorner: "The mouth's corner on the subject's right"
        case .chin: "Lowest point of the chin"
        }
    }

    /// Returns `nil` for the mouth, which lies between its corners.
    func position(in mesh: FaceMesh) -> Point? {
        switch self {
        case .leftEye: mesh.middle(MeshPoint.leftEyeInner, MeshPoint.leftEyeOuter)
        case .rightEye: mesh.middle(MeshPoint.rightEyeInner, MeshPoint.rightEyeOuter)
        case .nose: mesh[MeshPoint.noseTip]
        case .mouth: nil
        case .leftMouthCorner: mesh[MeshPoint.leftMouthCorner]
        case .rightMouthCorner: mesh[MeshPoint.rightMouthCorner]
        case .chin: mesh[MeshPoint.chin]
        }
    }
}
