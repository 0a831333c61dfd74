import Foundation
import Glibc
import Testing
import TestSupport
import VidscanMedia

@Suite("A bad input is one line of error")
struct BadInputTests {
    /// An input's name, how to make the input, and the message about it.
    private struct Case {
        let name: String
        var variant: String?
        var prepare: @Sendable (TemporaryFolder) throws -> Void = { _ in }
        let message: String
    }

    private static let cases = [
        Case(name: "missing.mp4", message: "cannot open: No such file or directory"),
        Case(
            name: "folder.mp4",
            prepare: {
                try FileManager.default.createDirectory(
                    atPath: $0.path + "/folder.mp4", withIntermediateDirectories: false)
            },
            message: "is a folder; name the files in it, or use 'vidscan batch'"),
        Case(name: "text.mp4", variant: "text.mp4", message: "not a video or picture in a format that FFmpeg supports"),
        Case(name: "audio.m4a", variant: "audio.m4a", message: "has no video stream"),
        Case(name: "song.m4a", variant: "cover_audio.m4a", message: "has no video stream, only a cover picture"),
        Case(name: "empty.mp4", variant: "empty.mp4", message: "the file is empty"),
        Case(
            name: "cut.mp4", variant: "truncated_nomoov.mp4",
            message: "cannot read it as mov,mp4,m4a,3gp,3g2,mj2: moov atom not found"),
        Case(
            name: "list.m3u8", variant: "playlist.m3u8",
            message: "is a playlist (hls), which refers to other files; they are never opened"),
        // A name says nothing: the same playlist under another one.
        Case(
            name: "movie.mp4", variant: "playlist.m3u8",
            message: "is a playlist (hls), which refers to other files; they are never opened"),
        Case(
            name: "list.txt", variant: "concat.txt",
            message: "is a playlist (concat), which refers to other files; they are never opened"),
        Case(
            name: "huge.png", variant: "huge.png",
            message: "a frame of 60000x60000 is larger than FFmpeg can handle, which is about 16000x16000"),
        // FFmpeg's demuxer would open the neighbouring file, and wait until somebody writes to it.
        Case(
            name: "movie.idx",
            prepare: {
                try $0.write("# VobSub index file, v7 (do not modify this line!)\nsize: 720x576\n", to: "movie.idx")
                mkfifo($0.path + "/movie.sub", 0o600)
            },
            message:
                "its format (vobsub) is not among the video and picture formats that vidscan reads; if it is a video,"
                + " convert it to MP4 or MKV"),
        Case(
            name: "none.mp4", variant: "zeroframe.mp4", message: "has a video stream without frames"),
        Case(name: "/dev/null", message: "is not a regular file"),
        Case(name: "/dev/zero", message: "is not a regular file"),
        Case(name: "fifo", prepare: { mkfifo($0.path + "/fifo", 0o600) }, message: "is not a regular file"),
        Case(
            name: "http://vidscan.invalid/movie.mp4",
            message: "is a URL; vidscan reads local files only: download the video first, and name the file"),
        Case(
            name: "frames/%04d.jpg",
            message: "does not exist; vidscan reads no numbered pictures: make a video of them with ffmpeg, and"
                + " name the video"),
        Case(name: "concat:a.mp4|b.mp4", message: "cannot open: No such file or directory"),
    ]

    @Test("A file that cannot be analysed is an error in one line with status 1", arguments: cases.indices)
    func table(number: Int) throws {
        let bad = Self.cases[number]
        let folder = try TemporaryFolder()
        try bad.prepare(folder)
        if let variant = bad.variant {
            try FileManager.default.copyItem(
                atPath: try Variants.path(variant), toPath: folder.path + "/" + bad.name)
        }
        let before = folder.entries
        let outcome = try Tool.run("analyze", bad.name, in: folder)
        #expect(outcome.errors == "vidscan: error: \(bad.name): \(bad.message)\n")
        #expect(outcome.output == "")
        #expect(outcome.status == 1)
        #expect(folder.entries == before)
    }

    @Test("The program may end while a thread still computes the digests of the models")
    func earlyEnd() throws {
        let folder = try TemporaryFolder()
        try folder.write("text", to: "text.mp4")
        for _ in 0..<40 { #expect(try Tool.run("analyze", "text.mp4", in: folder).status == 1) }
    }

    @Test("A file without read permission is an error")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        try folder.write("secret", to: "secret.mp4")
        chmod(folder.path + "/secret.mp4", 0)
        let outcome = try Tool.runUnprivileged("analyze", "secret.mp4", in: folder)
        #expect(outcome.errors == "vidscan: error: secret.mp4: cannot open: Permission denied\n")
        #expect(outcome.status == 1)
    }

    @Test("A stream that does not exist and an exceeded limit are errors in one line")
    func streamsAndLimits() throws {
        let folder = try TemporaryFolder()
        for (option, message) in [
            ("--stream=1", "stream 1 is not a video stream; choose from 0"),
            ("--max-duration=5", "its duration of 20 s exceeds the limit of 5 s; --max-duration raises the limit"),
            (
                "--max-pixels=1000",
                "a frame of 640x360 exceeds the limit of 1000 pixels; --max-pixels raises the limit"
            ),
        ] {
            let outcome = try Tool.run("analyze", Checkout.clip, option, in: folder)
            #expect(outcome.errors == "vidscan: error: \(Checkout.clip): \(message)\n")
            #expect(outcome.status == 1)
        }
        #expect(folder.entries == [])
    }

    @Test("Bad inputs do not prevent the results of good ones")
    func mixed() throws {
        let folder = try TemporaryFolder()
        let still = try Variants.path("still.png")
        let outcome = try Tool.run(
            "analyze", "missing.mp4", still, try Variants.path("audio.m4a"), Checkout.clip, "--end", "1", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 6)
        #expect(outcome.errorLines.count { $0.hasPrefix("vidscan: error: ") } == 2)
        #expect(outcome.errorLines.count { $0.contains(": note: no blinks") } == 1)
        #expect(
            Set(folder.entries.filter { !$0.contains("/") }) == ["still.png.vidscan", "faces.mp4.vidscan"])
        #expect(try folder.text("faces.mp4.vidscan/frames.csv").split(separator: "\n").count == 6)
    }
}
