import Foundation
import Testing
import TestSupport

@Suite("Messages are quiet, readable or JSON as requested")
struct MessageTests {
    @Test("With --quiet, only errors are printed")
    func quiet() throws {
        let folder = try TemporaryFolder()
        let good = try Tool.run("analyze", try Variants.path("truncated.mkv"), "--quiet", in: folder)
        #expect(good.output == "" && good.errors == "")
        #expect(good.status == 0)
        let bad = try Tool.run("analyze", "missing.mp4", "-q", in: folder)
        #expect(bad.errors == "vidscan: error: missing.mp4: cannot open: No such file or directory\n")
    }

    @Test("Warnings come before the summary, notes after it, and neither changes the status")
    func warnings() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("truncated.mkv")
        let outcome = try Tool.run("analyze", path, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errorLines.count == 5)
        #expect(
            outcome.errorLines.last?.contains(": note: no blinks, nods or shakes: they need at least 12 samples per")
                == true)
        #expect(
            outcome.errorLines.first
                == "vidscan: warning: \(path): the video ends at 1.920 s, although its duration is 3.000 s; the file may be truncated"
        )
    }

    @Test("With --log-format json, every line is an object with level, message and time")
    func json() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("truncated.mkv")
        let outcome = try Tool.run(
            "analyze", path, "missing \"quoted\".mp4", "--log-format", "json", "--verbose", in: folder)
        #expect(outcome.status == 1)
        let objects = try outcome.errorLines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(
            objects.map { $0["level"] as? String } == ["debug", "warning", "info", "info", "info", "error", "info"])
        for object in objects { #expect(object["message"] != nil && object["time"] != nil) }
        #expect(objects[2]["input"] as? String == path)
        #expect(objects[2]["frames"] as? Int == 10)
        #expect(objects[2]["result"] as? String == folder.path + "/truncated.mkv.vidscan")
        #expect(objects[3]["event"] as? String == "person" && objects[3]["person_id"] as? Int == 1)
        #expect(objects[5]["input"] as? String == "missing \"quoted\".mp4")
        // What is true of all inputs names none of them.
        #expect(objects[6]["event"] as? String == "note" && objects[6]["input"] == nil)
    }

    @Test(
        "With --log-format json, an error before the work is an object too",
        arguments: [
            ["batch", "gone", "--output", "o", "--filter", "nonsense", "--log-format", "json"],
            ["analyze", "--rates", "3", "--log-format=json", "a.mp4"],
            ["batch", "in", "--log-format", "json", "--pipeline", "missing.yaml"],
        ])
    func earlyError(words: [String]) throws {
        let folder = try TemporaryFolder()
        let outcome = try ChildProcess.run([Checkout.tool] + words, in: folder.path)
        #expect(outcome.status == 2)
        let lines = try outcome.errorLines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
        }
        #expect(lines.map { $0["level"] as? String } == ["error"])
        #expect(lines.map { $0["event"] as? String } == ["stopped"])
    }

    @Test("A value that is invalid for an option is explained by the option's help, and foreign options by ours")
    func optionHelp() throws {
        let folder = try TemporaryFolder()
        try Tool.run("batch", "x", "--shard", "3/3", in: folder).expectError(
            "The value '3/3' is invalid for '--shard <K/N>'; its help: Analyse one of several shards: its number, from 0,",
            status: 2)
        try Tool.run("batch", "x", "--fps", "2", in: folder).expectError(
            "Unknown option '--fps'; did you mean '--rate'?", status: 2)
        try Tool.run("analyze", "x", "--start", "-5", in: folder).expectError(
            "Missing value for '--start <time>'; -5 is negative", status: 2)
    }

    @Test("On a terminal, a line shows the progress")
    func progressLine() throws {
        let folder = try TemporaryFolder()
        let process = try ChildProcess(
            [Checkout.tool, "analyze", Checkout.clip, "--every-frame", "--end", "5"], in: folder.path,
            errorsToTerminal: true)
        let outcome = try process.finish()
        #expect(outcome.status == 0)
        // A line that is wider than the terminal would fill it, so lines are not broken meanwhile.
        let errors = outcome.errors.replacing("\u{1B}[?7l", with: "").replacing("\u{1B}[?7h", with: "")
        let lines = errors.split(separator: "\r\u{1B}[K").map(String.init)
        let progress =
            /faces\.mp4  \d+ %  0:0\d of 0:05  \d+\.\d frames\/s  \d+\.\d× real time  \d+ faces?(  \d+:\d\d left)?/
        #expect(lines.count > 3)
        let summary = try #require(lines.firstIndex { $0.hasPrefix("vidscan: ") })
        for line in lines[..<summary] { #expect(line.wholeMatch(of: progress) != nil, "\(line)") }
        // The summary is on its own line, and so is each person.
        #expect(lines[summary].hasSuffix("-> faces.mp4.vidscan/\r\n"))
        for line in lines[(summary + 1)...] { #expect(line.contains(": person ") && line.hasSuffix("°\r\n")) }
    }
}
