import Foundation
import Testing
import TestSupport

/// Every written frame has its own sample, or there is no video.
@Suite("A video is anonymized completely or not at all")
struct AnonymizationTests: AnonymizationTesting {
    // MARK: Filters

    private static let refusedFilters = [
        "trim=start=5", "select=gt(n\\,3)", "fps=10", "framestep=2", "thumbnail", "setpts=PTS+1/TB", "settb=1/10",
        "tpad=start=2", "loop=loop=3:size=1", "reverse", "mpdecimate", "decimate", "framerate=50", "minterpolate",
        "telecine", "pullup", "detelecine", "separatefields", "shuffleframes=1 0", "random", "zoompan=d=2", "tmix",
        "tblend", "crop=100:100", "hflip", "scale=320:-2", "yadif=1", "yadif=mode=send_field", "yadif=mode=2-1",
        "bwdif", "bwdif=mode=1", "eq,trim=end=3", "split[a][b];[a][b]blend",
    ]

    @Test("Filters that drop, add, retime or move frames are refused before any work", arguments: refusedFilters)
    func filters(filter: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Tool.run("analyze", "none.mp4", "--anonymize", "blur", "--filter", filter, in: folder)
        outcome.expectError("vidscan: error: --anonymize hides faces where they are in the video, but ", status: 2)
        #expect(folder.entries == [])
    }

    @Test("Filters in a pipeline file are checked too; a filter that could keep faces from the detector is refused")
    func filtersOfPipelines() throws {
        let folder = try TemporaryFolder()
        let pipeline = try folder.write(
            "filters: [yadif, eq=brightness=-1]\nrender: {anonymize: solid}\n", to: "p.yaml")
        for command in [["analyze", Checkout.clip], ["batch", Checkout.samples, "--output", "out"]] {
            let outcome = try ChildProcess.run(
                [Checkout.tool] + command + ["--pipeline", pipeline], in: folder.path)
            outcome.expectError(
                "the filter 'eq' may keep faces from the detector, or move, drop or add frames", status: 2)
            #expect(folder.entries == ["p.yaml"])
        }
        let hidden = try anonymizedMovie("--filter", "null", "--filter", "yadif=0")
        let video = hidden.path + "/movie.mkv.vidscan/anonymized.mp4"
        #expect(try coveredFrames(of: video) == Array(0..<24))
    }

    // MARK: Samples

    @Test("A result without every frame is refused, and the error gives the right command")
    func sparse() throws {
        let folder = try TemporaryFolder()
        for options in [[], ["--every-frame"], ["--every-frame", "--faces", "small", "--min-track", "1"]] {
            let source = try Variants.path("oneframe.mp4")
            let made = try ChildProcess.run(
                [Checkout.tool, "analyze", source, "-q", "--force"] + options, in: folder.path)
            try #require(made.status == 0, "\(made.errors)")
            let before = folder.entries
            let outcome = try Tool.run("render", "oneframe.mp4.vidscan", "--anonymize", "blur", in: folder)
            outcome.expectError("was not analysed for hiding faces (")
            #expect(outcome.errors.contains("run 'vidscan analyze \(source) --anonymize blur --tables --force'"))
            #expect(folder.entries == before)
        }
    }

