package import VidscanBase
internal import VidscanFaces

/// `openface.csv`: the faces with the columns of FeatureExtraction of OpenFace 2.2, in its order, its units and its
/// coordinates, for programs that read that. `docs/formats.md` says what each column corresponds to.
///
/// A sampled frame without a face has one row, as it has there. Such a row, and one of a face without a mesh, has the
/// `success` 0, and 0 for everything that is not known.
package enum OpenFaceTable {
    package static let file = "openface.csv"

    /// What the columns hold that vidscan does not measure, in words.
    package static let notice =
        "openface.csv: AU23 and p_0 to p_33 are not measured and always 0; both eyes have the same gaze; the outline, points 0"
        + " to 16, is approximated; lengths in mm assume a camera and a head of average size"

    /// The lowest share of an action unit that counts as present in the columns that end in `_c`.
    package static let presentFrom = 0.5
    /// The intensity, in the columns that end in `_r`, of an action unit whose share is 1.
    package static let highestIntensity = 5.0

    /// The action units that have an intensity, by number; 23 is not measured.
    private static let intensities = [1, 2, 4, 5, 6, 7, 9, 10, 12, 14, 15, 17, 20, 23, 25, 26, 45]
    /// The action units that are present or not.
    private static let presences = [1, 2, 4, 5, 6, 7, 9, 10, 12, 14, 15, 17, 20, 23, 25, 26, 28, 45]
    private static let shapeParameters = 34

    package static let names: [String] = keyNames + measureNames

    private static let keyNames = ["frame", "face_id", "timestamp", "confidence", "success"]

    private static let measureNames: [String] = {
        var names = ["gaze_0_x", "gaze_0_y", "gaze_0_z", "gaze_1_x", "gaze_1_y", "gaze_1_z"]
        names += ["gaze_angle_x", "gaze_angle_y"]
        let axes = ["x", "y", "X", "Y", "Z"]
        names += axes.flatMap { numbered("eye_lmk_\($0)", SixtyEightPoints.eyePointCount) }
        names += ["pose_Tx", "pose_Ty", "pose_Tz", "pose_Rx", "pose_Ry", "pose_Rz"]
        names += axes.flatMap { numbered($0, SixtyEightPoints.count) }
        names += ["p_scale", "p_rx", "p_ry", "p_rz", "p_tx", "p_ty"] + numbered("p", shapeParameters)
        names += intensities.map { columnName($0) + "_r" }
        names += presences.map { columnName($0) + "_c" }
        return names
    }()

    package static func fields(of row: FaceRow, in size: PictureSize) -> [Field] {
        guard let mesh = row.face.mesh, let pose = row.face.pose else {
            return key(row.microseconds, row.frame, row.faceID, confidence: 0, success: false) + nothing
        }
        let face = CameraSpaceFace(mesh: mesh, pose: pose, in: size)
        return key(
            row.microseconds, row.frame, row.faceID, confidence: row.face.numbers[.presence] ?? 0, success: true)
            + gaze(row, pose: pose, face) + points(face.eyePoints, of: face) + pose3D(face)
            + points(face.points, of: face) + shape(face) + actionUnits(row)
    }

    /// The row of a sampled frame without a face.
    package static func fields(ofEmpty frame: FrameRecord) -> [Field] {
        fields(microseconds: frame.microseconds, emptyFrame: frame.index)
    }

    /// The same, given the frame's time and index.
    package static func fields(microseconds: Int64, emptyFrame index: Int64) -> [Field] {
        key(microseconds, index, 0, confidence: 0, success: false) + nothing
    }

    private static let nothing = [Field](repeating: .integer(0), count: measureNames.count)

    /// OpenFace counts frames from 1.
    private static func key(
        _ microseconds: Int64, _ frame: Int64, _ faceID: Int, confidence: Double, success: Bool
    ) -> [Field] {
        [
            .integer(frame + 1), .integer(Int64(faceID)), .microseconds(microseconds),
            .decimal(confidence, decimals: 2), .integer(success ? 1 : 0),
        ]
    }

    /// Both eyes have the same direction: one gaze is measured.
    private static func gaze(_ row: FaceRow, pose: HeadPose, _ face: CameraSpaceFace) -> [Field] {
        guard let yaw = row.face.numbers[.metric(.gazeYaw)], let pitch = row.face.numbers[.metric(.gazePitch)] else {
            return [Field](repeating: .missing, count: 8)
        }
        let v = face.direction(yaw: yaw, pitch: pitch, roll: pose.roll)
        let angles = GazeAngles(v)
        return decimals([v.x, v.y, v.z, v.x, v.y, v.z], 6) + decimals([angles.x, angles.y], 3)
    }

    /// All x, then all y, in pixels; then all X, all Y and all Z in millimetres.
    private static func points(_ points: [Vector3], of face: CameraSpaceFace) -> [Field] {
        let positions = points.map(face.position(of:))
        return decimals(points.map(\.x) + points.map(\.y), 2)
            + decimals(positions.map(\.x) + positions.map(\.y) + positions.map(\.z), 1)
    }

    private static func pose3D(_ face: CameraSpaceFace) -> [Field] {
        decimals(face.position, 1) + decimals(face.rotation.anglesXYZ, 3)
    }

    private static func shape(_ face: CameraSpaceFace) -> [Field] {
        decimals([face.scale], 3) + decimals(face.apparentRotation.anglesXYZ, 3)
            + decimals([face.center.x, face.center.y], 3) + [Field](repeating: .integer(0), count: shapeParameters)
    }

    private static func actionUnits(_ row: FaceRow) -> [Field] {
        func share(_ number: Int) -> Double?? {
            Metric(rawValue: columnName(number)).map { row.face.numbers[.metric($0)] }
        }
        func field(_ number: Int, _ value: (Double) -> Double) -> Field {
            switch share(number) {
            case .none: .integer(0)
            case .some(.none): .missing
            case .some(.some(let share)): .decimal(value(share), decimals: 2)
            }
        }
        return intensities.map { field($0) { highestIntensity * $0 } }
            + presences.map { field($0) { $0 >= presentFrom ? 1 : 0 } }
    }

    /// `AU01`
    private static func columnName(_ actionUnit: Int) -> String { "AU\(actionUnit < 10 ? "0" : "")\(actionUnit)" }

    private static func numbered(_ name: String, _ count: Int) -> [String] { (0..<count).map { "\(name)_\($0)" } }

    private static func decimals(_ values: [Double], _ count: Int) -> [Field] {
        values.map { .decimal($0, decimals: count) }
    }

    private static func decimals(_ v: Vector3, _ count: Int) -> [Field] { decimals([v.x, v.y, v.z], count) }
}

extension FaceRecord {
    /// The pose, if the face has a mesh.
    var pose: HeadPose? {
        guard let yaw = numbers[.yaw], let pitch = numbers[.pitch], let roll = numbers[.roll] else { return nil }
        return HeadPose(yaw: yaw, pitch: pitch, roll: roll)
    }
}
