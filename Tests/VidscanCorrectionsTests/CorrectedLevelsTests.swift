import Foundation
import TestSupport
import Testing
import VidscanAnalysis
import VidscanBase
import VidscanCorrections
import VidscanFaces
import VidscanResults

@Suite("Everything that follows from who is who follows a correction")
struct CorrectedLevelsTests {
    private static let options = OutputOptions(
        metrics: Set(Metric.allCases), baseline: .person, isSmoothed: true, events: EventOptions(),
        formats: [.csv, .jsonl], hasLandmarks: false, blendshapeNames: nil, hasExpressions: true)
    private static let interval = 0.08
    private static let tables = [
        "faces.csv", "frames.csv", "tracks.csv", "events.csv", "episodes.csv", "quality.csv", "faces.jsonl",
        "faces.record",
    ]

    /// Two tracks of eight seconds, one after the other: the first smiles all the time, the second only at its end.
    private static func outcome(people: [Int]) -> TrackingOutcome {
        TrackingOutcome(
            tracks: people.enumerated().map { index, person in
                TrackingOutcome.Track(
                    faceID: index + 1, personID: person, personConfidence: 1, firstSample: 100 * index,
                    lastSample: 100 * index + 99, samples: 100, ending: index == 0 ? .occluded : .end)
            }, changes: [], sampleCount: 200, interval: interval)
    }

    private static func frame(_ sample: Int) -> FrameRecord {
        let track = sample / 100
        let smile = track == 0 ? 60.0 + Double(sample % 7) : sample > 170 ? 80 : 4
        var face = FaceRecord(
            AnalyzedFace(
                detection: FaceDetection(
                    box: Rectangle(x: 100 + Double(sample % 3), y: 50, width: 90, height: 120), confidence: 0.9,
                    landmarks: FaceLandmarks(points: [
                        Point(x: 160, y: 90), Point(x: 120, y: 90), Point(x: 140, y: 110), Point(x: 155, y: 140),
                        Point(x: 125, y: 140),
                    ])),
                presence: 1), in: PictureSize(width: 640, height: 480), metrics: [])
        for metric in Metric.allCases {
            face.numbers[.metric(metric)] = metric.isFlag ? 0 : metric.values.upperBound / 10
        }
        // What lowers joy is weaker than in a typical neutral face, so that the resting smile decides.
        for metric in [Metric.browRaise, .browFurrow, .jawDrop, .lipCornerDepressor, .noseWrinkle] {
            face.numbers[.metric(metric)] = 0
        }
        for metric in [Metric.smile, .joy, .laughing, .smiley] { face.numbers[.metric(metric)] = smile }
        for metric in [Metric.leftEyeOpenness, .rightEyeOpenness] { face.numbers[.metric(metric)] = 80 }
        face.numbers[.yaw] = 0
        face.numbers[.pitch] = 0
        face.numbers[.roll] = 0
        face.numbers[.sharpness] = 200
        face.numbers[.interocularDistance] = 60
        face.track = track + 1
        return FrameRecord(
            microseconds: Int64(sample * 80_000), index: Int64(2 * sample), epoch: 0,
            size: PictureSize(width: 640, height: 360), quality: FrameQuality(luma: 50, sharpness: 100),
            isDamaged: false, faces: [face])
    }

    /// Writes the tables that an analysis writes which finds these people.
    private static func write(_ outcome: TrackingOutcome, to folder: String) async throws {
        let measured = "\(folder)/measured"
        try FileManager.default.createDirectory(atPath: measured, withIntermediateDirectories: true)
        let source = try ResultRecordWriter(folderPath: measured, options, outcome)
        for sample in 0..<outcome.sampleCount { try source.tracked(frame(sample), shot: 1, rows: []) }
        try source.completed([], [], [])
        let writer = try ResultWriter(
            folderPath: folder, input: "/videos/a.mp4", options: options, writesEmbeddings: false)
        let record = try ResultRecordWriter(folderPath: folder, options, outcome)
        let frames = TrackedFrames(folder: measured, name: ResultFiles.record)
        let summary = try await OutputPass.run(frames, outcome, options: options, into: [writer, record]) {
            try ModelStore().expressionModel()
        }
        try writer.finish(quality: summary.quality)
        try FileManager.default.removeItem(atPath: measured)
    }

