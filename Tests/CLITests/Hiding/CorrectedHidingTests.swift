import Foundation
import TestSupport
import Testing

@Suite("Corrections and changed tables never uncover a face")
struct CorrectedHidingTests: AnonymizationTesting {
    private struct Movies: AnonymizationTesting {}

    private static let result = "movie.mkv.vidscan"
    private let folder: TemporaryFolder

    init() throws {
        folder = try Movies().anonymizedMovie()
    }

    /// The face in a row of the table of the analysis, as corrections name it.
    private func face(row: Int) throws -> String {
        let table = try CSVTable(path: "\(folder.path)/\(Self.result)/faces.csv")
        let box = try ["x", "y", "width", "height"].map { try table.text($0, row) }.joined(separator: ", ")
        return #"{"time": \#(try table.text("time", row)), "box": [\#(box)]}"#
    }

    private func apply(_ corrections: [String]) throws {
        let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/movie.mkv")[.size] as? Int
        try folder.write(
            """
            {"format": "vidscan corrections 1", "video": {"name": "movie.mkv", "bytes": \(try #require(size))},
             "corrections": [\(corrections.joined(separator: ",\n"))]}
            """, to: "c.json")
        let applied = try Tool.run("apply", Self.result, "c.json", in: folder)
        try #require(applied.status == 0, "\(applied.errors)")
    }

