package import VidscanBase
package import VidscanFaces

/// A row of `faces.csv`: one face in one sampled frame.
package struct FaceRow: Sendable {
    package var microseconds, frame: Int64
    package var faceID: Int
    package var personID: Int?
    /// Smoothed unless smoothing is off.
    package var face: FaceRecord
    /// Before smoothing, and not relative to a resting level.
    package var raw: FaceNumbers
    /// The columns of other metrics stay blank.
    package var metrics: Set<Metric>
    /// Whether the person looks at the camera; `nil` if unknown. `lookAtPeople` sets both.
    package private(set) var looksAtCamera: Bool?
    /// The person in whose direction this one looks; 0 for nobody in the frame, `nil` if unknown.
    package private(set) var looksAt: Int?

    package init(
        microseconds: Int64, frame: Int64, faceID: Int, personID: Int? = nil, face: FaceRecord, raw: FaceNumbers,
        metrics: Set<Metric>
    ) {
        (self.microseconds, self.frame, self.faceID, self.personID) = (microseconds, frame, faceID, personID)
        (self.face, self.raw, self.metrics) = (face, raw, metrics)
    }

    /// Returns `nil` for a metric that is not requested.
    package subscript(field: FaceField) -> Double? { isRequested(field) ? face.numbers[field] : nil }
    func measured(_ field: FaceField) -> Double? { isRequested(field) ? raw[field] : nil }

    /// Finds who looks at whom. `rows`: those of one frame, whose size is given.
    package static func lookAtPeople(_ rows: inout [FaceRow], in size: PictureSize) {
        func direction(_ row: FaceRow, _ yaw: FaceField, _ pitch: FaceField) -> GazeTarget.Direction? {
            guard let yaw = row[yaw], let pitch = row[pitch] else { return nil }
            return (yaw, pitch)
        }
        let gaze = GazeTarget(
            rows.map {
                GazeTarget.Face(
                    box: $0.face.box, head: direction($0, .yaw, .pitch),
                    gaze: direction($0, .metric(.gazeYaw), .metric(.gazePitch)),
                    axisHead: direction($0, .axisYaw, .axisPitch),
                    axisGaze: direction($0, .axisGazeYaw, .axisGazePitch))
            }, in: size)
        for index in rows.indices where rows[index].metrics.isSuperset(of: [.gazeYaw, .gazePitch]) {
            let look = gaze.look(of: index)
            rows[index].looksAtCamera = look.isAtCamera
            rows[index].looksAt =
                switch look.target {
                case .face(let other): rows[other].personID
                case .other: 0
                case nil: nil
                }
        }
    }

    private func isRequested(_ field: FaceField) -> Bool {
        switch field {
        case .metric(let metric): metrics.contains(metric)
        case .axisGazeYaw: metrics.contains(.gazeYaw)
        case .axisGazePitch: metrics.contains(.gazePitch)
        default: true
        }
    }
}

