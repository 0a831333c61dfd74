internal import VidscanBase
internal import VidscanFaces

extension ForeignTable {
    /// `openface.csv`: the columns, units and coordinates of OpenFace 2.2's FeatureExtraction; see `docs/formats.md`.
    /// A sampled frame without a face has one row. Such a row, and one of a face without a mesh, has `success` 0 and 0
    /// for everything unknown, as in OpenFace.
    package static let openFace = ForeignTable(
        file: "openface.csv",
        notice: "openface.csv: AU23 and p_0 to p_33 are not measured and always 0; both eyes have the same gaze; the"
            + " outline, points 0 to 16, is approximated; lengths in mm assume a camera and a head of average size",
        [
            Group(names: ["frame", "face_id", "timestamp", "confidence", "success"]) { sample in
                let isKnown = sample.mesh != nil && sample.pose != nil
                return [
                    // OpenFace counts frames from 1.
                    .integer(sample.frame.index + 1), .integer(Int64(sample.face?.faceID ?? 0)),
                    .microseconds(sample.frame.microseconds),
                    .decimal(isKnown ? sample[.presence] ?? 0 : 0, decimals: 2), .integer(isKnown ? 1 : 0),
                ]
            },
            Group(names: openFaceMeasures, filler: .integer(0)) { sample in
                guard let mesh = sample.mesh, let pose = sample.pose else { return nil }
                let face = CameraSpaceFace(mesh: mesh, pose: pose, in: sample.frame.size)
                var fields = gaze(sample, pose: pose, face) + points(face.eyePoints, of: face)
                fields += decimals(face.position, 1) + decimals(face.rotation.anglesXYZ, 3)
                fields += points(face.points, of: face)
                fields += decimals([face.scale], 3) + decimals(face.apparentRotation.anglesXYZ, 3)
                fields += decimals([face.center.x, face.center.y], 3)
                fields += [Field](repeating: .integer(0), count: shapeParameters)
                fields += intensities.map { actionUnit($0, sample) { highestIntensity * $0 } }
                return fields + presences.map { actionUnit($0, sample) { $0 >= presentFrom ? 1 : 0 } }
            },
        ])

    /// The lowest fraction at which an action unit counts as present, in the columns that end in `_c`.
    private static let presentFrom = 0.5
    /// The intensity, in the columns that end in `_r`, of an action unit whose fraction is 1.
    private static let highestIntensity = 5.0

    /// By number; 23 is not measured.
    private static let intensities = [1, 2, 4, 5, 6, 7, 9, 10, 12, 14, 15, 17, 20, 23, 25, 26, 45]
    private static let presences = [1, 2, 4, 5, 6, 7, 9, 10, 12, 14, 15, 17, 20, 23, 25, 26, 28, 45]
    private static let shapeParameters = 34

    private static let openFaceMeasures: [String] = {
        var names = ["gaze_0_x", "gaze_0_y", "gaze_0_z", "gaze_1_x", "gaze_1_y", "gaze_1_z"]
        names += ["gaze_angle_x", "gaze_angle_y"]
        let axes = ["x", "y", "X", "Y", "Z"]
        names += axes.flatMap { numbered("eye_lmk_\($0)", SixtyEightPoints.eyePointCount) }
        names += ["pose_Tx", "pose_Ty", "pose_Tz", "pose_Rx", "pose_Ry", "pose_Rz"]
        names += axes.flatMap { numbered($0, SixtyEightPoints.count) }
        names += ["p_scale", "p_rx", "p_ry", "p_rz", "p_tx", "p_ty"] + numbered("p", shapeParameters)
        return names + intensities.map { actionUnitName($0) + "_r" } + presences.map { actionUnitName($0) + "_c" }
    }()

    /// Both eyes have the same direction because only one gaze is measured.
    private static func gaze(_ sample: Sample, pose: HeadPose, _ face: CameraSpaceFace) -> [Field] {
        guard let yaw = sample[.metric(.gazeYaw)], let pitch = sample[.metric(.gazePitch)] else {
            return [Field](repeating: .missing, count: 8)
        }
        let v = face.direction(yaw: yaw, pitch: pitch, roll: pose.roll)
        let angles = v.gazeAngles
        return decimals([v.x, v.y, v.z, v.x, v.y, v.z], 6) + decimals([angles.x, angles.y], 3)
    }

    /// All x, then all y, in pixels; then all X, all Y and all Z in millimetres.
    private static func points(_ points: [Vector3], of face: CameraSpaceFace) -> [Field] {
        let positions = points.map(face.position(of:))
        return decimals(points.map(\.x) + points.map(\.y), 2)
            + decimals(positions.map(\.x) + positions.map(\.y) + positions.map(\.z), 1)
    }

    private static func actionUnit(_ number: Int, _ sample: Sample, _ value: (Double) -> Double) -> Field {
        guard let fraction = sample.actionUnit(number) else { return .integer(0) }
        return .decimal(fraction.map(value), decimals: 2)
    }

    private static func decimals(_ v: Vector3, _ count: Int) -> [Field] { decimals([v.x, v.y, v.z], count) }
}
