import Foundation
import Testing
import TestSupport

@Suite("vidscan render makes a video from a result")
struct RenderTests {
    /// A folder with a short video and its result.
    private func result(_ options: String...) throws -> TemporaryFolder {
        try Tool.analyzed(copy: try Variants.path("audiofirst.mp4"), named: "movie.mp4", options)
    }

    private func names(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/movie.mp4.vidscan").sorted()
    }

    @Test("The video is written into the result folder, and only --force replaces it")
    func overlay() throws {
        let folder = try result()
        let before = try names(folder)
        let first = try Tool.run("render", "movie.mp4.vidscan", "--crf", "40", in: folder)
        #expect(first.status == 0)
        #expect(first.errors.hasPrefix("vidscan: movie.mp4.vidscan: 75 frames, "))
        #expect(first.errors.hasSuffix(" -> movie.mp4.vidscan/overlay.mp4\n"))
        #expect(try names(folder) == (before + ["overlay.mp4"]).sorted())
        let second = try Tool.run("render", "movie.mp4.vidscan", "--crf", "40", in: folder)
        #expect(second.status == 1)
        #expect(
            second.errors
                == "vidscan: error: movie.mp4.vidscan: movie.mp4.vidscan/overlay.mp4 exists; --force replaces it\n")
        let third = try Tool.run("render", "movie.mp4.vidscan", "--crf", "40", "--force", "-q", in: folder)
        #expect(third.status == 0 && third.errors == "")
        #expect(try names(folder) == (before + ["overlay.mp4"]).sorted())
    }

    @Test("The bytes of a video do not depend on what memory held before", arguments: ["h264"])
    func memory(codec: String) throws {
        let folder = try TemporaryFolder()
        // x264's code for AVX-512 handles 16 macroblocks at a time, and here the last ones of a row are fewer.
        let made = try Tool.shell(
            "ffmpeg -v error -i '\(Checkout.clip)' -t 1 -an -vf scale=960:540 -crf 16 movie.mp4", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        try #require(try Tool.run("analyze", "movie.mp4", "-q", in: folder).status == 0)
        for (byte, name) in [(0, "one"), (85, "other")] {
            let outcome = try Tool.shell(
                "MALLOC_PERTURB_=\(byte) \"$0\" render movie.mp4.vidscan --codec \(codec) -q -o \(name).mp4", in: folder
            )
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(try folder.bytes("one.mp4") == folder.bytes("other.mp4"))
    }

    @Test("analyze --overlay and --anonymize make the video in the same run")
    func inOneGo() throws {
        let folder = try result("--overlay", "--style", "full", "--crf", "40")
        #expect(try names(folder).contains("overlay.mp4"))
        #expect(try names(folder).contains("landmarks.npy"))
        let hidden = try result("--anonymize", "pixelate", "--crf", "40")
        #expect(try names(hidden).contains("anonymized.mp4"))
        let record = try hidden.text("movie.mp4.vidscan/run.json")
        #expect(record.contains(#""rate" : "every-frame""#) && record.contains(#""faces" : "small""#))
    }

    @Test("A missing or changed video is an error that names the option to use")
    func source() throws {
        let folder = try result()
        let video = folder.path + "/movie.mp4"
        try FileManager.default.moveItem(atPath: video, toPath: folder.path + "/elsewhere.mp4")
        let gone = try Tool.run("render", "movie.mp4.vidscan", in: folder)
        #expect(gone.status == 1)
        #expect(gone.errorLines.count == 1)
        #expect(gone.errors.hasPrefix("vidscan: error: movie.mp4.vidscan: its video \(video): cannot open: "))
        #expect(gone.errors.contains("name it with --input"))
        let found = try Tool.run(
            "render", "movie.mp4.vidscan", "--input", "elsewhere.mp4", "--crf", "40", "-o", "new.mp4", "-q", in: folder)
        #expect(found.status == 0 && found.errors == "")

        // The same video with an empty box at its end.
        let grown = try folder.bytes("elsewhere.mp4") + Data([0, 0, 0, 8]) + Data("free".utf8)
        try grown.write(to: URL(fileURLWithPath: video))
        let changed = try Tool.run("render", "movie.mp4.vidscan", in: folder)
        #expect(changed.status == 1)
        #expect(changed.errors.contains("movie.mp4 has changed since it was analysed (its size)"))
        let taken = try Tool.run("render", "movie.mp4.vidscan", "--changed-source", "--crf", "40", "-q", in: folder)
        #expect(taken.status == 0 && taken.errors == "")
    }

    @Test("An error of render is one line and leaves nothing behind")
    func wrong() throws {
        let folder = try result()
        try folder.write("no picture", to: "text.png")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/empty.vidscan", withIntermediateDirectories: true)
        let before = folder.entries
        let cases: [([String], String)] = [
            (["empty.vidscan"], "empty.vidscan: is not a vidscan result: it has no run.json"),
            (["none.vidscan"], "none.vidscan: is not a vidscan result: it has no run.json"),
            (["movie.mp4.vidscan", "-o", "none/new.mp4"], "cannot write none/new.mp4: No such file or directory"),
            (["movie.mp4.vidscan", "-o", "/proc/new.mp4"], "cannot write /proc/new.mp4: "),
            (["movie.mp4.vidscan", "-o", "new.avi"], "name a file that ends in .mp4, .mov or .mkv"),
            (
                ["movie.mp4.vidscan", "-o", "movie.mp4", "--force"],
                "movie.mp4 is the source video, which is never replaced"
            ),
            (["movie.mp4.vidscan", "--style", "mesh"], "has no landmarks.npy, which the mesh is drawn from"),
            (["movie.mp4.vidscan", "--sticker", "none.png"], "cannot open: No such file or directory"),
            (["movie.mp4.vidscan", "--sticker", "text.png"], "text.png: not a video or picture"),
            (
                [
                    "movie.mp4.vidscan", "--sticker", Checkout.samples + "/frame.png", "--sticker-insets", "50,1,50,1",
                ], "--sticker-insets leave nothing in the middle of the sticker"
            ),
        ]
        for (arguments, message) in cases {
            let outcome = try ChildProcess.run([Checkout.tool, "render"] + arguments, in: folder.path)
            outcome.expectError(message, status: arguments.contains("--sticker-insets") ? 2 : 1)
            #expect(folder.entries == before)
        }
    }

    @Test("An interrupted render leaves nothing behind and ends with status 130")
    func interrupted() throws {
        let folder = try TemporaryFolder()
        let clip = try Tool.makeLongClip(times: 3, in: folder)
        let made = try Tool.run("analyze", clip, "-q", "--rate", "1", "--metrics", "none", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let before = folder.entries
        let process = try ChildProcess(
            [Checkout.tool, "render", "long.mp4.vidscan", "--crf", "40"], in: folder.path, errorsToTerminal: true)
        try process.waitForErrors(containing: "frames/s")
        process.send(SIGINT)
        let outcome = try process.finish()
        #expect(outcome.status == 130)
        #expect(folder.entries == before)
    }
}
