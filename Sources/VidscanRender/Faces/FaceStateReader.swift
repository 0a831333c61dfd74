internal import Glibc
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
        if needs.mesh, access(result.name + "/\(LandmarkFile.name)", F_OK) != 0 {
            throw VidscanError(
                .result, "has no landmarks.npy, which the mesh is drawn from; analyse the video with --landmarks",
                stage: .open)
        }
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
            states.append(try face(at: microseconds))
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

    private func face(at microseconds: Int64) throws(VidscanError) -> FaceState {
        FaceState(
            faceID: try faces.integer(columns.faceID, in: ReadLimits.ids), microseconds: microseconds,
            numbers: try numbers.numbers(in: faces), emoji: try emoji(), mesh: try landmarks?.next(),
            personMatch: try faces.optionalNumber(matchColumn, in: 0...1))
    }
}
