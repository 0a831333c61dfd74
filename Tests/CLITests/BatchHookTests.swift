import Foundation
import Glibc
import Testing
import TestSupport

@Suite("What a batch tells a scheduler")
struct BatchHookTests: BatchTesting {
    @Test("--on-failure runs a command if a file failed, and --metrics-file writes counts")
    func watched() throws {
        let folder = try makeFolder(["a.png"])
        let command = "echo \"$VIDSCAN_STATUS $VIDSCAN_OUTPUT\" > called"
        let arguments = ["in", "--output", "out", "--metrics-file", "vidscan.prom", "--on-failure", command]
        #expect(try ChildProcess.run([Checkout.tool, "batch"] + arguments, in: folder.path).status == 0)
        #expect(!folder.entries.contains("called"))
        try add("broken.mp4", from: "text.mp4", to: folder)
        #expect(try ChildProcess.run([Checkout.tool, "batch"] + arguments, in: folder.path).status == 1)
        #expect(try folder.text("called") == "1 \(folder.path)/out\n")
        let lines = try folder.text("vidscan.prom").split(separator: "\n")
        let label = "folder=\"\(folder.path)/out\""
        #expect(lines.contains("vidscan_batch_files{\(label),status=\"done\"} 1"))
        #expect(lines.contains("vidscan_batch_files{\(label),status=\"failed\"} 1"))
        #expect(lines.contains("# TYPE vidscan_batch_files gauge"))
        #expect(lines.contains("vidscan_batch_exit_status{\(label)} 1"))
        #expect(lines.contains("vidscan_batch_running{\(label)} 0"))
        // The first run's.
        #expect(lines.contains { $0.hasPrefix("vidscan_batch_last_success_timestamp_seconds{\(label)} ") })
    }

    @Test("The metrics of several batches and shards have files of their own in one folder")
    func metricsFolder() throws {
        let folder = try makeFolder(["a.png"])
        try FileManager.default.createDirectory(atPath: folder.path + "/metrics", withIntermediateDirectories: false)
        for (output, shard) in [("out", "0/2"), ("out", "1/2"), ("b/out", "0/1")] {
            let outcome = try Tool.run(
                "batch", "in", "--output", output, "--shard", shard, "--metrics-file", "metrics", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        let files = folder.entries.filter { $0.hasPrefix("metrics/") }
        #expect(files.count == 3)
        let names = /metrics\/vidscan-out-[0-9a-f]{16}-[01]-of-2\.prom/
        #expect(files.count { $0.wholeMatch(of: names) != nil } == 2)
        let labels = try files.flatMap { try folder.text($0).matches(of: /running\{(.+)\} 0/).map { String($0.1) } }
        let expected = [("out", "0/2"), ("out", "1/2"), ("b/out", "0/1")].map {
            "folder=\"\(folder.path)/\($0.0)\",shard=\"\($0.1)\""
        }
        #expect(labels.sorted() == expected.sorted())
    }

    @Test("A run that cannot start or is interrupted leaves its exit status in the metrics")
    func metricsOfFailure() throws {
        let folder = try makeFolder(["a.png"])
        let command = ["in", "--output", "out", "--metrics-file", "vidscan.prom", "--memory-budget"]
        #expect(try ChildProcess.run([Checkout.tool, "batch"] + command + ["256"], in: folder.path).status == 2)
        let line = "vidscan_batch_exit_status{folder=\"\(folder.path)/out\"} 2\n"
        #expect(try folder.text("vidscan.prom").contains(line))
        #expect(try Tool.run("batch", "in", "--output", "out", "--metrics-file", "none/x.prom", in: folder).status == 2)
        let picture = try folder.bytes("in/a.png")
        let refused = try Tool.run("batch", "in", "--output", "out", "--metrics-file", "in/a.png", in: folder)
        #expect(
            refused.status == 2 && refused.errors.contains("in/a.png has no metrics of a batch"), "\(refused.errors)")
        #expect(try folder.bytes("in/a.png") == picture)
        #expect(results(folder) == [])
    }

    @Test("Metrics and --on-failure learn of a missing pipeline and of missing models")
    func cannotStart() throws {
        let folder = try makeFolder(["a.png"])
        let hook = ["--on-failure", "echo \"$VIDSCAN_STATUS $VIDSCAN_OUTPUT\" > called"]
        let command = [Checkout.tool, "batch", "in", "--output", "out", "--metrics-file", "vidscan.prom"] + hook
        for (command, reason) in [
            (command + ["--pipeline", "none.yaml"], "none.yaml: cannot read it: No such file or directory"),
            (["env", "VIDSCAN_HOME=" + folder.path] + command, "cannot find the models"),
        ] {
            let outcome = try ChildProcess.run(command, in: folder.path)
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix("vidscan: error: \(reason)") && outcome.errorLines.count == 1)
            #expect(try folder.text("called") == "2 \(folder.path)/out\n")
            let line = "vidscan_batch_exit_status{folder=\"\(folder.path)/out\"} 2\n"
            #expect(try folder.text("vidscan.prom").contains(line))
            for name in ["called", "vidscan.prom"] {
                try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
            }
        }
        // Only the pipeline knows the folder.
        let unnamed = ["--pipeline", "none.yaml", "--metrics-file", "vidscan.prom"] + hook
        #expect(try ChildProcess.run([Checkout.tool, "batch", "in"] + unnamed, in: folder.path).status == 2)
        #expect(try folder.text("called") == "2 \n" && !folder.entries.contains("vidscan.prom"))
    }

    @Test("Metrics tell the status of a run whose journal cannot be read")
    func damagedJournal() throws {
        let folder = try makeFolder(["a.png"])
        let run = {
            try Tool.run("batch", "in", "--output", "out", "--metrics-file", "vidscan.prom", in: folder).status
        }
        #expect(try run() == 0)
        try folder.write(String(repeating: "x", count: 8192), to: "out/batch.sqlite")
        let status = try run()
        #expect(status > 0)
        let text = try folder.text("vidscan.prom")
        #expect(text.contains("vidscan_batch_exit_status{folder=\"\(folder.path)/out\"} \(status)\n"))
        #expect(!text.contains("vidscan_batch_files"))
    }

    @Test(
        "A signal during the --on-failure command ends all its processes, and the batch with status 130",
        arguments: [SIGINT, SIGTERM], ["", "trap '' TERM; "])
    func hookInterrupted(signal: Int32, trap: String) throws {
        let folder = try makeFolder(["broken.mp4"], from: "text.mp4")
        let command = "\(trap)sleep 1000 & echo waiting >&2; wait; sleep 1000"
        let process = try ChildProcess(
            [Checkout.tool, "batch", "in", "--output", "out", "--on-failure", command], in: folder.path)
        try process.waitForErrors(containing: "waiting\n")
        process.send(signal)
        // This returns when no process has the pipe of standard error open, so when all of them have ended.
        let outcome = try process.finish(within: 30)
        #expect(outcome.status == 130)
        #expect(
            outcome.errorLines.last == "vidscan: error: interrupted during the --on-failure command",
            "\(outcome.errors)")
    }

    @Test("A failure of the --on-failure command is reported, and the command cannot read from the terminal")
    func hookFails() throws {
        let folder = try makeFolder(["broken.mp4"], from: "text.mp4")
        for (command, message) in [
            ("cat; exit 3", "the command ended with status 3"), ("kill -9 $$", "the command was killed by signal 9"),
        ] {
            let outcome = try Tool.run("batch", "in", "--output", "out", "--on-failure", command, in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errorLines.last == "vidscan: warning: --on-failure: \(message)", "\(outcome.errors)")
        }
    }
}
