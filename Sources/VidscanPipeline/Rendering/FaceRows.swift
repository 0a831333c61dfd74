internal import Foundation
internal import VidscanCore
internal import VidscanFaces

/// Reads a result's samples in order, each with its faces.
final class FaceRows {
    private let frames: TableReader
    private let faces: TableReader
    private let landmarks: FileHandle?
    private let metrics: [(metric: Metric, column: Int)]
    private let columns: [String: Int]
    private let placesInSource: VidscanCore.AffineTransform?
    private let frameColumns: (time: Int, frame: Int, faces: Int)
    private var number = 0
    private var row = 0

    init(_ result: FinishedResult, needs: FaceTimeline.Needs) throws(PipelineError) {
        placesInSource = try result.placesInSource()
        frames = try TableReader(folder: result.name, name: "frames.csv")
        faces = try TableReader(folder: result.name, name: "faces.csv")
        frameColumns = (try frames.column("time"), try frames.column("frame"), try frames.column("faces"))
        var columns: [String: Int] = [:]
        let points = [
            "left_eye", "right_eye", "nose", "mouth", "left_mouth_corner", "right_mouth_corner",
        ]
        let names =
            ["frame", "face_id", "x", "y", "width", "height", "yaw", "pitch", "roll", "dominant_emoji"]
            + points.flatMap { ["\($0)_x", "\($0)_y"] }
        for name in names { columns[name] = try faces.column(name) }
        self.columns = columns
        var metrics: [(Metric, Int)] = []
        for metric in needs.metrics { metrics.append((metric, try faces.column(metric.rawValue))) }
        self.metrics = metrics
        landmarks = needs.mesh ? FileHandle(forReadingAtPath: result.name + "/landmarks.npy") : nil
        if needs.mesh, landmarks == nil {
            throw PipelineError(
                .result, "has no landmarks.npy, which the mesh is drawn from; analyse the video with --landmarks",
                stage: .open)
        }
        if let landmarks {
            // Magic, version, and the length of the header, which is skipped.
            guard let head = try? landmarks.read(upToCount: 10), head.count == 10, head[0] == 0x93,
                (try? landmarks.seek(toOffset: 10 + UInt64(head[8]) + UInt64(head[9]) << 8)) != nil
            else { throw PipelineError(.result, "its landmarks.npy cannot be read", stage: .open) }
        }
    }

    /// The next sample; `nil` after the last.
    func next() throws(PipelineError) -> FaceTimeline.Sample? {
        guard try frames.next() else { return nil }
        let microseconds = try frames.microseconds(frameColumns.time)
        let frame = frames.number(frameColumns.frame)
        let count = Int(frames.number(frameColumns.faces) ?? 0)
        var sights: [FaceSight] = []
        for _ in 0..<max(0, count) {
            guard try faces.next(), number("frame") == frame, let sight = try sight(at: microseconds) else {
                throw PipelineError(
                    .result, "faces.csv and frames.csv do not belong together", stage: .render,
                    microseconds: microseconds)
            }
            sights.append(placesInSource.map(sight.moved) ?? sight)
        }
        defer { number += 1 }
        return FaceTimeline.Sample(microseconds: microseconds, number: number, faces: sights)
    }

    /// - Throws: `PipelineError` when there are faces of no sample, after the last one.
    func finish() throws(PipelineError) {
        guard try !faces.next() else {
            throw PipelineError(.result, "faces.csv and frames.csv do not belong together", stage: .render)
        }
    }

    private func number(_ name: String) -> Double? { columns[name].flatMap(faces.number) }

    private func point(_ name: String) -> Point? {
        guard let x = number("\(name)_x"), let y = number("\(name)_y") else { return nil }
        return Point(x: x, y: y)
    }

    private func sight(at microseconds: Int64) throws(PipelineError) -> FaceSight? {
        guard let id = number("face_id"), let x = number("x"), let y = number("y"), let width = number("width"),
            let height = number("height"), [id, x, y, width, height].allSatisfy(\.isFinite)
        else { return nil }
        var values: [Metric: Double] = [:]
        for (metric, column) in metrics { values[metric] = faces.number(column) }
        return FaceSight(
            faceID: Int(id), microseconds: microseconds, box: Rectangle(x: x, y: y, width: width, height: height),
            leftEye: point("left_eye"), rightEye: point("right_eye"), nose: point("nose"), mouth: point("mouth"),
            leftMouthCorner: point("left_mouth_corner"), rightMouthCorner: point("right_mouth_corner"),
            yaw: number("yaw"), pitch: number("pitch"), roll: number("roll"), metrics: values,
            emoji: columns["dominant_emoji"].flatMap(faces.text), mesh: try mesh())
    }

    /// The next row's points; every row of `faces.csv` has some, which are not numbers where there is no mesh.
    private func mesh() throws(PipelineError) -> FaceMesh? {
        guard let landmarks else { return nil }
        let count = 3 * FaceMesh.pointCount
        guard let data = try? landmarks.read(upToCount: 4 * count), data.count == 4 * count else {
            throw PipelineError(.result, "landmarks.npy ends before faces.csv", stage: .render)
        }
        let coordinates = data.withUnsafeBytes { bytes in
            (0..<count).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        return coordinates.allSatisfy(\.isFinite) ? FaceMesh(coordinates: coordinates) : nil
    }
}