    private func render(_ options: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            [Checkout.tool, "render", Self.result, "--anonymize", "solid", "--crf", "0", "-o", "new.mp4", "--force"]
                + options, in: folder.path)
    }

    private func record() throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: folder.bytes("new.mp4.json"))
        return try #require(object as? [String: Any])
    }

    @Test("Whatever corrections say, every face that the detector found is hidden")
    func hidden() throws {
        let (first, late) = (try face(row: 0), try face(row: 20))
        let notAFace = #"{"do": "not_a_face", "face": \#(first)}"#
        let split = #"{"do": "split", "face": \#(first), "time": 0.5}"#
        let cases: [(corrections: [String], warning: String?)] = [
            ([notAFace], "; --keep-face would leave face_id 1 visible\n"),
            ([split], nil),
            // The first part is gone, and the second one has another number.
            ([split, notAFace], "; --keep-face would leave face_id 1 visible\n"),
            // The second part is gone, and its number is that of the first one.
            ([split, #"{"do": "not_a_face", "face": \#(late)}"#], "because the detector found faces there\n"),
            ([#"{"do": "exclude", "from": 0.1, "to": 0.5}"#], "because the detector found faces there\n"),
            ([#"{"do": "name", "face": \#(first), "name": "P01"}"#], nil),
            ([#"{"do": "note", "time": 0.1, "text": "x"}"#], nil),
            ([split, #"{"do": "same_person", "faces": [\#(first), \#(late)]}"#], nil),
        ]
        for (corrections, warning) in cases {
            try apply(corrections)
            let outcome = try render()
            #expect(outcome.status == 0, "\(corrections): \(outcome.errors)")
            #expect(try coveredFrames(of: folder.path + "/new.mp4") == Array(0..<24), "\(corrections)")
            let removed = "what corrections removed is hidden too"
            #expect(outcome.errors.contains(removed) == (warning != nil), "\(corrections): \(outcome.errors)")
            if let warning { #expect(outcome.errors.contains(warning), "\(corrections): \(outcome.errors)") }
            #expect(!outcome.errors.contains("no face was found"))
            #expect(try record()["visible"] == nil)
        }
        // Whoever keeps a person keeps nothing that a correction took away from that person.
        try apply([split, #"{"do": "not_a_face", "face": \#(late)}"#])
        #expect(try render("--keep-face", "1", "--hold", "0", "--margin", "0").status == 0)
        let table = try CSVTable(path: "\(folder.path)/\(Self.result)/faces.csv").rows.count
        #expect(try coveredFrames(of: folder.path + "/new.mp4").suffix(24 - table) == Array(table..<24))
        // Whom a correction joins is kept, although the matches of a split face are blank.
        try apply([split, #"{"do": "same_person", "faces": [\#(first), \#(late)]}"#])
        #expect(try render("--keep", "1").status == 0)
        #expect(try coveredFrames(of: folder.path + "/new.mp4") == [])
        try apply([notAFace])
        #expect(try render("--invert").status == 0)
        #expect(try coveredFrames(of: folder.path + "/new.mp4") == Array(0..<24))
    }

    @Test("A gap within a track stays hidden if a correction gives its ends other numbers")
    func gap() throws {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-ss", "9", "-i", Checkout.clip, "-t", "3", "-an", "-c:v", "libx264", "-vf",
            "fps=10,drawbox=color=gray:t=fill:enable='between(t,0.75,2.15)'", folder.path + "/gap.mp4")
        let analyzed = try Tool.run(
            "analyze", "gap.mp4", "--anonymize", "solid", "--tables", "--pipeline", "thorough", in: folder)
        try #require(analyzed.status == 0, "\(analyzed.errors)")
        let render = { try Tool.run("render", "gap.mp4.vidscan", "--anonymize", "solid", "--force", in: folder).errors }
        let all = "faces hidden in 30 of 30 frames"
        try #require(try render().contains(all))
        let bytes = try folder.bytes("gap.mp4").count
        try folder.write(
            """
            {"format": "vidscan corrections 1", "video": {"name": "gap.mp4", "bytes": \(bytes)},
             "corrections": [{"do": "exclude", "from": 2.2, "to": 5}]}
            """, to: "c.json")
        try #require(try Tool.run("apply", "gap.mp4.vidscan", "c.json", in: folder).status == 0)
        let errors = try render()
        #expect(errors.contains(all), "\(errors)")
    }

    @Test("A face that a correction removed stays visible only if the render names it, and the record says so")
    func named() throws {
        try apply([#"{"do": "not_a_face", "face": \#(try face(row: 0))}"#])
        let outcome = try render("--keep-face", "1")
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains(
                "warning: \(Self.result): face_id 1 stays visible because --keep-face names it: a correction removed it,"
            ),
            "\(outcome.errors)")
        #expect(!outcome.errors.contains("no face was found"))
        #expect(try coveredFrames(of: folder.path + "/new.mp4") == [])
        let visible = try #require(try record()["visible"] as? [String: Any])
        #expect(visible["kept_face_ids"] as? [Int] == [1])
        #expect(visible["kept_face_ids_removed_by_corrections"] as? [Int] == [1])
        try render("--keep-face", "2").expectError("has no face_id 2, which --keep-face or --hide-face names; it has 1")
        let again = try Tool.run(
            "analyze", "movie.mkv", "--anonymize", "solid", "--keep-face", "1", "--force", in: folder)
        again.expectError("the earlier result \(Self.result) has corrections")
    }

    @Test("Faces are not hidden by tables that somebody changed", arguments: ["", "original/"])
    func changed(place: String) throws {
        if !place.isEmpty { try apply([#"{"do": "note", "time": 0.1, "text": "x"}"#]) }
        for file in ["faces.csv", "frames.csv", "tracks.csv", "events.csv"] {
            let path = "\(Self.result)/\(place)\(file)"
            let text = try folder.text(path)
            try folder.write(text.replacing("\n", with: "\r\n"), to: path)
            let before = folder.entries
            let folderName = Self.result + (place.isEmpty ? "" : "/original")
            try render().expectError("\(folderName): \(file) is not as vidscan wrote it")
            #expect(folder.entries == before)
            try folder.write(text, to: path)
        }
        let run = "\(Self.result)/\(place)run.json"
        let record = try folder.text(run)
        try folder.write(record.replacing("\"digests\"", with: "\"old\""), to: run)
        try render().expectError("its run.json has no SHA-256 of faces.csv")
        try folder.write(record, to: run)
        #expect(try render("-q").status == 0)
    }

    @Test("A corrected result whose originals are gone, elsewhere or of another video is refused")
    func originals() throws {
        try apply([#"{"do": "note", "time": 0.1, "text": "x"}"#])
        let originals = "\(folder.path)/\(Self.result)/original"
        let files = FileManager.default
        let run = "\(Self.result)/original/run.json"
        let record = try folder.text(run)
        try folder.write(record.replacing("movie.mkv", with: "other.mkv"), to: run)
        try render().expectError("its tables in 'original' are those of another video")
        try folder.write(record, to: run)
        try files.moveItem(atPath: originals, toPath: folder.path + "/elsewhere")
        try render().expectError("its tables before the corrections cannot be read")
        try files.createSymbolicLink(atPath: originals, withDestinationPath: folder.path + "/elsewhere")
        try render().expectError("its 'original' is not a folder")
        #expect(!folder.entries.contains { $0.hasPrefix("new") })
    }
}
