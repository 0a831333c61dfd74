import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanPeople

@Suite("Corrections of a user hold")
struct CorrectionTests {
    private typealias Track = SyntheticResult.Track

    /// Three videos in which everybody is somebody else, except that 1 is in a.mp4 and in b.mp4, there with two tracks.
    private static func scene() async throws -> StudyScene {
        let scene = try StudyScene()
        let one = SyntheticFace.vector([0: 1])
        try scene.add("a.mp4", together: [0, 1])
        try scene.add(
            "b.mp4",
            [
                Track(face: 1, person: 1, seconds: 0...4, embeddings: [one]),
                Track(face: 12, person: 1, seconds: 5...9, embeddings: [one]),
            ])
        try scene.add("c.mp4", [2: 1])
        try await scene.run()
        #expect(
            try scene.numbers == ["a.mp4 1": 1, "a.mp4 2": 2, "b.mp4 1": 1, "b.mp4 12": 1, "c.mp4 1": 3])
        return scene
    }

    @Test("same_person joins people, and their videos to come")
    func merge() async throws {
        let scene = try await Self.scene()
        let summary = try await scene.run([], corrections: StudyScene.join(2, 3))
        #expect(summary.corrections == 1)
        #expect(
            try scene.numbers == ["a.mp4 1": 1, "a.mp4 2": 2, "b.mp4 1": 1, "b.mp4 12": 1, "c.mp4 1": 2])
        #expect(try scene.confidence("c.mp4") == 1)
        try scene.add("d.mp4", [2: 0.9, 3: 0.1])
        // Without the file, and with it again.
        for corrections in [nil, StudyScene.join(2, 3)] {
            let summary = try await scene.run(corrections: corrections)
            #expect(summary.corrections == 0)
            #expect(try scene.numbers["c.mp4 1"] == 2)
            #expect(try scene.numbers["d.mp4 1"] == 2)
        }
    }

    @Test("Two looks of a merged person, seen at the same time in a new video, are two people")
    func looks() async throws {
        let scene = try await Self.scene()
        try scene.add("d.mp4", together: [1, 2])
        try await scene.run(corrections: StudyScene.join(2, 3))
        let numbers = try scene.numbers
        #expect(Set([numbers["d.mp4 1"], numbers["d.mp4 2"]]) == [2, 4])
    }

    @Test("split makes another person of some tracks, or of a video")
    func split() async throws {
        let scene = try await Self.scene()
        let first = StudyScene.split(1, #""tracks": [12]"#)
        try await scene.run([], corrections: first)
        let numbers = ["a.mp4 1": 1, "a.mp4 2": 2, "b.mp4 1": 1, "b.mp4 12": 4, "c.mp4 1": 3]
        #expect(try scene.numbers == numbers)
        // Four and one have the same face, but the user has said that they are two people.
        #expect(try !scene.folder.text("study/people.html").contains("[1,4]"))
        let second = StudyScene.split(1, #""video": "b.mp4""#)
        try await scene.run([], corrections: "\(first), \(second)")
        #expect(try scene.numbers["b.mp4 1"] == 5)
        #expect(try scene.numbers["a.mp4 1"] == 1)
        try await scene.run([], corrections: "\(first), \(second), \(StudyScene.join(4, 5))")
        #expect(try scene.numbers["b.mp4 1"] == 4)
        try await scene.run()
        #expect(try scene.numbers["b.mp4 1"] == 4)
    }

    @Test("Who stays after a split is as certain as without the one who left")
    func splitConfidence() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", face: SyntheticFace.vector(0, at: 0.1, towards: 1))
        try await scene.run()
        #expect(try scene.confidence("a.mp4") > 0.95)
        try await scene.run([], corrections: StudyScene.split(1, #""video": "b.mp4""#))
        #expect(try Set(scene.numbers.values) == [1, 2])
        #expect(try scene.confidence("a.mp4") > 0.95)
        #expect(try scene.confidence("b.mp4") == 1)
    }

    @Test("A close decision is asked about, also if an earlier look of the same person is far away")
    func closeLook() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [20: 1])
        try scene.add("b.mp4", [10: 1])
        try scene.add("c.mp4", face: SyntheticFace.vector(10, at: 0.34, towards: 11))
        #expect(try await scene.run().doubts == 1)
        #expect(try scene.numbers == ["a.mp4 1": 1, "b.mp4 1": 2, "c.mp4 1": 3])
        #expect(try await scene.run([], corrections: StudyScene.join(1, 2)).doubts == 1)
        #expect(try (0.5...0.7).contains(scene.confidence("c.mp4")))
    }

    @Test("A question about one of a person's two tracks in a video splits off only that track")
    func splitOfOneTrack() async throws {
        let scene = try StudyScene()
        let (near, far) = (SyntheticFace.vector([0: 1]), SyntheticFace.vector(0, at: 0.31, towards: 1))
        try scene.add("a.mp4", face: near, samples: 3)
        try scene.add(
            "b.mp4",
            [
                Track(face: 1, seconds: 0...4, embeddings: [near, near]),
                Track(face: 2, seconds: 5...9, embeddings: [far]),
            ])
        try await scene.run()
        #expect(try Set(scene.numbers.values) == [1])
        let page = try scene.folder.text("study/people.html")
        let splits = page.matches(of: /split&quot;,&quot;person&quot;:1,(.*?)}/).map { String($0.output.1) }
        try #require(!splits.isEmpty, "\(page)")
        for split in splits { #expect(split.contains("tracks") != split.contains("a.mp4"), "\(split)") }
    }

    @Test("Photographs of one person under two names are refused, and nothing changes")
    func twoNames() async throws {
        let scene = try await Self.scene()
        let before = try scene.folder.bytes("study/people.json")
        let photo = FaceEmbedding(direction: SyntheticFace.vector([0: 1]))
        await #expect(throws: VidscanError.self) {
            try await scene.run([]) { $0.photos = ["Anna": [photo], "Bert": [photo]] }
        }
        #expect(try scene.folder.bytes("study/people.json") == before)
        try await scene.run([]) { $0.photos = ["Anna": [photo, photo]] }
        #expect(try scene.table.texts("name").contains("Anna"))
    }

    @Test("name gives a pseudonym that stays, moves with a merge, and cannot break a page or a table")
    func name() async throws {
        let scene = try await Self.scene()
        try await scene.run([], corrections: "\(StudyScene.name(3, "=<b>P07</b>, & #1")), \(StudyScene.name(2, "P02"))")
        var table = try scene.table
        #expect(try table.text("name", 3) == "'=<b>P07</b>, & #1")
        let page = try scene.folder.text("study/people.html")
        #expect(page.contains("=&lt;b&gt;P07&lt;/b&gt;, &amp; #1"))
        #expect(!page.contains("<b>P07"))
        try await scene.run([], corrections: StudyScene.join(1, 2))
        table = try scene.table
        #expect(try table.texts("name") == ["P02", "P02", "'=<b>P07</b>, & #1"])
        // A name that changes and changes back.
        for name in ["A", "B", "A"] {
            try await scene.run([], corrections: StudyScene.name(3, name))
            #expect(try scene.table.text("name", 2) == name)
        }
    }

    @Test("In a new study, corrections apply to its first numbers")
    func newStudy() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", [1: 1])
        let summary = try await scene.run(corrections: "\(StudyScene.join(1, 2)), \(StudyScene.name(1, "P01"))")
        #expect(summary.corrections == 2)
        #expect(try scene.numbers == ["a.mp4 1": 1, "b.mp4 1": 1])
        #expect(try scene.table.texts("name") == ["P01", "P01"])
    }

    @Test(
        "A correction that does not fit is an error with its number, and nothing changes",
        arguments: Misfit.all)
    func misfits(corrections: String, reason: String) async throws {
        let scene = try await Self.scene()
        let before = try ["people.csv", "people.json", "people.html"].map { try scene.folder.text("study/" + $0) }
        #expect(await scene.failure(corrections: corrections) == "corrections.json: " + reason)
        #expect(
            try ["people.csv", "people.json", "people.html"].map { try scene.folder.text("study/" + $0) } == before)
    }

    @Test("Corrections of a result are refused")
    func otherKind() async throws {
        let scene = try await Self.scene()
        let file = #"{"format": "vidscan corrections 1", "video": {"name": "a.mp4", "bytes": 1}, "corrections": []}"#
        var reason = ""
        do {
            try await scene.run([]) { $0.corrections = (try? scene.folder.write(file, to: "c.json")) ?? "" }
        } catch let error as VidscanError { reason = error.reason }
        #expect(reason == "'format' is 'vidscan corrections 1', but must be 'vidscan study corrections 1'")
    }

    @Test("A track of several videos is split in the one that is named")
    func namedVideo() async throws {
        let scene = try await Self.scene()
        try await scene.run([], corrections: StudyScene.split(1, #""tracks": [12, 1], "video": "b.mp4""#))
        #expect(try scene.numbers["a.mp4 1"] == 1)
        #expect(try scene.numbers["b.mp4 1"] == 4)
        #expect(try scene.numbers["b.mp4 12"] == 4)
    }
}

private enum Misfit {
    /// A list of corrections, and what is wrong.
    static let all: [(list: String, reason: String)] = [
        (StudyScene.join(1, 9), "correction 1: there is no person 9"),
        (
            StudyScene.name(1, "A") + "," + StudyScene.join(1),
            "correction 2: 'people' has 1 value; it must have 2 to 10000"
        ),
        (StudyScene.join(1, 1), "correction 1: 'people' has a number twice"),
        (StudyScene.join(1, 0), "correction 1: 'people' must be numbers from 1 to 2147483647"),
        (StudyScene.join(1, -2), "correction 1: 'people' must be numbers from 1 to 2147483647"),
        (#"{"do": "same_person", "people": [1, "x"]}"#, "correction 1: 'people.2' must be a number"),
        (
            #"{"do": "same_persons", "people": [1, 2]}"#,
            "correction 1: 'do' is 'same_persons'; the corrections are same_person, split, name; did you mean"
                + " 'same_person'?"
        ),
        (#"{"do": "split", "person": 1}"#, "correction 1: 'tracks' is missing"),
        (#"{"do": "split", "tracks": [1]}"#, "correction 1: 'person' is missing"),
        (
            StudyScene.split(1, #""tracks": [1]"#),
            "correction 1: person 1 has track 1 in 2 videos; add 'video', such as 'a.mp4'"
        ),
        (StudyScene.split(1, #""tracks": [7]"#), "correction 1: person 1 has no track 7 in any video"),
        (StudyScene.split(1, #""tracks": [12, 7]"#), "correction 1: person 1 has no track 7 in /videos/b.mp4"),
        (
            StudyScene.split(1, #""tracks": [12], "video": "zz.mp4""#),
            "correction 1: the study has no video zz.mp4; did you mean 'a.mp4'?"
        ),
        (
            StudyScene.split(1, #""tracks": [12], "video": "a.mp4""#),
            "correction 1: person 1 has no track 12 in /videos/a.mp4"
        ),
        (StudyScene.split(2, #""tracks": [2]"#), "correction 1: nothing would be left of person 2"),
        (
            StudyScene.name(1, "A") + "," + StudyScene.name(2, "A"),
            "people 1 and 2 both have the name A; join them with same_person if they are one person"
        ),
        (
            StudyScene.name(1, #"\u001B[31m"#),
            "correction 1: 'name' must have 1 to 100 characters, no control characters and no quotation marks"
        ),
        // With an accent, a quotation mark is another character.
        (
            StudyScene.name(1, #"A\"\u0301"#),
            "correction 1: 'name' must have 1 to 100 characters, no control characters and no quotation marks"
        ),
        (
            StudyScene.join(1, 2) + "," + StudyScene.join(1, 2, 3),
            "correction 2: there is no person 2 any more: the number was merged into another, or its videos were"
                + " removed"
        ),
        (#"{"do": "name", "person": 1, "person": 2, "name": "A"}"#, "duplicate key 'person'"),
    ]
}
