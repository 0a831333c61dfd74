import Testing
import VidscanBase
import VidscanFaces
import VidscanResults

@Suite("faces.csv says who looks at whom")
struct LookTests {
    /// `gaze`: the yaw of eyes and head relative to the camera's axis; `nil` for shut eyes.
    private static func row(
        _ face: Int, person: Int?, x: Double, gaze: Double?, metrics: Set<Metric> = [.gazeYaw, .gazePitch]
    ) -> FaceRow {
        let (size, point) = (PictureSize(width: 640, height: 480), Point(x: x + 40, y: 200))
        var record = FaceRecord(
            AnalyzedFace(
                detection: FaceDetection(
                    box: Rectangle(x: x, y: 150, width: 80, height: 100), confidence: 0.9,
                    landmarks: FaceLandmarks(points: [point, point, point, point, point])),
                presence: 1), in: size, metrics: [])
        (record.numbers[.yaw], record.numbers[.pitch]) = (10, 0)
        (record.numbers[.axisYaw], record.numbers[.axisPitch]) = (10, 0)
        if let gaze {
            (record.numbers[.metric(.gazeYaw)], record.numbers[.metric(.gazePitch)]) = (gaze, 0)
            (record.numbers[.axisGazeYaw], record.numbers[.axisGazePitch]) = (gaze, 0)
        }
        return FaceRow(
            microseconds: 0, frame: 0, faceID: face, personID: person, face: record, raw: record.numbers,
            metrics: metrics)
    }

    private static func columns(_ rows: [FaceRow]) throws -> [[Field]] {
        var rows = rows
        FaceRow.lookAtPeople(&rows, in: PictureSize(width: 640, height: 480))
        let positions = try ["looks_at_camera", "looks_at"].map { name in
            try #require(FaceTable.names.firstIndex(of: name))
        }
        return rows.map { row in positions.map { FaceTable.fields(of: row)[$0] } }
    }

    @Test("Two people who face each other look at the other's person_id, and one who looks into the camera at 0")
    func people() throws {
        #expect(
            try Self.columns([
                Self.row(1, person: 4, x: 100, gaze: 75), Self.row(2, person: 9, x: 400, gaze: -75),
                Self.row(3, person: 5, x: 250, gaze: 2),
            ]) == [[.integer(0), .integer(5)], [.integer(0), .integer(5)], [.integer(1), .integer(0)]])
        #expect(
            try Self.columns([Self.row(1, person: 4, x: 100, gaze: 75), Self.row(2, person: 9, x: 400, gaze: -75)])
                == [[.integer(0), .integer(9)], [.integer(0), .integer(4)]])
    }

    @Test("Both are blank while the eyes are shut, without the gaze, and for a target without a person")
    func blanks() throws {
        #expect(
            try Self.columns([
                Self.row(1, person: 4, x: 100, gaze: nil), Self.row(2, person: 9, x: 400, gaze: -75, metrics: [.smile]),
            ]) == [[.missing, .missing], [.missing, .missing]])
        #expect(
            try Self.columns([Self.row(1, person: 4, x: 100, gaze: 75), Self.row(2, person: nil, x: 400, gaze: nil)])
                == [[.integer(0), .missing], [.missing, .missing]])
    }
}
