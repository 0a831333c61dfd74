import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanMedia

@Suite("verify finds faces that are still visible, and writes nothing unless asked")
struct VerifyTests: AnonymizationTesting {
    /// Five frames of the sample with one face, and the same with the face hidden. A search takes a while for each frame.
    private func clips() throws -> TemporaryFolder {
        try PreparedFolder.copy("five frames, hidden") { folder in
            try ffmpeg(
                "-ss", "9", "-i", Checkout.clip, "-frames:v", "5", "-an", "-c:v", "libx264",
                folder.path + "/movie.mp4")
            let made = try Tool.run("analyze", "movie.mp4", "--anonymize", "blur", "-q", in: folder)
            try #require(made.status == 0, "\(made.errors)")
        }
    }

    @Test("An original has status 1 and its times, and a video with hidden faces status 0")
    func verdicts() throws {
        let folder = try clips()
        let before = folder.entries
        let plain = try Tool.run("verify", "movie.mp4", in: folder)
        #expect(plain.status == 1)
        #expect(plain.output.hasPrefix("movie.mp4: 0.000–0.160 s: 5 frames, at "), "\(plain.output)")
        #expect(
            plain.errors.hasPrefix("vidscan: movie.mp4: a face may be visible in 5 frames; 5 frames searched in "))
        let hidden = try Tool.run("verify", "movie.mp4.vidscan/anonymized.mp4", in: folder)
        #expect(hidden.status == 0 && hidden.output == "", "\(hidden.output)")
        #expect(hidden.errors.contains("anonymized.mp4: no face found; 5 frames searched in "), "\(hidden.errors)")
        #expect(folder.entries == before)
    }

    @Test("Findings marked as reviewed are left out, as long as the video does not change")
    func reviewed() throws {
        let folder = try clips()
        let first = try Tool.run("verify", "movie.mp4", "--reviewed", "r.json", in: folder)
        #expect(first.status == 1 && first.output.hasPrefix("movie.mp4: 0.000–0.160 s: 5 frames, at "))
        #expect(first.errors.contains("look at each finding, and mark in r.json those that may stay"))
        // Nothing is reviewed yet.
        let again = try Tool.run("verify", "movie.mp4", "--reviewed", "r.json", in: folder)
        #expect(again.status == 1 && again.errors.contains("note: 0 findings marked as reviewed"))
        let text = try folder.text("r.json")
        let marked = text.replacing("\"reviewed\" : false", with: "\"reviewed\" : true")
        try folder.write(marked, to: "r.json")
        let passed = try Tool.run("verify", "movie.mp4", "--reviewed", "r.json", in: folder)
        #expect(passed.status == 0 && passed.output == "", "\(passed.errors)")
        #expect(passed.errors.contains("note: 1 finding marked as reviewed"))
        #expect(passed.errors.contains(": no other face found; "), "\(passed.errors)")
        // A finding at another time or place is not the one that was reviewed.
        for (key, value) in [("to_seconds", "0.1"), ("stream", "1")] {
            try folder.write(
                marked.replacing(try Regex("\"\(key)\" : [0-9.]+"), with: "\"\(key)\" : \(value)"), to: "r.json")
            #expect(try Tool.run("verify", "movie.mp4", "--reviewed", "r.json", "-q", in: folder).status == 1, "\(key)")
        }
        try folder.write(marked, to: "r.json")
        let video = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/movie.mp4"))
        try video.seekToEnd()
        try video.write(contentsOf: Data([0]))
        try video.close()
        try Tool.run("verify", "movie.mp4", "--reviewed", "r.json", in: folder)
            .expectError("r.json: is for another version of movie.mp4", status: 2)
        try folder.write("{}", to: "r.json")
        #expect(try Tool.run("verify", "movie.mp4", "--reviewed", "r.json", "-q", in: folder).status == 2)
    }

    @Test("A face that was kept visible is not a finding, if the record is that of this video")
    func kept() throws {
        let folder = try clips()
        let digest = try ChildProcess.run(["sha256sum", "movie.mp4"], in: folder.path).output.prefix(64)
        let record = { (sha256: String, from: Double) in
            #"{"sha256": "\#(sha256)", "visible_faces": [[\#(from), 1, 0, 0, 640, 360]]}"#
        }
        let verdicts = try [
            record(String(digest), 0), record(String(digest), 0.2), record(String(repeating: "0", count: 64), 0), "{}",
        ].map { text in
            try folder.write(text, to: "movie.mp4.json")
            return try Tool.run("verify", "movie.mp4", "-q", in: folder).status
        }
        #expect(verdicts == [0, 1, 1, 1])
    }

    @Test("Every frame is listed as CSV and JSON, whatever the number of workers")
    func lists() throws {
        let folder = try clips()
        let truth = try SampleTruth.faces()
        var texts: [String] = []
        for workers in ["1", "3"] {
            let csv = try Tool.run("verify", "movie.mp4", "--format", "csv", "--workers", workers, "-q", in: folder)
            #expect(csv.status == 1 && csv.errors == "")
            texts.append(csv.output)
        }
        #expect(texts[0] == texts[1])
        let table = try CSVTable(texts[0])
        #expect(table.columns == ["time", "frame", "x", "y", "width", "height", "score", "stream"])
        #expect(try table.texts("time") == (0..<5).map { String(format: "%.6f", Double($0) * 0.04) })
        for (row, box) in try table.boxes().enumerated() {
            // The search's box ends at the eyebrows.
            let face = try #require(truth.first { $0.frame == 225 + row }).box
            #expect(box.intersectionOverUnion(with: face) > 0.3, "\(box) \(face)")
        }
        let json = try Tool.run("verify", "movie.mp4", "--format", "json", "-q", in: folder)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.outputBytes)) as? [String: Any])
        #expect(object["frames"] as? Int == 5 && object["frames_with_faces"] as? Int == 5)
        #expect((object["faces"] as? [Any])?.count == 5)
        #expect(object["streams"] as? [Int] == [0] && (object["not_searched"] as? [Any])?.isEmpty == true)
    }

    /// In the scene, a face is 88 pixels wide.
    @Test(
        "A face that moves by its width per frame is one finding; one far away, or of another size, is another",
        arguments: [
            ("pad=1280:360:320,crop=640:360:320-80*n,drawbox=t=fill:enable='eq(n,2)'", 4, ["3 frames"]),
            ("pad=1280:360:320,crop=640:360:320-300*n", 2, ["1 frame", "1 frame"]),
            (
                "split[a][b];[b]crop=320:180:8:119,scale=640:360[c];[a][c]overlay=enable='eq(n,1)'", 2,
                ["1 frame", "1 frame"]
            ),
        ])
    func movement(filter: String, frames: Int, findings: [String]) throws {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-ss", "2", "-t", "0.04", "-i", Checkout.clip, "-an", "-vf", "loop=3:1,setpts=N/25/TB,\(filter)",
            "-frames:v", "\(frames)", "-c:v", "ffv1", folder.path + "/scene.mkv")
        let outcome = try Tool.run("verify", "scene.mkv", "--every-frame", in: folder)
        let found = outcome.output.matches(of: /: ([0-9]+ frames?), at/).map { String($0.output.1) }
        #expect(found == findings, "\(outcome.output)")
    }

    /// Two frames of grey as the first stream of a file, and what else `arguments` add to it.
    private func grey(_ name: String, in folder: TemporaryFolder, _ arguments: [String]) throws {
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=gray:s=960x540:r=5:d=0.4"] + arguments + [
                name
            ],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test("Every video stream and every cover picture is searched, and each finding names its stream")
    func streams() throws {
        let folder = try clips()
        try ffmpeg("-i", folder.path + "/movie.mp4", "-frames:v", "1", folder.path + "/cover.jpg")
        let second = [
            "-map", "0:v", "-map", "1:v", "-c:v", "libx264", "-disposition:0", "default", "-disposition:1", "0",
        ]
        try grey("two.mp4", in: folder, ["-i", "movie.mp4"] + second)
        try grey(
            "cover.mp4", in: folder,
            ["-i", "cover.jpg", "-map", "0:v", "-map", "1:v", "-c:v:0", "libx264", "-c:v:1", "copy"]
                + ["-disposition:v:1", "attached_pic"])
        try grey(
            "cover.mkv", in: folder,
            ["-c:v", "libx264", "-attach", "cover.jpg", "-metadata:s:t", "mimetype=image/jpeg"])
        for (name, frames, span) in [
            ("two.mp4", 5, "0.000–0.160 s: 5 frames"), ("cover.mp4", 1, "0.000 s: 1 frame"),
            ("cover.mkv", 1, "0.000 s: 1 frame"),
        ] {
            let text = try Tool.run("verify", name, "--page", in: folder)
            #expect(text.status == 1, "\(name): \(text.errors)")
            #expect(text.output.hasPrefix("\(name): stream 1, \(span), at "), "\(text.output)")
            #expect(text.errors.contains("in \(NumberText.count(frames, "frame")); \(2 + frames) frames searched"))
            #expect(try folder.text(name + ".verify.html").contains("<b>stream 1, 0.000"))
            let csv = try Tool.run("verify", name, "--format", "csv", "-q", in: folder)
            #expect(try CSVTable(csv.output).texts("stream") == Array(repeating: "1", count: frames))
        }
    }

    @Test("What cannot be searched is named, and the exit status is 2")
    func unsearched() throws {
        let folder = try clips()
        try ffmpeg("-i", folder.path + "/movie.mp4", "-frames:v", "1", folder.path + "/face.jpg")
        try folder.write("1\n00:00:00,100 --> 00:00:00,900\nhello\n", to: "text.srt")
        try grey("text.mkv", in: folder, ["-i", "text.srt", "-c:v", "libx264", "-c:s", "srt"])
        #expect(try Tool.run("verify", "text.mkv", "-q", in: folder).status == 0)
        try grey(
            "attached.mkv", in: folder,
            ["-c:v", "libx264", "-attach", "face.jpg", "-metadata:s:t", "mimetype=application/octet-stream"])
        // Subtitles that are pictures, of a format for which FFmpeg has a header but no encoder here.
        try grey("bitmap.mkv", in: folder, ["-i", "text.srt", "-c:v", "libx264", "-c:s", "srt"])
        let matroska = try folder.bytes("bitmap.mkv")
        var bitmap = matroska
        let codec = try #require(bitmap.range(of: Data("S_TEXT/UTF8".utf8)))
        bitmap.replaceSubrange(codec, with: Data("S_HDMV/PGS\0".utf8))
        try bitmap.write(to: URL(fileURLWithPath: folder.path + "/bitmap.mkv"))
        // A picture with another one in its header, as cameras write it.
        try ffmpeg("-f", "lavfi", "-i", "color=gray:s=320x240", "-frames:v", "1", folder.path + "/grey.jpg")
        let preview = try folder.bytes("face.jpg")
        let (picture, length) = (try folder.bytes("grey.jpg"), preview.count + 2)
        try #require(length < 65536)
        let segment = Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)])
        try (picture.prefix(2) + segment + preview + picture.dropFirst(2)).write(
            to: URL(fileURLWithPath: folder.path + "/preview.jpg"))
        try ffmpeg("-f", "lavfi", "-i", "color=gray:s=320x240", "-frames:v", "1", folder.path + "/grey.png")
        let png = try folder.bytes("grey.png")
        let exif = Data([0, 0, UInt8(preview.count >> 8), UInt8(preview.count & 255)]) + Data("eXIf".utf8) + preview
        // After the header of 33 bytes; the sum that ends a chunk is not checked.
        try (png.prefix(33) + exif + Data(count: 4) + png.dropFirst(33)).write(
            to: URL(fileURLWithPath: folder.path + "/preview.png"))
        try ffmpeg("-f", "lavfi", "-i", "color=gray:s=320x240", "-frames:v", "1", folder.path + "/grey.webp")
        let size = Data([UInt8(preview.count & 255), UInt8(preview.count >> 8), 0, 0])
        try (try folder.bytes("grey.webp") + Data("EXIF".utf8) + size + preview).write(
            to: URL(fileURLWithPath: folder.path + "/preview.webp"))
        try ffmpeg("-f", "lavfi", "-i", "color=gray:s=320x240", "-frames:v", "1", folder.path + "/pages.tiff")
        try ffmpeg(
            "-f", "lavfi", "-i", "color=gray@0.5:s=320x240,format=rgba", "-frames:v", "1", folder.path + "/clear.png")
        for (name, reason) in [
            ("preview.webp", "a preview or a further page"), ("pages.tiff", "a preview or a further page"),
            (
                "clear.png",
                "the transparent parts of stream 0: encode it again without transparency to remove them"
            ),
            ("attached.mkv", "stream 1 (an attachment)"), ("bitmap.mkv", "stream 1 (hdmv_pgs_subtitle)"),
            ("preview.jpg", "a preview or a further page"), ("preview.png", "a preview or a further page"),
        ] {
            let outcome = try Tool.run("verify", name, "--page", in: folder)
            #expect(outcome.status == 2 && outcome.output == "", "\(outcome.errors)")
            #expect(outcome.errors.contains("\(name): no face found in the searched parts; "))
            #expect(
                outcome.errors.contains(
                    "error: \(name): not everything was searched, and a face may be visible in the rest: \(reason)"),
                "\(outcome.errors)")
            #expect(try folder.text(name + ".verify.html").contains("Not searched: \(reason)."))
            let json = try Tool.run("verify", name, "--format", "json", "-q", in: folder)
            let object = try JSONSerialization.jsonObject(with: Data(json.outputBytes)) as? [String: Any]
            #expect(object?["not_searched"] as? [String] == [reason])
        }
        for name in ["grey.jpg", "grey.png", "grey.webp"] {
            #expect(try Tool.run("verify", name, "-q", in: folder).status == 0)
        }
    }

    @Test("A link to a folder, and the folder of a result that has no record, count as not searched")
    func skipped() throws {
        let folder = try TemporaryFolder()
        let (files, place) = (FileManager.default, folder.path + "/public")
        try files.createDirectory(atPath: place, withIntermediateDirectories: false)
        try ffmpeg("-f", "lavfi", "-i", "color=gray:s=320x240", "-frames:v", "1", place + "/grey.png")
        #expect(try Tool.run("verify", "public", "-q", in: folder).status == 0)
        try files.createSymbolicLink(atPath: place + "/link", withDestinationPath: "..")
        try Tool.run("verify", "public", "-q", in: folder)
            .expectError("public/link: has no video with hidden faces", status: 2)
        try files.removeItem(atPath: place + "/link")
        try files.createDirectory(atPath: place + "/x.vidscan", withIntermediateDirectories: false)
        try Tool.run("verify", "public", "-q", in: folder)
            .expectError("public/x.vidscan: has no video with hidden faces", status: 2)
    }

    @Test("The edges of a picture that are cropped without encoding it again count as not searched")
    func cropped() throws {
        let folder = try clips()
        try grey("whole.mp4", in: folder, ["-c:v", "libx264"])
        try ffmpeg(
            "-i", folder.path + "/whole.mp4", "-c", "copy", "-bsf:v", "h264_metadata=crop_left=80",
            folder.path + "/cropped.mp4")
        let outcome = try Tool.run("verify", "cropped.mp4", in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("the edges of stream 0 that are cropped in players only"), "\(outcome.errors)")
    }

    @Test("Frames that an edit list hides count as not searched")
    func trimmed() throws {
        let folder = try clips()
        try grey("whole.mp4", in: folder, ["-c:v", "libx264"])
        #expect(try Tool.run("verify", "whole.mp4", "-q", in: folder).status == 0)
        try ffmpeg("-ss", "0.2", "-i", folder.path + "/whole.mp4", "-c", "copy", folder.path + "/trimmed.mp4")
        let outcome = try Tool.run("verify", "trimmed.mp4", in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("1 frame of stream 0 that the edit list hides"), "\(outcome.errors)")
    }

    @Test("The page has a picture of each finding, loads nothing, and is not replaced")
    func page() throws {
        let folder = try clips()
        let evil = "a<b>&\".mp4"
        try FileManager.default.moveItem(atPath: folder.path + "/movie.mp4", toPath: folder.path + "/" + evil)
        #expect(try Tool.run("verify", evil, "--page", "-q", in: folder).status == 1)
        let page = try folder.text(evil + ".verify.html")
        #expect(page.contains("<h1><bdi>a&lt;b&gt;&amp;&quot;.mp4</bdi></h1>") && !page.contains("<b>&"))
        #expect(page.components(separatedBy: "<img src=\"data:image/jpeg;base64,").count == 2)
        #expect(page.contains("default-src 'none'") && !page.contains("http:") && !page.contains("https"))
        let again = try Tool.run("verify", evil, "--page", in: folder)
        again.expectError("\(evil).verify.html exists; --force replaces it", status: 2)
        let named = try Tool.run("verify", evil, "--output", "p.html", "-q", in: folder)
        #expect(named.status == 1 && folder.entries.contains("p.html"))
    }

    @Test("A file that cannot be read, or not to its end, is an error")
    func damaged() throws {
        let folder = try clips()
        try Tool.run("verify", "none.mp4", in: folder)
            .expectError("none.mp4: cannot open: No such file or directory", status: 2)
        try folder.write("no video", to: "text.mp4")
        try Tool.run("verify", "text.mp4", in: folder).expectError("text.mp4: not a video or picture", status: 2)
        // What cannot be decoded cannot be searched.
        let part = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "fatal", "-ss", "1.5", "-i", try Variants.path("corrupt.mkv"), "-t", "0.3"]
                + ["-c", "copy", "corrupt.mkv"], in: folder.path)
        try #require(part.status == 0, "\(part.errors)")
        let corrupt = try Tool.run("verify", "corrupt.mkv", "-q", in: folder)
        #expect(corrupt.status == 2)
        #expect(
            corrupt.errors.contains(
                "not everything was searched, and a face may be visible in the rest: the damaged part of stream 0 (decoding"
                    + " reported "), "\(corrupt.errors)")
        let wrong = try Tool.run("verify", "movie.mp4", "--min-score", "2", in: folder)
        wrong.expectError("--min-score must be 0.1 to 0.9", status: 2)
    }

    @Test("Faces that the record beside a video keeps visible are counted instead of reported")
    func recordFromElsewhere() throws {
        let folder = try clips()
        let digest = try FileDigest.sha256(path: folder.path + "/movie.mp4")
        try folder.write(#"{"sha256": "\#(digest)", "visible_faces": [[0, 9, 0, 0, 9999, 9999]]}"#, to: "movie.json")
        let outcome = try Tool.run("verify", "movie.mp4", "--format", "json", in: folder)
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains(
                ": no other face found; the record beside it keeps people visible in 5 frames; 5 frames searched"),
            "\(outcome.errors)")
        #expect(outcome.output.contains("\"frames_with_kept_faces\" : 5"))
    }

    @Test("Of a result, the video with hidden faces is searched; a result without one is an error")
    func result() throws {
        let folder = try clips()
        try #require(
            try Tool.run("analyze", "movie.mp4", "--anonymize", "solid", "-q", "--force", in: folder).status == 0)
        let outcome = try Tool.run("verify", "movie.mp4.vidscan", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("movie.mp4.vidscan/anonymized.mp4: no face found; "))
        // Another one, in another container.
        try FileManager.default.copyItem(
            atPath: folder.path + "/movie.mp4", toPath: folder.path + "/movie.mp4.vidscan/anonymized.mkv")
        let both = try Tool.run("verify", "movie.mp4.vidscan", in: folder)
        #expect(both.status == 1 && both.errors.contains("anonymized.mkv: a face may be visible in 5 frames; "))
        try Tool.run("verify", "movie.mp4.vidscan", "--format", "csv", in: folder)
            .expectError("--format csv works with one input only", status: 2)
        try #require(try Tool.run("analyze", "movie.mp4", "-q", "--force", in: folder).status == 0)
        try Tool.run("verify", "movie.mp4.vidscan", in: folder)
            .expectError("movie.mp4.vidscan: has no video with hidden faces", status: 2)
    }

    @Test("Of another folder, all results are searched, or all videos; a result without a hidden video is an error")
    func folders() throws {
        let folder = try clips()
        let hidden = try Tool.run("verify", ".", in: folder)
        #expect(hidden.status == 0 && hidden.errors.contains("movie.mp4.vidscan/anonymized.mp4: no face found; "))
        try #require(try Tool.run("analyze", "movie.mp4", "-q", "--output", "other", in: folder).status == 0)
        let other = try Tool.run("verify", ".", in: folder)
        #expect(other.status == 2 && other.errors.contains("other/movie.mp4.vidscan: has no video with hidden faces"))
        #expect(other.errors.contains("movie.mp4.vidscan/anonymized.mp4: no face found; "))
        try FileManager.default.createDirectory(atPath: folder.path + "/public", withIntermediateDirectories: false)
        try folder.write("", to: "public/notes.txt")
        try FileManager.default.copyItem(
            atPath: folder.path + "/movie.mp4", toPath: folder.path + "/public/video-1.mp4")
        let published = try Tool.run("verify", "public", in: folder)
        #expect(
            published.status == 1 && published.errors.contains("public/video-1.mp4: a face may be visible in 5 frames"))
    }
}
