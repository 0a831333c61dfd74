import Foundation
import Testing
import TestSupport

/// What an anonymized video and its folder still reveal.
@Suite("An anonymized result says no more than it must")
struct AnonymizedResultTests: AnonymizationTesting {
    @Test("An unknown person_id or face_id is an error that lists the known ones")
    func ids() throws {
        let folder = try anonymizedMovie()
        let before = folder.entries
        for (options, message) in [
            (["--keep", "1,7"], "has no person_id 7, which --keep or --hide names; it has 1"),
            (["--hide", "2,3,7"], "has no person_id 2-3, 7, which --keep or --hide names; it has 1"),
            (["--keep-face", "7"], "has no face_id 7, which --keep-face or --hide-face names; it has 1"),
            (
                ["--keep", "1", "--hide-face", "1,8"],
                "has no face_id 8, which --keep-face or --hide-face names; it has 1"
            ),
        ] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "render", "movie.mkv.vidscan", "--anonymize", "blur", "-o", "new.mp4"] + options,
                in: folder.path)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "vidscan: error: movie.mkv.vidscan: \(message)\n")
            #expect(folder.entries == before)
        }
        for (options, frames) in [
            (["--hide", "1"], 24), (["--keep", "1", "--hide-face", "1"], 24), (["--keep", "1"], 0),
        ] {
            let known = try ChildProcess.run(
                [Checkout.tool, "render", "movie.mkv.vidscan", "--anonymize", "solid", "--crf", "0", "-o", "new.mp4"]
                    + ["-q", "--force"] + options, in: folder.path)
            #expect(known.status == 0 && known.errors == "")
            #expect(try coveredFrames(of: folder.path + "/new.mp4") == Array(0..<frames), "\(options)")
        }
    }

    @Test("A video that shows the faces never takes the place of one that hides them")
    func shown() throws {
        let folder = try anonymizedMovie()
        let name = "movie.mkv.vidscan"
        try #require(try Tool.run("render", name, "--anonymize", "solid", "-o", "new.mp4", in: folder).status == 0)
        let video = try #require(folder.entries.first { $0.contains("/anonymized.") && !$0.hasSuffix("json") })
        for output in ["new.mp4", video] {
            let before = try folder.bytes(output)
            try Tool.run("render", name, "-o", output, "--force", in: folder).expectError(
                "says that \(output) is a video with hidden faces; name another file")
            #expect(try folder.bytes(output) == before)
        }
        let overlay = try Tool.run("render", name, in: folder)
        #expect(overlay.status == 0, "\(overlay.errors)")
        #expect(overlay.errors.contains(" shows every face; --anonymize hides them"), "\(overlay.errors)")
        let proxy = try Tool.run("report", name, "--proxy", in: folder)
        #expect(proxy.errors.contains("proxy.mp4 shows every face; --anonymize hides them"), "\(proxy.errors)")
    }

    @Test("No video takes the name of another one in the result", arguments: ["anonymized.mp4", "inverted.mkv"])
    func usualName(output: String) throws {
        let folder = try anonymizedMovie()
        let entries = folder.entries
        try Tool.run(
            "render", "movie.mkv.vidscan", "--anonymize", "solid", "--force", "-o", "movie.mkv.vidscan/" + output,
            in: folder
        ).expectError("is the name of a video of the result; leave out --output, or name another file")
        #expect(folder.entries == entries)
    }

    @Test("A video with hidden faces in another format replaces the earlier one only if that is asked for")
    func otherFormat() throws {
        let folder = try anonymizedMovie()
        let videos = { folder.entries.filter { $0.contains("/anonymized.") && !$0.hasSuffix("json") } }
        try #require(videos().count == 1)
        let codec = videos()[0].hasSuffix("mkv") ? "h264" : "ffv1"
        let render = ["render", "movie.mkv.vidscan", "--anonymize", "solid", "--codec", codec, "--no-audio"]
        let before = try folder.bytes(videos()[0])
        let refused = try ChildProcess.run([Checkout.tool] + render, in: folder.path)
        #expect(refused.status == 1 && refused.errors.contains("exists; --force replaces it"), "\(refused.errors)")
        #expect(try folder.bytes(videos()[0]) == before && videos().count == 1)
        let forced = try ChildProcess.run([Checkout.tool] + render + ["--force"], in: folder.path)
        #expect(forced.status == 0 && videos().count == 1, "\(forced.errors), \(videos())")
    }

    private func streams(_ path: String) throws -> [String] {
        let listed = try ChildProcess.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", path,
        ])
        return listed.output.split(separator: "\n").map(String.init)
    }

    @Test("Subtitles are left out with a warning, unless --keep-subtitles is given", arguments: [[], ["--no-audio"]])
    func subtitles(options: [String]) throws {
        let folder = try anonymizedMovie()
        let secret = Data("Secret Street".utf8)
        let video = "movie.mkv.vidscan/anonymized.mp4"
        #expect(try streams(folder.path + "/" + video) == ["video", "audio"])
        #expect(try folder.bytes(video).range(of: secret) == nil)
        #expect(try folder.text("errors.txt").contains("movie.mkv: 1 subtitle stream was left out"))
        let sound = options.isEmpty ? ["audio"] : []
        for (more, kept) in [([], false), (["--keep-subtitles"], true)] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "render", "movie.mkv.vidscan", "--anonymize", "solid", "-o", "new.mkv", "--force"]
                    + options + more, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("was left out") == !kept)
            #expect(
                try streams(folder.path + "/new.mkv") == ["video"] + sound + (kept ? ["subtitle"] : []))
            #expect((try folder.bytes("new.mkv").range(of: secret) != nil) == kept)
        }
        let pipeline = try folder.write("render: {anonymize: solid, keep_subtitles: true}\n", to: "p.yaml")
        let outcome = try Tool.run(
            "render", "movie.mkv.vidscan", "--pipeline", pipeline, "-o", "new.mkv", "--force", in: folder)
        #expect(outcome.status == 0 && !outcome.errors.contains("was left out"))
        #expect(try folder.bytes("new.mkv").range(of: secret) != nil)
        // A video that is not anonymized keeps its subtitles.
        let plain = try Tool.run(
            "render", "movie.mkv.vidscan", "--show", "box", "-o", "plain.mkv", in: folder)
        #expect(plain.status == 0 && !plain.errors.contains("subtitles"))
        #expect(try folder.bytes("plain.mkv").range(of: secret) != nil)
    }

    @Test("Closed captions in the video stream are subtitles too")
    func captions() throws {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-ss", "2", "-i", Checkout.clip, "-frames:v", "12", "-an", "-c:v", "mpeg2video", "-q:v", "2", "-f",
            "mpeg2video", folder.path + "/plain.m2v")
        // ATSC A/53 user data before the first slice of each picture: two letters of line 21.
        let captions: [UInt8] = [
            0, 0, 1, 0xB2, 0x47, 0x41, 0x39, 0x34, 3, 0x41, 0xFF, 0xFC, 0xC1, 0x42, 0xFF,
        ]
        let plain = [UInt8](try folder.bytes("plain.m2v"))
        var bytes: [UInt8] = []
        for index in plain.indices {
            if index + 3 < plain.count, plain[index..<(index + 4)] == [0, 0, 1, 1] { bytes += captions }
            bytes.append(plain[index])
        }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/captions.m2v"))
        let count = { (path: String) in
            try ChildProcess.run([
                "ffprobe", "-v", "error", "-show_entries", "frame_side_data=side_data_type", "-show_frames", "-of",
                "csv=p=0", folder.path + "/" + path,
            ]).output.matches(of: /Closed Captions/).count
        }
        try #require(try count("captions.m2v") == 12)
        let made = try Tool.run("analyze", "captions.m2v", "--anonymize", "solid", "--tables", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        #expect(try count("captions.m2v.vidscan/anonymized.mp4") == 0)
        let kept = try Tool.run(
            "render", "captions.m2v.vidscan", "--anonymize", "solid", "--keep-subtitles", "-o", "kept.mp4", in: folder)
        try #require(kept.status == 0, "\(kept.errors)")
        #expect(try count("kept.mp4") == 12)
        #expect(try folder.text("kept.mp4.json").contains("subtitles are those of the original, and may name people"))
    }

    @Test("A report shows faces only on request, and never the video's folder")
    func report() throws {
        let folder = try anonymizedMovie("--report")
        let path = "movie.mkv.vidscan/report.html"
        let page = try folder.text(path)
        #expect(page.contains("<h1><bdi>movie.mkv</bdi></h1>"))
        #expect(!page.contains("data:image") && !page.contains(folder.path))
        #expect(page.contains("src=\"anonymized.mp4\"") || page.contains("src=\"anonymized.mkv\""))
        for (options, shown) in [([], false), (["--no-thumbnails"], false), (["--thumbnails"], true)] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "report", "movie.mkv.vidscan", "--force"] + options, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let page = try folder.text(path)
            #expect(page.contains("data:image") == shown, "\(options)")
            #expect(!page.contains(folder.path))
        }
        let asked = try Tool.run(
            "analyze", "movie.mkv", "--anonymize", "solid", "--report", "--thumbnails", "--force", in: folder)
        #expect(asked.status == 0)
        #expect(try folder.text(path).contains("data:image"))
    }

    @Test("The warning also names the embeddings, by which people could be recognised")
    func embeddings() throws {
        let folder = try anonymizedMovie("--people")
        let line =
            "pass on only the anonymized video or picture: beside it, episodes.csv, events.csv, faces.csv, faces.record, quality.csv, tracks.csv may still describe or"
            + " show the people in it, embeddings.npy has the biometric data by which they can be recognised, and run.json has the path"
            + " of the original"
        #expect(try folder.text("errors.txt").contains("vidscan: warning: movie.mkv: \(line)\n"))
        #expect(try folder.text("movie.mkv.vidscan/run.json").contains(line))
    }

    @Test("A warning, also in run.json, lists the files that still describe people")
    func remains() throws {
        let folder = try anonymizedMovie("--report", "--landmarks", "--format", "csv,jsonl")
        let line =
            "pass on only the anonymized video or picture: beside it, episodes.csv, events.csv, faces.csv, faces.jsonl, faces.record,"
            + " landmarks.npy, quality.csv, report.html, tracks.csv may still describe or show the people in it, and run.json has the path of"
            + " the original"
        #expect(try folder.text("errors.txt").contains("vidscan: warning: movie.mkv: \(line)\n"))
        #expect(try folder.text("movie.mkv.vidscan/run.json").contains(line))
        try FileManager.default.removeItem(atPath: folder.path + "/movie.mkv.vidscan/landmarks.npy")
        // Whatever else is there is named too.
        let others = ["anonymized.mkv.verify.html", "anonymized.vtt", "corrections.json", "my notes.txt"]
        for name in others { try folder.write("x", to: "movie.mkv.vidscan/" + name) }
        let again = try Tool.run("render", "movie.mkv.vidscan", "--anonymize", "blur", "--force", in: folder)
        #expect(again.status == 0)
        #expect(
            again.errors.contains(
                "beside it, \(others.dropLast().joined(separator: ", ")), episodes.csv, events.csv, faces.csv, faces.jsonl, faces.record, my notes.txt,"
                    + " quality.csv, report.html, tracks.csv may still describe or show the people in it, and run.json has the path"
            ),
            "\(again.errors)")
        let elsewhere = try Tool.run(
            "render", "movie.mkv.vidscan", "--anonymize", "blur", "-o", "new.mp4", in: folder)
        #expect(elsewhere.status == 0 && !elsewhere.errors.contains("beside it"))
        try FileManager.default.createDirectory(atPath: folder.path + "/in", withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            atPath: folder.path + "/movie.mkv", toPath: folder.path + "/in/movie.mkv")
        let batch = try Tool.run("batch", "in", "--output", "out", "--anonymize", "blur", in: folder)
        #expect(batch.status == 0, "\(batch.errors)")
        #expect(
            try folder.text("out/movie.mkv.vidscan/run.json").contains("pass on only the anonymized video or picture"))
        #expect(batch.errors.contains("pass on only the anonymized video or picture"), "\(batch.errors)")
    }
}
