internal import Glibc
package import VidscanBase
internal import VidscanFaces

/// `pyfeat.csv`: the faces with the columns that the detector of Py-Feat 2 writes, in its order, its units and its signs,
/// for programs that read that. `docs/formats.md` says what each column corresponds to.
///
/// A missing value is blank, as it is there. A sampled frame without a face has one row, whose measurements are blank. The
/// columns of Py-Feat's face embeddings, `Identity_1` to `Identity_512`, are left out: they are biometric data.
package enum PyFeatTable {
    package static let file = "pyfeat.csv"

    /// What the columns hold that vidscan does not measure, in words.
    package static let notice =
        "pyfeat.csv: AU11, AU23, X, Y and Z are not measured and always blank; neutral is 1 minus the strongest of the six"
        + " emotions"

    private static let actionUnits = [1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 17, 20, 23, 24, 25, 26, 28, 43].map {
        "AU\($0 < 10 ? "0" : "")\($0)"
    }
    private static let emotions: [(name: String, metric: Metric)] = [
        ("anger", .anger), ("disgust", .disgust), ("fear", .fear), ("happiness", .joy), ("sadness", .sadness),
        ("surprise", .surprise),
    ]

    package static let names: [String] = {
        var names = ["FaceRectX", "FaceRectY", "FaceRectWidth", "FaceRectHeight", "FaceScore"]
        for axis in ["x", "y"] { names += (0..<SixtyEightPoints.count).map { "\(axis)_\($0)" } }
        names += ["Pitch", "Roll", "Yaw", "X", "Y", "Z"]
        names += actionUnits
        names += emotions.map(\.name) + ["neutral"]
        names += ["gaze_pitch", "gaze_yaw", "gaze_angle"]
        return names + frameNames
    }()

    private static let frameNames = ["FrameHeight", "FrameWidth", "input", "frame", "approx_time", "Identity"]

    /// - Parameter input: The path of the video.
    package static func fields(of row: FaceRow, in size: PictureSize, input: String) -> [Field] {
        box(row) + points(row) + pose(row) + actionUnits(row) + emotions(row) + gaze(row)
            + frame(row.microseconds, row.frame, size, input: input)
            + [row.personID.map { .text(identity(ofPerson: $0)) } ?? .missing]
    }

    /// The last field of a row.
    package static func identity(ofPerson personID: Int) -> String { "Person_\(personID)" }

    /// Returns the row of a frame without a face.
    ///
    /// - Parameter row: A row of the same frame, without its line end.
    /// - Returns: `nil` if it is none.
    package static func emptied(_ row: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let comma = UInt8(ascii: ",")
        let measured = names.count - frameNames.count
        // What was measured is in front of the path, which may have commas, and has none itself.
        let fields = row.split(separator: comma, maxSplits: measured, omittingEmptySubsequences: false)
        guard fields.count == measured + 1, let end = fields[measured].lastIndex(of: comma) else { return nil }
        return repeatElement(comma, count: measured) + fields[measured][...end]
    }

    /// The row of a sampled frame without a face.
    package static func fields(ofEmpty frame: FrameRecord, input: String) -> [Field] {
        missing(names.count - frameNames.count)
            + Self.frame(frame.microseconds, frame.index, frame.size, input: input) + [.missing]
    }

    /// The box is not smoothed, as the points are not.
    private static func box(_ row: FaceRow) -> [Field] {
        let box = row.raw.box
        return decimals([box.x, box.y, box.width, box.height], 2)
            + [row.face.numbers[.confidence].map { .decimal($0, decimals: 4) } ?? .missing]
    }

    private static func points(_ row: FaceRow) -> [Field] {
        guard let mesh = row.face.mesh else { return missing(2 * SixtyEightPoints.count) }
        let points = SixtyEightPoints.points(of: mesh)
        return decimals(points.map(\.x) + points.map(\.y), 2)
    }

    /// Up, to the subject's right, and a tilt to the subject's right are positive.
    private static func pose(_ row: FaceRow) -> [Field] {
        guard let pose = row.face.pose else { return missing(6) }
        return decimals([pose.pitch, -pose.roll, -pose.yaw].map(radians), 4) + missing(3)
    }

    private static func actionUnits(_ row: FaceRow) -> [Field] {
        actionUnits.map { name in
            Metric(rawValue: name).flatMap { row.face.numbers[.metric($0)] }.map { .decimal($0, decimals: 4) }
                ?? .missing
        }
    }

    private static func emotions(_ row: FaceRow) -> [Field] {
        let shares = emotions.compactMap { row.face.numbers[.metric($0.metric)].map { $0 / 100 } }
        guard shares.count == emotions.count, let strongest = shares.max() else { return missing(emotions.count + 1) }
        return decimals(shares + [1 - strongest], 4)
    }

    /// The gaze relative to the head.
    private static func gaze(_ row: FaceRow) -> [Field] {
        let numbers = row.face.numbers
        guard let pose = row.face.pose, let yaw = numbers[.metric(.gazeYaw)], let pitch = numbers[.metric(.gazePitch)]
        else { return missing(3) }
        let (a, b) = (radians(pitch - pose.pitch), radians(yaw - pose.yaw))
        return decimals([a, b, acos(min(max(cos(a) * cos(b), -1), 1))], 4)
    }

    private static func frame(_ microseconds: Int64, _ index: Int64, _ size: PictureSize, input: String) -> [Field] {
        let seconds = max(microseconds, 0) / 1_000_000
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return [
            .integer(Int64(size.height)), .integer(Int64(size.width)), .text(input), .integer(index),
            .text("\(two(seconds / 60)):\(two(seconds % 60))"),
        ]
    }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

    private static func missing(_ count: Int) -> [Field] { [Field](repeating: .missing, count: count) }

    private static func decimals(_ values: [Double], _ count: Int) -> [Field] {
        values.map { .decimal($0, decimals: count) }
    }
}
