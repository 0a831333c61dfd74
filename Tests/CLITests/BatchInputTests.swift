import Foundation
import Glibc
import Testing
import TestSupport

@Suite("Inputs of a batch that are missing, unreadable, growing or gone")
struct BatchInputTests: BatchTesting {
    @Test("A missing file is reported, and the others are analysed")
    func missing() throws {
        let folder = try makeFolder(["a.png"])
        let outcome = try Tool.shell(
            "printf 'in/none.mp4\\nin/a.png\\r\\n\\n' | \"$0\" batch --from - --output out", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errorLines.first
                == "vidscan: error: \(folder.path)/in/none.mp4: cannot open: No such file or directory")
        #expect(
            outcome.errorLines.contains { $0.hasPrefix("vidscan: 1 done, 1 failed, 0 skipped; ") }, "\(outcome.errors)")
        #expect(try folder.text("out/status.json").contains("\"failed\":1,"))
        #expect(results(folder) == ["out/a.png.vidscan/run.json"])
        // Without any input, no folder is left behind.
        let nothing = try Tool.run("batch", "in/none.mp4", "--output", "empty", in: folder)
        #expect(nothing.status == 1)
        #expect(
            nothing.errors == "vidscan: error: \(folder.path)/in/none.mp4: cannot open: No such file or directory\n")
        #expect(!folder.entries.contains("empty"))
    }

    @Test("A missing file of a list fails one shard")
    func missingInShards() throws {
        let folder = try makeFolder(["a.png"])
        let statuses = try (0..<3).map { shard in
            try Tool.run("batch", "in", "none.mp4", "--output", "out", "--shard", "\(shard)/3", in: folder).status
        }
        #expect(statuses.sorted() == [0, 0, 1])
    }

    // Those who can list a folder may still not be allowed to open what is in it.
    @Test(
        "An unreadable folder and an unreadable file are one failure each, and the others are analysed",
        arguments: [mode_t(0), 0o644])
    func unreadable(mode: mode_t) throws {
        let folder = try makeFolder(["a.png", "locked/b.png", "locked/d.png", "secret.png", "z/c.png"])
        chmod(folder.path + "/in/locked", mode)
        chmod(folder.path + "/in/secret.png", 0)
        defer { chmod(folder.path + "/in/locked", 0o755) }
        let outcome = try Tool.runUnprivileged("batch", "in", "--output", "out", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errorLines.filter { $0.hasPrefix("vidscan: error: ") } == [
                "vidscan: error: \(folder.path)/in/locked: cannot read: Permission denied",
                "vidscan: error: \(folder.path)/in/secret.png: cannot open: Permission denied",
            ])
        #expect(results(folder) == ["out/a.png.vidscan/run.json", "out/z/c.png.vidscan/run.json"])
        #expect(outcome.errorLines.last?.hasPrefix("vidscan: 2 done, 2 failed, 0 skipped; ") == true)
        // An excluded folder is not searched.
        let rest = try Tool.runUnprivileged(
            "batch", "in", "--output", "out", "--exclude", "locked/*", "--exclude", "secret.png", in: folder)
        #expect(rest.status == 0, "\(rest.errors)")
    }

    @Test("A file that is still being written is left for the next run")
    func growing() throws {
        let folder = try makeFolder(["a.png"])
        let whole = try Data(contentsOf: URL(fileURLWithPath: try Variants.path("still.png")))
        let writer = try ChildProcess(
            ["bash", "-c", "while :; do printf x; sleep 0.1; done > in/growing.mp4"], in: folder.path)
        while !FileManager.default.fileExists(atPath: folder.path + "/in/growing.mp4") { usleep(10_000) }
        let outcome = try Tool.run("batch", "in", "--output", "out", in: folder)
        writer.send(SIGKILL)
        _ = try writer.finish()
        #expect(outcome.status == 0)
        #expect(
            outcome.errorLines.contains(
                "vidscan: warning: \(folder.path)/in/growing.mp4: the file is still changing; it is left for the next run"
            ))
        #expect(results(folder) == ["out/a.png.vidscan/run.json"])
        try whole.write(to: URL(fileURLWithPath: folder.path + "/in/growing.mp4"))
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        #expect(results(folder).count == 2)
    }

    @Test(
        "So is a file that changes during its analysis; an earlier result counts until another one replaces it",
        arguments: [false, true])
    func changing(fails: Bool) throws {
        let folder = try TemporaryFolder()
        let input = folder.path + "/in/a.mp4"
        try FileManager.default.createDirectory(atPath: folder.path + "/in", withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: Checkout.clip, toPath: input)
        try age(input)
        #expect(try batch(folder, "--quiet", "--rate", "1").status == 0)
        // A report needs the video that was analysed.
        let options = ["--jobs", "1", "--rate", "25"] + (fails ? ["--report"] : [])
        let run = try ChildProcess([Checkout.tool, "batch", "in", "--output", "out"] + options, in: folder.path)
        while !folder.entries.contains(where: { $0.contains(".vidscan.partial-") }) { usleep(1000) }
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: input)
        let outcome = try run.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("a.mp4: the file is still changing; it is left for the next run"))
        #expect(try index(folder)["a.mp4"]?["status"] == (fails ? "done" : "pending"))
    }

    @Test("A file that is gone does not fail a run, unless it was named; status --strict fails for others only")
    func gone() throws {
        let folder = try makeFolder(["a.png"])
        try add("broken.mp4", from: "text.mp4", to: folder)
        #expect(try batch(folder).status == 1)
        #expect(try Tool.run("batch", "status", "out", "--strict", in: folder).status == 1)
        try FileManager.default.removeItem(atPath: folder.path + "/in/broken.mp4")
        let run = try batch(folder)
        #expect(run.status == 0)
        #expect(
            run.errorLines.first
                == "vidscan: 1 file without a result is gone; 'vidscan batch forget out' forgets it")
        #expect(try index(folder)["broken.mp4"]?["status"] == "gone")
        #expect(try Tool.run("batch", "status", "out", "--strict", in: folder).status == 0)
        #expect(try Tool.run("batch", "in/broken.mp4", "in", "--output", "out", in: folder).status == 1)
        let forgotten = try Tool.run("batch", "forget", "out", in: folder)
        #expect(forgotten.status == 0 && forgotten.errors == "vidscan: 1 file forgotten\n")
        #expect(try index(folder)["broken.mp4"] == nil)
    }
}
