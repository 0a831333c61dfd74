import Foundation
import Testing
import TestSupport

@Suite("vidscan people finds the same people in many results")
struct PeopleTests {
    private typealias Track = SyntheticResult.Track

    private static let one = SyntheticFace.vector([0: 1])
    private static let two = SyntheticFace.vector([1: 1])

    /// Two results in the folder of a batch: `one` is in both.
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try SyntheticResult.write(
            [Track(face: 1, embeddings: [one]), Track(face: 2, embeddings: [two])],
            to: folder.path + "/results/day-1/a.mp4.vidscan", video: "/videos/day-1/a.mp4")
        try SyntheticResult.write(
            [Track(face: 1, embeddings: [one])], to: folder.path + "/results/=<i>b\u{1B}[31m,.mp4.vidscan",
            video: "/videos/=<i>b\u{1B}[31m,.mp4")
        return folder
    }

    @Test("The tables, the page and the message say who is in which video")
    func endToEnd() throws {
        let folder = try Self.folder()
        let outcome = try Tool.run("people", "results", "--output", "study", "--tables", "tracks,faces", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "vidscan: 2 people in 2 videos -> study/people.csv\n")
        let table = try CSVTable(path: folder.path + "/study/people.csv")
        #expect(
            table.columns == [
                "study_person_id", "name", "video", "person_ids", "face_ids", "seconds", "first_time", "last_time",
                "confidence", "best_time", "best_frame",
            ])
        let videos = [#"/videos/=<i>b\u{1B}[31m,.mp4"#, "/videos/day-1/a.mp4"]
        #expect(try table.texts("study_person_id") == ["1", "1", "2"])
        #expect(try table.texts("video") == [videos[0], videos[1], videos[1]])
        #expect(try table.texts("seconds") == ["9.000", "9.000", "9.000"])
        for (name, time) in [("people_tracks.csv", "first_time"), ("people_faces.csv", "time")] {
            let merged = try CSVTable(path: "\(folder.path)/study/\(name)")
            #expect(try merged.texts("video") == [videos[0], videos[1], videos[1]])
            #expect(try merged.texts("study_person_id") == ["1", "1", "2"])
            #expect(try merged.texts("face_id") == ["1", "1", "2"])
            #expect(try merged.texts(time) == ["0.0", "0.0", "0.0"])
        }
        let page = try folder.text("study/people.html")
        #expect(page.contains("=&lt;i&gt;b\\u{1B}[31m,.mp4"))
        #expect(!page.contains("<i>b") && !page.contains("\u{1B}"))
        #expect(page.contains("default-src 'none'"))
        #expect(page.matches(of: /<script/).count == 1)
        #expect(page.matches(of: /<section class="person"/).count == 2)
        // The videos do not exist, which the page says.
        #expect(page.contains("The faces of 2 videos are not shown"))
        #expect(folder.entries.filter { $0.hasPrefix("study/") }.count == 5, "\(folder.entries)")
        let state = try folder.text("study/people.json")
        #expect(!Self.one.contains { state.contains("\($0)") } && !page.contains("embedding"))
    }

    @Test("The page shows the faces of a real video")
    func pictures() throws {
        let folder = try Tool.analyzed(copy: Checkout.clip, named: "clip.mp4")
        let tracks = [Track(face: 1, embeddings: [Self.one]), Track(face: 2, embeddings: [Self.two])]
        try SyntheticResult.embeddings(tracks).write(
            to: URL(fileURLWithPath: folder.path + "/clip.mp4.vidscan/embeddings.npy"))
        #expect(try Tool.run("people", "clip.mp4.vidscan", in: folder).status == 0)
        #expect(try folder.text("people/people.html").matches(of: /src="data:image\/jpeg;base64,/).count == 2)
        #expect(try Tool.run("people", "clip.mp4.vidscan", "--no-thumbnails", in: folder).status == 0)
        #expect(try !folder.text("people/people.html").contains("data:image"))
    }

    @Test("--forget removes the embeddings of results that were set aside, too")
    func forgetPrevious() throws {
        let folder = try Self.folder()
        let result = folder.path + "/results/day-1/a.mp4.vidscan"
        let others = (1...2).map { "\(result).previous-\($0)" }
        for other in others { try FileManager.default.copyItem(atPath: result, toPath: other) }
        #expect(try Tool.run("people", "--forget", result, "-q", in: folder).status == 0)
        for path in [result] + others { #expect(!FileManager.default.fileExists(atPath: path + "/embeddings.npy")) }
        try FileManager.default.removeItem(atPath: others[1])
        try FileManager.default.copyItem(
            atPath: folder.path + "/results/=<i>b\u{1B}[31m,.mp4.vidscan", toPath: others[1])
        #expect(try Tool.run("people", "--forget", "results", "-q", in: folder).status == 0)
        #expect(!FileManager.default.fileExists(atPath: others[1] + "/embeddings.npy"))
    }

    @Test("--forget removes the embeddings and what run.json says about them, and nothing else")
    func forget() throws {
        let folder = try Self.folder()
        let results = ["results/day-1/a.mp4.vidscan", "results/=<i>b\u{1B}[31m,.mp4.vidscan"]
        func record(_ result: String) throws -> NSMutableDictionary {
            let object = try JSONSerialization.jsonObject(with: folder.bytes(result + "/run.json"))
            return NSMutableDictionary(dictionary: try #require(object as? [String: Any]))
        }
        func others() -> [String] { folder.entries.filter { !$0.hasSuffix("embeddings.npy") } }
        let (before, files) = (try results.map(record), others())
        let date = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(results[0])/run.json")
        let outcome = try Tool.run("people", "--forget", "results", in: folder)
        #expect(outcome.status == 0)
        #expect(
            outcome.errors
                == "vidscan: \(folder.path)/results/=<i>b\\u{1B}[31m,.mp4.vidscan: embeddings removed\n".replacing(
                    folder.path + "/", with: "")
                + "vidscan: results/day-1/a.mp4.vidscan: embeddings removed\n")
        #expect(folder.entries == files)
        for (result, old) in zip(results, before) {
            #expect(old["embeddings"] != nil)
            old.removeObject(forKey: "embeddings")
            #expect(try record(result) == old)
        }
        let after = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(results[0])/run.json")
        #expect(date[.modificationDate] as? Date == after[.modificationDate] as? Date)
        #expect(try folder.text(results[0] + "/run.json").contains("0.029677683000000003"))
        let again = try Tool.run("people", "--forget", "results", in: folder)
        #expect(again.status == 0)
        #expect(again.errors.matches(of: /: has no embeddings\n/).count == 2)
        let study = try Tool.run("people", results[0], in: folder)
        study.expectError("analyse the video with 'vidscan analyze --people'")
        #expect(!folder.entries.contains("people/people.csv"))
    }

    @Test("Wrong usage, folders without results and damaged embeddings are refused with one line")
    func refusals() throws {
        let folder = try Self.folder()
        #expect(try Tool.run("people", in: folder).status == 2)
        #expect(try Tool.run("people", "--forget", in: folder).status == 2)
        #expect(try Tool.run("people", "--forget", "results", "--output", "x", in: folder).status == 2)
        #expect(try Tool.run("people", "results", "--tables", "frames", in: folder).status == 2)
        try FileManager.default.createDirectory(atPath: folder.path + "/empty", withIntermediateDirectories: true)
        try Tool.run("people", "empty", in: folder).expectError(
            "empty: is not a vidscan result and contains none: there is no run.json")
        try Tool.run("people", "missing", in: folder).expectError("cannot read the folder")
        try Tool.run("people", "--output", "none", in: folder).expectError("name some results")
        try Tool.run("people", "results", "--corrections", "none.json", in: folder).expectError(
            "none.json: cannot read")
        try folder.write("x", to: "results/day-1/a.mp4.vidscan/embeddings.npy")
        let outcome = try Tool.run("people", "results", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("a.mp4.vidscan: embeddings.npy, byte"), "\(outcome.errors)")
        #expect(outcome.errors.contains("1 person in 1 video"), "\(outcome.errors)")
    }

    @Test("A study of an earlier face model is refused with one line")
    func earlierModel() throws {
        let folder = try Self.folder()
        #expect(try Tool.run("people", "results", in: folder).status == 0)
        let state = try folder.text("people/people.json")
        try folder.write(state.replacing("\"version\" : 2", with: "\"version\" : 1"), to: "people/people.json")
        try Tool.run("people", "results", in: folder).expectError(
            "its people.json cannot be read: another version of vidscan wrote it")
    }

    @Test("A study that another process is changing is left alone")
    func lock() throws {
        let folder = try Self.folder()
        try FileManager.default.createDirectory(atPath: folder.path + "/study", withIntermediateDirectories: true)
        let outcome = try Tool.shell("exec 9<study; flock 9; \"$0\" people results --output study", in: folder)
        // The lock of the shell is inherited, and the tool opens the folder anew.
        outcome.expectError("another 'vidscan people' is writing to")
        #expect(!folder.entries.contains("study/people.csv"))
    }

    @Test("Tables with other columns are refused, and people.csv is written")
    func otherColumns() throws {
        let folder = try Self.folder()
        let path = "results/day-1/a.mp4.vidscan/tracks.csv"
        try folder.write(
            try folder.text(path).replacing("best_frame\n", with: "best_frame,more\n").replacing(
                #/([0-9])\n/#, with: { "\($0.1),1\n" }), to: path)
        let outcome = try Tool.run("people", "results", "--tables", "tracks", in: folder)
        outcome.expectError("has other columns than")
        #expect(folder.entries.contains("people/people.csv"))
        #expect(!folder.entries.contains("people/people_tracks.csv"))
    }
}
