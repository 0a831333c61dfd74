import TestSupport
import Testing
import VidscanBase
import VidscanFaces
import VidscanResults

@Suite("Lids that fall move nothing but the eyes")
struct ShutEyesTests {
    private final class Rows: RowConsumer {
        var rows: [FaceRow] = []
        var events: [FaceEvent] = []
        var tracks: [TrackRow] = []

        func tracked(_ frame: FrameRecord, shot: Int, rows: [FaceRow]) { self.rows += rows }
        func completed(_ tracks: [TrackRow], _ events: [FaceEvent], _ episodes: [Episode]) {
            (self.tracks, self.events) = (tracks, events)
        }

        func values(_ field: FaceField) -> [Double?] { rows.map { $0[field] } }
        func values(_ metric: Metric) -> [Double?] { values(.metric(metric)) }
    }

    private struct Sample {
        var left = 90.0
        var right = 90.0
        var numbers: [FaceField: Double] = [:]
        var isMeasured = true
    }

    private static let open = Sample(
        numbers: [
            .metric(.browFurrow): 20, .metric(.sadness): 10, .metric(.gazePitch): 3, .metric(.gazeYaw): 1,
            .axisGazeYaw: 4, .axisGazePitch: 5, .metric(.wink): 1, .metric(.au04): 0.2, .metric(.au45): 0,
            .metric(.leftEyeClosed): 0, .metric(.rightEyeClosed): 0, .metric(.dimpler): 5, .metric(.au15): 0.1,
        ])

    /// As the mesh has it: the brows and the gaze follow the lids.
    private static let shut = Sample(
        left: 5, right: 8,
        numbers: open.numbers.merging([
            .metric(.browFurrow): 70, .metric(.sadness): 60, .metric(.gazePitch): -14, .metric(.au04): 0.7,
            .metric(.au45): 0.9, .metric(.dimpler): 60, .metric(.au15): 0.6,
        ]) { $1 })

    /// One lid falls before the other, or the mesh sees it fall.
    private static func winking(left: Double, right: Double) -> Sample {
        Sample(left: left, right: right, numbers: open.numbers.merging([.metric(.wink): 90]) { $1 })
    }

    private static func output(_ samples: [Sample], rate: Double = 30) async throws -> Rows {
        let options = OutputOptions(
            metrics: Set(Metric.allCases), baseline: .none, isSmoothed: true, events: EventOptions(), formats: [.csv],
            hasLandmarks: false, blendshapeNames: nil, hasExpressions: true)
        let outcome = TrackingOutcome(
            tracks: [
                TrackingOutcome.Track(
                    faceID: 1, personID: 1, personConfidence: 1, firstSample: 0, lastSample: samples.count - 1,
                    samples: samples.count, ending: .end)
            ], changes: [], sampleCount: samples.count, interval: 1 / rate)
        let folder = try TemporaryFolder()
        let record = try ResultRecordWriter(folderPath: folder.path, options, outcome)
        let size = PictureSize(width: 640, height: 480)
        for (number, sample) in samples.enumerated() {
            var face = FaceRecord(
                AnalyzedFace(
                    detection: FaceDetection(
                        box: Rectangle(x: 100, y: 50, width: 90, height: 120), confidence: 0.9,
                        landmarks: FaceLandmarks(points: [
                            Point(x: 160, y: 90), Point(x: 120, y: 90), Point(x: 140, y: 110), Point(x: 155, y: 140),
                            Point(x: 125, y: 140),
                        ])),
                    presence: 1), in: size, metrics: [])
            if sample.isMeasured {
                face.numbers[.metric(.leftEyeOpenness)] = sample.left
                face.numbers[.metric(.rightEyeOpenness)] = sample.right
                for (field, value) in sample.numbers { face.numbers[field] = value }
            }
            let pose: [FaceField: Double] = [
                .yaw: 0, .pitch: 0, .roll: 0, .sharpness: 200, .interocularDistance: 60,
            ]
            for (field, value) in pose { face.numbers[field] = value }
            face.track = 1
            try record.tracked(
                FrameRecord(
                    microseconds: Int64((Double(number) / rate * 1e6).rounded()), index: Int64(number), epoch: 0,
                    size: size, quality: FrameQuality(luma: 50, sharpness: 100), isDamaged: false, faces: [face]),
                shot: 1, rows: [])
        }
        try record.completed([], [], [])
        let rows = Rows()
        let frames = TrackedFrames(folder: folder.path, name: ResultFiles.record)
        _ = try await OutputPass.run(frames, outcome, options: options, into: [rows]) { throw CancellationError() }
        return rows
    }

    private static func open(_ count: Int) -> [Sample] { Array(repeating: open, count: count) }

