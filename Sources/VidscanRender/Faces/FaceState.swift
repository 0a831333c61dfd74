internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Reads the samples of a result in time order, and checks that its tables are consistent.
final class FaceStateReader {
    private let frames, faces: TableReader
    private let landmarks: LandmarkReader?
    private let frameColumns: (time: Int, frame: Int, faces: Int)
    private let columns: (time: Int, frame: Int, faceID: Int, emoji: Int)
    private let matchColumn: Int?
    private let numbers: FaceColumns
    private let mapToSource: AffineTransform?
    private let corrections: CorrectedNumbers?
    private var number = 0
    private var lastMicroseconds: Int64?

    init(_ tables: FaceTables, needs: FaceTimeline.Needs) throws(VidscanError) {
        let result = tables.positions
        corrections = try tables.corrections.map { result throws(VidscanError) in
            try CorrectedNumbers(result, removedFaces: tables.removedFaces)
        }
        mapToSource = try result.mapToSource()
        frames = try TableReader(folder: result.name, name: "frames.csv")
        faces = try TableReader(folder: result.name, name: "faces.csv")
        frameColumns = (try frames.column("time"), try frames.column("frame"), try frames.column("faces"))
        columns = (
            try faces.column("time"), try faces.column("frame"), try faces.column("face_id"),
            try faces.column("dominant_emoji")
        )
        numbers = try FaceColumns(
            FaceField.box + FaceField.points + FaceField.pose + needs.metrics.map(FaceField.metric)
                + (needs.identity ? [.confidence] : []), of: faces)
        matchColumn = needs.identity ? try faces.column("person_match") : nil
        try require(
            !needs.mesh || FileSystem.entry("\(result.name)/\(LandmarkFile.name)") != nil, .result,
            "has no landmarks.npy, which the mesh is drawn from; analyse the video with --landmarks")
        landmarks = needs.mesh ? try LandmarkReader(folder: result.name) : nil
    }

    func next() throws(VidscanError) -> FaceTimeline.Sample? {
        guard try frames.next() else {
            try finish()
            return nil
        }
        let microseconds = try frames.microseconds(frameColumns.time)
        guard microseconds >= lastMicroseconds ?? microseconds else { throw frames.problem("time goes back") }
        lastMicroseconds = microseconds
        let frame = try frames.count(frameColumns.frame)
        let count = try frames.integer(frameColumns.faces, in: ReadLimits.facesInFrame)
        var states: [FaceState] = []
        for _ in 0..<count {
            guard try faces.next() else { throw frames.problem("has more faces than faces.csv") }
            guard try faces.count(columns.frame) == frame, try faces.microseconds(columns.time) == microseconds else {
                throw faces.problem("does not belong to the frame in line \(frames.line) of frames.csv")
            }
            let id = try faces.integer(columns.faceID, in: ReadLimits.ids)
            states.append(
                FaceState(
                    faceID: id, detectedID: id, microseconds: microseconds,
                    numbers: try numbers.numbers(in: faces), emoji: try emoji(), mesh: try landmarks?.next(),
                    personMatch: try faces.optionalNumber(matchColumn, in: 0...1)))
        }
        try corrections?.number(&states, frame: frame, microseconds: microseconds)
        var ids: Set<Int> = []
        for state in states where !ids.insert(state.faceID).inserted {
            throw faces.problem("face_id \(state.faceID) appears twice in its frame")
        }
        if let mapToSource { states = states.map { $0.moved(by: mapToSource) } }
        defer { number += 1 }
        return FaceTimeline.Sample(microseconds: microseconds, number: number, faces: states)
    }

    /// Throws if `faces.csv` has faces that belong to no sample.
    func finish() throws(VidscanError) {
        guard try !faces.next() else { throw faces.problem("has no frame in frames.csv") }
        try landmarks?.finish()
        try corrections?.finish()
    }

    private func emoji() throws(VidscanError) -> String? {
        guard faces.text(columns.emoji) != nil else { return nil }
        return try faces.value(columns.emoji) { text in
            Metric.allCases.contains { $0.emoji.map(String.init) == text } ? text : nil
        }
    }
}

/// A face at one time, measured in a sample or interpolated between two.
struct FaceState {
    var faceID: Int
    /// The face_id before corrections.
    let detectedID: Int
    var microseconds: Int64
    /// The box, the points, the pose, and the metrics that are drawn.
    var numbers: FaceNumbers
    var emoji: String?
    var mesh: FaceMesh?
    /// Match with its person, 0…1; `nil` if not needed or not measured.
    var personMatch: Double?

    var box: Rectangle {
        get { numbers.box }
        set { numbers.box = newValue }
    }

    subscript(field: FaceField) -> Double? { numbers[field] }
    subscript(point: FacePoint) -> Point? { numbers[point] }

    /// - Parameter fraction: from 0 (this state) to 1 (the later one).
    func interpolated(to later: FaceState, fraction: Double, microseconds: Int64) -> FaceState {
        // Values that cannot be interpolated come from the nearer state.
        var state = fraction < 0.5 ? self : later
        state.microseconds = microseconds
        for field in FaceField.all {
            guard let from = self[field], let to = later[field] else {
                switch field {
                case .x, .y: state.numbers[field] = nil
                case .roll: break
                default: state.numbers[field] = self[field] ?? later[field]
                }
                continue
            }
            // Roll takes the shorter arc.
            let change = field == .roll ? (to - from).remainder(dividingBy: 360) : to - from
            state.numbers[field] = from + change * fraction
        }
        if let a = mesh, let b = later.mesh {
            state.mesh = FaceMesh(
                coordinates: zip(a.coordinates, b.coordinates).map { $0 + ($1 - $0) * Float(fraction) })
        } else {
            state.mesh = nil
        }
        return state
    }

    func moved(by map: AffineTransform) -> FaceState {
        var state = self
        state.numbers.move(by: map)
        if let mesh {
            let depth = Float(abs(map.xx * map.yy - map.xy * map.yx).squareRoot())
            state.mesh = FaceMesh(
                coordinates: (0..<FaceMesh.pointCount).flatMap { index in
                    let moved = map.apply(to: mesh[index])
                    return [Float(moved.x), Float(moved.y), Float(mesh.z(index)) * depth]
                })
        }
        return state
    }

    /// Around the centre of the box.
    func scaled(by factor: Double) -> FaceState {
        guard factor != 1 else { return self }
        let (center, rest) = (box.center, 1 - factor)
        return moved(by: AffineTransform(xx: factor, xy: 0, x: center.x * rest, yx: 0, yy: factor, y: center.y * rest))
    }

    /// Tilt in degrees clockwise, from the eyes if possible, because they are known without a mesh.
    var lean: Double {
        if let leftEye = self[.leftEye], let rightEye = self[.rightEye] {
            // The subject's left eye is on the right of the frame.
            return Trigonometry.degrees(y: leftEye.y - rightEye.y, x: leftEye.x - rightEye.x)
        }
        return self[.roll] ?? 0
    }
}
