import Foundation
import Testing
import TestSupport

@Suite("Notes say what the settings left out of a result")
struct NoticeTests: BatchTesting {
    private static let noBlinks =
        "no blinks, nods or shakes: they need at least 12 samples per second; use --rate 12"

    private struct Record: Decodable {
        let notices: [String]
    }

    private func notices(_ result: String, in folder: TemporaryFolder) throws -> [String] {
        try JSONDecoder().decode(Record.self, from: Data(try folder.bytes(result + "/run.json"))).notices
    }

    @Test("A video whose sound lasts longer than its picture is not called truncated", arguments: ["mp4", "mkv"])
    func longerSound(ending: String) throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-filter_complex", "[0:v]trim=0:3[v]", "-map",
                "[v]",
                "-map", "0:a", "-t", "6", "-preset", "ultrafast", "long.\(ending)",
            ], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let run = try Tool.run("analyze", "long.\(ending)", "--rate", "1", in: folder)
        #expect(run.status == 0 && !run.errors.contains("truncated"), "\(run.errors)")
    }

    @Test("People whom --max-faces leaves out are counted, on the console and in run.json")
    func peopleLeftOut() throws {
        let clip = try ThreePeople()
        let folder = clip.folder
        let text = "1 person left out by --max-faces 2 (track.max_faces)"
        let run = try Tool.run(
            "analyze", clip.path, "--end", "4", "--pipeline", "interview", "--max-faces", "2", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        #expect(run.errorLines.contains("vidscan: \(clip.path): note: \(text)"))
        #expect(try notices("three.mp4.vidscan", in: folder) == [text])
        let one = try Tool.run(
            "analyze", clip.path, "--end", "4", "--max-faces", "1", "--output", "one", in: folder)
        #expect(one.errors.contains("note: 2 people left out by --max-faces 1 (track.max_faces)\n"))
        #expect(one.errors.contains("note: \(Self.noBlinks)\n"))
        let all = try Tool.run(
            "analyze", clip.path, "--end", "4", "--max-faces", "3", "--rate", "12", "--output", "all", in: folder)
        #expect(all.status == 0 && !all.errors.contains("note:"))
        #expect(try notices("all/three.mp4.vidscan", in: folder) == [])

        // Merged segments say the same as a single run.
        try Tool.analyzeSegments(2, of: clip.path, "--end", "4", "--max-faces", "1", "--quiet", in: folder)
        let merged = try Tool.shell("\"$0\" merge three.mp4.part-*-of-2 --output merged", in: folder)
        #expect(merged.errors.contains("three.mp4: note: 2 people left out by --max-faces 1 (track.max_faces)\n"))
        #expect(
            try notices("merged/three.mp4.vidscan", in: folder) == notices("one/three.mp4.vidscan", in: folder))
    }

    @Test("A range without a frame is an error of that file, also in a batch and of merged segments")
    func noFrame() throws {
        let folder = try makeFolder(["still.png"])
        try FileManager.default.copyItem(atPath: Checkout.clip, toPath: folder.path + "/in/a.mp4")
        try age(folder.path + "/in/a.mp4")
        let reason = "has no frame from 30.000 s; the video lasts 20.000 s"
        let run = try Tool.run("analyze", "in/a.mp4", "--start", "30", in: folder)
        run.expectError("in/a.mp4: \(reason)")
        try Tool.run("analyze", "in/a.mp4", "--start", "19.97", "--end", "19.99", in: folder)
            .expectError("in/a.mp4: has no frame from 19.970 s to 19.990 s; the video lasts")
        try Tool.run("analyze", "in/a.mp4", "--end", "0", in: folder)
            .expectError("in/a.mp4: has no frame before 0.000 s; the video lasts 20.000 s")
        #expect(!folder.entries.contains { $0.hasSuffix(".vidscan") })
        let batch = try Tool.run("batch", "in", "--start", "30", "--output", "out", "--retries", "0", in: folder)
        #expect(batch.status == 1)
        #expect(batch.errors.contains("in/a.mp4: \(reason)"), "\(batch.errors)")
        try Tool.analyzeSegments(2, of: "in/a.mp4", "--start", "30", "--quiet", in: folder)
        let merged = try Tool.shell("\"$0\" merge a.mp4.part-*-of-2", in: folder)
        merged.expectError(reason)
    }

    @Test("A run says that it found no face, and that a video has fewer frames than the rate asks for")
    func nothingFound() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=320x240:r=10:d=1", "-c:v", "libx264"]
                + ["grey.mp4"], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let run = try Tool.run("analyze", "grey.mp4", "--rate", "12", in: folder)
        #expect(run.status == 0)
        let notes = [
            "no face was found; --faces small and --accuracy high find more",
            "the video has 10 frames per second, so --rate 12 takes every frame",
        ]
        #expect(run.errorLines.dropFirst() == notes.map { "vidscan: grey.mp4: note: \($0)" }[...])
        #expect(try notices("grey.mp4.vidscan", in: folder) == notes)
        #expect(try CSVTable(path: folder.path + "/grey.mp4.vidscan/frames.csv").rows.count == 10)
        let fitting = try Tool.run("analyze", Checkout.clip, "--end", "1", "--rate", "25", "-o", "x", in: folder)
        #expect(fitting.status == 0 && !fitting.errors.contains("note:"), "\(fitting.errors)")
    }

    @Test(
        "Where there are no blinks, only what can help is advised",
        arguments: [
            (["-t", "1", "-r", "10"], "12", "a video with at least 12 frames per second"),
            (["-t", "1", "-r", "10"], "5", "a video with at least 12 frames per second"),
            (
                ["-t", "3", "-vf", "select='lt(mod(n,20),10)'", "-fps_mode", "vfr"], "15",
                "at least 12 samples per second; use --every-frame"
            ),
            (
                ["-t", "3", "-vf", "select='lt(mod(n,20),10)'", "-fps_mode", "vfr"], "5",
                "at least 12 samples per second; use --rate 12"
            ),
        ])
    func advice(options: [String], rate: String, advice: String) throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip] + options + ["-an", "-c:v", "libx264", "a.mp4"],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let run = try Tool.run("analyze", "a.mp4", "--rate", rate, in: folder)
        let notes = run.errorLines.filter { $0.contains("no blinks") }
        #expect(
            notes == ["vidscan: a.mp4: note: no blinks, nods or shakes: they need \(advice)"],
            "\(run.errors)")
        let whole = try Tool.run("analyze", "a.mp4", "--every-frame", "--output", "whole", in: folder)
        #expect(whole.errors.contains("no blinks") == advice.contains("a video with"), "\(whole.errors)")
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
        #expect(run.errorLines.count == 5)
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
