import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanPeople
import VidscanResults

@Suite("The numbers of a study stay the same")
struct IncrementTests {
    private typealias Track = SyntheticResult.Track

    @Test("New videos get the numbers of known people, or new ones, and known numbers are never joined")
    func addition() async throws {
        let scene = try StudyScene()
        try scene.add("m.mp4", [0: 1])
        try scene.add("n.mp4", face: SyntheticFace.vector(0, at: 0.35, towards: 1))
        try await scene.run()
        #expect(try scene.numbers == ["m.mp4 1": 1, "n.mp4 1": 2])
        // One who is between both and brings them into reach of each other, one who is 1, one who is nobody, and one who is
        // 2. All have paths before the known ones.
        try scene.add("a.mp4", face: SyntheticFace.vector(0, at: -0.02, towards: 1))
        try scene.add("b.mp4", face: SyntheticFace.vector(0, at: -0.08, towards: 2))
        try scene.add("c.mp4", [5: 1])
        try scene.add("d.mp4", face: SyntheticFace.vector(0, at: 0.37, towards: 1))
        try await scene.run(["a.mp4", "b.mp4", "c.mp4", "d.mp4"].map(scene.result))
        let numbers = try scene.numbers
        #expect(numbers == ["m.mp4 1": 1, "n.mp4 1": 2, "a.mp4 1": 1, "b.mp4 1": 1, "c.mp4 1": 3, "d.mp4 1": 2])
        let table = try scene.folder.text("study/people.csv")
        #expect(try await scene.run([]).videos == 6)
        #expect(try scene.folder.text("study/people.csv") == table)
    }

