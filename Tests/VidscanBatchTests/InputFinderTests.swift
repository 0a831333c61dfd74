import Foundation
import Glibc
import Testing
import TestSupport
import VidscanBatch

@Suite("Inputs of a batch")
struct InputFinderTests {
    private func make(_ names: [String], in folder: TemporaryFolder) throws {
        for name in names {
            let path = folder.path + "/" + name
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test("A folder gives all its files except hidden ones, results, and other kinds of files")
    func folder() throws {
        let folder = try TemporaryFolder()
        try make(
            [
                "a.mp4", "b/c.MOV", "b/no-extension", ".hidden.mp4", ".git/d.mp4", "a.mp4.vidscan/overlay.mp4",
                "b/notes.txt", "batch.sqlite", "batch.sqlite-wal", "batch.sqlite-shm",
            ], in: folder)
        let found = InputFinder().find([folder.path])
        #expect(found.problems == [])
        #expect(found.inputs.map(\.resultPath) == ["a.mp4.vidscan", "b/c.MOV.vidscan", "b/no-extension.vidscan"])
        #expect(found.inputs.map(\.path) == ["a.mp4", "b/c.MOV", "b/no-extension"].map { "\(folder.path)/\($0)" })
        #expect(found.inputs.allSatisfy { !$0.isNamed && $0.state.bytes == 1 })
    }

    @Test("The files of a batch are never inputs, whether its folder is searched itself or lies below")
    func batchFiles() throws {
        let folder = try TemporaryFolder()
        let own = [
            "batch.sqlite", "batch.sqlite-wal", "batch.sqlite-shm", "index.html", "index.csv", "summary.json",
            "status.json",
            "status.js", "faces.csv", "people.html", "people_tracks.csv", "people.json",
        ]
        let shards = ["batch-0-of-2.sqlite", "index-0-of-2.html", "status-1-of-2.js", "status.js", "index.html"]
        try make(
            own + ["a.mp4", "page.js"] + own.map { "out/" + $0 } + ["out/b.mp4"] + shards.map { "s/" + $0 }, in: folder)
        // Names alone say nothing: without a journal, they are somebody's.
        try make(["site/status.js", "site/index.html"], in: folder)
        let found = { (finder: InputFinder) in
            finder.find([folder.path]).inputs.map { $0.path.dropFirst(folder.path.count + 1) }
        }
        #expect(found(InputFinder()) == ["a.mp4", "out/b.mp4", "page.js", "site/status.js"])
        #expect(
            found(InputFinder(include: ["*"])) == [
                "a.mp4", "out/b.mp4", "page.js", "site/index.html", "site/status.js",
            ])
    }

    @Test("Globs select files by path or name")
    func globs() throws {
        let folder = try TemporaryFolder()
        try make(["a.mp4", "b/a.mp4", "b/c.mkv", "b/notes.txt"], in: folder)
        let resultPaths = { (include: [String], exclude: [String]) in
            InputFinder(include: include, exclude: exclude).find([folder.path]).inputs.map(\.resultPath)
        }
        #expect(resultPaths(["*.mp4"], []) == ["a.mp4.vidscan", "b/a.mp4.vidscan"])
        for excluded in ["b/*", "b"] { #expect(resultPaths([], [excluded]) == ["a.mp4.vidscan"], "\(excluded)") }
        #expect(resultPaths(["*.txt", "*.mkv"], []) == ["b/c.mkv.vidscan", "b/notes.txt.vidscan"])
    }

    @Test("Results of several folders go below the folders' names, and each file counts once")
    func several() throws {
        let folder = try TemporaryFolder()
        try make(["x/a.mp4", "y/a.mp4"], in: folder)
        let found = InputFinder().find(["x", "y", "x/a.mp4", "x"].map { "\(folder.path)/\($0)" })
        #expect(found.inputs.map(\.resultPath) == ["x/a.mp4.vidscan", "y/a.mp4.vidscan"])
    }

    @Test("Unreadable inputs are reported, and the others are found")
    func problems() throws {
        let folder = try TemporaryFolder()
        try make(["a.mp4", "line\nend.mp4"], in: folder)
        // Not valid UTF-8. One could be a video; the others are no reason for a run to fail.
        for ending in [".mp4", ".dat", ".txt"] {
            let name = Array((folder.path + "/odd-").utf8) + [0xFF] + Array(ending.utf8) + [0]
            let descriptor = name.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
                creat($0.baseAddress.unsafelyUnwrapped, 0o644)  // It has elements.
            }
            #expect(descriptor >= 0)
            close(descriptor)
        }
        let found = InputFinder().find([folder.path, folder.path + "/none.mp4"])
        #expect(found.inputs.map(\.resultPath) == ["a.mp4.vidscan", "line\nend.mp4.vidscan"])
        #expect(
            found.problems.map(\.reason) == [
                "its name is not valid UTF-8; rename it", "cannot open: No such file or directory",
            ])
        #expect(found.problems.first?.path == folder.path + "/odd-\u{FFFD}.mp4")
        #expect(found.skipped.map(\.path) == [folder.path + "/odd-\u{FFFD}.dat"])
    }

