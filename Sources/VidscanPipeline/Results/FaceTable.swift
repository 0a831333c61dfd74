internal import VidscanCore

/// One column of a result table.
public struct Column: Sendable, Equatable {
    public let name: String
    /// `s`, `px`, or blank for a pure number.
    public let unit: String
    public let range: String
    public let meaning: String
}

/// One face in one sampled frame, as it is written.
struct FaceRow: Sendable {
    var microseconds: Int64
    var frame: Int64
    var faceID: Int
    var observation: FaceObservation
}

/// `faces.csv`: one row per face and sampled frame. The columns are the same whatever the options.
public enum FaceTable {
    public static let columns: [Column] = definitions.map(\.column)
    static let names: [String] = columns.map(\.name)

    static func fields(of row: FaceRow) -> [Field] { definitions.map { $0.field(row) } }

    private struct Definition: Sendable {
        var column: Column
        var field: @Sendable (FaceRow) -> Field
    }

    private static let definitions: [Definition] =
        [
            Definition(
                column: Column(
                    name: "time", unit: "s", range: "any",
                    meaning:
                        "The frame's own presentation time minus the container's start: what a player's clock shows."
                ), field: { .microseconds($0.microseconds) }),
            Definition(
                column: Column(
                    name: "frame", unit: "", range: "0 and up",
                    meaning: "The frame's index in presentation order among all frames of the stream."),
                field: { .integer($0.frame) }),
            Definition(
                column: Column(
                    name: "face_id", unit: "", range: "1 and up",
                    meaning:
                        "The same number follows the same face from sample to sample; in order of first appearance."
                ), field: { .integer(Int64($0.faceID)) }),
            Definition(
                column: Column(
                    name: "confidence", unit: "", range: "0 to 1", meaning: "The detector's score for being a face."),
                field: { .decimal($0.observation.confidence, decimals: 4) }),
            pixels("x", "Left edge of the face's box.") { $0.box.x },
            pixels("y", "Top edge of the face's box.") { $0.box.y },
            pixels("width", "Width of the face's box, which is cut at the picture's edges.") { $0.box.width },
            pixels("height", "Height of the face's box, which is cut at the picture's edges.") { $0.box.height },
        ] + points("left_eye", "The subject's left eye", \.leftEye)
        + points("right_eye", "The subject's right eye", \.rightEye)
        + points("nose", "Tip of the nose", \.nose)
        + points("left_mouth_corner", "The mouth's corner on the subject's left", \.leftMouthCorner)
        + points("right_mouth_corner", "The mouth's corner on the subject's right", \.rightMouthCorner)

    private static func pixels(
        _ name: String, _ meaning: String, _ value: @escaping @Sendable (FaceObservation) -> Double
    ) -> Definition {
        Definition(
            column: Column(
                name: name, unit: "px", range: "inside the picture",
                meaning: meaning + " In the upright, square-pixel picture, origin at its top left corner."),
            field: { .decimal(value($0.observation), decimals: 2) })
    }

    private static func points(
        _ name: String, _ meaning: String, _ path: @escaping @Sendable (FaceLandmarks) -> Point
    ) -> [Definition] {
        [("x", { @Sendable in $0.x }), ("y", { @Sendable in $0.y })].map {
            (axis: String, value: @escaping @Sendable (Point) -> Double) in
            Definition(
                column: Column(
                    name: "\(name)_\(axis)", unit: "px", range: "may lie outside the picture",
                    meaning: "\(meaning), \(axis). From the detector."),
                field: { .decimal(value(path($0.observation.landmarks)), decimals: 2) })
        }
    }
}

/// `frames.csv`: one row per sampled frame, so that "no face" differs from "not looked at".
public enum FrameTable {
    public static let columns = [
        Column(name: "time", unit: "s", range: "any", meaning: "As in faces.csv."),
        Column(name: "frame", unit: "", range: "0 and up", meaning: "As in faces.csv."),
        Column(
            name: "faces", unit: "", range: "0 and up",
            meaning: "The number of faces in the frame: its rows in faces.csv."),
    ]
    static let names: [String] = columns.map(\.name)
}