    @Test("A number that was given is not given again after its video was removed")
    func removal() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", [1: 1])
        try await scene.run()
        try await scene.run([]) { $0.removals = ["b.mp4"] }
        #expect(try scene.numbers == ["a.mp4 1": 1])
        try scene.add("c.mp4", [2: 1])
        try await scene.run([scene.result("c.mp4")])
        #expect(try scene.numbers == ["a.mp4 1": 1, "c.mp4 1": 3])
        await #expect(throws: VidscanError.self) { try await scene.run([]) { $0.removals = ["nowhere.mp4"] } }
    }

    @Test("A result that is gone is left out and said, and its people have their numbers when it is back")
    func absence() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", [1: 1])
        try await scene.run()
        let files = FileManager.default
        try files.moveItem(atPath: scene.result("a.mp4"), toPath: scene.folder.path + "/elsewhere")
        let summary = try await scene.run([])
        #expect(summary.warnings.map(\.video) == ["/videos/a.mp4"])
        #expect(summary.warnings.first?.message.contains("is gone") == true)
        #expect(try scene.numbers == ["b.mp4 1": 2])
        try await scene.run([scene.folder.path + "/elsewhere"])
        #expect(try scene.numbers == ["a.mp4 1": 1, "b.mp4 1": 2])
    }

    @Test("A video that was analysed again with other tracks is compared anew, and this is said")
    func analysedAgain() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", together: [0, 1])
        try scene.add("b.mp4", [1: 1])
        try await scene.run()
        #expect(try scene.numbers == ["a.mp4 1": 1, "a.mp4 2": 2, "b.mp4 1": 2])
        try scene.add("a.mp4", [1: 1])
        let summary = try await scene.run([])
        #expect(summary.warnings.count == 1)
        #expect(summary.warnings.first?.message.contains("has other tracks or people than before") == true)
        #expect(try scene.numbers == ["a.mp4 1": 2, "b.mp4 1": 2])
    }

    @Test("A second result of a video is refused, and takes nothing from the study's own, wherever it lies")
    func secondResult() async throws {
        let scene = try StudyScene()
        try scene.add("b.mp4", together: [0, 1])
        try await scene.run(corrections: StudyScene.name(2, "Anna"))
        // Of the same video, with another person, at a path before that of the study's own.
        try SyntheticResult.write(
            [SyntheticResult.Track(face: 1, embeddings: [SyntheticFace.vector([4: 1])])],
            to: scene.result("archive"), video: "/videos/b.mp4")
        let summary = try await scene.run()
        #expect(summary.failures.map(\.reason).filter { $0.contains("is of the same video as") }.count == 1)
        #expect(summary.failures.count == 1 && summary.warnings.isEmpty, "\(summary)")
        #expect(try scene.table.texts("name") == ["", "Anna"])
    }

    @Test("Tables of all tracks are written again by every run, without the videos that were removed")
    func tables() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", [1: 1])
        try await scene.run { $0.tables = [.tracks] }
        try await scene.run([]) { $0.removals = ["b.mp4"] }
        let table = try CSVTable(path: scene.study + "/people_tracks.csv")
        #expect(try table.texts("video") == ["/videos/a.mp4"])
        #expect(FileManager.default.fileExists(atPath: scene.study + "/people_faces.csv") == false)
    }

    @Test("Embeddings are removed from results in results, and where run.json is missing")
    func everywhere() throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        let (outer, files) = (scene.result("a.mp4"), FileManager.default)
        try files.copyItem(atPath: outer, toPath: scene.folder.path + "/copy")
        try files.moveItem(atPath: scene.folder.path + "/copy", toPath: outer + "/overlay.mp4.vidscan")
        try files.createDirectory(atPath: outer + "/original", withIntermediateDirectories: false)
        try files.copyItem(atPath: outer + "/embeddings.npy", toPath: outer + "/original/embeddings.npy")
        let link = scene.folder.path + "/link.vidscan"
        try files.createSymbolicLink(atPath: link, withDestinationPath: outer)
        for result in try ResultFinder.find(link, withPrevious: true) {
            #expect(try EmbeddingRemoval.remove(from: result))
        }
        #expect(try files.subpathsOfDirectory(atPath: scene.folder.path).allSatisfy { !$0.hasSuffix(".npy") })
    }

    @Test("People whose new result has no embeddings stay known, with their names")
    func forgottenAndAnalysedAgain() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", together: [0, 1])
        try scene.add("b.mp4", [1: 1])
        try await scene.run(corrections: StudyScene.name(2, "Anna"))
        let numbers = try scene.numbers
        try FileManager.default.removeItem(atPath: scene.result("a.mp4") + "/embeddings.npy")
        try scene.add("a.mp4", [SyntheticResult.Track(face: 1, embeddings: [])], keepsEmbeddings: false)
        let summary = try await scene.run()
        #expect(summary.failures.map(\.reason).filter { $0.contains("has no embeddings.npy") }.count == 1)
        #expect(summary.failures.count == 1 && summary.warnings.isEmpty)
        #expect(try scene.numbers == ["b.mp4 1": 2])
        try scene.add("a.mp4", together: [0, 1])
        #expect(try await scene.run().failures.isEmpty)
        #expect(try scene.numbers == numbers)
        #expect(try Set(scene.table.texts("name")) == ["", "Anna"])
    }

    @Test("Two people exchange their names, and a split that a join undid is made again by the same file")
    func order() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", together: [0, 1])
        try scene.add("b.mp4", [1: 1])
        try await scene.run(corrections: "\(StudyScene.name(1, "Ada")), \(StudyScene.name(2, "Bob"))")
        try await scene.run(corrections: "\(StudyScene.name(1, "Bob")), \(StudyScene.name(2, "Ada"))")
        #expect(try scene.table.texts("name") == ["Bob", "Ada", "Ada"])
        let split = StudyScene.split(2, #""video": "b.mp4""#)
        let file = "\(split), \(StudyScene.join(2, 3)), \(split)"
        #expect(try await scene.run(corrections: file).corrections == 3)
        #expect(try scene.numbers == ["a.mp4 1": 1, "a.mp4 2": 2, "b.mp4 1": 4])
        #expect(try await scene.run(corrections: file).corrections == 0)
    }

    @Test("Of a correction that is in a file twice and in the study once, one is new")
    func repeated() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", together: [0, 1])
        try scene.add("b.mp4", [1: 1])
        let split = StudyScene.split(2, #""video": "b.mp4""#)
        #expect(try await scene.run(corrections: split).corrections == 1)
        let file = "\(split), \(StudyScene.join(2, 3)), \(split)"
        #expect(try await scene.run(corrections: file).corrections == 2)
        #expect(try scene.numbers["b.mp4 1"] == 4)
    }

    @Test("Corrections and names that a new analysis loses can be given again")
    func lostCorrections() async throws {
        let scene = try StudyScene()
        let one = SyntheticFace.vector([0: 1])
        let tracks = { (end: Int) in
            [
                SyntheticResult.Track(face: 1, person: 1, seconds: 0...4, embeddings: [one]),
                SyntheticResult.Track(face: 12, person: 1, seconds: 5...Double(end), embeddings: [one]),
            ]
        }
        try scene.add("a.mp4", together: [0, 1])
        try scene.add("b.mp4", tracks(9))
        try scene.add("c.mp4", [0: 1])
        let split = StudyScene.split(1, #""tracks": [12], "video": "b.mp4""#)
        try await scene.run(corrections: "\(split), \(StudyScene.name(2, "P02"))")
        #expect(try scene.numbers == ["a.mp4 1": 1, "a.mp4 2": 2, "b.mp4 1": 1, "b.mp4 12": 3, "c.mp4 1": 1])
        try scene.add(
            "a.mp4",
            [
                SyntheticResult.Track(face: 7, embeddings: [one]),
                SyntheticResult.Track(face: 8, embeddings: [SyntheticFace.vector([5: 1])]),
            ])
        try scene.add("b.mp4", tracks(8))
        let summary = try await scene.run()
        #expect(summary.warnings.map(\.message).filter { $0.hasSuffix("in it are lost") }.count == 2)
        #expect(try scene.numbers == ["a.mp4 7": 1, "a.mp4 8": 4, "b.mp4 1": 1, "b.mp4 12": 1, "c.mp4 1": 1])
        let again = try await scene.run(corrections: "\(split), \(StudyScene.name(4, "P02"))")
        #expect(again.corrections == 2)
        #expect(try scene.numbers["b.mp4 12"] == 5)
        #expect(try scene.table.texts("name").contains("P02"))
    }

    @Test("Pseudonyms in corrected results are names, unless results or people disagree")
    func pseudonyms() async throws {
        let scene = try StudyScene()
        func name(_ video: String, _ people: [Int: String]) throws {
            let path = "results/\(video).vidscan/run.json"
            let names = people.map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", ")
            let counts = [
                "same_person", "split", "name", "not_a_face", "exclude", "note", "faces_removed", "frames_removed",
            ]
            let record =
                "\"corrections\": {\"file\": \"c.json\", \"sha256\": \"\(String(repeating: "0", count: 64))\", \"list\": [],"
                + " \"excluded\": [], \"people\": {\(names)},"
                + " \"counts\": {\(counts.map { "\"\($0)\": 0" }.joined(separator: ", "))}}, \"workers\""
            try scene.folder.write(try scene.folder.text(path).replacing("\"workers\"", with: record), to: path)
        }
        try scene.add("a.mp4", together: [0, 1, 2, 3])
        try scene.add("b.mp4", together: [0, 1, 2, 3])
        try name("a.mp4", [1: "P01", 2: "P02", 3: "P03"])
        try name("b.mp4", [1: "P01", 2: "other", 4: "P03"])
        try await scene.run()
        func names() throws -> [String] {
            let table = try CSVTable(path: scene.study + "/people.csv")
            return try zip(table.texts("study_person_id"), table.texts("name")).map { "\($0) \($1)" }
        }
        #expect(try names() == ["1 P01", "1 P01", "2 ", "2 ", "3 ", "3 ", "4 ", "4 "])
        // A name that the study gives stays.
        try await scene.run([], corrections: "\(StudyScene.name(1, "Ada")), \(StudyScene.name(3, "P01"))")
        #expect(try names() == ["1 Ada", "1 Ada", "2 ", "2 ", "3 P01", "3 P01", "4 ", "4 "])
    }

    @Test("People keep their numbers and confidences when the embeddings are removed")
    func forgotten() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", face: SyntheticFace.vector(0, at: 0.3, towards: 1))
        try await scene.run()
        let table = try scene.folder.text("study/people.csv")
        for video in ["a.mp4", "b.mp4"] {
            #expect(try EmbeddingRemoval.remove(from: scene.result(video)))
            #expect(try !EmbeddingRemoval.remove(from: scene.result(video)))
        }
        let summary = try await scene.run()
        #expect(summary.failures == [])
        #expect(try scene.folder.text("study/people.csv") == table)
    }

    @Test("A new result without embeddings is left out with one line that says how to get them")
    func withoutEmbeddings() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", [Track(face: 1, embeddings: [])], keepsEmbeddings: false)
        let summary = try await scene.run()
        #expect(summary.videos == 1)
        #expect(
            summary.failures.map(\.description) == [
                "\(scene.result("b.mp4")): has no embeddings.npy, by which people are compared; analyse the video with"
                    + " 'vidscan analyze --people'"
            ])
    }

    @Test("Two results of one video are refused")
    func twice() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try SyntheticResult.write(
            [Track(face: 1, embeddings: [SyntheticFace.vector([0: 1])])], to: scene.result("b.mp4"),
            video: "/videos/a.mp4")
        let summary = try await scene.run()
        #expect(summary.videos == 1)
        #expect(summary.failures.map { $0.reason.contains("is of the same video as") } == [true])
    }

    @Test("A damaged people.json is refused with one line, and nothing changes")
    func damagedState() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try await scene.run()
        let state = try scene.folder.bytes("study/people.json")
        let table = try scene.folder.text("study/people.csv")
        var generator = SeededGenerator(seed: 3)
        var refused = 0
        for _ in 0..<200 {
            try Damage.strike(state, with: &generator).write(to: URL(fileURLWithPath: scene.study + "/people.json"))
            do {
                try await scene.run([])
            } catch let error as VidscanError {
                #expect(!error.reason.contains("\n"))
                #expect(try scene.folder.text("study/people.csv") == table)
                refused += 1
            }
            try Data(table.utf8).write(to: URL(fileURLWithPath: scene.study + "/people.csv"))
        }
        #expect(refused > 100)
    }

    @Test("A study of another version is refused with one line, and nothing changes")
    func otherVersion() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try await scene.run()
        let state = try scene.folder.text("study/people.json")
        let old = state.replacing("\"version\" : 2", with: "\"version\" : 1")
        try #require(old != state)
        try scene.folder.write(old, to: "study/people.json")
        #expect(
            await scene.failure(corrections: "")
                == "study: its people.json cannot be read: another version of vidscan wrote it; restore the file, or"
                + " remove it to number the people again from 1")
        #expect(try scene.folder.text("study/people.json") == old)
    }

    @Test(
        "A folder with another people.csv, or another merged table, is not written to",
        arguments: ["people.csv", "people_tracks.csv"])
    func foreignFolder(name: String) async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try FileManager.default.createDirectory(atPath: scene.study, withIntermediateDirectories: true)
        try scene.folder.write("mine", to: "study/" + name)
        await #expect(throws: VidscanError.self) { try await scene.run() }
        #expect(try scene.folder.text("study/" + name) == "mine")
    }
}
