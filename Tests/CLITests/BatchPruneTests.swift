import Glibc
import Testing
import TestSupport

@Suite("Old results of a batch are removed")
struct BatchPruneTests: BatchTesting {
    @Test("Pruned results are removed, and not made again")
    func prune() throws {
        let folder = try makeFolder(["b/a.png", "c.png"])
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        #expect(
            try Tool.run("batch", "prune", "out", "--older-than", "1", in: folder).errors
                == "vidscan: 0 results removed\n")
        #expect(
            try Tool.run("batch", "prune", "out", "--older-than", "0", in: folder).errors
                == "vidscan: 2 results removed\n")
        #expect(folder.entries.filter { $0.contains(".vidscan") || $0 == "out/b" } == [])
        #expect(
            try Tool.run("batch", "in", "--output", "out", in: folder).errorLines.first
                == "vidscan: 2 files, 0 to analyse")
        #expect(results(folder) == [])
    }

    @Test("A result that cannot be removed stays in the batch, and the others are removed")
    func unremovable() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        #expect(try batch(folder, "--quiet").status == 0)
        let result = folder.path + "/out/a.png.vidscan"
        chmod(result, 0o555)
        defer { chmod(result, 0o755) }
        let outcome = try Tool.runUnprivileged("batch", "prune", "out", "--older-than", "0", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errorLines == [
                "vidscan: warning: \(result): not removed: Permission denied", "vidscan: 1 result removed",
            ])
        #expect(results(folder) == ["out/a.png.vidscan/run.json"])
        #expect(try index(folder).mapValues { $0["status"] } == ["a.png": "done", "b.png": "pruned"])
    }

    @Test("A warning names the tables that still have people of removed results")
    func tables() throws {
        let folder = try makeFolder(["a.png"])
        #expect(try batch(folder, "--quiet", "--merge").status == 0)
        try folder.write("", to: "out/people.csv")
        let prune = { try Tool.run("batch", "prune", "out", "--older-than", "0", in: folder).errors }
        #expect(
            try prune() == """
                vidscan: warning: \(folder.path)/out: people of removed results are still in people.csv, faces.csv \
                until a run with --people and --merge writes these again
                vidscan: 1 result removed

                """)
        #expect(try prune() == "vidscan: 0 results removed\n")
    }

    @Test("Removing more than ten results needs --yes; a dry run lists them")
    func pruneMany() throws {
        let names = (1...11).map { "\($0 + 10).png" }
        let folder = try makeFolder(names)
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        let dry = try Tool.run("batch", "prune", "out", "--older-than", "0", "--dry-run", in: folder)
        #expect(dry.status == 0)
        #expect(dry.output.hasPrefix("\(folder.path)/out/11.png.vidscan\n"))
        #expect(dry.output.hasSuffix("\n11 results would be removed\n"))
        let asked = try Tool.run("batch", "prune", "out", "--older-than", "0", in: folder)
        #expect(asked.status == 2)
        #expect(
            asked.errors == "vidscan: error: 11 results would be removed; --dry-run lists them, --yes removes them\n")
        #expect(results(folder).count == 11)
        #expect(try Tool.run("batch", "prune", "out", "--older-than", "0", "--yes", in: folder).status == 0)
        #expect(results(folder) == [])
    }

    @Test("A result made by hand after pruning is kept until it is old itself")
    func pruneByHand() throws {
        let folder = try makeFolder(["c.png"])
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        #expect(
            try Tool.run("batch", "prune", "out", "--older-than", "0", in: folder).errors
                == "vidscan: 1 result removed\n")
        #expect(try Tool.run("analyze", "in/c.png", "--output", "out", in: folder).status == 0)
        #expect(
            try Tool.run("batch", "prune", "out", "--older-than", "1", in: folder).errors
                == "vidscan: 0 results removed\n")
        #expect(results(folder) == ["out/c.png.vidscan/run.json"])
    }

    @Test("The result of another video, made by hand in the batch's folder, is neither pruned nor merged")
    func foreignResult() throws {
        let folder = try makeFolder(["c.png", "other/c.png"])
        #expect(try Tool.run("batch", "in/c.png", "--output", "out", in: folder).status == 0)
        #expect(try Tool.run("analyze", "in/other/c.png", "--output", "out", "--force", in: folder).status == 0)
        let merged = try Tool.run("batch", "merge", "out", in: folder)
        #expect(merged.output == "")
        merged.expectError("is of \(folder.path)/in/other/c.png, not of \(folder.path)/in/c.png", status: 2)
        let dry = try Tool.run("batch", "prune", "out", "--older-than", "0", "--dry-run", in: folder)
        #expect(dry.output == "0 results would be removed\n")
        let pruned = try Tool.run("batch", "prune", "out", "--older-than", "0", in: folder)
        #expect(pruned.errors.contains("it is the result of another video"), "\(pruned.errors)")
        #expect(results(folder) == ["out/c.png.vidscan/run.json"])
    }
}
