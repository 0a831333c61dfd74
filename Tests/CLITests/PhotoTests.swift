import Foundation
import TestSupport
import Testing

@Suite("People are chosen by photographs")
struct PhotoTests {
    /// Two people of the sample, each at a moment at which nobody else is seen.
    private enum Person: Int {
        case first = 0
        case second = 100
    }

    /// Takes a photograph from the sample, larger and in other light than in the video.
    private static func photograph(_ person: Person, _ name: String, in folder: TemporaryFolder) throws {
        let made = try ChildProcess.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-vf",
                "select='eq(n,\(person.rawValue))',scale=1280:-2,eq=brightness=0.05:contrast=0.9,hue=s=0.8",
                "-frames:v",
                "1", name,
            ], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// The person_id of the only face at the moment of the photograph.
    private static func number(_ person: Person, in folder: TemporaryFolder) throws -> Int {
        let faces = try CSVTable(path: folder.path + "/faces.mp4.vidscan/faces.csv")
        let rows = try faces.rows.indices.filter { Int(try faces.text("frame", $0)) == person.rawValue }
        try #require(rows.count == 1)
        return try #require(Int(try faces.text("person_id", rows[0])))
    }

    @Test("--photo gives the person on photographs a name, and stores no photograph")
    func people() throws {
        // Both photographs are of sampled frames.
        let folder = try Tool.analyzed(Checkout.clip, "--people")
        for (person, name) in [(Person.first, "a b"), (.second, "P2")] {
            try Self.photograph(person, "one.png", in: folder)
            let temporary = try TemporaryFolder()
            let outcome = try ChildProcess.run(
                ["env", "TMPDIR=" + temporary.path, Checkout.tool, "people", "faces.mp4.vidscan"]
                    + ["--photo", "\(name)=one.png", "--photo", "\(name)=one.png"], in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(temporary.entries == [])
            let table = try CSVTable(path: folder.path + "/people/people.csv")
            let row = try #require(try table.texts("name").firstIndex(of: name))
            #expect(try table.text("person_ids", row) == "\(try Self.number(person, in: folder))")
            #expect(try !folder.text("people/people.json").contains("one.png"))
            try FileManager.default.removeItem(atPath: folder.path + "/one.png")
        }
        #expect(
            try CSVTable(path: folder.path + "/people/people.csv").texts("name").sorted().suffix(2) == ["P2", "a b"])
    }

    @Test("--keep-photo and --hide-photo choose the person_id of the photograph, or make no video")
    func render() throws {
        let folder = try TemporaryFolder()
        // Each of the two people for three seconds.
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-t", "6", "-i", Checkout.clip, "-c", "copy", "faces.mp4"],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let analysed = try Tool.run(
            "analyze", "-q", "faces.mp4", "--people", "--anonymize", "solid", "--tables", "--metrics", "none",
            in: folder)
        try #require(analysed.status == 0, "\(analysed.errors)")
        for (person, option, member) in [
            (Person.first, "--keep-photo", "kept_person_ids"), (.second, "--hide-photo", "hidden_person_ids"),
        ] {
            try Self.photograph(person, "\(person).png", in: folder)
            let number = try Self.number(person, in: folder)
            let outcome = try Tool.run(
                "render", "faces.mp4.vidscan", "--anonymize", "solid", option, "\(person).png", "--force", "-o",
                "new.mp4", in: folder)
            try #require(outcome.status == 0, "\(outcome.errors)")
            let object = try JSONSerialization.jsonObject(with: folder.bytes("new.mp4.json"))
            let named = try #require((object as? [String: Any])?["visible"] as? [String: Any])
            #expect(named[member] as? [Int] == [number], "\(person) \(option)")
        }
        // A copy in which the first person is excluded has nobody who looks like them.
        try FileManager.default.removeItem(atPath: folder.path + "/new.mp4")
        let first = try Self.number(.first, in: folder)
        let array = try EmbeddingArray(folder.bytes("faces.mp4.vidscan/embeddings.npy"))
        try SyntheticResult.embeddings(
            Dictionary(grouping: array.rows.filter { $0.person != first }, by: \.face).values.map {
                SyntheticResult.Track(face: $0[0].face, person: $0[0].person, embeddings: $0.map(\.values))
            }
        ).write(to: URL(fileURLWithPath: folder.path + "/faces.mp4.vidscan/embeddings.npy"))
        try Tool.run(
            "render", "faces.mp4.vidscan", "--anonymize", "solid", "--keep-photo", "first.png", "-o", "new.mp4",
            in: folder
        ).expectError("faces.mp4.vidscan: nobody looks enough like the photograph")
        // Nor is a photograph of nobody in sight left out because of another one.
        try Tool.run(
            "render", "faces.mp4.vidscan", "--anonymize", "solid", "--hide-photo", "second.png", "--hide-photo",
            "first.png", "-o", "new.mp4", in: folder
        ).expectError("faces.mp4.vidscan: nobody looks enough like the photograph")
        #expect(!folder.entries.contains("new.mp4"))
    }

    @Test("A photograph without one clear face, a video, and options that contradict each other are refused")
    func refused() throws {
        let folder = try Tool.analyzed(Checkout.clip, "--people")
        let made = try ChildProcess.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=gray:s=320x240", "-frames:v", "1",
                "none.png",
            ],
            in: folder.path)
        try #require(made.status == 0)
        for (photo, reason) in [
            ("none.png", "none.png: shows no face"), ("missing.png", "missing.png: "),
            (Checkout.clip, "is a video, not a photograph"),
        ] {
            try Tool.run("people", "faces.mp4.vidscan", "--photo", "A=\(photo)", in: folder).expectError(reason)
        }
        #expect(!folder.entries.contains("people"))
        // A face may be hidden in any case, also of somebody whom a photograph keeps visible.
        try Tool.run(
            "render", "faces.mp4.vidscan", "--anonymize", "blur", "--keep-photo", "none.png", "--hide-face", "1",
            in: folder
        ).expectError("none.png: shows no face")
        for options in [
            ["--keep-photo", "a.png"], ["--anonymize", "blur", "--keep-photo", "a.png", "--hide-photo", "b.png"],
            ["--anonymize", "blur", "--keep-photo", "a.png", "--hide", "2"],
        ] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "render", "faces.mp4.vidscan"] + options, in: folder.path)
            #expect(outcome.status == 2)
        }
    }
}