    @Test("A folder that only has the name of a result is skipped with a line")
    func namedLikeAResult() throws {
        let folder = try TemporaryFolder()
        for name in ["a.vidscan", "b.vidscan", "c.vidscan.previous-1"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
            try folder.write("video", to: "\(name)/x.mp4")
        }
        try folder.write("{}", to: "a.vidscan/run.json")
        try folder.write("{}", to: "c.vidscan.previous-1/run.json")
        let found = InputFinder().find([folder.path])
        #expect(found.inputs.isEmpty && found.problems.isEmpty)
        #expect(
            found.skipped.map { "\($0.path) \($0.reason)" }
                == [folder.path + "/b.vidscan a folder with the name of a result, but without run.json"])
    }

    @Test("Links to folders and links that lead nowhere are skipped, with the reason")
    func links() throws {
        let folder = try TemporaryFolder()
        try make(["a.mp4"], in: folder)
        symlink(folder.path, folder.path + "/cycle")
        symlink("a.mp4", folder.path + "/link.mp4")
        symlink("nowhere", folder.path + "/broken.mp4")
        let found = InputFinder().find([folder.path])
        #expect(found.inputs.map(\.resultPath) == ["a.mp4.vidscan", "link.mp4.vidscan"])
        #expect(found.problems == [])
        #expect(
            found.skipped.map { "\($0.path) \($0.reason)" }.sorted() == [
                "\(folder.path)/broken.mp4 a link to a file that does not exist",
                "\(folder.path)/cycle a link to a folder",
            ])
    }

    @Test("Each file belongs to exactly one shard, and shards have similar sizes", arguments: [1, 2, 7, 8])
    func shards(count: Int) throws {
        let paths = (0..<4000).map { "/data/day-\($0 % 7)/clip-\($0).mp4" }
        let shards = try (0..<count).map { try #require(BatchShard(index: $0, count: count)) }
        #expect(paths.allSatisfy { path in shards.count { $0.contains(path) } == 1 })
        // For a fair hash, the sizes are binomial; this allows four standard deviations.
        let mean = 4000 / Double(count)
        let spread = 4 * (mean * (1 - 1 / Double(count))).squareRoot()
        for shard in shards { #expect(abs(Double(paths.count { shard.contains($0) }) - mean) <= spread) }
        #expect(BatchShard(index: count, count: count) == nil)
    }

    @Test("A file stays in its shard, whichever folders or files are named")
    func steadyShards() throws {
        let folder = try TemporaryFolder()
        try make((0..<40).map { "x/day-\($0 % 3)/\($0).mp4" } + ["y/0.mp4"], in: folder)
        let shards = try (0..<4).map { try #require(BatchShard(index: $0, count: 4)) }
        let division = { (names: [String]) in
            let inputs = InputFinder().find(names.map { "\(folder.path)/\($0)" }).inputs
            return shards.map { shard in Set(shard.select(from: inputs).map(\.path).filter { $0.contains("/x/") }) }
        }
        let alone = division(["x"])
        #expect(alone.map(\.count).reduce(0, +) == 40)
        #expect(division(["x", "y"]) == alone)
        #expect(division(["y", "x/day-0", "x/day-1", "x/day-2"]) == alone)
        #expect(division((0..<40).map { "x/day-\($0 % 3)/\($0).mp4" }) == alone)
    }

    @Test("Inputs with the same name in several shards get different results")
    func shardPlaces() throws {
        let folder = try TemporaryFolder()
        try make((0..<20).map { "\($0)/a.mp4" } + ["b.mp4"], in: folder)
        let inputs = InputFinder().find(
            (0..<20).map { "\(folder.path)/\($0)/a.mp4" } + [folder.path + "/b.mp4"]
        ).inputs
        let resultPaths = try (0..<4).flatMap { index in
            let shard = try #require(BatchShard(index: index, count: 4))
            let journal = try BatchJournal(folder: folder.path, shard: shard)
            return try journal.register(shard.select(from: inputs), configuration: "c", selection: .init()) { _ in false
            }
            .map(\.input.resultPath)
        }
        #expect(resultPaths.count == 21)
        #expect(Set(resultPaths).count == 21)
        #expect(resultPaths.contains("b.mp4.vidscan"))
        #expect(resultPaths.count { $0.wholeMatch(of: /a\.mp4-[0-9a-f]{16}\.vidscan/) != nil } == 20)
    }

    @Test("A dry run of a shard names the results that the run would write")
    func plannedPlaces() throws {
        let folder = try TemporaryFolder()
        try make(["1/a.mp4", "2/a.mp4"], in: folder)
        let shard = try #require(BatchShard(index: 0, count: 1))
        let journal = try BatchJournal(folder: folder.path, shard: shard)
        func places(_ name: String, in journal: BatchJournal, isDryRun: Bool = false) throws -> [String] {
            let inputs = shard.select(from: InputFinder().find(["\(folder.path)/\(name)/a.mp4"]).inputs)
            let planned = try journal.register(
                inputs, configuration: "c", selection: .init(), isDryRun: isDryRun
            ) { _ in false }
            return planned.map(\.input.resultPath)
        }
        #expect(try places("1", in: journal) == ["a.mp4.vidscan"])
        let dry = try places("2", in: .openReadOnly(folder: folder.path, shard: shard), isDryRun: true)
        #expect(try places("2", in: journal) == dry)
        #expect(dry.first?.wholeMatch(of: /a\.mp4-[0-9a-f]{16}\.vidscan/) != nil, "\(dry)")
    }
}
