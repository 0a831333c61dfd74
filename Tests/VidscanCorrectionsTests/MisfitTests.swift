import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanCorrections
import VidscanFaces
import VidscanResults

@Suite("Corrections of tables that they do not fit are refused")
struct MisfitTests {
    private typealias Track = SyntheticResult.Track

    private static let face = #"{"time": 0, "box": [10, 20, 30, 40]}"#

    /// A result of 100 bytes of video, whose faces all have the same box at time 0.
    private static func result(faces: Int, microseconds: [Int64] = [0]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let result = folder.path + "/result"
        try SyntheticResult.write(
            (1...faces).map { Track(face: $0, embeddings: [SyntheticFace.vector([$0: 1])]) },
            to: result, video: "/videos/a.mp4", keepsEmbeddings: false)
        let options = OutputOptions(
            metrics: [], baseline: .none, isSmoothed: false, events: EventOptions(), formats: [.csv],
            hasLandmarks: false, blendshapeNames: nil, hasExpressions: false)
        let outcome = TrackingOutcome(
            tracks: (1...faces).map {
                TrackingOutcome.Track(
                    faceID: $0, personID: $0, personConfidence: 0.9, firstSample: 0,
                    lastSample: microseconds.count - 1, samples: microseconds.count, ending: .end)
            }, changes: [], sampleCount: microseconds.count, interval: 0)
        let record = try ResultRecordWriter(folderPath: result, options, outcome)
        for (index, time) in microseconds.enumerated() {
            let found = (1...faces).map { track in
                var face = FaceRecord(
                    AnalyzedFace(
                        detection: FaceDetection(
                            box: Rectangle(x: 10, y: 20, width: 30, height: 40), confidence: 0.9,
                            landmarks: FaceLandmarks(points: [
                                Point(x: 1, y: 1), Point(x: 1, y: 1), Point(x: 1, y: 1), Point(x: 1, y: 1),
                                Point(x: 1, y: 1),
                            ])),
                        presence: 0.9), in: PictureSize(width: 640, height: 480), metrics: [])
                face.track = track
                return face
            }
            try record.tracked(
                FrameRecord(
                    microseconds: time, index: Int64(index), epoch: 0, size: PictureSize(width: 640, height: 360),
                    quality: FrameQuality(luma: 50, sharpness: 5), isDamaged: false, faces: found), shot: 1, rows: [])
        }
        try record.completed([], [], [])
        try sign(folder)
        return folder
    }

    /// Writes the digest of the record into `run.json`.
    private static func sign(_ folder: TemporaryFolder) throws {
        let digest = try #require(try ResultFiles.digests(in: folder.path + "/result")[ResultFiles.record])
        let record = try folder.text("result/run.json").replacing(
            "\"workers\": 1", with: "\"digests\": {\"faces.record\": \"\(digest)\"}, \"workers\": 1")
        try folder.write(record, to: "result/run.json")
    }

    private static func apply(_ corrections: String..., to folder: TemporaryFolder) async throws -> [String] {
        let path = try folder.write(CorrectedSample.text(corrections, bytes: 100), to: "c.json")
        return try await CorrectedSample.corrector().apply(path, to: folder.path + "/result").effects
    }

    /// The reason why corrections are refused.
    private static func failure(_ corrections: String..., in folder: TemporaryFolder) async -> String {
        do {
            let path = try folder.write(CorrectedSample.text(corrections, bytes: 100), to: "c.json")
            _ = try await CorrectedSample.corrector().apply(path, to: folder.path + "/result")
            return "no error"
        } catch let error as VidscanError {
            return error.reason
        } catch {
            return "\(error)"
        }
    }

    @Test("A box that fits two faces equally well names none of them")
    func ambiguous() async throws {
        let folder = try Self.result(faces: 2)
        let reason = await Self.failure(#"{"do": "not_a_face", "face": \#(Self.face)}"#, in: folder)
        #expect(reason.contains("the faces 1 and 2 at 0.000 s fit the box equally well"), "\(reason)")
        #expect(reason.hasSuffix("nothing was changed"))
    }

    @Test("A result of an earlier version, and a record that somebody changed, are refused")
    func earlierVersion() async throws {
        let folder = try Self.result(faces: 1)
        let path = folder.path + "/result/faces.record"
        let bytes = try folder.bytes("result/faces.record")
        try Data(bytes.dropLast()).write(to: URL(fileURLWithPath: path))
        var found = await Self.failure(in: folder)
        #expect(found.contains("faces.record is not as vidscan wrote it"), "\(found)")
        try FileManager.default.removeItem(atPath: path)
        found = await Self.failure(in: folder)
        #expect(found == "has no faces.record: an earlier version analysed the video; analyse it again")
    }

    @Test("A record whose time goes back is refused, and nothing is changed")
    func damaged() async throws {
        let folder = try Self.result(faces: 1, microseconds: [0, 200_000, 100_000])
        let entries = folder.entries
        let found = await Self.failure(in: folder)
        #expect(found.contains("faces.record: time goes back"), "\(found)")
        #expect(folder.entries.filter { $0 != "c.json" } == entries)
    }

    @Test(
        "A run.json with corrections that nobody made is refused",
        arguments: [("\"workers\": 1", "\"workers\": 1, \"corrections\": {}", "corrections.file is missing")])
    func damagedRun(old: String, new: String, reason: String) async throws {
        let folder = try Self.result(faces: 1)
        let text = try folder.text("result/run.json")
        try #require(text.contains(old))
        try folder.write(text.replacing(old, with: new), to: "result/run.json")
        let found = await Self.failure(in: folder)
        #expect(found.contains(reason), "\(found)")
    }

    @Test(
        "A record of corrections that nobody wrote is refused",
        arguments: [
            (#""P01""#, #""\u0007""#, "corrections.people must be different names"),
            (#""1" : "P01""#, #""0" : "P01""#, "corrections.people must be different names"),
            (#""1" : "P01""#, #""x" : "P01""#, "has a value of the wrong type"),
            (#""split" : 0"#, #""split" : 9223372036854775807"#, "corrections.counts.split must be"),
            (#""split" : 0"#, #""split" : 1"#, "corrections.list must be as long as its counts say"),
            (#""sha256" : ""#, #""sha256" : "x"#, "corrections.sha256 must be"),
            (#""file" : "c.json""#, #""file" : "../c.json""#, "corrections.file must be the name of a file"),
        ])
    func record(old: String, new: String, reason: String) async throws {
        let folder = try Self.result(faces: 1)
        _ = try await Self.apply(#"{"do": "name", "face": \#(Self.face), "name": "P01"}"#, to: folder)
        let text = try folder.text("result/run.json")
        try #require(text.contains(old), "\(text)")
        try folder.write(text.replacing(old, with: new), to: "result/run.json")
        let error = await #expect(throws: VidscanError.self) {
            try await CorrectedSample.corrector().undo(folder.path + "/result")
        }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }
}
