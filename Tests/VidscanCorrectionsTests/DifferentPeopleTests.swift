import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanCorrections

@Suite("Two faces can be said to be different people")
struct DifferentPeopleTests {
    private let sample: CorrectedSample

    init() throws {
        sample = try CorrectedSample()
    }

    /// The face_id and person_id of each row of a face at these times, as text.
    private func ids(_ seconds: ClosedRange<Double>) throws -> Set<String> {
        let faces = try sample.table("faces.csv")
        let rows = try faces.rows.indices.filter { seconds.contains(try faces.number("time", $0) ?? -1) }
        return Set(try rows.map { "\(try faces.text("face_id", $0)) \(try faces.text("person_id", $0))" })
    }

    @Test("The later appearance of a face that continues after a gap becomes somebody else")
    func appearances() async throws {
        // The first person is seen until 3 s and again from 6.5 s on.
        #expect(try ids(0...2.9) == ["1 1"] && ids(6.6...9.4) == ["1 1"])
        let faces = try [sample.face(1, from: 0.5), sample.face(1, from: 7)]
        try await sample.apply([#"{"do": "different_people", "faces": [\#(faces[0]), \#(faces[1])]}"#])
        #expect(try ids(0...2.9) == ["1 1"] && ids(6.6...9.4) == ["3 3"])
    }

    @Test("A break after both faces does not part them")
    func laterBreak() async throws {
        // The first person is seen until 3 s, and again from 6.5 s on.
        let faces = try [sample.face(1, from: 1), sample.face(1, from: 2.9)]
        await #expect(throws: VidscanError.self) {
            try await sample.apply([#"{"do": "different_people", "faces": [\#(faces[0]), \#(faces[1])]}"#])
        }
        #expect(try ids(0...9.4) == ["1 1", "2 2"])
    }

    @Test("The later appearance of a face that continues after a cut becomes somebody else")
    func cut() async throws {
        let folder = try TemporaryFolder()
        let graph =
            "[0:v]trim=0:1.5,setpts=PTS-STARTPTS[a];[0:v]trim=1.5:3,setpts=PTS-STARTPTS,crop=iw*0.7:ih*0.7:iw*0.1:ih*0.05,"
            + "scale=640:360,eq=gamma=0.6[b];[a][b]concat"
        let clip = folder.path + "/faces.mp4"
        for command in [
            ["ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-filter_complex", graph, "-an", clip],
            [Checkout.tool, "analyze", "--quiet", "--rate", "12.5", clip],
        ] {
            let outcome = try ChildProcess.run(command, in: folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        let result = clip + ".vidscan"
        func faces() throws -> CSVTable { try CSVTable(path: result + "/faces.csv") }
        let before = try faces()
        try #require(Set(before.texts("face_id")) == ["1"])
        let pair = try [3, before.rows.count - 3].map { try CorrectedSample.face(before, $0) }
        let correction = #"{"do": "different_people", "faces": [\#(pair[0]), \#(pair[1])]}"#
        let bytes = try FileManager.default.attributesOfItem(atPath: clip)[.size] as? Int ?? 0
        let file = try folder.write(CorrectedSample.text([correction], bytes: bytes), to: "corrections.json")
        _ = try await CorrectedSample.corrector().apply(file, to: result)
        let after = try faces()
        for row in after.rows.indices {
            let isLater = try #require(try after.number("time", row)) > 1.5
            #expect(try after.text("face_id", row) == (isLater ? "2" : "1"))
        }
    }

    @Test("It takes a join back, also in the same file")
    func join() async throws {
        let faces = try [sample.face(1, from: 0.5), sample.face(1, from: 7)]
        let split = #"{"do": "split", "face": \#(faces[0]), "time": 6.5}"#
        let pair = #""faces": [\#(faces[0]), \#(faces[1])]"#
        try await sample.apply([split, #"{"do": "same_person", \#(pair)}"#])
        #expect(try ids(0...2.9) == ["1 1"] && ids(6.6...9.4) == ["3 1"])
        try await sample.apply([split, #"{"do": "same_person", \#(pair)}"#, #"{"do": "different_people", \#(pair)}"#])
        #expect(try ids(0...2.9) == ["1 1"] && ids(6.6...9.4) == ["3 4"])
    }

    @Test("The record says at which samples a join or a split says whose a face is, by the corrected face_id")
    func decided() async throws {
        let faces = try [sample.face(1, from: 0.5), sample.face(1, from: 7)]
        func record() throws -> [String: Any]? {
            let run = try JSONSerialization.jsonObject(with: sample.folder.bytes("\(sample.name)/run.json"))
            return (run as? [String: Any])?["corrections"] as? [String: Any]
        }
        func decided() throws -> [String: [Double]]? { try record()?["decided"] as? [String: [Double]] }
        let split = #"{"do": "split", "face": \#(faces[0]), "time": 6.5}"#
        try await sample.apply([split])
        let first = try #require(try decided())
        #expect(first.keys.sorted() == ["3"] && first["3"]?.count == 1)
        #expect((6.5...6.7).contains(first["3"]?.first ?? 0))
        try await sample.apply([split, #"{"do": "same_person", "faces": [\#(faces[0]), \#(faces[1])]}"#])
        let joined = try #require(try decided())
        #expect(joined.keys.sorted() == ["1", "3"] && joined["3"]?.count == 2)
        // A further split takes no number that was in use before the join.
        #expect(try record()?["next"] as? [Int] == [4, 4])
    }

    @Test("A face that is seen without a break in between is not cut at a guess")
    func unbroken() async throws {
        let faces = try [sample.face(1, from: 0.5), sample.face(1, from: 1.5)]
        let error = await #expect(throws: VidscanError.self) {
            try await sample.apply([#"{"do": "different_people", "faces": [\#(faces[0]), \#(faces[1])]}"#])
        }
        #expect(
            error?.description.contains("face 1 is seen without a break from 0.") == true, "\(error?.description ?? "")"
        )
    }
}
