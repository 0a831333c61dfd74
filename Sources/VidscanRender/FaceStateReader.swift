internal import Glibc
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Reads the samples of a result in time order, each with its faces, and checks that its tables are consistent.
final class FaceStateReader {
    private let frames: TableReader
    private let faces: TableReader
    private let landmarks: LandmarkReader?
    private let metrics: [(metric: Metric, column: Int)]
    private let frameColumns: (time: Int, frame: Int, faces: Int)
    private let columns: Columns
    private let mapToSource: VidscanBase.AffineTransform?
    private var number = 0
    private var lastMicroseconds: Int64?

    /// Column indices in `faces.csv`.
    private struct Columns {
        package let time, frame, faceID, x, y, width, height, yaw, pitch, roll, emoji: Int
        package let points: [(x: Int, y: Int)]

        package init(_ table: TableReader) throws(VidscanError) {
            (time, frame, faceID) = (try table.column("time"), try table.column("frame"), try table.column("face_id"))
            (x, y) = (try table.column("x"), try table.column("y"))
            (width, height) = (try table.column("width"), try table.column("height"))
            (yaw, pitch, roll) = (try table.column("yaw"), try table.column("pitch"), try table.column("roll"))
            emoji = try table.column("dominant_emoji")
            var points: [(x: Int, y: Int)] = []
            for name in ["left_eye", "right_eye", "nose", "mouth", "left_mouth_corner", "right_mouth_corner"] {
                points.append((try table.column("\(name)_x"), try table.column("\(name)_y")))
            }
            self.points = points
        }
    }

    init(_ result: StoredResult, needs: FaceTimeline.Needs) throws(VidscanError) {
        mapToSource = try result.mapToSource()
        frames = try TableReader(folder: result.name, name: "frames.csv")
        faces = try TableReader(folder: result.name, name: "faces.csv")
        frameColumns = (try frames.column("time"), try frames.column("frame"), try frames.column("faces"))
        columns = try Columns(faces)
        var metrics: [(Metric, Int)] = []
        for metric in needs.metrics { metrics.append((metric, try faces.column(metric.rawValue))) }
        self.metrics = metrics
        if needs.mesh, access(result.name + "/landmarks.npy", F_OK) != 0 {
            throw VidscanError(
                .result, "has no landmarks.npy, which the mesh is drawn from; analyse the video with --landmarks",
                stage: .open)
        }
        landmarks = needs.mesh ? try LandmarkReader(folder: result.name) : nil
    }

    /// Returns the next sample; `nil` after the last one.
    package func next() throws(VidscanError) -> FaceTimeline.Sample? {
        guard try frames.next() else {
            try finish()
            return nil
        }
        let microseconds = try frames.microseconds(frameColumns.time)
        guard microseconds >= lastMicroseconds ?? microseconds else { throw frames.problem("time goes back") }
        lastMicroseconds = microseconds
        let frame = try frames.count(frameColumns.frame)
        let count = try frames.integer(frameColumns.faces, in: ReadLimits.facesInFrame)
        var sights: [FaceState] = []
        var ids: Set<Int> = []
        for _ in 0..<count {
            guard try faces.next() else { throw frames.problem("has more faces than there are in faces.csv") }
            guard try faces.count(columns.frame) == frame, try faces.microseconds(columns.time) == microseconds else {
                throw faces.problem("is not of the frame of line \(frames.line) in frames.csv")
            }
            let sight = try sight(at: microseconds)
            guard ids.insert(sight.faceID).inserted else {
                throw faces.problem("face_id \(sight.faceID) is in its frame twice")
            }
            sights.append(mapToSource.map(sight.moved) ?? sight)
        }
        defer { number += 1 }
        return FaceTimeline.Sample(microseconds: microseconds, number: number, faces: sights)
    }

    /// Checks that no face is left after the last sample.
    ///
    /// - Throws: `VidscanError` if `faces.csv` has faces that belong to no sample.
    package func finish() throws(VidscanError) {
        guard try !faces.next() else { throw faces.problem("is of no frame of frames.csv") }
        try landmarks?.finish()
    }

    private func place(_ column: Int) throws(VidscanError) -> Double {
        try faces.number(column, in: ReadLimits.coordinates)
    }

    private func extent(_ column: Int) throws(VidscanError) -> Double {
        try faces.number(column, in: ReadLimits.extents)
    }

    private func point(_ column: (x: Int, y: Int)) throws(VidscanError) -> Point? {
        guard let x = try faces.optionalNumber(column.x, in: ReadLimits.coordinates),
            let y = try faces.optionalNumber(column.y, in: ReadLimits.coordinates)
        else { return nil }
        return Point(x: x, y: y)
    }

    private func emoji() throws(VidscanError) -> String? {
        guard faces.text(columns.emoji) != nil else { return nil }
        return try faces.value(columns.emoji) { text in
            Metric.allCases.contains { $0.emoji.map(String.init) == text } ? text : nil
        }
    }

    private func sight(at microseconds: Int64) throws(VidscanError) -> FaceState {
        var values: [Metric: Double] = [:]
        for (metric, column) in metrics { values[metric] = try faces.optionalNumber(column, in: metric.values) }
        var points: [Point?] = []
        for column in columns.points { points.append(try point(column)) }
        return FaceState(
            faceID: try faces.integer(columns.faceID, in: ReadLimits.ids), microseconds: microseconds,
            box: Rectangle(
                x: try place(columns.x), y: try place(columns.y), width: try extent(columns.width),
                height: try extent(columns.height)),
            leftEye: points[0], rightEye: points[1], nose: points[2], mouth: points[3], leftMouthCorner: points[4],
            rightMouthCorner: points[5], yaw: try faces.optionalNumber(columns.yaw, in: HeadPose.yaws),
            pitch: try faces.optionalNumber(columns.pitch, in: HeadPose.pitches),
            roll: try faces.optionalNumber(columns.roll, in: HeadPose.rolls), metrics: values, emoji: try emoji(),
            mesh: try landmarks?.next())
    }
}
