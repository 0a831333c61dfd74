import Foundation
import Glibc
import Testing
import TestSupport

/// Nothing that was delivered is lost because of settings that somebody forgot, a signal, or another process.
@Suite("Finished results and interrupted batches")
struct BatchReplacementTests: BatchTesting {
    /// A batch of a clip of one minute, which takes seconds at any rate, and a picture; both done with `--rate 1`.
    private func makeDone() throws -> TemporaryFolder {
        let folder = try makeFolder(["a.png"])
        let clip = try Tool.makeLongClip(times: 3, in: folder)
        try FileManager.default.moveItem(atPath: clip, toPath: folder.path + "/in/long.mp4")
        try age(folder.path + "/in/long.mp4")
        #expect(try batch(folder, "--rate", "1").status == 0)
        return folder
    }

    private func batch(_ folder: TemporaryFolder, _ options: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            [Checkout.tool, "batch", "in", "--output", "out", "--metrics", "none"] + options, in: folder.path)
    }

    /// Starts the batch with other settings, and ends it while the clip is being analysed.
    private func interrupt(_ folder: TemporaryFolder, with signal: Int32, _ options: String...) throws
        -> ChildProcess.Outcome
    {
        let process = try ChildProcess(
            [Checkout.tool, "batch", "in", "--output", "out", "--metrics", "none", "--jobs", "1"] + options,
            in: folder.path)
        while try !Tool.run("batch", "status", "out", in: folder).output.contains("running  ") { usleep(50_000) }
        process.send(signal)
        return try process.finish(within: 10)
    }

    @Test("After an interrupt, the former settings find everything done", arguments: [SIGTERM, SIGKILL])
    func interrupted(signal: Int32) throws {
        let folder = try makeDone()
        let table = try Tool.run("batch", "merge", "out", in: folder).output
        #expect(table.split(separator: "\n").count > 10)
        #expect(
            try interrupt(folder, with: signal, "--every-frame").status == (signal == SIGKILL ? 128 + SIGKILL : 130))
        #expect(try index(folder).mapValues { $0["status"] }["a.png"] == "done")
        let status = try Tool.run("batch", "status", "out", in: folder).output
        #expect(status.hasPrefix("2 files: 0 pending, 0 running, 2 done"), "\(status)")
        #expect(try Tool.run("batch", "merge", "out", in: folder).output == table)
        #expect(try batch(folder, "--rate", "1", "--dry-run").output.hasSuffix("\n0 of 2 files would be analysed\n"))
        #expect(
            try batch(folder, "--every-frame", "--dry-run").output.hasPrefix(
                """
                run   \(folder.path)/in/a.png  (sample.rate 1 → every-frame)
                run   \(folder.path)/in/long.mp4  (sample.rate 1 → every-frame)
                2 of 2 files would be analysed, in 
                """))
        #expect(
            try batch(folder, "--every-frame", "--keep-done", "--dry-run").output.contains(
                "in/long.mp4  (kept: sample.rate 1 → every-frame)\n0 of 2 files"))
        let planned = try batch(folder, "--every-frame", "--only-missing", "report", "--dry-run")
        #expect(planned.output.hasSuffix("\n2 reports would be added\n"))
        let back = try batch(folder, "--rate", "1")
        #expect(back.status == 0)
        #expect(back.errorLines.first == "vidscan: 2 files, 0 to analyse")
        #expect(try index(folder).mapValues { $0["status"] } == ["a.png": "done", "long.mp4": "done"])
        #expect(try Tool.run("batch", "merge", "out", in: folder).output == table)
    }

    @Test("What a run with --force left is continued without it, and the message says so")
    func forced() throws {
        let folder = try makeDone()
        let outcome = try interrupt(folder, with: SIGINT, "--rate", "1", "--force")
        #expect(outcome.status == 130)
        #expect(
            outcome.errorLines.last?.hasSuffix("; run the same command without --force for the 2 left") == true,
            "\(outcome.errors)")
        let dry = try batch(folder, "--rate", "1", "--dry-run").output
        #expect(dry.contains("in/a.png  (not started)\n"))
        #expect(dry.contains("\n2 of 2 files would be analysed"))
        #expect(try batch(folder, "--rate", "1").errorLines.first == "vidscan: 2 files, 2 to analyse")
        #expect(try batch(folder, "--rate", "1").errorLines.first == "vidscan: 2 files, 0 to analyse")
    }

    @Test("If all files fail with other settings, the former ones have lost nothing")
    func failed() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        #expect(try batch(folder).status == 0)
        let table = try Tool.run("batch", "merge", "out", in: folder).output
        let other = try Tool.shell(
            "VIDSCAN_TEST_FAULT=abort:a.png,abort:b.png \"$0\" batch in --output out --metrics none --rate 2",
            in: folder)
        #expect(other.status == 1)
        #expect(try index(folder).mapValues { $0["status"] } == ["a.png": "failed", "b.png": "failed"])
        let back = try batch(folder)
        #expect(back.status == 0)
        #expect(back.errorLines.first == "vidscan: 2 files, 0 to analyse")
        #expect(try Tool.run("batch", "merge", "out", in: folder).output == table)
    }

    @Test("A dry run says whether a file was not started or interrupted, and what changed for one that failed")
    func reasons() throws {
        let folder = try makeFolder(["z.png"])
        let clip = try Tool.makeLongClip(in: folder)
        try FileManager.default.moveItem(atPath: clip, toPath: folder.path + "/in/long.mp4")
        try age(folder.path + "/in/long.mp4")
        _ = try interrupt(folder, with: SIGKILL, "--every-frame")
        let dry = try batch(folder, "--every-frame", "--dry-run").output
        #expect(dry.contains("in/long.mp4  (interrupted)\n"))
        #expect(dry.contains("in/z.png  (not started)\n"))
        try FileManager.default.removeItem(atPath: folder.path + "/in/long.mp4")
        try add("broken.mp4", from: "text.mp4", to: folder)
        #expect(try batch(folder, "--every-frame").status == 1)
        #expect(
            try batch(folder, "--dry-run").output.contains("in/broken.mp4  (sample.rate every-frame → 5)\n"))
    }

    @Test("A batch that waited for another one fails if a file of its own failed there")
    func failedElsewhere() throws {
        let folder = try makeFolder(["hang.png"])
        // The worker hangs until the time limit.
        let first = try ChildProcess(
            [
                "env", "VIDSCAN_TEST_FAULT=hang:hang.png", Checkout.tool, "batch", "in", "--output", "out", "--timeout",
                "8",
            ],
            in: folder.path)
        while try !Tool.run("batch", "status", "out", in: folder).output.contains("running  ") { usleep(50_000) }
        let second = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(try first.finish(within: 60).status == 1)
        #expect(second.status == 1, "\(second.errors)")
        #expect(second.errors.contains("vidscan: waiting for 1 file in progress in another process\n"))
        #expect(
            second.errorLines.contains(
                "vidscan: error: \(folder.path)/in/hang.png: took longer than 8 s and was stopped"))
        #expect(second.errorLines.last?.hasPrefix("vidscan: 0 done, 1 failed, 0 skipped; ") == true)
    }

    @Test("A folder that cannot be written, or has no batch to add to, is refused and left as it is")
    func folders() throws {
        let folder = try makeFolder(["a.png"])
        try Tool.run("batch", "in", "--output", "nores", "--only-missing", "report", in: folder)
            .expectError("\(folder.path)/nores does not contain a batch", status: 2)
        #expect(!folder.entries.contains("nores"))
        try FileManager.default.createDirectory(atPath: folder.path + "/ro", withIntermediateDirectories: false)
        chmod(folder.path + "/ro", 0o555)
        for output in ["ro", "ro/new"] {
            for option in ["--no-person", "--dry-run"] {
                try Tool.runUnprivileged("batch", "in", "--output", output, option, in: folder)
                    .expectError("cannot write to \(folder.path)/ro: Permission denied", status: 2)
            }
        }
    }

    @Test(
        "A new batch replaces no file that a batch has not written",
        arguments: ["index.csv", "summary.json", "status.json", "status.js", "faces.csv"])
    func ownFiles(name: String) throws {
        let folder = try makeFolder(["a.png"])
        try folder.write("my own\n", to: "in/\(name)")
        let command = ["batch", "in/a.png", "--output", "in", "--merge"]
        let refused = try ChildProcess.run([Checkout.tool] + command, in: folder.path)
        refused.expectError(
            "\(folder.path)/in/\(name) exists, but no batch has written it; --force replaces it", status: 2)
        #expect(folder.entries.filter { !$0.hasSuffix("/") } == ["in", "in/a.png", "in/\(name)"])
        #expect(try folder.text("in/\(name)") == "my own\n")
        #expect(try ChildProcess.run([Checkout.tool] + command + ["--force"], in: folder.path).status == 0)
        #expect(try folder.text("in/\(name)") != "my own\n")
        if name == "faces.csv" {
            // Nor does a later run.
            try folder.write("my own\n", to: "in/\(name)")
            let later = try ChildProcess.run([Checkout.tool] + command, in: folder.path)
            #expect(later.status == 2 && later.errors.contains("faces.csv exists, but no batch has written it"))
            #expect(try folder.text("in/\(name)") == "my own\n")
            try FileManager.default.removeItem(atPath: folder.path + "/in/\(name)")
        }
        // The journal of a batch may be moved away.
        try FileManager.default.moveItem(
            atPath: folder.path + "/in/batch.sqlite", toPath: folder.path + "/batch.sqlite")
        try FileManager.default.removeItem(atPath: folder.path + "/in/a.png.vidscan")
        #expect(try ChildProcess.run([Checkout.tool] + command, in: folder.path).status == 0)
    }

    @Test("A sticker that cannot be read is named, and no video is blamed")
    func sticker() throws {
        let folder = try makeFolder(["a.png"])
        try folder.write("no picture", to: "hat.png")
        try Tool.run("batch", "in", "--output", "out", "--sticker", "hat.png", in: folder)
            .expectError("error: the sticker \(folder.path)/hat.png: not a video or picture", status: 2)
        #expect(!folder.entries.contains("out"))
        try Tool.run("analyze", "in/a.png", "--sticker", "none.png", "--output", "out", in: folder)
            .expectError("in/a.png: the sticker \(folder.path)/none.png: cannot open: No such file or directory")
    }
}
