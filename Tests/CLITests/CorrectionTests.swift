import Foundation
import TestSupport
import Testing

@Suite("vidscan apply corrects a result")
struct CorrectionTests: BatchTesting {
    private static let name = "faces.mp4.vidscan"

    private static func folder() throws -> TemporaryFolder { try Tool.analyzed(Checkout.clip, "--people") }

    private static func write(
        _ corrections: String..., bytes: Int? = nil, to folder: TemporaryFolder, _ name: String = "c.json"
    ) throws {
        let size = try FileManager.default.attributesOfItem(atPath: Checkout.clip)[.size] as? Int
        try folder.write(
            """
            {"format": "vidscan corrections 1", "video": {"name": "faces.mp4", "bytes": \(bytes ?? size ?? 0)},
             "corrections": [\(corrections.joined(separator: ",\n"))]}
            """, to: name)
    }

    /// The face in the n-th row of a face_id, as corrections name it.
    private static func face(_ id: Int, row: Int = 0, in folder: TemporaryFolder) throws -> String {
        let table = try CSVTable(path: "\(folder.path)/\(name)/faces.csv")
        let rows = try table.rows.indices.filter { try table.text("face_id", $0) == "\(id)" }
        let own = try #require(rows.indices.contains(row) ? rows[row] : nil)
        let box = try ["x", "y", "width", "height"].map { try table.text($0, own) }.joined(separator: ", ")
        return #"{"time": \#(try table.text("time", own)), "box": [\#(box)]}"#
    }

