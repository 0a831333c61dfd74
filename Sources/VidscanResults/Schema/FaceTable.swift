package import VidscanBase
package import VidscanFaces

/// One face in one sampled frame: a row of `faces.csv`.
package struct FaceRow: Sendable {
    package var microseconds: Int64
    package var frame: Int64
    package var faceID: Int
    package var personID: Int?
    /// The face; its box and points are smoothed unless smoothing is off.
    package var face: FaceRecord
    /// The box before smoothing; `rawPoints` likewise.
    package var rawBox: Rectangle
    package var rawPoints: FacePoints
    /// The requested metrics; the columns of the others stay blank.
    package var metrics: Set<Metric>

    package init(
        microseconds: Int64, frame: Int64, faceID: Int, personID: Int? = nil, face: FaceRecord, rawBox: Rectangle,
        rawPoints: FacePoints, metrics: Set<Metric>
    ) {
        self.microseconds = microseconds
        self.frame = frame
        self.faceID = faceID
        self.personID = personID
        self.face = face
        self.rawBox = rawBox
        self.rawPoints = rawPoints
        self.metrics = metrics
    }
}

/// `faces.csv`: one row per face and sampled frame. The columns do not depend on the options.
public enum FaceTable {
    public static let columns: [Column] = definitions.map(\.column)
    package static let names: [String] = columns.map(\.name)

    package static func fields(of row: FaceRow) -> [Field] { definitions.map { $0.field(row) } }

    private typealias Definition = ColumnDefinition<FaceRow>

    private static let definitions: [Definition] = identity + box + person + points + pose + metrics

    // MARK: Time and identity

    private static let identity = [
        Definition(
            "time", unit: "s", range: "any",
            "The frame's own presentation time minus the container's start: what a player's clock shows."
        ) { .microseconds($0.microseconds) },
        Definition(
            "frame", range: "0 and up", "The frame's index in presentation order among all frames of the stream."
        ) { .integer($0.frame) },
        Definition(
            "face_id", range: "1 and up",
            "The same face keeps the same number from sample to sample until it is lost. The number continues across a cut"
                + " when the match is certain. Numbers are in order of first appearance."
        ) { .integer(Int64($0.faceID)) },
        Definition("confidence", range: "0 to 1", decimals: 4, "The detector's score for the face.") {
            $0.face.confidence
        },
    ]

    // MARK: Position

    private static let space =
        "Relative to the top left corner of the upright frame with square pixels. Smoothed where five samples or more lie within"
        + " \(NumberText.plain(LocalRegression().reach)) s, unless you use --no-smoothing; JSON has the raw values too."

    private static let box: [Definition] = [
        ("x", "Left edge", \Rectangle.x), ("y", "Top edge", \Rectangle.y), ("width", "Width", \Rectangle.width),
        ("height", "Height", \Rectangle.height),
    ].map { (name: String, what: String, path: any KeyPath<Rectangle, Double> & Sendable) in
        Definition(
            name, unit: "px", range: "inside the frame", decimals: 2,
            "\(what) of the face's box, clipped to the frame. \(space)"
        ) { $0.face.box[keyPath: path] }
    }

    private static let person = [
        Definition(
            "person_id", range: "1 and up",
            "The same number for all face_ids that are certainly the same person; blank if another face_id may be the"
                + " same person."
        ) { $0.personID.map { .integer(Int64($0)) } ?? .missing }
    ]

    private static let points: [Definition] =
        [
            Definition(
                "presence", range: "0 to 1", decimals: 4,
                "The mesh model's score for a face in the box. Below \(NumberText.plain(MeshPresence.threshold)) there is no mesh, and the values from the mesh are"
                    + " blank (full profiles); a box of low confidence is then dropped."
            ) { $0.face.presence }
        ]
        + point("left_eye", "Middle of the subject's left eye, between its corners") { $0.leftEye }
        + point("right_eye", "Middle of the subject's right eye, between its corners") { $0.rightEye }
        + point("nose", "Tip of the nose") { $0.nose }
        + point("mouth", "Middle of the mouth, between its corners") { $0.mouth }
        + point("left_mouth_corner", "Corner of the mouth on the subject's left") { $0.leftMouthCorner }
        + point("right_mouth_corner", "Corner of the mouth on the subject's right") { $0.rightMouthCorner }
        + point("chin", "Lowest point of the chin", source: "From the mesh; blank without one.") { $0.chin }
        + [
            Definition(
                "interocular_distance", unit: "px", range: "0 and up", decimals: 2,
                "Distance between the outer corners of the eyes in the frame; it shrinks as the head turns."
            ) { $0.face.points.interocularDistance }
        ]

