import Foundation
import Glibc
import Testing
import TestSupport
import VidscanBase

@Suite("A working folder belongs to one run, and none is left behind")
struct WorkingFolderTests: BatchTesting {
    /// What is left of runs that did not end properly.
    private func leftovers(_ folder: TemporaryFolder) -> [String] {
        folder.entries.filter { ($0 as NSString).lastPathComponent.contains(".partial-") }
    }

    /// A shell line that runs the rest as the first process of a namespace, where its process id is 1, and, if asked for,
    /// as another machine.
    private func isolated(otherMachine: Bool = false) -> String {
        let machine =
            "printf 00000000-1111-2222-3333-444444444444 > boot; mount --bind boot /proc/sys/kernel/random/boot_id; "
        return "unshare --mount --pid --fork --mount-proc sh -c '\(otherMachine ? machine : "")exec \"$@\"' sh "
    }

    private func requireNamespaces(_ folder: TemporaryFolder) throws {
        guard try Tool.shell(isolated(otherMachine: true) + "true", in: folder).status == 0 else {
            try skip(missing: .mount)
        }
    }

    @Test(
        "Two containers with the same process id, or two machines, write the same result at the same time",
        arguments: [false, true])
    func twoRuns(otherMachine: Bool) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Checkout.clip, toPath: folder.path + "/a.mp4")
        try requireNamespaces(folder)
        let second = isolated(otherMachine: otherMachine)
        let outcome = try Tool.shell(
            """
            \(isolated())"$0" analyze --quiet --rate 2 --end 10 a.mp4 2> one & one=$!
            until ls -d .a.mp4.vidscan.partial-*; do :; done
            \(second)"$0" analyze --quiet --rate 2 --end 10 a.mp4 2> two & two=$!
            wait $one; echo $?; wait $two; echo $?
            """, in: folder)
        let statuses = outcome.output.split(separator: "\n").suffix(2).sorted()
        #expect(statuses == ["0", "1"], "\(outcome.output) \(outcome.errors)")
        let errors = try folder.text("one") + folder.text("two")
        #expect(errors.hasSuffix("a.mp4.vidscan exists; --force replaces it\n"), "\(errors)")
        #expect(try CSVTable(path: folder.path + "/a.mp4.vidscan/faces.csv").rows.count > 10)
        #expect(leftovers(folder) == [])
    }

    @Test("The next command in a folder removes what a killed run left there, and not what another one writes")
    func nextCommand() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] {
            try FileManager.default.copyItem(atPath: Checkout.clip, toPath: "\(folder.path)/\(name).mp4")
        }
        #expect(try Tool.run("analyze", "--quiet", "--rate", "1", "a.mp4", in: folder).status == 0)
        func start() throws -> ChildProcess {
            let known = leftovers(folder)
            let run = try ChildProcess(
                [Checkout.tool, "analyze", "--quiet", "--every-frame", "--anonymize", "blur", "b.mp4"],
                in: folder.path)
            while leftovers(folder).allSatisfy(known.contains) { usleep(1000) }
            return run
        }
        let killed = try start()
        let left = leftovers(folder)
        #expect(left.count == 1)
        let frames = "\(folder.path)/\(left.first ?? "")/.frames"
        while !FileManager.default.fileExists(atPath: frames) { usleep(1000) }
        killed.send(SIGKILL)
        _ = try killed.finish(within: 10)
        // It contains pictures of faces.
        #expect(try FileManager.default.attributesOfItem(atPath: frames)[.posixPermissions] as? Int == 0o600)
        let live = try start()
        let both = leftovers(folder)
        // It removes what the other one left, too.
        #expect(both.count == 1 && both != left)
        #expect(try Tool.run("report", "--quiet", "a.mp4.vidscan", in: folder).status == 0)
        #expect(leftovers(folder) == both)
        live.send(SIGKILL)
        _ = try live.finish(within: 10)
        #expect(try Tool.run("report", "--quiet", "--force", "a.mp4.vidscan", in: folder).status == 0)
        #expect(leftovers(folder) == [])
    }

    @Test("A worker that is killed for taking too long leaves no faces beside hidden videos")
    func killedWorker() throws {
        let folder = try makeFolder(["a.png"])
        let clip = try Tool.makeLongClip(in: folder)
        try FileManager.default.moveItem(atPath: clip, toPath: folder.path + "/in/long.mp4")
        try age(folder.path + "/in/long.mp4")
        let outcome = try Tool.run(
            "batch", "in", "--output", "out", "--anonymize", "blur", "--timeout", "5", "--timeout-per-second", "0",
            "--jobs", "1", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("long.mp4: took longer than 5 s and was stopped"), "\(outcome.errors)")
        #expect(leftovers(folder) == [])
        #expect(results(folder) == ["out/a.png.vidscan/run.json"])
    }

    @Test(
        "After a batch was killed, each of its commands removes what is left",
        arguments: ["run", "status", "merge", "prune"])
    func killedBatch(command: String) throws {
        let folder = try makeFolder(["sub/a.png"])
        #expect(try Tool.run("batch", "in", "--output", "out", "--quiet", in: folder).status == 0)
        let left = "out/sub/\(WorkingName("b.mp4.vidscan", .partial).text)"
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(left)", withIntermediateDirectories: false)
        try folder.write("faces", to: "\(left)/.frames")
        let arguments = [
            "run": ["batch", "in", "--output", "out", "--quiet"], "status": ["batch", "status", "out"],
            "merge": ["batch", "merge", "out"], "prune": ["batch", "prune", "out", "--older-than", "10"],
        ]
        let outcome = try ChildProcess.run([Checkout.tool] + (arguments[command] ?? []), in: folder.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!folder.entries.contains { $0.hasPrefix("out/") && $0.contains(".partial-") })
    }
}
