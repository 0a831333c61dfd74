import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanCorrections

@Suite("Corrections of tables that they do not fit are refused")
struct MisfitTests {
    private typealias Track = SyntheticResult.Track

    private static let face = #"{"time": 0, "box": [10, 20, 30, 40]}"#

    /// A result of 100 bytes of video, whose faces all have the same box at time 0.
    private static func result(faces: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try SyntheticResult.write(
            (1...faces).map { Track(face: $0, embeddings: [SyntheticResult.vector([$0: 0.9])]) },
            to: folder.path + "/result", video: "/videos/a.mp4", keepsEmbeddings: false)
        return folder
    }

    private static func apply(_ corrections: String..., to folder: TemporaryFolder) async throws -> [String] {
        let path = try folder.write(CorrectedSample.text(corrections, bytes: 100), to: "c.json")
        return try await Correcting().apply(path, to: folder.path + "/result").effects
    }

    /// The reason why corrections are refused.
    private static func failure(_ corrections: String..., in folder: TemporaryFolder) async -> String {
        do {
            let path = try folder.write(CorrectedSample.text(corrections, bytes: 100), to: "c.json")
            _ = try await Correcting().apply(path, to: folder.path + "/result")
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

    @Test("Tables of an earlier version are corrected as far as no row has to be made anew")
    func earlierVersion() async throws {
        let folder = try Self.result(faces: 1)
        let effects = try await Self.apply(#"{"do": "name", "face": \#(Self.face), "name": "P01"}"#, to: folder)
        #expect(effects == ["person 1 (face 1) is P01"])
        #expect(try folder.bytes("result/tracks.csv") == folder.bytes("result/original/tracks.csv"))
    }

    @Test(
        "Tables that contradict each other are refused",
        arguments: [
            ("frames.csv", "0,0,1", "0,0,2", "has more faces than there are in faces.csv"),
            ("frames.csv", "0,0,1", "1,0,1", "is not of the frame of line 2"),
            ("faces.csv", "0,1,10", "0,2,10", "face_id 1 is not in faces.csv"),
            ("faces.csv", "0,1,10", "0,1,x", "x must be a number"),
            ("tracks.csv", "1,1,0.9", "1,,0.9", "a blank person_id"),
            ("events.csv", "face_started,1", "face_started,7", "face_id 7 is not in tracks.csv"),
            ("events.csv", "face_started,1", "shot_cut,1", "face_id does not fit the kind"),
            ("run.json", "\"workers\": 1", "\"workers\": 1, \"corrections\": {}", "corrections.file is missing"),
        ])
    func damaged(file: String, old: String, new: String, reason: String) async throws {
        let folder = try Self.result(faces: 1)
        let text = try folder.text("result/" + file)
        try #require(text.contains(old))
        try folder.write(text.replacing(old, with: new), to: "result/" + file)
        let entries = folder.entries
        let found = await Self.failure(in: folder)
        #expect(found.contains(reason), "\(found)")
        #expect(folder.entries.filter { $0 != "c.json" } == entries)
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
        let error = await #expect(throws: VidscanError.self) { try await Correcting().undo(folder.path + "/result") }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }
}
