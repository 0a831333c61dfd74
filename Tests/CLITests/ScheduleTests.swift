import Foundation
import Glibc
import Testing
import TestSupport

@Suite("The sample scripts for nightly runs and clusters work")
struct ScheduleTests {
    private static let nightly = Checkout.samples + "/nightly"

    @Test("systemd accepts the service and the timer")
    func units() throws {
        let found = try ChildProcess.run(["bash", "-c", "command -v systemd-analyze"])
        guard found.status == 0 else { try skip(missing: .systemd) }
        let folder = try TemporaryFolder()
        let service = try String(contentsOfFile: Self.nightly + "/vidscan-nightly.service", encoding: .utf8)
        // The script is not installed here.
        try folder.write(
            service.replacing("/usr/local/bin/vidscan-nightly", with: Self.nightly + "/vidscan-nightly"),
            to: "vidscan-nightly.service")
        try FileManager.default.copyItem(
            atPath: Self.nightly + "/vidscan-nightly.timer", toPath: folder.path + "/vidscan-nightly.timer")
        let outcome = try ChildProcess.run(
            ["systemd-analyze", "verify", "vidscan-nightly.service", "vidscan-nightly.timer"], in: folder.path)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
    }

    /// The command line of the service or of cron, with another path and configuration.
    private func line(of file: String, after mark: String, configuration: String) throws -> String {
        let text = try String(contentsOfFile: Self.nightly + "/" + file, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix(mark) })
        let command = String(line.dropFirst(mark.count))
        #expect(command == "/usr/local/bin/vidscan-nightly /etc/vidscan/nightly.conf")
        return command.replacing("/usr/local/bin", with: Self.nightly)
            .replacing("/etc/vidscan/nightly.conf", with: configuration)
    }

    @Test(
        "A nightly run analyses new files, logs them and reports failures",
        arguments: [("vidscan-nightly.service", "ExecStart="), ("crontab", "30 21 * * * ")])
    func night(file: String, mark: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/in", withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: try Variants.path("still.png"), toPath: folder.path + "/in/a.png")
        let shipped = try String(contentsOfFile: Self.nightly + "/nightly.conf", encoding: .utf8)
        try folder.write(
            shipped.replacing("/srv/recordings", with: folder.path + "/in")
                .replacing("/srv/vidscan", with: folder.path + "/out")
                + "VIDSCAN='\(Checkout.tool)'\nON_FAILURE='echo \"$VIDSCAN_STATUS\" > '\(folder.path)/called\n",
            to: "nightly.conf")
        let command = try line(of: file, after: mark, configuration: folder.path + "/nightly.conf")
        let first = try ChildProcess.run(["bash", "-c", command])
        #expect(first.status == 0, "\(first.errors)")
        #expect(folder.entries.contains("out/a.png.vidscan/faces.csv"))
        let logs = folder.entries.filter { $0.wholeMatch(of: /out\/log\/\d{4}-\d\d-\d\d\.log/) != nil }
        #expect(logs.count == 1)
        for log in logs {
            #expect(try folder.text(log).contains("\"message\":\"1 done, 0 failed, 0 skipped; "))
            #expect(try folder.text(log).contains("\"event\":\"file_done\""))
        }
        // A setting of the pipeline that is not a default.
        #expect(try folder.text("out/a.png.vidscan/run.json").contains("\"max_duration\" : 43200"))

        // With a retention time, the log remains one object per line.
        try folder.write(folder.text("nightly.conf") + "KEEP_RESULTS_DAYS=1\n", to: "nightly.conf")
        #expect(try ChildProcess.run(["bash", "-c", command]).status == 0)
        for log in logs {
            let lines = try folder.text(log).split(separator: "\n")
            #expect(lines.last?.contains("\"event\":\"pruned\"") == true)
            for line in lines {
                #expect(throws: Never.self, "\(line)") { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            }
        }

        try folder.write("no video", to: "in/broken.mp4")
        let second = try ChildProcess.run(["bash", "-c", command])
        #expect(second.status == 1)
        #expect(try folder.text("called") == "1\n")

        // A second run does not start while the first holds the lock.
        let lock = open(folder.path + "/out/log/lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let third = try ChildProcess.run(["bash", "-c", command])
        #expect(third.status == 75)
        #expect(third.errors == "vidscan-nightly: the previous run has not finished\n")
        #expect(try folder.text("called") == "75\n")
    }

    @Test(
        "Machines that share a folder of results do not wait for each other", arguments: ["--shard 1/3", "--shard=1/3"])
    func nightInShards(option: String) throws {
        let folder = try TemporaryFolder()
        for name in ["in", "out/log"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        for number in 10..<20 {
            try FileManager.default.copyItem(
                atPath: try Variants.path("still.png"), toPath: folder.path + "/in/\(number).png")
        }
        try folder.write(
            "RECORDINGS='\(folder.path)/in' RESULTS='\(folder.path)/out' VIDSCAN='\(Checkout.tool)' KEEP_RESULTS_DAYS=1\n"
                + "OPTIONS=(\(option) --retries 1)\n", to: "nightly.conf")
        let command = [Self.nightly + "/vidscan-nightly", folder.path + "/nightly.conf"]
        for (name, status) in [("lock", Int32(0)), ("lock-0-of-3", 0), ("lock-1-of-3", 75)] {
            let lock = open("\(folder.path)/out/log/\(name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX) == 0)
            let outcome = try ChildProcess.run(command)
            #expect(outcome.status == status, "\(name): \(outcome.errors)")
        }
        #expect(folder.entries.contains { $0.wholeMatch(of: /out\/log\/\d{4}-\d\d-\d\d-1-of-3\.log/) != nil })
        #expect(folder.entries.contains("out/batch-1-of-3.sqlite"))
    }

    @Test("The tasks of a Slurm array divide the files")
    func slurmTask() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/in", withIntermediateDirectories: false)
        for number in 10..<20 {
            try FileManager.default.copyItem(
                atPath: try Variants.path("still.png"), toPath: folder.path + "/in/\(number).png")
        }
        for task in 0..<2 {
            // The environment that Slurm sets.
            let outcome = try Tool.shell(
                """
                VIDSCAN="$0" SLURM_ARRAY_TASK_ID=\(task) SLURM_ARRAY_TASK_COUNT=2 SLURM_CPUS_PER_TASK=1 \
                bash '\(Checkout.samples)/cluster/vidscan-array.sbatch' in out --quiet
                """, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        let merged = try Tool.shell(
            "VIDSCAN=\"$0\" bash '\(Checkout.samples)/cluster/vidscan-merge.sbatch' out", in: folder)
        #expect(merged.status == 0)
        #expect(merged.output.hasPrefix("10 files: 0 pending, 0 running, 10 done, "))
        #expect(try folder.text("out/faces.csv").split(separator: "\n").count == 11)
        #expect(folder.entries.contains("out/batch-1-of-2.sqlite"))
    }
}
