import Foundation
import Testing
import TestSupport

/// Text from files must not control the terminal, forge lines or look like other text.
@Suite("Text from files cannot control a terminal, a page or a spreadsheet")
struct EscapingTests: BatchTesting {
    private static let evil = "a\u{1B}[31mred\n\u{9B}2J\u{202E}.mp4"
    private static let shown = #"a\u{1B}[31mred\u{A}\u{9B}2J\u{202E}.mp4"#

    /// Control characters, except line ends and tabs, and characters that reorder a line.
    private static func unsafe(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            let isOverride = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            return isOverride || scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        }
    }

    private func expectSafe(
        _ outcome: ChildProcess.Outcome, shows: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(Self.unsafe(outcome.output + outcome.errors) == [], "\(outcome)", sourceLocation: sourceLocation)
        if shows {
            #expect(
                (outcome.output + outcome.errors).contains(Self.shown), "\(outcome)", sourceLocation: sourceLocation)
        }
        for line in outcome.errors.split(separator: "\n") {
            #expect(line.hasPrefix("vidscan: "), "\(outcome)", sourceLocation: sourceLocation)
        }
    }

    /// A folder with two seconds of video that has the hostile name.
    private func folderWithVideo() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: try Variants.path("audiofirst.mp4"), toPath: "\(folder.path)/\(Self.evil)")
        return folder
    }

    private func folderWithBrokenVideo() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("no video\n", to: Self.evil)
        return folder
    }

    @Test("A hostile file name is escaped in every message about a good video")
    func good() throws {
        let folder = try folderWithVideo()
        let result = Self.evil + ".vidscan"
        expectSafe(try Tool.run("analyze", Self.evil, "--report", "--verbose", in: folder))
        expectSafe(try Tool.run("analyze", Self.evil, in: folder))
        expectSafe(try Tool.run("sample", Self.evil, in: folder), shows: false)
        expectSafe(try Tool.run("render", result, "--crf", "40", in: folder))
        expectSafe(try Tool.run("report", result, "--force", in: folder))
        expectSafe(try Tool.run("pipelines", "show", result + "/run.json", in: folder), shows: false)
        for part in ["0/2", "1/2"] { expectSafe(try Tool.run("analyze", Self.evil, "--segment", part, in: folder)) }
        let parts = (0..<2).map { "\(Self.evil).part-\($0)-of-2" }
        expectSafe(try Tool.run("merge", parts[0], parts[1], "--output", "merged", in: folder))
        expectSafe(try Tool.run("report", result, "merged/" + result, "--output", "index.html", "--force", in: folder))
        for page in [result + "/report.html", "index.html"] {
            let text = try folder.text(page)
            #expect(Self.unsafe(text) == [], "\(page)")
            #expect(text.contains(#"red"#) && text.contains(#"\u{9B}2J\u{202E}.mp4"#), "\(page)")
        }
    }

    @Test("A hostile file name is escaped in every command's error")
    func broken() throws {
        let folder = try folderWithBrokenVideo()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(Self.evil).vidscan", withIntermediateDirectories: false)
        let commands = [
            ["analyze", Self.evil], ["analyze", Self.evil, "--anonymize", "blur"], ["sample", Self.evil],
            ["render", Self.evil + ".vidscan"], ["report", Self.evil + ".vidscan"], ["merge", Self.evil],
            ["merge", Self.evil + ".vidscan"], ["filters", "preview", Self.evil, "--output", "sheet.png"],
            ["filters", "show", Self.evil], ["pipelines", "check", Self.evil], ["pipelines", "show", Self.evil],
            ["analyze", "a.mp4", "--pipeline", Self.evil], ["batch", "status", Self.evil],
            ["batch", "merge", Self.evil], ["batch", "prune", Self.evil, "--older-than", "1"],
            ["batch", "--from", Self.evil + "2", "--output", "out"], ["analyze", "--filter", Self.evil, "a.mp4"],
            ["analyze", Self.evil, "--rate", Self.evil], [Self.evil], ["analyze", "a.mp4", "--" + Self.evil],
        ]
        for command in commands {
            let outcome = try ChildProcess.run([Checkout.tool] + command, in: folder.path)
            #expect(outcome.status == 1 || outcome.status == 2, "\(command)")
            expectSafe(outcome)
            #expect((outcome.output + outcome.errors).split(separator: "\n").count == 1, "\(command): \(outcome)")
        }
    }

    @Test("A folder for results whose name is not UTF-8 is refused")
    func noText() throws {
        let folder = try makeFolder(["good.png"])
        let outcome = try Tool.shell("mkdir $'r\\xff' && \"$0\" batch in --output $'r\\xff'", in: folder)
        #expect(
            outcome.status == 2
                && outcome.errors == "vidscan: error: an argument is not valid UTF-8: r\u{FFFD}\n")
        #expect(!folder.entries.contains { $0.hasSuffix("run.json") })
    }

    @Test("A name that is not UTF-8 is an error, and the other files are analysed")
    func notText() throws {
        let folder = try makeFolder(["good.png"])
        let outcome = try Tool.shell(
            "cp in/good.png $'in/bad\\xff\\e[31m.png' && \"$0\" analyze in/*.png && echo well", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errorLines.first
                == #"vidscan: error: in/bad\#u{FFFD}\u{1B}[31m.png: its name is not valid UTF-8; rename it"#)
        expectSafe(outcome, shows: false)
        #expect(folder.entries.contains("good.png.vidscan/run.json"))
    }

    @Test("JSON messages hold the original name as a value and the escaped name in the text")
    func json() throws {
        let folder = try folderWithBrokenVideo()
        let outcome = try Tool.run("analyze", Self.evil, "--log-format", "json", in: folder)
        #expect(Self.unsafe(outcome.errors) == [])
        #expect(outcome.errorLines.count == 1)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: String])
        #expect(object["input"] == Self.evil)
        #expect(object["message"]?.hasPrefix(Self.shown + ": not a video") == true)
    }

    @Test("A hostile file name is escaped in the progress line")
    func terminal() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Checkout.clip, toPath: "\(folder.path)/\(Self.evil)")
        let process = try ChildProcess(
            [Checkout.tool, "analyze", Self.evil, "--every-frame", "--end", "3"], in: folder.path,
            errorsToTerminal: true)
        let outcome = try process.finish()
        #expect(outcome.status == 0)
        let text = outcome.errors.replacing("\r\u{1B}[K", with: "\n").replacing(/\u{1B}\[\?7[hl]/, with: "")
            .replacing("\r\n", with: "\n")
        #expect(Self.unsafe(text) == [])
        let lines = text.split(separator: "\n")
        #expect(lines.count > 2)
        for line in lines { #expect(line.contains(Self.shown), "\(line)") }
    }

    @Test("Hostile text in a pipeline file is escaped")
    func pipeline() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            #"""
            "other\e[2J\u009b2J\u2066\n": "\e[31m"
            """#, to: "evil.yaml")
        for command in [
            ["pipelines", "check", "evil.yaml"], ["pipelines", "show", "evil.yaml"],
            ["analyze", Checkout.clip, "--pipeline", "evil.yaml"],
        ] {
            let outcome = try ChildProcess.run([Checkout.tool] + command, in: folder.path)
            #expect(outcome.status != 0)
            #expect(Self.unsafe(outcome.output + outcome.errors) == [], "\(outcome)")
            #expect((outcome.output + outcome.errors).contains(#"\u{1B}[2J"#), "\(outcome)")
        }
    }

    @Test("A hostile file name is escaped in everything that a batch writes")
    func batch() throws {
        let folder = try makeFolder(["=1+1.png", "-2.png", "@c;d.png"])
        try add(Self.evil, from: "audiofirst.mp4", to: folder)
        try add("broken-" + Self.evil, from: "text.mp4", to: folder)
        let hook = "env | grep -a VIDSCAN_ > hook; printf '%s' \"$VIDSCAN_OUTPUT\" > named"
        let dry = try Tool.run("batch", "in", "--output", "out", "--dry-run", in: folder)
        expectSafe(dry)
        #expect(dry.output.split(separator: "\n").count == 6)
        let outcome = try Tool.run(
            "batch", "in", "--output", "out", "--merge", "--metrics-file", "out/metrics.prom", "--on-failure", hook,
            "-v",
            in: folder)
        #expect(outcome.status == 1)
        expectSafe(outcome)
        for command in [["status", "out"], ["merge", "out"], ["status", "out", "--json"]] {
            expectSafe(
                try ChildProcess.run([Checkout.tool, "batch"] + command, in: folder.path),
                shows: !command.contains("--json"))
        }
        for name in [
            "index.csv", "index.html", "summary.json", "status.json", "status.js", "faces.csv", "metrics.prom",
        ] {
            #expect(Self.unsafe(try folder.text("out/" + name)) == [], "\(name)")
        }
        // File names do not reach the command. The variables that are set for it hold only what the command line says.
        let inherited = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        #expect(
            Set(try folder.text("hook").split(separator: "\n").map(String.init)).subtracting(inherited)
                == ["VIDSCAN_STATUS=1", "VIDSCAN_OUTPUT=\(folder.path)/out"])
        #expect(try folder.text("named") == folder.path + "/out")
        let summary = try JSONSerialization.jsonObject(with: folder.bytes("out/summary.json")) as? [String: Any]
        let failures = try #require(summary?["failures"] as? [[String: Any]])
        #expect(failures.map { $0["path"] as? String } == ["\(folder.path)/in/broken-\(Self.evil)"])
    }

    @Test("A sign that joins with the next character does not hide it from a page or the metrics")
    func joined() throws {
        // U+0600 and the sign after it are one character.
        let (mark, evil) = ("\u{600}", "a\u{600}<b>\u{600}\"\u{600}'\u{600}&.png")
        let folder = try makeFolder([evil])
        let out = "out\(mark)\""
        #expect(
            try Tool.run("batch", "in", "--output", out, "--metrics-file", "m.prom", "--report", in: folder).status == 0
        )
        for (path, escaped) in [
            ("\(out)/index.html", "&lt;"), ("\(out)/index.html", "&quot;"), ("\(out)/index.html", "&#39;"),
            ("\(out)/index.html", "&amp;"), ("\(out)/\(evil).vidscan/report.html", "&lt;"), ("m.prom", "\\\""),
        ] {
            let scalars = Array(try folder.text(path).unicodeScalars)
            let next = scalars.indices.dropLast().filter { scalars[$0] == "\u{600}" }.map { scalars[$0 + 1] }
            #expect(!next.isEmpty && !next.contains { $0 == "<" || $0 == "\"" }, "\(path): \(next)")
            let text = (mark + escaped).unicodeScalars
            #expect(scalars.indices.contains { scalars[$0...].starts(with: text) }, "\(path) lacks \(escaped)")
        }
    }

    @Test("File names are not formulas in a spreadsheet")
    func formulas() throws {
        let names = ["=1+1.png", "+2.png", "-2.png", "@c.png", "＝5.png", "d;e.png", "f\"g,h.png", "plain.png"]
        let folder = try makeFolder(names)
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        let table = try CSVTable(path: folder.path + "/out/index.csv")
        #expect(
            Set(try table.texts("result")) == [
                "'=1+1.png.vidscan", "'+2.png.vidscan", "'-2.png.vidscan", "'@c.png.vidscan", "'＝5.png.vidscan",
                "d;e.png.vidscan", "f\"g,h.png.vidscan", "plain.png.vidscan",
            ])
        for cell in table.rows.joined() { #expect(cell.first.map { !"=+-@＝".contains($0) } ?? true, "\(cell)") }
    }
}