/// `faces.csv`: one row per face and sampled frame. The columns do not depend on the options.
package enum FaceTable: ResultTable {
    package static let names: [String] = columns.map(\.name)

    package static let definitions: [ColumnDefinition<FaceRow>] =
        identity + ([.confidence] + FaceField.box).map(definition) + person
        + FaceField.all.drop { $0 != .presence }.map(definition) + looks

    private static let identity: [Definition] = [
        .time(
            "time", \.microseconds,
            "The frame's own presentation time minus the container's start: what a player's clock shows."),
        .number(
            "frame", from: 0, { Int($0.frame) },
            "The frame's index in presentation order among all frames of the stream."),
        .number(
            "face_id", from: 1, \.faceID,
            "The same face keeps the same number from sample to sample until it is lost. The number continues across a cut"
                + " when the match is certain. Numbers are in order of first appearance."),
    ]

    private static let person: [Definition] = [
        .number(
            "person_id", from: 1, \.personID,
            "The same number for all face_ids that seem to be the same person. tracks.csv says how certain it is."),
        .fraction(
            "person_match", \.face.personMatch,
            "How certain it is that this sample shows the same face as the best samples of its track rather than another"
                + " person's of the video: 0.5 if another person is as near. Blank in the samples that were not compared, which are"
                + " most."),
    ]

    private static let looks: [Definition] = [
        Definition(
            "looks_at_camera", range: "0 or 1", { .integer($0.looksAtCamera.map { $0 ? 1 : 0 }) },
            "1 if the gaze is within \(NumberText.plain(GazeTarget.cameraDegrees)) degrees of the camera, otherwise 0. Blank"
                + " while an eye is shut, unless the head is turned by more than"
                + " \(NumberText.plain(GazeTarget.turnedDegrees)) degrees, and without the metrics gaze_yaw and gaze_pitch."
        ),
        .number(
            "looks_at", from: 0, \.looksAt,
            "The person_id of the face in whose direction the person looks, within"
                + " \(NumberText.plain(GazeTarget.marginDegrees)) degrees of where it may be, the nearest of several; 0 for the"
                + " camera and for nobody in the frame. By the gaze, or where the eyes cannot be seen because the head is turned, by the head. Blank as"
                + " looks_at_camera. One camera cannot tell how far away a face is: see docs/interaction.md."),
        Definition(
            "measured_from", range: "both, left, right",
            { ($0.face.measuredSide?.rawValue).map(Field.text) ?? .missing },
            "The sides of the face, the subject's own, that expressions are measured from: one beyond"
                + " \(NumberText.plain(ExpressionLimits.maximumYaw)) degrees of yaw, where only its eye, its brow, its cheek and the"
                + " mouth are measured, and less certainly. Blank if none are measured."),
        Definition(
            "dominant_emoji", range: "an emoji", { ($0.face.emoji?.emoji).map { .text(String($0)) } ?? .missing },
            "The measured emoji with the highest score, if that is \(NumberText.plain(Metric.likelyScore)) or more; otherwise"
                + " blank. Experimental emojis are never named."),
    ]

    private static func definition(_ field: FaceField) -> Definition {
        let facts = field.description
        return Definition(column: facts.column) { .decimal($0[field], decimals: facts.decimals) }
    }
}

/// A row of `frames.csv`.
package struct FrameRow: Sendable {
    package var frame: FrameRecord
    /// The number of the shot, from 1, and the number of kept faces.
    package var shot, faces: Int
}

/// `frames.csv`: one row per sampled frame, so that "no face" differs from "not sampled" and "nothing to be seen".
package enum FrameTable: ResultTable {
    /// The members of a frame in `faces.json`, which has the faces instead of their number.
    static let describing = definitions.filter { $0.column.name != "faces" }

    package static let definitions: [ColumnDefinition<FrameRow>] = [
        .time("time", \.frame.microseconds, "As in faces.csv."),
        .number("frame", from: 0, { Int($0.frame.index) }, "As in faces.csv."),
        .number("faces", from: 0, \.faces, "The number of faces in the frame: its rows in faces.csv."),
        Definition(
            "luma", range: "0 to 100", decimals: 2, \.frame.quality.luma,
            "The mean luma of the frame: 0 is black, 100 is white."),
        Definition(
            "sharpness", range: "0 and up", decimals: 2, \.frame.quality.sharpness,
            "The variance of the Laplacian of the frame's luma (0 to 255), in the size in which faces are searched (640 pixels"
                + " on the longer side at most, unless a setting changes that). Small if the frame is blurred, or has little detail: compare"
                + " frames of one shot with each other."),
        Definition(
            "damaged", range: "0 or 1", { .integer($0.frame.isDamaged ? 1 : 0) },
            "1 if the decoder reported an error in the frame's data, or in a frame since the last keyframe from which it may"
                + " have been predicted. Such a frame may show blocks or smears, and what is measured in it may be wrong."
        ),
        Definition(
            "voice", range: "0 to 100", decimals: 1, \.frame.voice,
            "How likely somebody speaks, seen or not (Silero VAD). Blank without --speech and where sound is missing."),
        .number("shot", from: 1, \.shot, "The number of the shot: one more from each shot_cut in events.csv on."),
    ]
}