    @Test("A frame without a sample, and a sample without its frame, end the run without a video")
    func samples() throws {
        let folder = try anonymizedMovie()
        let table = "movie.mkv.vidscan/frames.csv"
        let frames = try folder.text(table).split(separator: "\n").map(String.init)
        try #require(frames.count == 25)
        let faces = try folder.text("movie.mkv.vidscan/faces.csv")
        let before = folder.entries
        // Each case has the table of faces that belongs to it.
        let time = { (row: Int) in String(frames[row].prefix { $0 != "," }) }
        let microseconds = try #require(Int64(time(13).replacing(".", with: "")))
        let laterTime = String(format: "%d.%06d", (microseconds + 1) / 1_000_000, (microseconds + 1) % 1_000_000)
        let postpone = { (row: String) in
            row.hasPrefix(time(13) + ",") ? laterTime + row.dropFirst(time(13).count) : row
        }
        let without = { (row: Int) in { (line: String) in line.hasPrefix(time(row) + ",") ? nil : line } }
        let cases: [(what: String, frames: [String], faces: (String) -> String?, message: String)] = [
            ("in the middle", frames.filter { $0 != frames[13] }, without(13), "was not analysed"),
            ("at the start", frames.filter { $0 != frames[1] }, without(1), "was not analysed"),
            ("at the end", Array(frames.dropLast()), without(24), "was not analysed"),
            ("a microsecond later", frames.map(postpone), postpone, "was not analysed"),
            ("one too many", frames + ["0.960000,24,0,50,100,0,,1"], { $0 }, "was analysed, but cannot be read now"),
        ]
        for (what, rows, belonging, message) in cases {
            try folder.write(rows.joined(separator: "\n") + "\n", to: table)
            let left = faces.split(separator: "\n").compactMap { belonging(String($0)) }
            try folder.write(left.joined(separator: "\n") + "\n", to: "movie.mkv.vidscan/faces.csv")
            try TableDigests.correct(in: folder.path + "/movie.mkv.vidscan")
            let outcome = try Tool.run(
                "render", "movie.mkv.vidscan", "--anonymize", "solid", "-o", "new.mp4", in: folder)
            outcome.expectError(message)
            #expect(outcome.errors.contains("movie.mkv.vidscan: at 0."), "\(what): \(outcome.errors)")
            #expect(folder.entries == before, "\(what)")
        }
    }

    @Test("A face without a valid position ends the run without a video")
    func places() throws {
        let folder = try anonymizedMovie()
        let table = "movie.mkv.vidscan/faces.csv"
        var faces = try CSVTable(path: folder.path + "/" + table)
        for place in ["nan", "inf", "-infinity", ""] {
            try faces.set("x", 8, to: place)
            try folder.write(faces.text, to: table)
            try TableDigests.correct(in: folder.path + "/movie.mkv.vidscan")
            let outcome = try Tool.run(
                "render", "movie.mkv.vidscan", "--anonymize", "solid", "-o", "new.mp4", in: folder)
            outcome.expectError("movie.mkv.vidscan: faces.csv, line 10: ")
            #expect(!folder.entries.contains { $0.contains("new.mp4") })
        }
    }

