import Foundation
import Glibc
import Testing
import TestSupport

@Suite("Batches")
struct BatchTests: BatchTesting {
    @Test("Each file gets its result, and a second run analyses nothing")
    func delivers() throws {
        let folder = try makeFolder(["a.png", "b/a.png", "b/c.png"])
        try add("sound.m4a", from: "audio.m4a", to: folder)
        let first = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(first.status == 0)
        #expect(first.output == "")
        #expect(first.errorLines.first == "vidscan: 4 files, 4 to analyse")
        #expect(first.errorLines.last?.hasPrefix("vidscan: 3 done, 0 failed, 1 skipped; ") == true, "\(first.errors)")
        #expect(results(folder) == ["a", "b/a", "b/c"].map { "out/\($0).png.vidscan/run.json" })
        #expect(
            folder.entries.filter { $0.hasPrefix("out/") && !$0.contains(".vidscan") }
                == [
                    "out/b", "out/batch.sqlite", "out/index.csv", "out/index.html", "out/status.js", "out/status.json",
                    "out/summary.json",
                ])
        #expect(try Tool.run("analyze", "in/a.png", "--output", "alone", in: folder).status == 0)
        #expect(
            try folder.bytes("out/a.png.vidscan/faces.csv") == folder.bytes("alone/a.png.vidscan/faces.csv"))
        let before = try folder.bytes("out/a.png.vidscan/run.json")
        let second = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(second.status == 0)
        #expect(second.errorLines.first == "vidscan: 4 files, 0 to analyse")
        #expect(try folder.bytes("out/a.png.vidscan/run.json") == before)
    }

    @Test("Changed files, missing results and other settings are analysed again, and a dry run says why")
    func again() throws {
        let folder = try makeFolder(["a.png", "b.png", "c.png"])
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -1800)], ofItemAtPath: folder.path + "/in/a.png")
        try FileManager.default.removeItem(atPath: folder.path + "/out/b.png.vidscan")
        let dry = try Tool.run("batch", "in", "--output", "out", "--dry-run", in: folder)
        #expect(dry.status == 0)
        // The time depends on the speed of this machine.
        let decisions = try #require(dry.output.firstMatch(of: #/, in (about 0:0\d|less than a second), estimated/#))
            .range
        #expect(
            dry.output[..<decisions.lowerBound] == """
                run   \(folder.path)/in/a.png  (changed)
                run   \(folder.path)/in/b.png  (result missing)
                skip  \(folder.path)/in/c.png  (already done)
                2 of 3 files would be analysed
                """)
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        #expect(try index(folder).mapValues { $0["attempts"] } == ["a.png": "2", "b.png": "2", "c.png": "1"])
        let other = try Tool.run("batch", "in", "--output", "out", "--metrics", "none", "--dry-run", in: folder)
        // Other settings can take many times as long, so the files that are done say nothing.
        #expect(other.output.contains("\n3 of 3 files would be analysed, in "))
        #expect(other.output.hasSuffix(", estimated from the first seconds of 3 files\n"))
        #expect(try Tool.run("batch", "in", "--output", "out", "--force", in: folder).status == 0)
        #expect(try index(folder).mapValues { $0["attempts"] } == ["a.png": "3", "b.png": "3", "c.png": "2"])
    }

    @Test("Files that abort, hang or exhaust the memory fail alone, each with its reason")
    func isolation() throws {
        let folder = try makeFolder(["abort.png", "good-1.png", "good-2.png", "hang.png", "memory.png"])
        // Only the faulty files reach these limits.
        let outcome = try Tool.shell(
            """
            VIDSCAN_TEST_FAULT=abort:abort.png,hang:hang.png,memory:memory.png \
            "$0" batch in --output out --jobs 2 --timeout 15 --memory-limit 1024
            """, in: folder)
        #expect(outcome.status == 1)
        let reasons = [
            "abort.png": "its worker was killed by signal 6 (Aborted)",
            "hang.png": "took longer than 15 s and was stopped",
            "memory.png": "needed more than 1024 MB of memory and was stopped",
        ]
        for (name, reason) in reasons {
            #expect(outcome.errorLines.contains("vidscan: error: \(folder.path)/in/\(name): \(reason)"))
        }
        #expect(outcome.errorLines.last?.hasPrefix("vidscan: 2 done, 3 failed, 0 skipped; ") == true)
        #expect(results(folder) == ["out/good-1.png.vidscan/run.json", "out/good-2.png.vidscan/run.json"])
        let rows = try index(folder)
        #expect(rows.mapValues { $0["error"] } == reasons.merging(["good-1.png": "", "good-2.png": ""]) { $1 })

        // They wait for their retries, so the run fails and says so; --only-failed does not wait.
        let waiting = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(waiting.status == 1)
        #expect(
            waiting.errorLines.last
                == "vidscan: error: 3 files failed earlier and wait for a retry; --only-failed retries now")
        #expect(try Tool.run("batch", "in", "--output", "out", "--only-failed", in: folder).status == 0)
        #expect(results(folder).count == 5)
    }

    @Test("Before the first file is done, a dry run estimates the time from the first seconds of some files")
    func estimate() throws {
        let folder = try makeFolder(["a.png"])
        // A second of small pictures each, because the dry run analyses three files each time.
        let source = try Variants.path("audiofirst.mp4")
        for number in 0..<5 {
            let made = try ChildProcess.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-t", "1", "-i", source, "-vf", "scale=160:90"]
                    + ["-c:v", "libx264", "\(number).mp4"], in: folder.path + "/in")
            try #require(made.status == 0, "\(made.errors)")
            try age("\(folder.path)/in/\(number).mp4")
        }
        try add("cut.mkv", from: "truncated.mkv", to: folder)
        for options in [[], ["--anonymize", "blur"], ["--end", "1"]] {
            let dry = try ChildProcess.run(
                [Checkout.tool, "batch", "in", "--output", "out", "--dry-run"] + options, in: folder.path)
            #expect(dry.status == 0)
            #expect(dry.errors == "")
            let line = #/7 of 7 files would be analysed, in .+ \([0-9.]+× real time\), estimated from (.+)/#
            let basis = dry.output.split(separator: "\n").last?.wholeMatch(of: line)?.1
            let more = options.contains("--anonymize") ? ", without new videos" : ""
            #expect(basis.map(String.init) == "the first seconds of 3 files" + more, "\(dry.output)")
            #expect(!folder.entries.contains("out"))
        }
        try add("broken.mp4", from: "text.mp4", to: folder)
        let broken = try Tool.run("batch", "in/broken.mp4", "--output", "out", "--dry-run", in: folder)
        #expect(broken.output.hasSuffix("\n1 of 1 file would be analysed\n"))
    }

    @Test("A file that failed too often is quarantined, and only reported")
    func quarantine() throws {
        let folder = try makeFolder(["broken.mp4"], from: "truncated_nomoov.mp4")
        let first = try Tool.run("batch", "in", "--output", "out", "--retries", "0", in: folder)
        #expect(first.status == 1)
        let second = try Tool.run("batch", "in", "--output", "out", "--retries", "0", in: folder)
        #expect(second.status == 0)
        #expect(
            second.errorLines.last
                == "vidscan: warning: 1 file failed too often and is quarantined; 'vidscan batch status out' lists it"
        )
        let status = try Tool.run("batch", "status", "out", in: folder)
        #expect(status.output.contains("1 quarantined"))
        #expect(status.output.contains("\nquarantined  \(folder.path)/in/broken.mp4: "))
    }

    @Test("A signal ends the batch with status 130 and leaves no partial files", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(signal: Int32) throws {
        let folder = try makeFolder(["a.png"])
        let clip = try Tool.makeLongClip(in: folder)
        let process = try ChildProcess(
            [Checkout.tool, "batch", "in", clip, "--output", "out", "--jobs", "2", "--every-frame", "-v"],
            in: folder.path)
        // The picture is done, and the clip takes much longer.
        try process.waitForErrors(containing: "a.png: 1 face in 1 frame")
        process.send(signal)
        let outcome = try process.finish(within: 10)
        #expect(outcome.status == 130)
        #expect(
            outcome.errorLines.last
                == "vidscan: error: interrupted: 1 result of this run is kept, files in progress are not; run the same"
                + " command again for the 1 left", "\(outcome.errors)")
        #expect(results(folder) == ["out/a.png.vidscan/run.json"])
        #expect(folder.entries.filter { $0.contains("partial") } == [])
        #expect(try index(folder)["long.mp4"]?["status"] == "pending")
        #expect(try index(folder)["long.mp4"]?["attempts"] == "0")
    }

    @Test("Concurrent batches divide the work, and take over that of a killed one; nothing is done twice")
    func several() throws {
        let names = (10..<35).map { "\($0).png" }
        let folder = try makeFolder(names)
        let command = [Checkout.tool, "batch", "in", "--output", "out", "--jobs", "1", "-v"]
        let killed = try ChildProcess(command, in: folder.path)
        let other = try ChildProcess(command, in: folder.path)
        try killed.waitForErrors(containing: " in 1 frame")
        killed.send(SIGKILL)
        let third = try ChildProcess(command, in: folder.path)
        let outcomes = [try killed.finish(), try other.finish(), try third.finish()]
        #expect(outcomes.map(\.status) == [128 + SIGKILL, 0, 0])
        #expect(results(folder).count == names.count)
        let messages = outcomes.flatMap { $0.errors.split(separator: "\n") }.filter { $0.contains(" in 1 frame") }
        // The killed batch may have delivered a file without reporting it.
        #expect(messages.count >= names.count - 1)
        #expect(Set(messages).count == messages.count)
        let attempts = try index(folder).values.compactMap { $0["attempts"].flatMap { Int($0) } }
        #expect(attempts.count == names.count)
        #expect(attempts.reduce(0, +) <= names.count + 1)
        #expect(folder.entries.filter { $0.contains("partial") } == [])
    }

    @Test("A batch that is killed at random moments and resumed equals an uninterrupted one")
    func killed() throws {
        let outcome = try ChildProcess.run([
            Checkout.root + "/scripts/check_batch", "--files", "20", "--kills", "3", "--vidscan", Checkout.tool,
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("check_batch: 20 files, 2 broken; killed 3 times; "))
    }

    @Test(
        "A full disk stops the batch with that reason, and the next run resumes when there is space",
        arguments: [0, 64])
    func fullDisk(leaveFree: Int) throws {
        let folder = try makeFolder((10..<30).map { "\($0).png" })
        // In its own mount namespace, so that the disk disappears with the process.
        let outcome = try Tool.shell(
            """
            unshare --mount bash -c '
                mkdir out && mount -t tmpfs -o size=500k tmpfs out || exit
                "$0" batch in --output out --jobs 2 --leave-free \(leaveFree) --format jsonl --landmarks
                echo "status $?"
                mount -o remount,size=200M out
                "$0" batch in --output out --quiet --format jsonl --landmarks --leave-free 1
                echo "status $?"
                ls -d out/*.vidscan | wc -l; ls -A out | grep -c partial' "$0"
            """, in: folder)
        guard outcome.output.contains("status") else { try skip(missing: .mount) }
        #expect(outcome.output == "status 1\nstatus 0\n20\n0\n", "\(outcome.errors)")
        let last = outcome.errorLines.last ?? ""
        #expect(
            leaveFree == 0
                ? last.lowercased().hasSuffix("no space left on device")
                : last.hasSuffix(
                    "0 MB are free on its disk, and --leave-free keeps 64; free some space and run the batch again"),
            "\(last)")
        #expect(outcome.errorLines.filter { $0.contains("error: ") }.count == 1, "\(outcome.errors)")
    }

    @Test("With too little free disk space nothing is started, and there are no partial files")
    func leaveFree() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        let full = try Tool.run("batch", "in", "--output", "out", "--leave-free", "1000000000", in: folder)
        #expect(full.status == 1)
        let last = try #require(full.errorLines.last)
        #expect(last.hasPrefix("vidscan: error: \(folder.path)/out: only "))
        #expect(
            last.hasSuffix(
                " MB are free on its disk, and --leave-free keeps 1000000000; free some space and run the batch again"))
        #expect(
            folder.entries.filter { $0.hasPrefix("out/") }
                == [
                    "out/batch.sqlite", "out/index.csv", "out/index.html", "out/status.js", "out/status.json",
                    "out/summary.json",
                ])
        #expect(try index(folder).mapValues { $0["status"] } == ["a.png": "pending", "b.png": "pending"])
        #expect(try Tool.run("batch", "in", "--output", "out", "--leave-free", "0", in: folder).status == 0)
        #expect(results(folder).count == 2)
    }

    @Test("Shards merge to the same table as one batch")
    func shards() throws {
        let folder = try makeFolder((10..<22).map { "\($0).png" })
        #expect(try Tool.run("batch", "in", "--output", "whole", "--merge", in: folder).status == 0)
        for index in 0..<3 {
            #expect(try Tool.run("batch", "in", "--output", "out", "--shard", "\(index)/3", in: folder).status == 0)
        }
        #expect(try Tool.run("batch", "merge", "out", "--output", "all.csv", in: folder).status == 0)
        let table = try folder.text("all.csv")
        #expect(table == (try folder.text("whole/faces.csv")))
        #expect(table.split(separator: "\n").count == 13)
        #expect(table.hasPrefix("video,time,frame,face_id,"))
        #expect(try Tool.run("batch", "merge", "out", in: folder).output == table)
        let head = try Tool.shell("\"$0\" batch merge out | head -n 1", in: folder)
        #expect(head.status == 0)
        #expect(head.errors == "")
        let other = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(other.status == 2)
        #expect(other.errors.contains("the journal of a batch with another number of shards"))
    }

    @Test("A result that is not from the batch is not replaced")
    func foreignResult() throws {
        let folder = try makeFolder(["a.png"])
        #expect(try Tool.run("analyze", "in/a.png", "--output", "out", in: folder).status == 0)
        let before = try folder.bytes("out/a.png.vidscan/run.json")
        let outcome = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains(
                "in/a.png: \(folder.path)/out/a.png.vidscan exists, but is not from this batch; --force replaces it"))
        #expect(try folder.bytes("out/a.png.vidscan/run.json") == before)
    }

    private static let wrong = [
        ("batch --output out", "Name at least one file or folder, or use --from"),
        ("batch in", "name the folder for the results and the journal with --output"),
        ("batch in --output out --shard 8/8", "The value '8/8' is invalid for '--shard <K/N>'"),
        ("batch in --output out --jobs 0", "--jobs must be 1 to 256"),
        ("batch in --output out --retries=-1", "--retries must be 0 to 100"),
        ("batch in --output out --timeout 0", "--timeout must be above 0"),
        ("batch in --output out --timeout nan", "--timeout must be above 0"),
        ("batch in --output out --memory-limit 1", "--memory-limit must be 256 or more megabytes"),
        ("batch in --output out --memory-budget 1", "--memory-budget must be 256 or more megabytes"),
        (
            "batch in --output out --jobs 4 --memory-budget 1024",
            "--jobs 4 needs more than 1024 MB of memory: each worker would get 256 MB, and needs 640;"
                + " use at most --jobs 1, or a larger --memory-budget"
        ),
        ("batch --from none.txt --output out", "the list none.txt: cannot read it: No such file or directory"),
        (
            "batch in --output out --merge --format openface",
            "--merge needs faces.csv of each result; add csv to --format"
        ),
        (
            "batch in --output out --merge --anonymize blur",
            "--merge needs faces.csv of each result, and --anonymize leaves no tables; add --tables"
        ),
        ("batch in --output out --sticker hat.png", "the sticker /"),
        ("batch statsu none", "statsu does not exist; did you mean 'vidscan batch status'?"),
        ("batch statsu none --json", "Unknown option '--json'; did you mean 'vidscan batch status'? (see --help)"),
        ("batch prunne", "prunne does not exist; did you mean 'vidscan batch prune'?"),
        ("batch status none", ""), ("batch merge none", ""), ("batch merge none --table rows", "--table must be"),
        ("batch prune none", "Missing expected argument '--older-than <days>'"),
    ]

    @Test("Wrong usage ends with one line and status 2, before any work", arguments: wrong)
    func wrongUsage(line: String, message: String) throws {
        let folder = try TemporaryFolder()
        let arguments = line.split(separator: " ")
        let outcome = try ChildProcess.run([Checkout.tool] + arguments.map(String.init), in: folder.path)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("vidscan: error: \(message)"))
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
        #expect(folder.entries == [])
    }
}
