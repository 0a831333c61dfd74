import Foundation
import TestSupport
import Testing

/// What `analyze --anonymize` leaves in the result, and how thoroughly it searches.
@Suite("Hiding faces leaves the video and a short record")
struct HidingTests: AnonymizationTesting {
    /// Half a second of the sample with one face, or fewer frames.
    private func clip(frames: Int = 12) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-ss", "2", "-i", Checkout.clip, "-frames:v", "\(frames)", "-an", "-c:v", "libx264",
            folder.path + "/movie.mp4")
        return folder
    }

    private func names(_ result: String, in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(result)").sorted()
    }

    private func object(_ path: String, in folder: TemporaryFolder) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: folder.bytes(path)) as? [String: Any])
    }

    @Test("Faces are searched in what is seen of a picture with transparent parts")
    func transparency() throws {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-i", try Variants.path("still.png"), "-filter_complex",
            "split[a][b];[a]lutrgb=r=255:g=255:b=255[w];[b]format=gray[g];[w][g]alphamerge", "-frames:v", "1",
            folder.path + "/stencil.png")
        let outcome = try Tool.run("analyze", "stencil.png", "--anonymize", "solid", in: folder)
        #expect(outcome.status == 0 && outcome.errors.contains("faces hidden in 1 of 1 frame"), "\(outcome.errors)")
    }

    @Test(
        "--anonymize and --pipeline anonymize search alike and leave no tables",
        arguments: [["--anonymize", "blur"], ["--pipeline", "anonymize"]])
    func alone(options: [String]) throws {
        let folder = try clip()
        let outcome = try ChildProcess.run([Checkout.tool, "analyze", "movie.mp4"] + options, in: folder.path)
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(try names("movie.mp4.vidscan", in: folder) == ["anonymized.json", "anonymized.mp4", "run.json"])
        #expect(
            outcome.errors.hasPrefix(
                "vidscan: warning: movie.mp4: pass on only the anonymized video or picture: beside it, run.json has the"
                    + " path of the original\n"))
        let record = try object("movie.mp4.vidscan/anonymized.json", in: folder)
        let search = try #require(record["search"] as? [String: Any])
        #expect(search["rate"] as? String == "every-frame" && search["accuracy"] as? String == "high")
        #expect(search["faces"] as? String == "small" && search["minimum_confidence"] as? Double == 0.3)
        let frames = try #require(record["frames"] as? [String: Any])
        #expect(frames["total"] as? Int == 12 && frames["with_hidden_faces"] as? Int == 12)
        let hidden = try #require(record["hidden"] as? [[String: Any]])
        #expect(hidden.count == 1)
        #expect(hidden[0]["from_seconds"] as? Double == 0 && hidden[0]["to_seconds"] as? Double == 0.44)
        #expect(hidden[0]["frames"] as? Int == 12 && hidden[0]["faces"] as? Int == 1)
        #expect(record["copies_audio"] as? Bool == true && record["method"] as? String == "blur")
        #expect(try !folder.text("movie.mp4.vidscan/anonymized.json").contains(folder.path))
        let settings = try #require(try object("movie.mp4.vidscan/run.json", in: folder)["pipeline"] as? [String: Any])
        #expect((settings["write"] as? [String: Any])?["tables"] as? Bool == false)
        #expect((settings["measure"] as? [String: Any])?["metrics"] as? [String] == ["none"])
        // Nothing else can be made from it, and the error says why.
        for command in ["render", "report"] {
            let next = try Tool.run(command, "movie.mp4.vidscan", in: folder)
            next.expectError(
                "movie.mp4.vidscan: has no faces.csv, because --anonymize alone keeps no tables; analyse the video again"
                    + " with --tables\n")
        }
    }

    @Test("Tables stay if something asks for them, and --no-tables leaves them out")
    func tables() throws {
        let folder = try clip(frames: 4)
        let tables = [
            "episodes.csv", "events.csv", "faces.csv", "faces.record", "frames.csv", "quality.csv", "tracks.csv",
        ]
        let video = ["anonymized.json", "anonymized.mp4", "run.json"]
        for (options, files) in [
            ("--tables", video + tables), ("--format csv", video + tables), ("--metrics smile", video + tables),
            ("--metrics none", video), ("--report", video + tables + ["report.html"]),
            ("--report --no-tables", video + ["report.html"]), ("--shape mesh", video),
            ("--landmarks", video + tables + ["landmarks.npy"]),
        ] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "analyze", "movie.mp4", "--anonymize", "solid", "--force", "-q"]
                    + options.split(separator: " ").map(String.init), in: folder.path)
            try #require(outcome.status == 0, "\(options): \(outcome.errors)")
            #expect(try names("movie.mp4.vidscan", in: folder) == files.sorted(), "\(options)")
            // The record repeats the run.
            let again = try Tool.run(
                "analyze", "movie.mp4", "--pipeline", "movie.mp4.vidscan/run.json", "-o", "again", "--force", "-q",
                in: folder)
            try #require(again.status == 0, "\(options): \(again.errors)")
            #expect(try names("again/movie.mp4.vidscan", in: folder) == files.sorted(), "\(options)")
        }
    }

    @Test("Settings of a pipeline that would leave faces visible are raised, and a note says so")
    func raised() throws {
        let folder = try clip()
        try folder.write("sample: {rate: 5}\ndetect: {min_confidence: 0.4}\n", to: "p.yaml")
        let outcome = try Tool.run("analyze", "movie.mp4", "--pipeline", "p.yaml", "--anonymize", "blur", in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.errors.hasPrefix(
                "vidscan: note: hiding faces changes settings of the pipeline: sample.rate from 5 to every-frame,"
                    + " detect.min_confidence from 0.4 to 0.3\n"))
        #expect(try FrameCount.frames(of: folder.path + "/movie.mp4.vidscan/anonymized.mp4") == 12)
    }

    @Test("A batch knows a result without tables as complete")
    func batch() throws {
        let folder = try clip()
        for due in ["1 to analyse", "0 to analyse"] {
            let outcome = try Tool.run("batch", "movie.mp4", "--anonymize", "blur", "-o", "out", in: folder)
            #expect(outcome.status == 0 && outcome.errors.contains(due), "\(outcome.errors)")
        }
        #expect(
            try names("out/movie.mp4.vidscan", in: folder) == ["anonymized.json", "anonymized.mp4", "run.json"])
    }

    @Test(
        "A rectangle covers the corners of the face's box, and an ellipse does not",
        arguments: ["rectangle", "ellipse"])
    func shapes(shape: String) throws {
        let folder = try clip()
        let outcome = try Tool.run(
            "analyze", "movie.mp4", "--anonymize", "solid", "--shape", shape, "--margin", "0.1", "--tables", "--crf",
            "0", "-q", in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let video = try RawVideo(folder.path + "/movie.mp4.vidscan/anonymized.mp4", width: 640, height: 360)
        let faces = try CSVTable(path: folder.path + "/movie.mp4.vidscan/faces.csv")
        let box = try ["x", "y", "width", "height"].map { try #require(try faces.numbers($0).first) }
        let colour = video.luma(0, Int(box[0] + box[2] / 2), Int(box[1] + box[3] / 2))
        let corners = [0.02, 0.98].flatMap { x in
            [0.02, 0.98].map { y in video.luma(0, Int(box[0] + x * box[2]), Int(box[1] + y * box[3])) }
        }
        #expect(corners.allSatisfy { $0 == colour } == (shape == "rectangle"), "\(corners) \(colour)")
    }

    @Test("Less than the usual cover is warned about, and --invert is called what it is")
    func weak() throws {
        let folder = try clip()
        let weak = try Tool.run(
            "analyze", "movie.mp4", "--anonymize", "blur", "--margin", "0", "--strength", "0.1", "--hold", "0",
            in: folder)
        #expect(weak.status == 0)
        #expect(
            weak.errors.contains(
                "less is hidden than usual (margin 0 instead of 0.35, strength 0.1 instead of 0.5, hold 0 s instead of 0.5 s):"
                    + " people may be recognisable"), "\(weak.errors)")
        #expect(weak.errors.contains("movie.mp4: note: faces hidden in "))
        let inverted = try Tool.run("analyze", "movie.mp4", "--anonymize", "solid", "--invert", "--force", in: folder)
        #expect(inverted.status == 0)
        #expect(try names("movie.mp4.vidscan", in: folder) == ["inverted.json", "inverted.mp4", "run.json"])
        #expect(inverted.errors.contains("only what surrounds the faces is hidden: the faces are visible"))
        #expect(!inverted.errors.contains("pass on"))
    }

    @Test("A page to pass on names no file and no person, and plays nothing but the video with hidden faces")
    func sharedPage() throws {
        let folder = try clip()
        try FileManager.default.moveItem(atPath: folder.path + "/movie.mp4", toPath: folder.path + "/Ann Example.mp4")
        let made = try Tool.run("analyze", "Ann Example.mp4", "--anonymize", "solid", "--tables", "-q", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let result = "Ann Example.mp4.vidscan"
        let faces = try CSVTable(bytes: folder.bytes(result + "/faces.csv"))
        let box = try ["x", "y", "width", "height"].map { try faces.texts($0)[0] }.joined(separator: ", ")
        let size = try folder.bytes("Ann Example.mp4").count
        try folder.write(
            """
            {"format": "vidscan corrections 1", "video": {"name": "Ann Example.mp4", "bytes": \(size)}, "corrections": [
              {"do": "name", "face": {"time": \(try faces.texts("time")[0]), "box": [\(box)]}, "name": "Dr Max Secret"},
              {"do": "note", "time": 0, "text": "Secret note"}]}
            """, to: "c.json")
        let applied = try Tool.run("apply", result, "c.json", "-q", in: folder)
        try #require(applied.status == 0, "\(applied.errors)")
        let page = try Tool.run("report", result, "--hide-faces", "--force", in: folder)
        #expect(page.status == 0, "\(page.errors)")
        let html = try folder.text(result + "/report.html")
        #expect(html.contains("anonymized.mp4"))
        for name in ["Ann Example", "Secret"] { #expect(!html.contains(name), "\(name)") }
        try Tool.run("report", result, "--hide-faces", "--video", "Ann Example.mp4", "--force", in: folder)
            .expectError("--hide-faces and --video cannot be used together", status: 2)
        // People who were kept visible are in the video.
        try #require(
            try Tool.run("render", result, "--anonymize", "solid", "--keep", "1", "--force", "-q", in: folder).status
                == 0)
        let kept = try Tool.run("report", result, "--hide-faces", "--force", in: folder)
        #expect(kept.errors.contains("the video shows the people who were kept visible in it"), "\(kept.errors)")
    }
}

/// Pictures in, pictures out.
@Suite("A picture becomes a picture")
struct HiddenPictureTests: AnonymizationTesting {
    /// A picture of the sample with an odd size.
    private func picture(_ name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-ss", "2", "-i", Checkout.clip, "-vf", "format=rgb24,crop=501:333:20:10", "-frames:v", "1", "-pix_fmt",
            name.hasSuffix("png") ? "rgb24" : "yuvj444p", "-q:v", "2", "\(folder.path)/\(name)")
        return folder
    }

    private func facts(_ path: String) throws -> String {
        try ChildProcess.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0", path,
        ]).output
    }

    @Test(
        "Faces are hidden in a file of the same kind and size, and what is not hidden keeps its colours",
        arguments: [
            ("in.jpg", "anonymized.jpg", "mjpeg"), ("in.png", "anonymized.png", "png"),
            ("in.bmp", "anonymized.png", "png"),
        ])
    func kinds(name: String, output: String, codec: String) throws {
        let folder = try picture(name)
        let outcome = try Tool.run("analyze", name, "--anonymize", "solid", "--hold", "0.1", "-q", in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let result = "\(folder.path)/\(name).vidscan"
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: result).sorted()
                == [output, "anonymized.json", "run.json"].sorted())
        let size = try facts("\(folder.path)/\(name)").split(separator: ",").dropFirst().joined(separator: ",")
        #expect(try facts("\(result)/\(output)") == "\(codec),\(size)")
        // An ellipse is on the face, and the corner of the picture is as it was.
        let compared = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "info", "-i", "\(folder.path)/\(name)", "-i", "\(result)/\(output)",
            "-filter_complex", "[0:v]format=rgb24,crop=60:60:0:0[a];[1:v]format=rgb24,crop=60:60:0:0[b];[a][b]psnr",
            "-f", "null", "-",
        ])
        let match = try #require(compared.errors.firstMatch(of: /average:([0-9.]+|inf)/))
        #expect(match.1 == "inf" || (Double(match.1) ?? 0) > 30, "\(match.1)")
        #expect(try searchedFaces(of: result + "/" + output) == 0)
        #expect(try searchedFaces(of: "\(folder.path)/\(name)") == 1)
    }

    private func searchedFaces(of path: String) throws -> Int {
        let folder = try TemporaryFolder()
        let outcome = try Tool.run("analyze", path, "-q", "--faces", "small", in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let table = try #require(folder.entries.first { $0.hasSuffix("faces.csv") })
        return try CSVTable(path: folder.path + "/" + table).rows.count
    }

    @Test("A cover is drawn, however wide: 33,000 pixels are more than the drawing library can do")
    func wideCover() throws {
        let folder = try TemporaryFolder()
        try ffmpeg("-f", "lavfi", "-i", "testsrc2=s=33000x64", "-frames:v", "1", folder.path + "/wide.png")
        try #require(try Tool.run("analyze", "wide.png", "--anonymize", "solid", "--tables", in: folder).status == 0)
        let bytes = try folder.bytes("wide.png").count
        try folder.write(
            #"{"format": "vidscan covers 1", "video": {"name": "wide.png", "bytes": \#(bytes)}, "covers": ["#
                + #"{"do": "cover", "what": "caption", "keyframes": [{"time": 0, "box": [0, 16, 33000, 32]}]}]}"#,
            to: "covers.json")
        let made = try Tool.run(
            "render", "wide.png.vidscan", "--anonymize", "solid", "--covers", "covers.json", "--force", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let strip = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", folder.path + "/wide.png.vidscan/anonymized.png", "-vf",
            "format=gray,crop=33000:32:0:16", "-f", "rawvideo", "-",
        ]).outputBytes
        let (least, most) = (try #require(strip.min()), try #require(strip.max()))
        #expect(strip.count == 33_000 * 32 && most - least <= 4, "\(least) to \(most)")
    }

    @Test("Grey pictures keep their values", arguments: ["tif", "pgm", "png"])
    func grey(kind: String) throws {
        let folder = try TemporaryFolder()
        try ffmpeg(
            "-f", "lavfi", "-i", "nullsrc=s=256x64,format=gray,geq=lum=X", "-frames:v", "1", "\(folder.path)/in.\(kind)"
        )
        let made = try Tool.run("analyze", "in.\(kind)", "--anonymize", "solid", in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let row = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", "\(folder.path)/in.\(kind).vidscan/anonymized.png", "-vf",
            "extractplanes=g,crop=256:1:0:9", "-f", "rawvideo", "-",
        ]).outputBytes
        try #require(row.count == 256)
        for (x, value) in row.enumerated() { #expect(abs(Int(value) - x) <= 1, "\(x): \(value)") }
    }

    @Test("The limit of pixels holds for what is shown: pixels may be twenty times as wide as high")
    func wideYetSmall() throws {
        let folder = try TemporaryFolder()
        try ffmpeg("-f", "lavfi", "-i", "testsrc2=s=200x200,setsar=20", "-frames:v", "1", folder.path + "/in.png")
        let made = try Tool.run("analyze", "in.png", "--anonymize", "solid", "--max-pixels", "100000", in: folder)
        made.expectError("a frame of 4000x200 exceeds the limit of 100000 pixels; --max-pixels raises the limit")
        #expect(folder.entries == ["in.png"])
    }

    @Test("Nothing remains of the camera's metadata")
    func metadata() throws {
        let folder = try picture("plain.jpg")
        // Exif in a segment after the start of the image, with a name in it.
        let secret = "Jane Doe, 48.2082 N 16.3738 E"
        let exif = Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0] + Array(secret.utf8)
        var bytes = [UInt8](try folder.bytes("plain.jpg"))
        bytes.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif, at: 2)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/in.jpg"))
        let outcome = try Tool.run("analyze", "in.jpg", "--anonymize", "blur", "-q", in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let made = try folder.bytes("in.jpg.vidscan/anonymized.jpg")
        #expect(made.range(of: Data("Jane".utf8)) == nil && made.range(of: Data("Exif".utf8)) == nil)
        #expect(made.range(of: Data("Lavc".utf8)) == nil)
    }

    @Test("render marks faces in a picture, and names the kinds of file that it can write")
    func marked() throws {
        let folder = try picture("in.png")
        try #require(try Tool.run("analyze", "in.png", "-q", "--overlay", in: folder).status == 0)
        #expect(folder.entries.contains("in.png.vidscan/overlay.png"))
        let named = try Tool.run("render", "in.png.vidscan", "-o", "new.jpeg", "-q", in: folder)
        #expect(named.status == 0, "\(named.errors)")
        #expect(try facts(folder.path + "/new.jpeg") == "mjpeg,501,333\n")
        let wrong = try Tool.run("render", "in.png.vidscan", "-o", "new.tif", in: folder)
        wrong.expectError("cannot write new.tif: name a file that ends in .jpg or .png")
    }
}

/// The number of frames of a video.
private enum FrameCount {
    static func frames(of path: String) throws -> Int {
        let counted = try ChildProcess.run([
            "ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
            "stream=nb_read_frames", "-of", "csv=p=0", path,
        ])
        return try #require(Int(counted.output.filter(\.isNumber)))
    }
}
