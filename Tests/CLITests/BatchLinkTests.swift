import Foundation
import Glibc
import Testing
import TestSupport

@Suite("A batch follows no link in its folder, and names are bytes")
struct BatchLinkTests: BatchTesting {
    /// Moves a folder of the results elsewhere, and leaves a link to it.
    private func replaceByLink(_ path: String, in folder: TemporaryFolder) throws {
        try #require(rename("\(folder.path)/\(path)", folder.path + "/elsewhere") == 0)
        try #require(symlink(folder.path + "/elsewhere", "\(folder.path)/\(path)") == 0)
    }

    @Test("PruneOutcome removes nothing through a link")
    func pruning() throws {
        for linked in ["out/sub", "out/sub/a.png.vidscan"] {
            let folder = try makeFolder(["sub/a.png"])
            #expect(try batch(folder, "--quiet").status == 0)
            try replaceByLink(linked, in: folder)
            let outcome = try Tool.run("batch", "prune", "out", "--older-than", "0", in: folder)
            #expect(
                outcome.errors.contains(
                    "sub/a.png.vidscan: not removed: a symbolic link leads to it, and links are not followed\n"),
                "\(outcome.errors)")
            #expect(outcome.errors.hasSuffix("0 results removed\n"))
            #expect(folder.entries.contains { $0.hasPrefix("elsewhere/") && $0.hasSuffix("faces.csv") })
        }
    }

    @Test("No result and no report page is written through a link")
    func results() throws {
        let folder = try makeFolder(["sub/a.png"])
        #expect(try batch(folder, "--quiet").status == 0)
        try replaceByLink("out/sub", in: folder)
        let before = folder.entries.filter { $0.hasPrefix("elsewhere") }
        let again = try batch(folder, "--rate", "1")
        #expect(again.status == 1)
        #expect(again.errors.contains("sub/a.png: cannot create the folder"), "\(again.errors)")
        _ = try batch(folder, "--only-missing", "report")
        #expect(folder.entries.filter { $0.hasPrefix("elsewhere") } == before)
    }

    @Test("A journal that is a link is refused", arguments: ["batch.sqlite", "batch.sqlite-wal"])
    func journal(name: String) throws {
        let folder = try makeFolder(["a.png"])
        #expect(try batch(folder, "--quiet").status == 0)
        try? FileManager.default.removeItem(atPath: "\(folder.path)/out/\(name)")
        try folder.write("", to: "victim")
        symlink(folder.path + "/victim", "\(folder.path)/out/\(name)")
        for command in [
            ["batch", "in", "--output", "out"], ["batch", "status", "out"],
            ["batch", "prune", "out", "--older-than", "0"],
        ] {
            let outcome = try ChildProcess.run([Checkout.tool] + command, in: folder.path)
            outcome.expectError("out/\(name) is not a regular file; a batch follows no links in its folder", status: 2)
        }
        #expect(try folder.text("victim") == "")
    }

    @Test("Forgetting people removes nothing through a link")
    func forgetting() throws {
        let folder = try Tool.analyzed(Checkout.clip, "--people")
        let result = "faces.mp4.vidscan"
        try FileManager.default.copyItem(atPath: "\(folder.path)/\(result)", toPath: folder.path + "/elsewhere")
        symlink(folder.path + "/elsewhere", "\(folder.path)/\(result)/original")
        let outcome = try Tool.run("people", "--forget", result, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!folder.entries.contains("\(result)/embeddings.npy"))
        #expect(folder.entries.contains("elsewhere/embeddings.npy"))
    }

    @Test("Two spellings of one name are two files, with two results", arguments: ["1", "2"])
    func spellings(jobs: String) throws {
        let names = ["caf\u{E9}.png", "cafe\u{301}.png"]
        let folder = try makeFolder(["x/" + names[0], "y/" + names[0]])
        // Foundation would normalise neither, but Swift would find the two names equal.
        let made = try ChildProcess.run(
            [
                "sh", "-c",
                "cp x/*.png \"$(printf 'x/cafe\\314\\201.png')\"; cp -p x/*.png y/; touch -d '1 hour ago' */*",
            ],
            in: folder.path + "/in")
        try #require(made.status == 0, "\(made.errors)")
        let outcome = try batch(folder, "--jobs", jobs)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("4 done"), "\(outcome.errors)")
        let listed = try ChildProcess.run(["sh", "-c", "ls -d out/*/*.vidscan | wc -l"], in: folder.path)
        #expect(listed.output == "4\n")
        let again = try batch(folder, "--dry-run")
        #expect(again.output.hasSuffix("0 of 4 files would be analysed\n"), "\(again.output)")
        let named = try Tool.shell(
            "\"$0\" analyze --output named in/x/*.png && ls -d named/*.vidscan | wc -l", in: folder)
        #expect(named.output == "2\n", "\(named.errors)")
    }
}
