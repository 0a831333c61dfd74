import Foundation
import Testing
import TestSupport

@Suite("Pipelines set every option of a run")
struct PipelineTests {
    private static let shipped =
        (try? FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/pipelines"))?
        .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted() ?? ["(pipelines cannot be listed)"]

    @Test("Every shipped pipeline is listed, is valid and runs", arguments: shipped)
    func runs(name: String) throws {
        // Less than two seconds, cut beforehand, because --anonymize takes whole videos only.
        let folder = try PreparedFolder.copy("a short faces.mp4") { folder in
            let made = try ChildProcess.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-ss", "2", "-t", "1.6", "-i", Checkout.clip, "faces.mp4"],
                in: folder.path)
            try #require(made.status == 0, "\(made.errors)")
        }
        let listed = try Tool.run("pipelines", "list", in: folder)
        #expect(listed.status == 0)
        #expect(listed.output.split(separator: "\n").contains { $0.hasPrefix(name + "  ") })
        #expect(try Tool.run("pipelines", "check", name, in: folder).output == "\(name): ok\n")
        let run = try Tool.run("analyze", "faces.mp4", "--pipeline", name, "--output", "out", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let entries = folder.entries
        guard name != "anonymize" else {
            #expect(entries.contains("out/faces.mp4.vidscan/anonymized.mp4"))
            return
        }
        #expect(try folder.text("out/faces.mp4.vidscan/faces.csv").split(separator: "\n").count > 3)
    }

    @Test(
        "A run repeated from run.json gives the same tables and video, byte for byte",
        arguments: [
            [
                "--rate", "30000/1001", "--end", "1", "--accuracy", "high", "--min-face", "0.05", "--no-smoothing",
                "--metrics", "smile,eyes", "--format", "csv,jsonl", "--blendshapes",
            ],
            [
                "--every-frame", "--start", "1.5", "--end", "2.25", "--filter", "hqdn3d", "--filter",
                "crop=400:300,hflip",
            ],
            ["--pipeline", "interview", "--end", "2", "--max-gap", "0.5"],
            ["--end", "1", "--overlay", "--style", "full", "--report", "--codec", "ffv1"],
        ])
    func repeated(options: [String]) throws {
        let folder = try TemporaryFolder()
        let first = try ChildProcess.run(
            [Checkout.tool, "analyze", Checkout.clip, "--output", "one", "--quiet"] + options, in: folder.path)
        try #require(first.status == 0, "\(first.errors)")
        let record = "one/faces.mp4.vidscan/run.json"
        let second = try Tool.run(
            "analyze", Checkout.clip, "--pipeline", record, "--output", "two", "--workers", "1", in: folder)
        try #require(second.status == 0, "\(second.errors)")
        let tables = folder.entries.filter { $0.hasPrefix("one/faces.mp4.vidscan/") && !$0.hasSuffix("run.json") }
            // The report names the folder and the run's duration.
            .filter { !$0.hasSuffix("report.html") }
        #expect(tables.count >= 4)
        for table in tables {
            #expect(try folder.bytes(table) == folder.bytes(table.replacing("one/", with: "two/")), "\(table)")
        }
        let pipelines = try [record, "two/faces.mp4.vidscan/run.json"].map { name in
            let object = try JSONSerialization.jsonObject(with: folder.bytes(name)) as? [String: Any]
            return try #require(object?["pipeline"] as? NSDictionary)
        }
        #expect(pipelines[0] == pipelines[1])
        // Settings that belong to one run are not recorded.
        #expect((pipelines[0]["write"] as? [String: Any])?["folder"] == nil)
        // pipelines show prints a pipeline with the same settings.
        let shown = try Tool.run("pipelines", "show", record, in: folder)
        try folder.write(shown.output, to: "again.yaml")
        #expect(try Tool.run("pipelines", "check", "again.yaml", in: folder).status == 0)
    }

    @Test("Every option of an analysis belongs to a setting, and every setting's options exist")
    func options() throws {
        let help = try ChildProcess.run([Checkout.tool, "analyze", "--help"]).output
        let said = Set(help.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
        let schema = try ChildProcess.run([Checkout.tool, "pipelines", "schema"]).output
        let known = Set(
            schema.matches(of: /"(--[a-z-]+)"/).map { String($0.output.1) })
        // No pipeline can set these: the pipeline, the permission for filters, the segment and every command's options.
        // Which part is analysed is one run's affair.
        let others: Set = ["--pipeline", "--allow-file-filters", "--segment", "--help", "--version"]
        #expect(said.subtracting(others) == known)
    }

    private static let wrong: [(String, String)] = [
        ("analyze x.mp4 --pipeline fsat", "fsat: there is no such pipeline; available are "),
        ("analyze x.mp4 --pipeline none.yaml", "none.yaml: cannot read it: No such file or directory"),
        ("analyze x.mp4 --pipeline p.yaml", "p.yaml:2:13: 'detect.accuracy' is best; allowed: low, medium, high"),
        ("analyze x.mp4 --pipeline ends.yaml --start 9", "'sample.end' (5) must come after --start (9)."),
        ("analyze x.mp4 --filter lut3d=a.cube", "--filter: filter 'lut3d' accesses a file through its option 'file'; "),
        ("analyze x.mp4 --filter eqq", "--filter: unknown filter 'eqq'; did you mean 'eq'?"),
        ("sample x.mp4 --filter split", "--filter: the filter chain must have one video input and one video output"),
        ("pipelines show p.yaml", "p.yaml:2:13: 'detect.accuracy' is best; allowed: low, medium, high"),
        ("filters show eqq", "unknown filter 'eqq'; did you mean 'eq'?"),
        ("filters list --category blurs", "The value 'blurs' is invalid for '--category <category>'"),
    ]

    @Test("A wrong pipeline or filter is one line with status 2", arguments: wrong)
    func wrongUsage(line: String, message: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("detect:\n  accuracy: best\n", to: "p.yaml")
        try folder.write("sample:\n  end: 5\n", to: "ends.yaml")
        let outcome = try ChildProcess.run(
            [Checkout.tool] + line.split(separator: " ").map(String.init), in: folder.path)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("vidscan: error: \(message)"), "\(outcome.errors)")
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.output == "")
    }