    private static func point(
        _ name: String, _ meaning: String, source: String = "From the mesh; without one, from the detector.",
        _ point: @escaping @Sendable (FacePoints) -> Point?
    ) -> [Definition] {
        [("x", { @Sendable in $0.x }), ("y", { @Sendable in $0.y })].map {
            (axis: String, value: @escaping @Sendable (Point) -> Double) in
            Definition(
                "\(name)_\(axis)", unit: "px", range: "may lie outside the frame", decimals: 2,
                "\(meaning), \(axis). \(source)"
            ) { row in point(row.face.points).map(value) }
        }
    }

    // MARK: Pose and light

    private static let pose = [
        Definition(
            "yaw", unit: "degrees", range: Column.text(of: HeadPose.yaws), decimals: 2,
            "Head turned sideways; > 0 when the subject turns to their left. Differs by 1.1 on average from MediaPipe's"
                + " matrices within 27 degrees; beyond 45 degrees it is rough."
        ) { $0.face.yaw },
        Definition(
            "pitch", unit: "degrees", range: Column.text(of: HeadPose.pitches), decimals: 2,
            "Head turned up or down; > 0 up. Differs by 1.6 on average from MediaPipe's matrices."
        ) { $0.face.pitch },
        Definition(
            "roll", unit: "degrees", range: Column.text(of: HeadPose.rolls), decimals: 2,
            "Head tilted sideways; > 0 clockwise in the frame. Differs by 0.6 on average from MediaPipe's matrices."
        ) { $0.face.roll },
        Definition(
            "brightness", range: "0 to 100", decimals: 2,
            "Mean luma of the middle of the face: 0 is black, 100 is white."
        ) { $0.face.brightness },
        Definition(
            "sharpness", range: "0 and up", decimals: 2,
            "Variance of the Laplacian of the face's luma, scaled to a fixed size: small if the face is blurred or enlarged."
        ) { $0.face.sharpness },
    ]
}

// MARK: Metrics

extension FaceTable {
    fileprivate static let metrics: [ColumnDefinition<FaceRow>] =
        Metric.allCases.map { metric in
            ColumnDefinition(
                metric.rawValue, unit: metric.unit, range: metric.isFlag ? "0 or 1" : Column.text(of: metric.values),
                metric.meaning
            ) { row in
                guard row.metrics.contains(metric), let value = row.face[metric] else { return .missing }
                return metric.isFlag ? .integer(Int64(value)) : .decimal(value, decimals: 2)
            }
        } + [
            ColumnDefinition(
                "dominant_emoji", range: "an emoji",
                "The measured emoji with the highest score, if that is \(NumberText.plain(Metric.likelyScore)) or more; otherwise"
                    + " blank."
            ) { row in
                (row.face.emoji?.emoji).map { .text(String($0)) } ?? .missing
            }
        ]
}

/// `blendshapes.csv`: the key columns. The model defines the columns of the scores.
public enum BlendshapeTable {
    public static let columns = Array(FaceTable.columns.prefix(3))
}

/// `frames.csv`: one row per sampled frame, so that "no face" differs from "not sampled".
public enum FrameTable {
    public static let columns = [
        Column(name: "time", unit: "s", range: "any", meaning: "As in faces.csv."),
        Column(name: "frame", unit: "", range: "0 and up", meaning: "As in faces.csv."),
        Column(
            name: "faces", unit: "", range: "0 and up",
            meaning: "The number of faces in the frame: its rows in faces.csv."),
    ]
    package static let names: [String] = columns.map(\.name)
}