    @Test("Each of several frames with the same timestamp is covered by its own sample")
    func sharedTimestamps() throws {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-ss", "2", "-i", Checkout.clip, "-frames:v", "24", "-an", "-c:v", "mjpeg", "-q:v", "2", "-bsf:v",
            "setts=pts='floor(N/12)*480':dts='floor(N/12)*480'", folder.path + "/shared.mkv")
        let made = try Tool.run("analyze", "shared.mkv", "--anonymize", "solid", "--crf", "0", "--tables", in: folder)
        #expect(made.status == 0, "\(made.errors)")
        let times = try CSVTable(path: folder.path + "/shared.mkv.vidscan/frames.csv").texts("time")
        try #require(times == Array(repeating: "0.000000", count: 12) + Array(repeating: "0.480000", count: 12))
        #expect(try coveredFrames(of: folder.path + "/shared.mkv.vidscan/anonymized.mp4") == Array(0..<24))
    }

    @Test("Merged segments are anonymized as one video")
    func parts() throws {
        let folder = try anonymizedMovie()
        try Tool.analyzeSegments(2, of: "movie.mkv", "--anonymize", "solid", "--crf", "0", "-q", in: folder)
        let merged = try Tool.shell("\"$0\" merge *-of-2 --output merged", in: folder)
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(try coveredFrames(of: folder.path + "/merged/movie.mkv.vidscan/anonymized.mp4") == Array(0..<24))
    }

    // MARK: Pictures

    @Test("A change of the frame size ends the run without a video")
    func sizes() throws {
        let folder = try TemporaryFolder()
        for (name, start, size) in [("a", "2", "640:360"), ("b", "2.48", "320:180")] {
            try ffmpeg(
                "-ss", start, "-i", Checkout.clip, "-frames:v", "12", "-an", "-vf", "scale=\(size)", "-c:v", "libx264",
                "-bf", "0", "-output_ts_offset", name == "a" ? "0" : "0.48", "-f", "mpegts",
                "\(folder.path)/\(name).ts")
        }
        try (try folder.bytes("a.ts") + folder.bytes("b.ts")).write(
            to: URL(fileURLWithPath: folder.path + "/sizes.ts"))
        let before = folder.entries
        let outcome = try Tool.run("analyze", "sizes.ts", "--anonymize", "solid", in: folder)
        outcome.expectError("the picture changes from 640x360 to 320x180")
        #expect(outcome.errors.hasPrefix("vidscan: error: sizes.ts: at 0."), "\(outcome.errors)")
        #expect(folder.entries == before)
        #expect(try Tool.run("analyze", "sizes.ts", "--overlay", in: folder).status == 0)
    }

    @Test("In a crowd, every face is covered")
    func crowd() throws {
        let folder = try TemporaryFolder()
        let (columns, rows, width, height) = (24, 14, 80, 96)
        try ffmpeg(
            "-ss", "2", "-i", Checkout.clip, "-vf",
            "crop=110:130:113:144,scale=\(width):\(height),loop=loop=\(columns * rows - 1):size=1,"
                + "tile=\(columns)x\(rows)", "-frames:v", "1", folder.path + "/crowd.png")
        let made = try Tool.run("analyze", "crowd.png", "--anonymize", "solid", "--tables", in: folder)
        #expect(made.status == 0, "\(made.errors)")
        let faces = try CSVTable(path: folder.path + "/crowd.png.vidscan/faces.csv").rows.count
        #expect(faces == columns * rows)
        let size = (width: columns * width, height: rows * height)
        let video = try RawVideo(
            folder.path + "/crowd.png.vidscan/anonymized.png", width: size.width, height: size.height)
        // Eyes, nose and mouth of every face have the same colour.
        var colors: Set<Int> = []
        for tile in 0..<columns * rows {
            for (x, y) in [(0.3, 0.45), (0.6, 0.45), (0.45, 0.6), (0.45, 0.75)] {
                colors.insert(
                    video.luma(
                        0, tile % columns * width + Int(x * Double(width)),
                        tile / columns * height + Int(y * Double(height))))
            }
        }
        #expect(colors.count == 1)
    }

    @Test("Damaged frames are covered as they were analysed", arguments: ["corrupt.ts", "truncated.mkv"])
    func damage(name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Tool.run(
            "analyze", try Variants.path(name), "--anonymize", "solid", "--crf", "0", "--tables", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let result = "\(folder.path)/\(name).vidscan"
        let frames = try CSVTable(path: result + "/frames.csv").rows.count
        try #require(frames > 20)
        let video = try #require(folder.entries.first { $0.contains("/anonymized.m") })
        #expect(try RawVideo(folder.path + "/" + video, width: 640, height: 360).frameCount == frames)
    }

    @Test(
        "Faces are covered in videos without timestamps and with any start time",
        arguments: ["raw.h264", "starttime.ts"])
    func clocks(name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Tool.run(
            "analyze", try Variants.path(name), "--anonymize", "solid", "--crf", "0", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let video = try #require(folder.entries.first { $0.contains("/anonymized.m") })
        #expect(try coveredFrames(of: folder.path + "/" + video) == Array(0..<75))
    }

    // MARK: Sources

    @Test("A video that was changed after the analysis is refused")
    func otherSource() throws {
        let folder = try anonymizedMovie()
        let before = folder.entries
        try #require(try ChildProcess.run(["cp", "-p", "movie.mkv", "old"], in: folder.path).status == 0)
        // A file of the same size.
        var bytes = try folder.bytes("movie.mkv")
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: folder.path + "/other.mkv"))
        for arguments in [["--input", "other.mkv"], []] {
            if arguments.isEmpty {
                try FileManager.default.removeItem(atPath: folder.path + "/movie.mkv")
                try FileManager.default.moveItem(
                    atPath: folder.path + "/other.mkv", toPath: folder.path + "/movie.mkv")
            }
            let outcome = try ChildProcess.run(
                [Checkout.tool, "render", "movie.mkv.vidscan", "--anonymize", "solid", "-o", "new.mp4"] + arguments,
                in: folder.path)
            outcome.expectError("has changed since it was analysed (its date); analyse it again\n")
        }
        // One that has the old date, too.
        for command in [["touch", "-r", "old", "movie.mkv"], ["rm", "old"]] {
            try #require(try ChildProcess.run(command, in: folder.path).status == 0)
        }
        try Tool.run("render", "movie.mkv.vidscan", "--anonymize", "solid", "-o", "new.mp4", in: folder)
            .expectError("movie.mkv is not the file that was analysed: its SHA-256 differs; no video was written")
        #expect(folder.entries == before)
    }
}
