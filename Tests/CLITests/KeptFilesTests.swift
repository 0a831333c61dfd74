import Foundation
import Testing
import TestSupport

@Suite("A file of the user's is never deleted")
struct KeptFilesTests: BatchTesting {
    /// Corrects a result of a video `faces.mp4`.
    private func correct(_ result: String, of video: String, in folder: TemporaryFolder) throws {
        let size = try folder.bytes(video).count
        try folder.write(
            """
            {"format": "vidscan corrections 1", "video": {"name": "faces.mp4", "bytes": \(size)},
             "corrections": [{"do": "exclude", "from": 1, "to": 2}]}
            """, to: "c.json")
        let outcome = try Tool.run("apply", "--quiet", result, "c.json", in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    /// The first three seconds of the sample clip.
    private func makeShortClip(_ path: String) throws {
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-t", "3", "-i", Checkout.clip, "-an", "-c", "copy", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test("Hiding faces again keeps the corrections of the earlier result, and says where")
    func hidingAgain() throws {
        let folder = try TemporaryFolder()
        try makeShortClip(folder.path + "/faces.mp4")
        #expect(try Tool.run("analyze", "--quiet", "--rate", "2", "faces.mp4", in: folder).status == 0)
        try correct("faces.mp4.vidscan", of: "faces.mp4", in: folder)
        let outcome = try Tool.run("analyze", "--force", "--anonymize", "solid", "faces.mp4", in: folder)
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains(
                "the result that was there is now faces.mp4.vidscan.previous-1, because it has corrections; to correct the new"
                    + " one: vidscan apply faces.mp4.vidscan faces.mp4.vidscan.previous-1/original/corrections.json\n"),
            "\(outcome.errors)")
        #expect(try folder.text("faces.mp4.vidscan.previous-1/original/corrections.json").contains("exclude"))
        #expect(folder.entries.contains("faces.mp4.vidscan.previous-1/original/faces.csv"))
        #expect(!folder.entries.contains { $0.hasPrefix("faces.mp4.vidscan/") && $0.contains("corrections") })
    }

    @Test("An edited table of a corrected result is not lost to the next corrections, nor to taking them back")
    func editedAfterCorrection() throws {
        let folder = try TemporaryFolder()
        try makeShortClip(folder.path + "/faces.mp4")
        #expect(try Tool.run("analyze", "--quiet", "--rate", "2", "faces.mp4", in: folder).status == 0)
        try correct("faces.mp4.vidscan", of: "faces.mp4", in: folder)
        let path = "faces.mp4.vidscan/events.csv"
        let edited = try folder.text(path) + "edited\n"
        try folder.write(edited, to: path)
        for arguments in [["c.json"], ["--undo"]] {
            let command = [Checkout.tool, "apply", "faces.mp4.vidscan"] + arguments
            let outcome = try ChildProcess.run(command, in: folder.path)
            #expect(
                outcome.errors
                    == "vidscan: error: faces.mp4.vidscan: somebody has edited events.csv, which would be lost;"
                    + " --force replaces it\n")
            #expect(try outcome.status == 1 && folder.text(path) == edited)
        }
        #expect(try Tool.run("apply", "--undo", "--force", "faces.mp4.vidscan", in: folder).status == 0)
    }

    @Test("--force sets aside the segment of another video with the same name")
    func otherSegment() throws {
        let folder = try makeFolder(["x/a.mp4", "y/a.mp4"])
        for name in ["x", "y"] { try makeShortClip("\(folder.path)/in/\(name)/b.mp4") }
        for name in ["x", "y"] {
            let outcome = try Tool.run(
                "analyze", "in/\(name)/b.mp4", "--segment", "1/2", "--output", "out", "--force", "-q", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(folder.entries.contains { $0.hasPrefix("out/") && $0.hasSuffix(".previous-1") })
    }

    @Test("--force sets aside the result of another video with the same name, unless that video is gone")
    func otherVideo() throws {
        let folder = try makeFolder(["x/a.png", "y/a.png"])
        #expect(try Tool.run("analyze", "in/x/a.png", "--output", "out", "-q", in: folder).status == 0)
        // The same video under another path is not another one.
        let same = try Tool.run("analyze", "./in//x/../x/a.png", "--output", "out", "--force", in: folder)
        #expect(same.status == 0 && !folder.entries.contains("out/a.png.vidscan.previous-1"), "\(same.errors)")
        let other = try Tool.run("analyze", "in/y/a.png", "--output", "out", "--force", in: folder)
        #expect(
            other.errors.contains(
                "the result that was there is now a.png.vidscan.previous-1, because it is that of \(folder.path)/in/x/a.png"
            ),
            "\(other.errors)")
        try FileManager.default.removeItem(atPath: folder.path + "/in/y")
        #expect(try Tool.run("analyze", "in/x/a.png", "--output", "out", "--force", "-q", in: folder).status == 0)
        #expect(!folder.entries.contains("out/a.png.vidscan.previous-2"))
    }

    @Test("The command that corrects the new result works from the current folder")
    func command() throws {
        let folder = try TemporaryFolder()
        try makeShortClip(folder.path + "/faces.mp4")
        let arguments = ["analyze", "--rate", "2", "faces.mp4", "--output", "Ann's results", "--force"]
        #expect(try ChildProcess.run([Checkout.tool] + arguments, in: folder.path).status == 0)
        try correct("Ann's results/faces.mp4.vidscan", of: "faces.mp4", in: folder)
        let outcome = try ChildProcess.run([Checkout.tool] + arguments, in: folder.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let line = try #require(outcome.errorLines.first { $0.contains("to correct the new one: vidscan ") })
        let words = try #require(line.split(separator: "to correct the new one: vidscan ").last)
        #expect(
            words.hasPrefix(
                #"apply 'Ann'\''s results/faces.mp4.vidscan' 'Ann'\''s results/faces.mp4.vidscan.previous-1/"#))
        let applied = try Tool.shell("\"$0\" \(words)", in: folder)
        #expect(applied.status == 0 && applied.errors.contains(": 1 correction applied, "), "\(applied.errors)")
    }

    @Test("A batch with other settings keeps notes, annotations and corrected tables")
    func otherSettings() throws {
        let folder = try makeFolder(["a.png", "b.png", "c.png"])
        try makeShortClip(folder.path + "/in/faces.mp4")
        try age(folder.path + "/in/faces.mp4")
        #expect(try batch(folder, "--quiet", "--rate", "2").status == 0)
        try folder.write("mine", to: "out/a.png.vidscan/notes.txt")
        try folder.write("<x/>", to: "out/b.png.vidscan/a.eaf")
        try correct("out/faces.mp4.vidscan", of: "in/faces.mp4", in: folder)
        let corrected = try folder.bytes("out/faces.mp4.vidscan/faces.csv")
        let outcome = try batch(folder, "--rate", "1")
        #expect(outcome.status == 0)
        for (name, reason) in [
            ("a.png", "a file that the analysis did not write (notes.txt)"),
            ("b.png", "a file that the analysis did not write (a.eaf)"), ("faces.mp4", "corrections"),
        ] {
            #expect(
                outcome.errors.contains(
                    "\(name): the result that was there is now \(name).vidscan.previous-1, because it has \(reason)"),
                "\(outcome.errors)")
        }
        #expect(try folder.text("out/a.png.vidscan.previous-1/notes.txt") == "mine")
        #expect(try folder.text("out/b.png.vidscan.previous-1/a.eaf") == "<x/>")
        #expect(try folder.bytes("out/faces.mp4.vidscan.previous-1/faces.csv") == corrected)
        #expect(!folder.entries.contains("out/c.png.vidscan.previous-1"))
        // They are neither inputs nor results of later runs.
        #expect(try batch(folder, "--rate", "1", "--dry-run").output.hasSuffix("0 of 4 files would be analysed\n"))
        try Tool.run("export", "--to", "vtt", "--output", "x/", "out", in: folder).expectError(
            "out: is not a vidscan result")
        let index = try Tool.run("batch", "merge", "out", in: folder).output
        #expect(!index.contains("previous"))
    }

    @Test("PruneOutcome keeps what somebody has worked on, and says so")
    func pruning() throws {
        let folder = try makeFolder(["a.png", "sub/b.png", "sub/c.png"])
        #expect(try batch(folder, "--quiet").status == 0)
        try folder.write("mine", to: "out/sub/b.png.vidscan/notes.txt")
        let line = "out/sub/b.png.vidscan: not removed: it has a file that the analysis did not write (notes.txt)\n"
        let dry = try Tool.run("batch", "prune", "out", "--older-than", "0", "--dry-run", in: folder)
        #expect(dry.errors.hasSuffix(line), "\(dry.errors)")
        #expect(dry.output.hasSuffix("\n2 results would be removed\n"), "\(dry.output)")
        let outcome = try Tool.run("batch", "prune", "out", "--older-than", "0", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains(line), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("2 results removed\n"), "\(outcome.errors)")
        #expect(results(folder) == ["out/sub/b.png.vidscan/run.json"])
        // It is still a result of the batch.
        #expect(
            try index(folder).mapValues { $0["status"] } == ["a.png": "pruned", "b.png": "done", "c.png": "pruned"])
    }
}
