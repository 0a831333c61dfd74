internal import Glibc
package import VidscanBase
internal import VidscanFaces

/// What `openface.csv` has where a value is not known: 0, as in OpenFace, or a blank, which pandas reads as NaN.
public enum OpenFaceBlanks: String, Sendable, CaseIterable, Codable { case zero, nan }

/// A table with the columns of another program, which has a row for each face and for each frame without a face.
package struct ForeignTable: Sendable {
    /// Columns that are known together, or not at all.
    struct Group: Sendable {
        let names: [String]
        /// Returns `nil` if the columns are not known.
        let fields: @Sendable (Sample) -> [Field]?
    }

    /// A face in a frame, or a frame without a face.
    struct Sample {
        let frame: FrameRecord
        let face: FaceRow?
        let input: String

        subscript(field: FaceField) -> Double? { face?.face.numbers[field] }

        var mesh: FaceMesh? { face?.face.mesh }

        var pose: HeadPose? {
            guard let yaw = self[.yaw], let pitch = self[.pitch], let roll = self[.roll] else { return nil }
            return HeadPose(yaw: yaw, pitch: pitch, roll: roll)
        }

        /// Returns `nil` for a number that vidscan does not measure.
        func actionUnit(_ number: Int) -> Double?? {
            Metric(rawValue: ForeignTable.actionUnitName(number)).map { self[.metric($0)] }
        }
    }

    package let file: String
    /// What vidscan does not measure.
    package let notice: String
    /// What is written for a missing value.
    private var filler = Field.missing
    private let groups: [Group]

    package var names: [String] { groups.flatMap(\.names) }

    package func rows(_ frame: FrameRecord, _ faces: [FaceRow], _ input: String) -> [[Field]] {
        let faces: [FaceRow?] = faces.isEmpty ? [nil] : faces
        return faces.map { face in
            let sample = Sample(frame: frame, face: face, input: input)
            return groups.flatMap { $0.fields(sample) ?? Array(repeating: .missing, count: $0.names.count) }
                .map { $0 == .missing ? filler : $0 }
        }
    }

    static func decimals(_ values: [Double], _ count: Int) -> [Field] { values.map { .decimal($0, decimals: count) } }
    static func numbered(_ name: String, _ count: Int) -> [String] { (0..<count).map { "\(name)_\($0)" } }
    static func actionUnitName(_ number: Int) -> String { "AU\(number < 10 ? "0" : "")\(number)" }

    package static let openFace = openFace(.zero)

    /// `openface.csv`: the columns, units and coordinates of OpenFace 2.2's FeatureExtraction; see `docs/formats.md`.
    /// A sampled frame without a face has one row. OpenFace has either all action units of a face or none, so `success`
    /// and `confidence` are 0 unless all are known.
    package static func openFace(_ blanks: OpenFaceBlanks) -> ForeignTable {
        ForeignTable(
            file: "openface.csv",
            notice: "openface.csv: success is 0 where an action unit cannot be measured;"
                + " \(blanks == .zero ? "missing values are 0" : "missing values are blank")"
                + " (--openface-blanks \(blanks.rawValue)); AU23 and p_0 to p_33 are not measured, and 0 for every face; both eyes"
                + " have the same gaze; the outline, points 0 to 16, is approximated; lengths in mm assume a camera and a"
                + " head of average size", filler: blanks == .zero ? .integer(0) : .missing, groups: openFaceGroups)
    }

    private static let openFaceGroups = [
        Group(names: ["frame", "face_id", "timestamp", "confidence", "success"]) { sample in
            let isSuccess =
                sample.mesh != nil && sample.pose != nil
                && presences.allSatisfy { sample.actionUnit($0).map { $0 != nil } ?? true }
            return [
                // OpenFace counts frames from 1.
                .integer(sample.frame.index + 1), .integer(Int64(sample.face?.faceID ?? 0)),
                .microseconds(sample.frame.microseconds),
                .decimal(isSuccess ? sample[.presence] ?? 0 : 0, decimals: 2), .integer(isSuccess ? 1 : 0),
            ]
        },
        Group(names: openFaceMeasures) { sample in
            guard let mesh = sample.mesh, let pose = sample.pose else { return nil }
            let face = CameraSpaceFace(mesh: mesh, pose: pose, in: sample.frame.size)
            var fields = gaze(sample, pose: pose, face) + points(face.eyePoints, of: face)
            fields += decimals(face.position, 1) + decimals(face.rotation.anglesXYZ, 3) + points(face.points, of: face)
            fields += decimals([face.scale], 3) + decimals(face.apparentRotation.anglesXYZ, 3)
            fields += decimals([face.center.x, face.center.y], 3)
            fields += [Field](repeating: .integer(0), count: shapeParameters)
            // The columns that end in _r are 5 for a fraction of 1; those that end in _c count from 0.5 on as present.
            fields += intensities.map { actionUnit($0, sample) { 5 * $0 } }
            return fields + presences.map { actionUnit($0, sample) { $0 >= 0.5 ? 1 : 0 } }
        },
    ]

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

    /// `pyfeat.csv`: the columns, units and signs of Py-Feat 2's detector; see `docs/formats.md`.
    /// A sampled frame without a face has one row with blank measurements. `Identity_1` to `Identity_512`, Py-Feat's
    /// face embeddings, are left out because they are biometric data.
    package static let pyFeat = ForeignTable(
        file: "pyfeat.csv",
        notice: "pyfeat.csv: AU11, AU23, X, Y and Z are not measured and always blank; neutral is 1 minus the strongest"
            + " of the six emotions",
        groups: [
            // Not smoothed, like the points.
            Group(names: ["FaceRectX", "FaceRectY", "FaceRectWidth", "FaceRectHeight", "FaceScore"]) { sample in
                guard let box = sample.face?.raw.box else { return nil }
                return decimals([box.x, box.y, box.width, box.height], 2) + [.decimal(sample[.confidence], decimals: 4)]
            },
            Group(names: ["x", "y"].flatMap { numbered($0, SixtyEightPoints.count) }) { sample in
                guard let points = sample.mesh.map(SixtyEightPoints.points(of:)) else { return nil }
                return decimals(points.map(\.x) + points.map(\.y), 2)
            },
            // Up, to the subject's right, and a tilt to the subject's right are positive.
            Group(names: ["Pitch", "Roll", "Yaw"]) { sample in
                sample.pose.map { decimals([$0.pitch, -$0.roll, -$0.yaw].map(radians), 4) }
            },
            Group(names: ["X", "Y", "Z"]) { _ in nil },
            Group(names: pyFeatActionUnits.map(actionUnitName)) { sample in
                pyFeatActionUnits.map { .decimal(sample.actionUnit($0) ?? nil, decimals: 4) }
            },
            Group(names: ["anger", "disgust", "fear", "happiness", "sadness", "surprise", "neutral"]) { sample in
                let emotions: [Metric] = [.anger, .disgust, .fear, .joy, .sadness, .surprise]
                let fractions = emotions.compactMap { sample[.metric($0)].map { $0 / 100 } }
                guard fractions.count == emotions.count, let strongest = fractions.max() else { return nil }
                return decimals(fractions + [1 - strongest], 4)
            },
            // Relative to the head.
            Group(names: ["gaze_pitch", "gaze_yaw", "gaze_angle"]) { sample in
                guard let pose = sample.pose, let yaw = sample[.metric(.gazeYaw)],
                    let pitch = sample[.metric(.gazePitch)]
                else { return nil }
                let (a, b) = (radians(pitch - pose.pitch), radians(yaw - pose.yaw))
                return decimals([a, b, acos(min(max(cos(a) * cos(b), -1), 1))], 4)
            },
            Group(names: ["FrameHeight", "FrameWidth", "input", "frame", "approx_time"]) { sample in
                let (frame, size) = (sample.frame, sample.frame.size)
                let seconds = max(frame.microseconds, 0) / 1_000_000
                func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
                return [
                    .integer(Int64(size.height)), .integer(Int64(size.width)), .text(sample.input),
                    .integer(frame.index), .text("\(two(seconds / 60)):\(two(seconds % 60))"),
                ]
            },
            Group(names: ["Identity"]) { sample in (sample.face?.personID).map { [.text("Person_\($0)")] } },
        ])

    private static let pyFeatActionUnits = [1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 17, 20, 23, 24, 25, 26, 28, 43]

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