    private static func files(_ folder: TemporaryFolder) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in folder.entries where path.hasPrefix(name + "/") && !path.hasSuffix("/original") {
            files[path] = try folder.bytes(path)
        }
        return files
    }

    @Test("The console says what was done, and --undo gives back the bytes of every file")
    func applyAndUndo() throws {
        let folder = try Self.folder()
        try folder.write("mine", to: Self.name + "/notes.txt")
        let before = try Self.files(folder)
        try Self.write(
            #"{"do": "split", "face": \#(try Self.face(1, in: folder)), "time": 6.7}"#,
            #"{"do": "name", "face": \#(try Self.face(1, in: folder)), "name": "P01"}"#,
            #"{"do": "exclude", "from": 17, "to": 18}"#, to: folder)
        let dry = try Tool.run("apply", Self.name, "c.json", "--dry-run", in: folder)
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(
            dry.output == """
                1. face 1 ends at 6.600 s; from 6.800 s on it is face 3, person 3
                2. person 1 (face 1) is P01
                3. 6 samples from 17.000 to 18.000 s left out, with 4 faces

                """)
        #expect(try Self.files(folder) == before)
        let outcome = try Tool.run("apply", Self.name, "c.json", in: folder)
        #expect(outcome.status == 0)
        #expect(
            outcome.errors
                == "vidscan: \(Self.name): 3 corrections applied, 3 faces of 3 people in 96 rows -> \(Self.name)/\n")
        let corrected = try Self.files(folder)
        #expect(corrected["\(Self.name)/original/corrections.json"] == (try folder.bytes("c.json")))
        #expect(corrected["\(Self.name)/notes.txt"] == Data("mine".utf8))
        let record = try #require(
            try JSONSerialization.jsonObject(with: folder.bytes(Self.name + "/run.json")) as? [String: Any])
        let applied = try #require(record["corrections"] as? [String: Any])
        #expect(applied["people"] as? [String: String] == ["1": "P01"])
        #expect((applied["list"] as? [Any])?.count == 3)
        let digest = try ChildProcess.run(["sha256sum", folder.path + "/c.json"]).output.prefix(64)
        #expect(applied["sha256"] as? String == String(digest))
        let cited = try Tool.run("cite", Self.name, in: folder).output
        #expect(cited.contains(" was sampled at 5 frames per second: 100 frames. "), "\(cited)")
        #expect(
            cited.contains(
                "The tables were corrected by hand: 1 split, 1 excluded range, 6 excluded frames, 4 removed detections. "
            ),
            "\(cited)")
        // The commands that read results read this one.
        #expect(try Tool.run("report", Self.name, "--no-thumbnails", in: folder).status == 0)
        #expect(
            try Tool.run("export", Self.name, "--to", "elan,vtt,textgrid,bids,rttm", "-o", "x", in: folder).status == 0)
        // The report shows what the same corrections give again.
        let again = try Tool.run("apply", Self.name, "c.json", in: folder)
        #expect(again.errors == outcome.errors)
        let undone = try Tool.run("apply", Self.name, "--undo", in: folder)
        #expect(undone.status == 0)
        #expect(undone.errorLines.first == "vidscan: \(Self.name): corrections undone, 2 faces of 2 people in 100 rows")
        #expect(undone.errorLines.last?.contains("report.html may show the tables as they were before") == true)
        var after = try Self.files(folder)
        after["\(Self.name)/report.html"] = nil
        #expect(after == before)
        try Tool.run("apply", Self.name, "--undo", in: folder).expectError("has no corrections to undo")
    }

    @Test("--output writes a corrected copy, which can be undone too, and leaves the result as it is")
    func copy() throws {
        let folder = try Self.folder()
        let before = try Self.files(folder)
        try Self.write(#"{"do": "not_a_face", "face": \#(try Self.face(2, in: folder))}"#, to: folder)
        #expect(try Tool.run("apply", Self.name, "c.json", "--output", "copy", in: folder).status == 0)
        #expect(try Self.files(folder) == before)
        #expect(try CSVTable(path: folder.path + "/copy/tracks.csv").texts("face_id") == ["1"])
        try Tool.run("apply", Self.name, "c.json", "--output", "copy", in: folder).expectError("--force replaces it")
        #expect(try Tool.run("apply", Self.name, "c.json", "--output", "copy", "--force", in: folder).status == 0)
        try Tool.run("apply", Self.name, "c.json", "--output", Self.name, in: folder).expectError(
            "names the result itself")
        #expect(try Tool.run("apply", "copy", "--undo", in: folder).status == 0)
        for (path, bytes) in before { #expect(try folder.bytes(path.replacing(Self.name, with: "copy")) == bytes) }
    }

    @Test(
        "Corrections that do not fit are refused with one line, and nothing is changed",
        arguments: [
            (
                #"{"do": "not_a_face", "face": {"time": 2.0, "box": [1, 1, 20, 20]}}"#,
                "no face at 2.000 s has such a box"
            ),
            (#"{"do": "not_a_face", "face": {"time": 15.5, "box": [1, 1, 20, 20]}}"#, "there is no face at 15.500 s"),
            (#"{"do": "split", "face": ONE, "time": 19.0}"#, "face 1 cannot be split at 19.000 s"),
            (#"{"do": "split", "face": ONE, "time": 0}"#, "face 1 cannot be split at 0.000 s"),
            (#"{"do": "same_person", "faces": [ONE, TWO]}"#, "both in sight at 11.600 s"),
            (#"{"do": "exclude", "from": 30, "to": 31}"#, "outside of the video"),
            (#"{"do": "exclude", "from": 0, "to": 31}"#, "would leave nothing of the video"),
            (#"{"do": "note", "time": 300, "text": "x"}"#, "outside of the video"),
            (
                #"{"do": "not_a_face", "face": ONE}, {"do": "name", "face": ONE, "name": "x"}"#,
                "correction 2 (name) of c.json"
            ),
            (
                #"{"do": "name", "face": TWO, "name": "x"}, {"do": "name", "face": ONE, "name": "x"}"#,
                "people 1 and 2 both have the name x"
            ),
            (#"{"do": "split", "face": ONE}"#, "correction 1: 'time' is missing"),
        ])
    func refused(correction: String, reason: String) throws {
        let folder = try Self.folder()
        let before = try Self.files(folder)
        let text = correction.replacing("ONE", with: try Self.face(1, in: folder)).replacing(
            "TWO", with: try Self.face(2, in: folder))
        try Self.write(text, to: folder)
        try Tool.run("apply", Self.name, "c.json", in: folder).expectError(reason)
        #expect(try Self.files(folder) == before)
        #expect(folder.entries.filter { !$0.hasPrefix(Self.name) } == ["c.json"])
    }

    @Test("Corrections of another video, wrong usage and folders that are no result are refused")
    func usage() throws {
        let folder = try Self.folder()
        try Self.write(bytes: 5, to: folder)
        try Tool.run("apply", Self.name, "c.json", in: folder).expectError("faces.mp4 of 5 bytes, but the result is of")
        try Tool.run("apply", Self.name, "none.json", in: folder).expectError("none.json: cannot read")
        try Tool.run("apply", "missing", "c.json", in: folder).expectError("missing: is not a vidscan result")
        #expect(try Tool.run("apply", Self.name, in: folder).status == 2)
        #expect(try Tool.run("apply", Self.name, "c.json", "--undo", in: folder).status == 2)
        try Self.write(to: folder)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(Self.name)/original", withIntermediateDirectories: false)
        try Tool.run("apply", Self.name, "c.json", in: folder).expectError("has a folder 'original'")
    }

    @Test("A result whose originals are gone is refused")
    func withoutOriginals() throws {
        let folder = try Self.folder()
        try Self.write(to: folder)
        #expect(try Tool.run("apply", Self.name, "c.json", in: folder).status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(Self.name)/original/tracks.csv")
        try Tool.run("apply", Self.name, "--undo", in: folder).expectError("original/tracks.csv is missing")
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(Self.name)/original")
        try Tool.run("apply", Self.name, "c.json", in: folder).expectError("before the corrections cannot be read")
    }

    @Test("A file of the user's in 'original' is not lost to the next corrections, nor to taking them back")
    func foreignOriginal() throws {
        let folder = try Self.folder()
        try Self.write(#"{"do": "exclude", "from": 1, "to": 2}"#, to: folder)
        #expect(try Tool.run("apply", Self.name, "c.json", in: folder).status == 0)
        let path = Self.name + "/original/notes.txt"
        try folder.write("mine", to: path)
        for arguments in [["c.json"], ["--undo"], ["--undo", "--force"]] {
            try ChildProcess.run([Checkout.tool, "apply", Self.name] + arguments, in: folder.path)
                .expectError("\(path) would be lost; move it away")
            #expect(try folder.text(path) == "mine")
        }
    }

    @Test("What is private in a result stays private when it is corrected and given back")
    func permissions() throws {
        let folder = try Self.folder()
        try Self.write(#"{"do": "exclude", "from": 1, "to": 2}"#, to: folder)
        let result = "\(folder.path)/\(Self.name)"
        chmod(result, 0o700)
        chmod(result + "/faces.csv", 0o600)
        for arguments in [["c.json"], ["--undo"]] {
            let outcome = try ChildProcess.run([Checkout.tool, "apply", Self.name] + arguments, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            for (path, mode) in [(result, 0o700), (result + "/faces.csv", 0o600)] {
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
            }
        }
    }

    @Test("A command that is killed leaves the old or the new result")
    func killed() throws {
        let folder = try Self.folder()
        let before = try Self.files(folder)
        try Self.write(#"{"do": "not_a_face", "face": \#(try Self.face(2, in: folder))}"#, to: folder)
        #expect(try Tool.run("apply", Self.name, "c.json", in: folder).status == 0)
        let after = try Self.files(folder)
        #expect(try Tool.run("apply", Self.name, "--undo", in: folder).status == 0)
        var seen: Set<String> = []
        // From before the first file is written until after the last one.
        for step in 0..<16 {
            let delay = String(format: "%.3f", 0.01 * Double(step))
            _ = try Tool.shell("\"$0\" apply \(Self.name) c.json & sleep \(delay); kill -9 $!; wait", in: folder)
            let now = try Self.files(folder)
            #expect(now == before || now == after, "after \(delay) s")
            seen.insert(now == before ? "old" : "new")
            if now == after { #expect(try Tool.run("apply", Self.name, "--undo", in: folder).status == 0) }
        }
        #expect(try Tool.run("apply", Self.name, "c.json", in: folder).status == 0)
        #expect(try Self.files(folder) == after)
        #expect(folder.entries.allSatisfy { !$0.contains(".partial-") }, "\(folder.entries)")
        #expect(seen.contains("old"))
    }

    @Test("A new analysis sets the corrected result aside, and its corrections fit the new one")
    func analysedAgain() throws {
        let folder = try Self.folder()
        try Self.write(#"{"do": "exclude", "from": 1, "to": 2}"#, to: folder)
        #expect(try Tool.run("apply", Self.name, "c.json", in: folder).status == 0)
        let corrected = try Self.files(folder)
        let outcome = try Tool.run("analyze", Checkout.clip, "--rate", "7", "--end", "8", "--force", in: folder)
        #expect(outcome.status == 0)
        let previous = Self.name + ".previous-1"
        #expect(
            outcome.errors.contains("the result that was there is now \(previous), because it has corrections; "),
            "\(outcome.errors)")
        for (path, bytes) in corrected {
            #expect(try folder.bytes(previous + path.dropFirst(Self.name.count)) == bytes, "\(path)")
        }
        #expect(!folder.entries.contains(Self.name + "/original"))
        #expect(
            try Tool.run("apply", Self.name, previous + "/original/corrections.json", in: folder).status == 0)
        let times = try CSVTable(path: "\(folder.path)/\(Self.name)/frames.csv").numbers("time")
        #expect(times.allSatisfy { $0 < 1 || $0 > 2 })
    }

    @Test("A batch leaves a corrected result alone")
    func batch() throws {
        let folder = try makeFolder(["a.png"])
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/in/a.png")[.size] as? Int
        try Self.write(#"{"do": "note", "time": 0, "text": "x"}"#, bytes: size, to: folder)
        #expect(try Tool.run("apply", "out/a.png.vidscan", "c.json", in: folder).status == 0)
        let corrected = try folder.bytes("out/a.png.vidscan/run.json")
        let again = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(again.status == 0)
        #expect(again.errorLines.first == "vidscan: 1 file, 0 to analyse", "\(again.errors)")
        #expect(try folder.bytes("out/a.png.vidscan/run.json") == corrected)
        #expect(try index(folder)["a.png"]?["status"] == "done")
        #expect(results(folder) == ["out/a.png.vidscan/run.json"])
    }

    @Test("Boxes are those of the source video, also where filters move the picture")
    func filters() throws {
        let folder = try Self.folder()
        try Self.write(
            #"{"do": "not_a_face", "face": \#(try Self.face(2, in: folder))}"#,
            #"{"do": "name", "face": \#(try Self.face(1, in: folder)), "name": "P01"}"#, to: folder)
        let chain = "crop=400:300:160:40,scale=800:600"
        let analysed = try Tool.run(
            "analyze", "--quiet", Checkout.clip, "--end", "5", "--filter", chain, "-o", "f", in: folder)
        #expect(analysed.status == 0, "\(analysed.errors)")
        let outcome = try Tool.run("apply", "f/" + Self.name, "c.json", "--dry-run", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("1. face 3 is removed, with "), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("2. person 1 (face 1) is P01\n"), "\(outcome.output)")
    }

    @Test("Corrections hold for an analysis at another rate", arguments: ["3", "8"])
    func otherRate(rate: String) throws {
        let folder = try Self.folder()
        try Self.write(
            #"{"do": "split", "face": \#(try Self.face(2, in: folder)), "time": 9.6}"#,
            #"{"do": "name", "face": \#(try Self.face(2, row: 30, in: folder)), "name": "later"}"#, to: folder)
        #expect(
            try Tool.run("analyze", "--quiet", Checkout.clip, "--rate", rate, "-o", "other", in: folder).status == 0)
        let outcome = try Tool.run("apply", "other/" + Self.name, "c.json", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let tracks = try CSVTable(path: "\(folder.path)/other/\(Self.name)/tracks.csv")
        #expect(try tracks.texts("face_id") == ["1", "2", "3"])
        #expect(try #require(try tracks.number("first_time", 2)) >= 9.6)
        #expect(try #require(try tracks.number("last_time", 1)) < 9.6)
        #expect(try folder.text("other/\(Self.name)/run.json").contains("\"3\" : \"later\""))
    }

    @Test(
        "A study takes the corrected people and their pseudonyms, and --forget removes the embeddings of the originals")
    func people() throws {
        let folder = try Self.folder()
        try Self.write(#"{"do": "name", "face": \#(try Self.face(2, in: folder)), "name": "P07"}"#, to: folder)
        #expect(try Tool.run("apply", Self.name, "c.json", in: folder).status == 0)
        #expect(try Tool.run("people", Self.name, "--no-thumbnails", in: folder).status == 0)
        let table = try CSVTable(path: folder.path + "/people/people.csv")
        let row = try #require(try table.texts("person_ids").firstIndex(of: "2"))
        #expect(try table.text("name", row) == "P07")
        #expect(try table.texts("name").filter { $0 != "" } == ["P07"])
        try Tool.run("people", "--output", "people", "--corrections", "c.json", in: folder).expectError(
            "must be 'vidscan study corrections 1'")
        #expect(folder.entries.contains(Self.name + "/original/embeddings.npy"))
        #expect(try Tool.run("people", "--forget", Self.name, in: folder).status == 0)
        #expect(!folder.entries.contains { $0.hasSuffix("embeddings.npy") })
        #expect(try Tool.run("apply", Self.name, "--undo", in: folder).status == 0)
        #expect(try !folder.text(Self.name + "/run.json").contains("embeddings.npy"))
    }
}