    @Test("Checking lists every problem of every file")
    func check() throws {
        let folder = try TemporaryFolder()
        try folder.write("detect:\n  accuracy: best\n  min_face: 2\n", to: "p.yaml")
        let outcome = try Tool.run("pipelines", "check", "p.yaml", "fast", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.output == """
                p.yaml:2:13: 'detect.accuracy' is best; allowed: low, medium, high
                p.yaml:3:13: 'detect.min_face' is 2; allowed: a number, 0 to 1
                fast: ok

                """)
    }

    @Test("A pipeline can set the output folder, replacement and messages")
    func output() throws {
        let folder = try TemporaryFolder()
        try folder.write("write:\n  folder: night\n  replace: true\n  messages: quiet\n", to: "p.yaml")
        for _ in 0..<2 {
            let run = try Tool.run(
                "analyze", Checkout.clip, "--pipeline", "p.yaml", "--end", "0.5", in: folder)
            #expect(run.status == 0)
            #expect(run.errors == "")
        }
        #expect(folder.entries.contains("night/faces.mp4.vidscan/faces.csv"))
    }
}

@Suite("Filters change the frame that is analysed")
struct FilterCommandTests {
    @Test("Boxes are in the filtered frame, and the recorded map leads back to the source")
    func places() throws {
        let folder = try TemporaryFolder()
        let options = ["--start", "2", "--end", "3", "--no-smoothing", "--quiet"]
        for (name, filters) in [("plain", []), ("turned", ["--filter", "crop=480:300:20:30,hflip,scale=iw*2:ih*2"])] {
            let run = try ChildProcess.run(
                [Checkout.tool, "analyze", Checkout.clip, "--output", name] + options + filters, in: folder.path)
            try #require(run.status == 0, "\(run.errors)")
        }
        let plain = try CSVTable(path: folder.path + "/plain/faces.mp4.vidscan/faces.csv")
        let turned = try CSVTable(path: folder.path + "/turned/faces.mp4.vidscan/faces.csv")
        let record =
            try JSONSerialization.jsonObject(
                with: folder.bytes("turned/faces.mp4.vidscan/run.json")) as? NSDictionary
        let map = try #require((record?["filters"] as? [String: Any])?["to_source"] as? [String: Double])
        #expect(map == ["xx": -0.5, "xy": 0, "x": 500, "yx": 0, "yy": 0.5, "y": 30])
        try #require(plain.rows.count == turned.rows.count && plain.rows.count >= 5)
        for row in plain.rows.indices {
            let box = try ["x", "y", "width", "height"].map { try #require(try turned.number($0, row)) }
            let centerX = (box[0] + box[2] / 2) * -0.5 + 500
            let centerY = (box[1] + box[3] / 2) * 0.5 + 30
            let expected = try ["x", "y", "width", "height"].map { try #require(try plain.number($0, row)) }
            // The detector sees a mirrored and enlarged picture.
            #expect(abs(centerX - expected[0] - expected[2] / 2) < 4)
            #expect(abs(centerY - expected[1] - expected[3] / 2) < 4)
        }
    }

    @Test("If no map describes the filters, none is recorded, a notice says so, and the page does without the video")
    func noMap() throws {
        let folder = try TemporaryFolder()
        let filter = "lenscorrection=k1=0.1"
        let refused = try Tool.run(
            "analyze", Checkout.clip, "--end", "0.5", "--filter", filter, "--overlay", in: folder)
        #expect(refused.status == 1 && refused.errors.contains("no video can be drawn"), "\(refused.errors)")
        let run = try Tool.run("analyze", Checkout.clip, "--end", "0.5", "--filter", filter, "--report", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        let page = String(decoding: try folder.bytes("faces.mp4.vidscan/report.html"), as: UTF8.self)
        #expect(!page.contains("<video") && !page.contains("data:image/jpeg"))
        let record =
            try JSONSerialization.jsonObject(
                with: folder.bytes("faces.mp4.vidscan/run.json")) as? NSDictionary
        let filters = try #require(record?["filters"] as? [String: Any])
        #expect(filters["to_source"] == nil)
        #expect(filters["chain"] as? String == "lenscorrection=k1=0.1")
        let notices = try #require(record?["notices"] as? [String])
        #expect(notices.contains { $0.hasPrefix("the filters move frames or what they show in unknown ways") })
    }

    @Test("A filter chain that does not fit the frame is an error")
    func unfit() throws {
        let folder = try TemporaryFolder()
        let run = try Tool.run("analyze", Checkout.clip, "--filter", "crop=9999:10", in: folder)
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.contains("faces.mp4: the filter chain cannot be built for frames of 640x360: "))
        let huge = try Tool.run("analyze", Checkout.clip, "--filter", "scale=20000:20000", in: folder)
        #expect(huge.status == 1)
        #expect(huge.errors.contains("a frame of 20000x20000 is larger than FFmpeg can handle"))
        #expect(folder.entries == [])
    }

    @Test("Filters are listed by category and described as text and JSON")
    func lists() throws {
        let folder = try TemporaryFolder()
        let blur = try Tool.run("filters", "list", "--category", "blur", in: folder)
        #expect(blur.output.contains("gblur  "))
        #expect(!blur.output.contains("hflip"))
        let all = try Tool.run("filters", "list", in: folder).output
        #expect(all.contains("deinterlace:\n") && all.contains("  yadif  "))
        let shown = try Tool.run("filters", "show", "eq", "--json", in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(shown.outputBytes)) as? [String: Any]
        #expect(object?["stateless"] as? Bool == true)
        #expect((object?["options"] as? [[String: Any]])?.first?["name"] as? String == "contrast")
        let text = try Tool.run("filters", "show", "hqdn3d", in: folder).output
        #expect(text.contains("stateless  no: runs on every frame"))
    }

    @Test("A preview shows the source and the frame after each filter")
    func preview() throws {
        let folder = try TemporaryFolder()
        let arguments = ["--at", "2.5", "--filter", "hqdn3d,negate", "--filter", "scale=320:-2", "-o", "sheet.png"]
        let made = try ChildProcess.run(
            [Checkout.tool, "filters", "preview", Checkout.clip] + arguments + ["--mark-faces"], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let probed = try ChildProcess.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0",
            folder.path + "/sheet.png",
        ])
        // Two by two panels, 480 pixels wide, with gaps. Pictures are 270 pixels tall, each below two lines of text.
        #expect(probed.output == "png,1008,682\n")
        // The middle of the second picture is the negative of the first.
        let first = try middle(of: folder.path + "/sheet.png", x: 120, y: 120)
        let second = try middle(of: folder.path + "/sheet.png", x: 120, y: 120 + 333)
        for (a, b) in zip(first, second) { #expect(abs(Int(a) + Int(b) - 255) < 24) }
        let again = try ChildProcess.run(
            [Checkout.tool, "filters", "preview", Checkout.clip] + arguments, in: folder.path)
        #expect(again.status == 1)
        #expect(again.errors == "vidscan: error: sheet.png exists; --force replaces it\n")
        let late = try ChildProcess.run(
            [Checkout.tool, "filters", "preview", Checkout.clip, "--at", "99", "-o", "late.png"], in: folder.path)
        #expect(late.status == 1)
        #expect(late.errors.hasSuffix("faces.mp4: has no frame at or after 99.000 s\n"))
        #expect(folder.entries == ["sheet.png"])
    }

    /// The mean red, green and blue of a small patch.
    private func middle(of path: String, x: Int, y: Int) throws -> [UInt8] {
        try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vf", "crop=20:20:\(x):\(y),scale=1:1:flags=area", "-f",
            "rawvideo", "-pix_fmt", "rgb24", "-",
        ]).outputBytes
    }
}