    @Test("In a blink, brows and emotions stand still, and the gaze is blank")
    func blink() async throws {
        var after = Self.open
        after.numbers[.metric(.browFurrow)] = 30
        let rows = try await Self.output(
            Self.open(30) + Array(repeating: Self.shut, count: 4) + Array(repeating: after, count: 30))
        try #require(rows.rows.count == 64)
        #expect(rows.events.map(\.kind) == [.faceStarted, .blink, .faceStopped])
        let blink = 30..<34
        for field in [FaceField.metric(.gazeYaw), .metric(.gazePitch), .axisGazeYaw, .axisGazePitch] {
            #expect(rows.values(field).enumerated().allSatisfy { ($1 == nil) == blink.contains($0) }, "\(field)")
        }
        for (index, expected) in zip(blink, [22.0, 24, 26, 28]) {
            let value = try #require(rows.values(.browFurrow)[index])
            #expect(abs(value - expected) < 1e-3)
        }
        #expect(rows.values(.sadness).allSatisfy { $0 == 10 })
        #expect(rows.rows[31].raw[.metric(.sadness)] == 60)
        for (unit, expected) in [(Metric.au04, 0.2), (.dimpler, 5), (.au15, 0.1)] {
            let value = try #require(rows.values(unit)[31])
            #expect(abs(value - expected) < 1e-6, "\(unit)")
        }
    }

    @Test("In a wink, the gaze is blank; lids that follow it down are not shut")
    func gaze() async throws {
        var wink = Self.winking(left: 3, right: 88)
        wink.numbers[.metric(.leftEyeClosed)] = 1
        // Lids that follow the gaze down, and are almost shut.
        var lowered = Self.open
        (lowered.left, lowered.right) = (15, 15)
        lowered.numbers.merge([
            .metric(.gazePitch): -25, .metric(.leftEyeClosed): 1, .metric(.rightEyeClosed): 1,
        ]) { $1 }
        let rows = try await Self.output(
            Self.open(30) + Array(repeating: wink, count: 20) + Self.open(30)
                + Array(repeating: lowered, count: 60) + Self.open(30))
        let blank = rows.values(.gazeYaw).enumerated().filter { $0.element == nil }.map(\.offset)
        #expect(Set(blank) == Set(30..<50))
        #expect(rows.events.map(\.kind) == [.faceStarted, .faceStopped])
    }

    @Test("AU45 is half or more while the eyes count as closed for a blink")
    func agreement() async throws {
        let rows = try await Self.output(Self.open(30) + Array(repeating: Self.shut, count: 4) + Self.open(30))
        let closed = rows.values(.au45).map { ($0 ?? 0) >= 0.5 }
        #expect(rows.values(.au45)[..<25].allSatisfy { $0 == 0 })
        #expect(closed == (0..<64).map { (30..<34).contains($0) })
        let blink = try #require(rows.events.first { $0.kind == .blink })
        #expect(blink.microseconds == rows.rows[30].microseconds)
        #expect(blink.value == .number(0.133333))
    }

    @Test("Eyes that stay shut for longer than the window keep what was measured")
    func longClosure() async throws {
        let rows = try await Self.output(Self.open(30) + Array(repeating: Self.shut, count: 60) + Self.open(30))
        #expect(rows.values(.sadness)[60] == 60)
        #expect(rows.values(.sadness)[32] == 10)
        #expect(rows.values(.gazePitch)[60] == nil)
    }

    @Test("A blink is no wink, whatever the mesh makes of the second eye")
    func noWink() async throws {
        let rows = try await Self.output(
            Self.open(30) + Array(repeating: Self.winking(left: 2, right: 54), count: 9) + Self.open(30))
        #expect(rows.values(.wink)[30..<39].allSatisfy { ($0 ?? 100) < 1 })
    }

    @Test("A wink lasts, and leaves the other eye open")
    func wink() async throws {
        func highest(_ count: Int, rate: Double = 30) async throws -> Double {
            let rows = try await Self.output(
                Self.open(30) + Array(repeating: Self.winking(left: 3, right: 88), count: count) + Self.open(30),
                rate: rate)
            return rows.values(.wink).compactMap(\.self).max() ?? 0
        }
        #expect(try await highest(3) == 1)
        #expect(try await highest(9) == 90)
        #expect(try await highest(1, rate: 5) == 1)
        #expect(try await highest(2, rate: 5) == 90)
        // Too far apart to tell.
        #expect(try await highest(1, rate: 2) == 90)
    }

    @Test("A single picture of a wink is a wink")
    func picture() async throws {
        let rows = try await Self.output([Self.winking(left: 3, right: 88)])
        #expect(rows.values(.wink) == [90])
    }

    @Test("A blink at the edge of what is measured is seen in part, and its seconds count")
    func partial() async throws {
        var blank = Self.open
        blank.isMeasured = false
        let rows = try await Self.output(
            Self.open(30) + Array(repeating: Self.shut, count: 3) + Array(repeating: blank, count: 30) + Self.open(30))
        let blinks = rows.events.filter { $0.kind == .blink }
        #expect(blinks.map(\.isComplete) == [false])
        #expect(rows.tracks.first?.blinks?.count == 1)
        let seconds = try #require(rows.tracks.first?.blinks?.seconds)
        #expect(abs(seconds - 63.0 / 30) < 0.01)
    }
}
