import Testing
import TestSupport
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

    @Test("merge joins people, and their videos to come")
    func merge() async throws {
        let scene = try await Self.scene()
        let summary = try await scene.run([], corrections: "merge 2 3 # the same hat\n")
        #expect(summary.corrections == 1)
        #expect(
            try scene.numbers == ["a.mp4 1": 1, "a.mp4 2": 2, "b.mp4 1": 1, "b.mp4 12": 1, "c.mp4 1": 2])
        #expect(try scene.confidence("c.mp4") == 1)
        try scene.add("d.mp4", [2: 0.9, 3: 0.1])
        // Without the file, and with it again.
        for corrections in [nil, "merge 2 3"] {
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
        try await scene.run(corrections: "merge 2 3")
        let numbers = try scene.numbers
        #expect(Set([numbers["d.mp4 1"], numbers["d.mp4 2"]]) == [2, 4])
    }

    @Test("split makes another person of some tracks, or of a video")
    func split() async throws {
        let scene = try await Self.scene()
        try await scene.run([], corrections: "split 1: track 12\n")
        let numbers = ["a.mp4 1": 1, "a.mp4 2": 2, "b.mp4 1": 1, "b.mp4 12": 4, "c.mp4 1": 3]
        #expect(try scene.numbers == numbers)
        // Four and one have the same face, but the user has said that they are two people.
        #expect(try !scene.folder.text("study/people.html").contains("<code>merge 1 4</code>"))
        try await scene.run([], corrections: "split 1: track 12\nsplit 1: video b.mp4\n")
        #expect(try scene.numbers["b.mp4 1"] == 5)
        #expect(try scene.numbers["a.mp4 1"] == 1)
        try await scene.run([], corrections: "split 1: track 12\nsplit 1: video b.mp4\nmerge 4 5\n")
        #expect(try scene.numbers["b.mp4 1"] == 4)
        try await scene.run()
        #expect(try scene.numbers["b.mp4 1"] == 4)
    }

    @Test("name gives a pseudonym that stays, moves with a merge, and cannot break a page or a table")
    func name() async throws {
        let scene = try await Self.scene()
        try await scene.run([], corrections: "name 3 \"=<b>P07</b>, & #1\"\nname 2 P02\n")
        var table = try scene.table
        #expect(try table.text("name", 3) == "'=<b>P07</b>, & #1")
        let page = try scene.folder.text("study/people.html")
        #expect(page.contains("=&lt;b&gt;P07&lt;/b&gt;, &amp; #1"))
        #expect(!page.contains("<b>P07"))
        try await scene.run([], corrections: "merge 1 2")
        table = try scene.table
        #expect(try table.texts("name") == ["P02", "P02", "'=<b>P07</b>, & #1"])
        // A name that changes and changes back.
        for name in ["A", "B", "A"] {
            try await scene.run([], corrections: "name 3 \(name)\n")
            #expect(try scene.table.text("name", 2) == name)
        }
    }

    @Test("In a new study, corrections apply to its first numbers")
    func newStudy() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", [1: 1])
        let summary = try await scene.run(corrections: "# first\n\nmerge 1 2\r\nname 1 P01")
        #expect(summary.corrections == 2)
        #expect(try scene.numbers == ["a.mp4 1": 1, "b.mp4 1": 1])
        #expect(try scene.table.texts("name") == ["P01", "P01"])
    }

    @Test(
        "A correction that does not fit is an error with its line, and nothing changes",
        arguments: [
            ("merge 1 9", "line 1: there is no person 9"),
            ("\n# x\nmerge 1", "line 3: merge needs two or more different numbers, as in 'merge 3 7'"),
            ("merge 1 x", "line 1: 'x' is not a number of people.csv"),
            ("merge 1 0", "line 1: '0' is not a number of people.csv"),
            ("merge 1 -2", "line 1: '-2' is not a number of people.csv"),
            ("merge 1 99999999999999999999", "line 1: '99999999999999999999' is not a number of people.csv"),
            (
                "marge 1 2",
                "line 1: 'marge' is not a correction; the corrections are merge, split and name; did you mean 'merge'?"
            ),
            (
                "split 1",
                "line 1: split needs a number and tracks or a video, as in 'split 4: track 12 of interview.mp4'"
            ),
            (
                "split 1: track 1",
                "line 1: person 1 has track 1 in 2 videos; add 'of' and the video, as in 'split 1: track 1 of a.mp4'"
            ),
            ("split 1: track 7", "line 1: person 1 has no track 7 in any video"),
            ("split 1: track 12 7", "line 1: person 1 has no track 7 in /videos/b.mp4"),
            ("split 1: track 12 of z.mp4", "line 1: the study has no video z.mp4"),
            ("split 1: track 12 of a.mp4", "line 1: person 1 has no track 12 in /videos/a.mp4"),
            ("split 2: track 2", "line 1: nothing would be left of person 2"),
            ("name 1 A\nname 2 A", "line 2: person 1 has the name A already; merge them if they are one person"),
            (
                "name 1 A B",
                "line 1: name needs a number and one name, as in 'name 3 P07'; put a name with spaces in quotes"
            ),
            ("name 1 \"A", "line 1: a quotation mark is not closed"),
            ("name 1 \"\u{1B}[31m\"", "line 1: a name has 1 to 100 characters and no control characters"),
            (
                "merge 1 2\nmerge 1 2 3",
                "line 2: there is no person 2 any more: the number was merged into another, or its videos were removed"
            ),
        ])
    func misfits(corrections: String, reason: String) async throws {
        let scene = try await Self.scene()
        let before = try ["people.csv", "people.json", "people.html"].map { try scene.folder.text("study/" + $0) }
        #expect(await scene.failure(corrections: corrections) == "corrections.txt: " + reason)
        #expect(
            try ["people.csv", "people.json", "people.html"].map { try scene.folder.text("study/" + $0) } == before)
    }

    @Test("A track of several videos is split in the one that is named")
    func namedVideo() async throws {
        let scene = try await Self.scene()
        try await scene.run([], corrections: "split 1: tracks 1, 12 of \"b.mp4\"")
        #expect(try scene.numbers["a.mp4 1"] == 1)
        #expect(try scene.numbers["b.mp4 1"] == 4)
        #expect(try scene.numbers["b.mp4 12"] == 4)
    }
}