    /// The result of an analysis that finds two people.
    private static func result() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let result = folder.path + "/result"
        try SyntheticResult.write([], to: result, video: "/videos/a.mp4", keepsEmbeddings: false)
        for table in tables { try? FileManager.default.removeItem(atPath: "\(result)/\(table)") }
        try await write(outcome(people: [1, 2]), to: result)
        let models = try ModelStore().digests()
        let digest = try #require(try ResultFiles.digests(in: result)[ResultFiles.record])
        let json = String(decoding: try JSONEncoder().encode(models), as: UTF8.self)
        try folder.write(
            folder.text("result/run.json").replacing(
                "\"models\": {}", with: "\"models\": \(json), \"digests\": {\"faces.record\": \"\(digest)\"}"),
            to: "result/run.json")
        return folder
    }

    @Test("Joined tracks have the levels, labels and events that an analysis gives one person")
    func joined() async throws {
        let folder = try await Self.result()
        let before = try CSVTable(path: folder.path + "/result/tracks.csv")
        let faces = try CSVTable(path: folder.path + "/result/faces.csv")
        let corrections =
            #"{"do": "same_person", "faces": [\#(try CorrectedSample.face(faces, 5)), \#(try CorrectedSample.face(faces, 150))]}"#
        let path = try folder.write(CorrectedSample.text([corrections], bytes: 100), to: "c.json")
        _ = try await CorrectedSample.corrector().apply(path, to: folder.path + "/result")
        let expected = try TemporaryFolder()
        try await Self.write(Self.outcome(people: [1, 1]), to: expected.path)
        for table in Self.tables {
            #expect(try folder.bytes("result/" + table) == expected.bytes(table), "\(table)")
        }
        let after = try CSVTable(path: folder.path + "/result/tracks.csv")
        let levels = try (before.texts("smile_rest"), after.texts("smile_rest"))
        #expect(levels.0[0] != levels.0[1])
        #expect(levels.1[0] == levels.1[1])
        let joy = try (faces.texts("joy"), CSVTable(path: folder.path + "/result/faces.csv").texts("joy"))
        #expect(joy.0 != joy.1)
    }

    @Test("A result without quality.csv, as earlier versions wrote it, is corrected twice and given back")
    func earlier() async throws {
        let folder = try await Self.result()
        let result = folder.path + "/result"
        try FileManager.default.removeItem(atPath: result + "/quality.csv")
        let (before, faces) = (folder.entries, try folder.bytes("result/faces.csv"))
        for end in [3, 4] {
            let path = try folder.write(
                CorrectedSample.text([#"{"do": "exclude", "from": 2, "to": \#(end)}"#], bytes: 100), to: "c.json")
            _ = try await CorrectedSample.corrector().apply(path, to: result)
            #expect(folder.entries.contains("result/quality.csv"))
        }
        _ = try await CorrectedSample.corrector().undo(result)
        #expect(folder.entries.filter { $0 != "c.json" } == before)
        #expect(try folder.bytes("result/faces.csv") == faces)
    }

    @Test("Corrections add the episodes to a result of an earlier version, and undoing takes them away")
    func addedTable() async throws {
        let folder = try await Self.result()
        let result = folder.path + "/result"
        try FileManager.default.removeItem(atPath: result + "/episodes.csv")
        let path = try folder.write(
            CorrectedSample.text([#"{"do": "exclude", "from": 2, "to": 3}"#], bytes: 100), to: "c.json")
        for _ in 0..<2 { _ = try await CorrectedSample.corrector().apply(path, to: result) }
        let rows = try CSVTable(path: result + "/episodes.csv")
        let visible = try rows.rows.indices.filter { try rows.text("kind", $0) == "visible" }
        #expect(try visible.map { try rows.text("start_seen", $0) + rows.text("end_seen", $0) } == ["00", "01", "10"])
        _ = try await CorrectedSample.corrector().undo(result)
        #expect(!folder.entries.contains { $0.hasSuffix("episodes.csv") })
    }

    @Test("The record of a corrected result gives the corrected tables again")
    func record() async throws {
        let folder = try await Self.result()
        let path = try folder.write(
            CorrectedSample.text([#"{"do": "exclude", "from": 2, "to": 3}"#], bytes: 100), to: "c.json")
        _ = try await CorrectedSample.corrector().apply(path, to: folder.path + "/result")
        let header = try FrameRecordReader(path: folder.path + "/result/\(ResultFiles.record)").header
        let outcome = try #require(header.outcome)
        #expect(outcome.tracks.map(\.ending) == [.corrected, .occluded, .end])
        let again = try TemporaryFolder()
        let writer = try ResultWriter(
            folderPath: again.path, input: "/videos/a.mp4", options: Self.options, writesEmbeddings: false)
        let record = try ResultRecordWriter(folderPath: again.path, Self.options, outcome)
        let frames = TrackedFrames(folder: folder.path + "/result", name: ResultFiles.record)
        let summary = try await OutputPass.run(frames, outcome, options: Self.options, into: [writer, record]) {
            try ModelStore().expressionModel()
        }
        try writer.finish(quality: summary.quality)
        for table in Self.tables { #expect(try folder.bytes("result/" + table) == again.bytes(table), "\(table)") }
    }
}
