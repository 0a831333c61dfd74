import Foundation
import Glibc
import Testing
import TestSupport

/// What a batch does with results that other settings made, or that are not perfect.
@Suite("Results of other settings, and results with warnings")
struct BatchChangeTests: BatchTesting {
    @Test(
        "A dry run names the settings that changed, --keep-done keeps the results, and --only-missing adds report pages"
    )
    func settings() throws {
        let folder = try makeFolder(["a.png"])
        let batch = { (options: String...) in
            try ChildProcess.run([Checkout.tool, "batch", "in", "--output", "out"] + options, in: folder.path)
        }
        #expect(try batch().status == 0)
        let before = try folder.bytes("out/a.png.vidscan/run.json")
        let line = "\(folder.path)/in/a.png  (sample.rate 5 → every-frame, write.formats csv → csv,json)"
        let options = ["--every-frame", "--format", "csv,json"]
        #expect(try batch("--dry-run", options[0], options[1], options[2]).output.hasPrefix("run   \(line)\n"))
        let kept = try batch("--keep-done", options[0], options[1], options[2])
        #expect(kept.status == 0)
        #expect(kept.errorLines.first == "vidscan: 1 file, 0 to analyse")

        #expect(try batch("--report", "--dry-run").output.contains("(report.page false → true)"))
        let planned = try batch("--only-missing", "report", "--dry-run")
        #expect(planned.output == "add   \(folder.path)/in/a.png  (no report page)\n1 report would be added\n")
        let added = try batch("--only-missing", "report")
        #expect(added.status == 0, "\(added.errors)")
        #expect(
            added.errorLines.last
                == "vidscan: 1 report added, 0 failed, 0 results had one already -> \(folder.path)/out/")
        #expect(try folder.bytes("out/a.png.vidscan/run.json") == before)
        #expect(folder.entries.contains("out/a.png.vidscan/report.html"))
        #expect(try folder.text("out/index.html").contains("a.png.vidscan/report.html"))
        // Now both a run with reports and one without have what they want.
        for option in ["--report", "--quiet"] {
            #expect(try batch(option, "--dry-run").output.contains("(already done)\n0 of 1 file"), "\(option)")
        }
        #expect(
            try batch("--only-missing", "report").errorLines.last
                == "vidscan: 0 reports added, 0 failed, 1 result had one already -> \(folder.path)/out/")
    }

    @Test("A result of another version or with another model says so")
    func versions() throws {
        let folder = try makeFolder(["a.png"])
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        let path = "out/a.png.vidscan/run.json"
        let text = try folder.text(path)
        let version = try #require(text.firstMatch(of: /"vidscan_version" : "([^"]+)"/)).1
        let model = try #require(text.firstMatch(of: /"([a-z0-9_.-]+\.(?!csv|record)[a-z]+)" : "[0-9a-f]{64}"/))
        try folder.write(
            text.replacing("\"vidscan_version\" : \"\(version)\"", with: "\"vidscan_version\" : \"0.0.1\"")
                .replacing(model.0, with: "\"\(model.1)\" : \"\(String(repeating: "0", count: 64))\""), to: path)
        let dry = try Tool.run("batch", "in", "--output", "out", "--metrics", "none", "--dry-run", in: folder)
        let explanation = try #require(dry.output.split(separator: "\n").first)
        #expect(explanation.contains("(vidscan 0.0.1 → \(version), measure.metrics "), "\(explanation)")
        #expect(explanation.hasSuffix(" → none, model \(model.1))"), "\(explanation)")
    }

    @Test("Before more than a hundred finished results are made again, a warning says why and how to keep them")
    func many() throws {
        // Small pictures, which are analysed quickly.
        let folder = try makeFolder(["0.png"])
        let small = folder.path + "/in/0.png"
        let made = try ChildProcess.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", try Variants.path("still.png"), "-vf", "scale=64:36",
                small,
            ])
        try #require(made.status == 0, "\(made.errors)")
        try age(small)
        for number in 1..<101 {
            let path = "\(folder.path)/in/\(number).png"
            try FileManager.default.copyItem(atPath: small, toPath: path)
            try age(path)
        }
        #expect(try Tool.run("batch", "in", "--output", "out", "--metrics", "none", "--quiet", in: folder).status == 0)
        let warning =
            "vidscan: warning: 101 finished results will be analysed again (sample.rate 5 → 6); --keep-done keeps them as they are"
        let command = [Checkout.tool, "batch", "in", "--output", "out", "--metrics", "none", "--rate", "6"]
        let dry = try ChildProcess.run(command + ["--dry-run"], in: folder.path)
        #expect(dry.status == 0)
        #expect(dry.errors == warning + "\n")
        let process = try ChildProcess(command, in: folder.path)
        // The work itself does not matter here.
        try process.waitForErrors(containing: warning + "\n")
        process.send(SIGKILL)
        _ = try process.finish()
    }

    @Test(
        "With --strict, files with warnings fail, including those that are done; without it nothing is analysed again")
    func strict() throws {
        let folder = try makeFolder(["a.png"])
        try add("cut.mkv", from: "truncated.mkv", to: folder)
        let first = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(first.status == 0)
        #expect(first.errorLines.contains { $0.hasPrefix("vidscan: 2 done (1 with warnings), 0 failed, 0 skipped; ") })
        let warning = "the video ends at 1.920 s, although its duration is 3.000 s; the file may be truncated"
        let status = try Tool.run("batch", "status", "out", in: folder).output
        #expect(status.contains("2 done (1 with warnings), 0 failed"))
        #expect(status.contains("\nwarning  \(folder.path)/in/cut.mkv: \(warning)\n"))
        let dry = try Tool.run("batch", "in", "--output", "out", "--strict", "--dry-run", in: folder)
        #expect(dry.output.contains("\nfail  \(folder.path)/in/cut.mkv  (it has warnings (--strict): \(warning))\n"))
        let strict = try Tool.run("batch", "in", "--output", "out", "--strict", in: folder)
        #expect(strict.status == 1)
        let error = "it has warnings (--strict): " + warning
        #expect(strict.errorLines.contains("vidscan: error: \(folder.path)/in/cut.mkv: \(error)"))
        #expect(strict.errorLines.last?.hasPrefix("vidscan: 0 done, 1 failed, 0 skipped; ") == true)
        for folderName in ["out", "new"] {
            #expect(try Tool.run("batch", "in", "--output", folderName, "--strict", in: folder).status == 1)
            let lenient = try Tool.run("batch", "in", "--output", folderName, in: folder)
            #expect(lenient.status == 0)
            #expect(lenient.errorLines.first == "vidscan: 2 files, 0 to analyse")
        }
        #expect(try index(folder)["cut.mkv"]?["status"] == "done")
        #expect(try index(folder)["cut.mkv"]?["attempts"] == "1")
    }

    @Test("As soon as a batch is killed, its files are interrupted, and everything agrees on the attempts")
    func killed() throws {
        let folder = try makeFolder(["a.png"])
        let clip = try Tool.makeLongClip(in: folder)
        let process = try ChildProcess(
            [Checkout.tool, "batch", clip, "--output", "out", "--jobs", "1", "--every-frame"], in: folder.path)
        while try !Tool.run("batch", "status", "out", in: folder).output.contains("running  ") { usleep(50_000) }
        process.send(SIGKILL)
        _ = try process.finish()
        let text = try Tool.run("batch", "status", "out", in: folder).output
        #expect(text.hasPrefix("1 file: 0 pending, 0 running, 1 interrupted, 0 done, "), "\(text)")
        #expect(
            text.contains(
                "\ninterrupted  \(clip): its process has ended; the next run starts it again (attempt 1)\n"), "\(text)")
        let json = try Tool.run("batch", "status", "out", "--json", in: folder).output
        let status = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect((status["counts"] as? [String: Int])?["interrupted"] == 1)
        #expect((status["interrupted"] as? [[String: Any]])?.first?["attempts"] as? Int == 1)
        // Another input fails; both files have one attempt everywhere.
        try add("broken.mp4", from: "text.mp4", to: folder)
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 1)
        #expect(try index(folder)["long.mp4"]?["status"] == "interrupted")
        #expect(try index(folder)["long.mp4"]?["attempts"] == "1")
        #expect(try index(folder)["broken.mp4"]?["attempts"] == "1")
        let broken = try Tool.run("batch", "status", "out", in: folder).output
        #expect(broken.contains("(attempt 1)\n") && !broken.contains("(attempt 2)"))
        #expect(broken.contains("; about "))
    }

    @Test("Links that lead nowhere or to folders, and odd names, are listed as skipped and fail nothing")
    func skipped() throws {
        let folder = try makeFolder(["a.png"])
        symlink("nowhere", folder.path + "/in/gone.mp4")
        symlink("/", folder.path + "/in/root")
        let made = try Tool.shell("touch in/$(printf 'odd-\\377').dat", in: folder)
        #expect(made.status == 0)
        let dry = try Tool.run("batch", "in", "--output", "out", "--dry-run", in: folder)
        #expect(dry.status == 0)
        #expect(dry.output.contains("skip  \(folder.path)/in/gone.mp4  (a link to a file that does not exist)\n"))
        #expect(dry.output.contains("skip  \(folder.path)/in/root  (a link to a folder)\n"))
        let outcome = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errorLines.contains("vidscan: skipped \(folder.path)/in/root: a link to a folder"))
        #expect(
            outcome.errorLines.contains(
                "vidscan: skipped \(folder.path)/in/odd-\u{FFFD}.dat: its name is not valid UTF-8; rename it"))
    }

    @Test("The help of batch shows the options of the analysis, and that a folder is required")
    func help() throws {
        let folder = try TemporaryFolder()
        let text = try Tool.run("batch", "--help", in: folder).output
        #expect(text.contains("\nUSAGE: vidscan batch [<input> ...] --output <folder> [<options>]\n"))
        for part in [
            "  --every-frame ", "  --jobs <count> ", "  --anonymize ", "\nSUBCOMMANDS:\n", "  --only-missing ",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains(
                "--output <folder> Folder for the results and the journal. Required, unless the pipeline names it. --force"
            ))
        #expect(!words.contains("Default: the current folder"))
        for line in [["batch", "-h"], ["help", "batch"]] {
            #expect(try ChildProcess.run([Checkout.tool] + line, in: folder.path).output == text)
        }
    }

    @Test("A folder that vanishes during the run fails it")
    func vanished() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b", "c"] {
            try FileManager.default.createDirectory(atPath: folder.path + "/in", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: Checkout.clip, toPath: "\(folder.path)/in/\(name).mp4")
            try age("\(folder.path)/in/\(name).mp4")
        }
        let run = try ChildProcess(
            [Checkout.tool, "batch", "in", "--output", "out", "--jobs", "1", "--rate", "25"], in: folder.path)
        try run.waitForErrors(containing: "3 to analyse")
        while !folder.entries.contains(where: { $0.contains(".partial-") }) { usleep(1000) }
        try FileManager.default.moveItem(atPath: folder.path + "/in", toPath: folder.path + "/moved")
        let outcome = try run.finish()
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("error: in: it vanished during the run"), "\(outcome.errors)")
    }
}
