internal import Glibc
internal import VidscanBase
internal import VidscanFaces

extension ForeignTable {
    /// `pyfeat.csv`: the columns, units and signs of Py-Feat 2's detector; see `docs/formats.md`.
    /// A sampled frame without a face has one row with blank measurements. `Identity_1` to `Identity_512`, Py-Feat's
    /// face embeddings, are left out because they are biometric data.
    package static let pyFeat = ForeignTable(
        file: "pyfeat.csv",
        notice: "pyfeat.csv: AU11, AU23, X, Y and Z are not measured and always blank; neutral is 1 minus the strongest"
            + " of the six emotions",
        [
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
