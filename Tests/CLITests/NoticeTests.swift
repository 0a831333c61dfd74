import Foundation
import Testing
import TestSupport

@Suite("Notes say what the settings left out of a result")
struct NoticeTests: BatchTesting {
    private static let noBlinks =
        "no blinks: they need at least 12 samples per second; use --rate 12, or --pipeline interview for at most two people"

    private struct Record: Decodable {
        let notices: [String]
    }

    private func notices(_ result: String, in folder: TemporaryFolder) throws -> [String] {
        try JSONDecoder().decode(Record.self, from: Data(try folder.bytes(result + "/run.json"))).notices
    }

    @Test("People whom --max-faces leaves out are counted, on the console and in run.json")
    func peopleLeftOut() throws {
        let clip = try ThreePeople()
        let folder = clip.folder
        let text = "1 person left out by --max-faces 2 (track.max_faces)"
        let run = try Tool.run("analyze", clip.path, "--pipeline", "interview", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        #expect(run.errorLines.contains("vidscan: \(clip.path): note: \(text)"))
        #expect(try notices("three.mp4.vidscan", in: folder) == [text])
        let one = try Tool.run("analyze", clip.path, "--max-faces", "1", "--output", "one", in: folder)
        #expect(one.errors.contains("note: 2 people left out by --max-faces 1 (track.max_faces)\n"))
        #expect(one.errors.contains("note: \(Self.noBlinks)\n"))
        let all = try Tool.run("analyze", clip.path, "--max-faces", "3", "--rate", "12", "--output", "all", in: folder)
        #expect(all.status == 0 && !all.errors.contains("note:"))
        #expect(try notices("all/three.mp4.vidscan", in: folder) == [])

        // Merged segments say the same as a single run.
        try Tool.analyzeSegments(2, of: clip.path, "--max-faces", "1", "--quiet", in: folder)
        let merged = try Tool.shell("\"$0\" merge three.mp4.part-*-of-2 --output merged", in: folder)
        #expect(merged.errors.contains("three.mp4: note: 2 people left out by --max-faces 1 (track.max_faces)\n"))
        #expect(
            try notices("merged/three.mp4.vidscan", in: folder) == notices("one/three.mp4.vidscan", in: folder))
    }

    @Test("What is true of several inputs is printed once, at the end")
    func once() throws {
        let folder = try makeFolder(["still.png"])
        for name in ["a.mp4", "b.mp4"] {
            try FileManager.default.copyItem(atPath: Checkout.clip, toPath: "\(folder.path)/in/\(name)")
            try age("\(folder.path)/in/\(name)")
        }
        let run = try Tool.run("analyze", "in/a.mp4", "in/b.mp4", "--end", "1", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        #expect(run.errorLines.count == 3)
        #expect(run.errorLines.last == "vidscan: note: \(Self.noBlinks)")

        let batch = try Tool.run("batch", "in", "--end", "1", "--output", "out", in: folder)
        try #require(batch.status == 0, "\(batch.errors)")
        let notes = batch.errorLines.filter { $0.contains("note: ") }
        #expect(notes == ["vidscan: note: \(Self.noBlinks) (2 of 3 files)"])
        let again = try Tool.run("batch", "in", "--end", "1", "--output", "out", in: folder)
        #expect(!again.errors.contains("note: "))
    }

    @Test("Without events.csv, nothing is said of its events")
    func otherFormats() throws {
        let folder = try TemporaryFolder()
        for format in ["json", "openface"] {
            let run = try Tool.run(
                "analyze", Checkout.clip, "--end", "1", "--format", format, "--output", format, in: folder)
            try #require(run.status == 0, "\(run.errors)")
            #expect(!run.errors.contains("blinks:"))
            #expect(try notices("\(format)/faces.mp4.vidscan", in: folder).allSatisfy { !$0.contains("blinks:") })
        }
    }
}
