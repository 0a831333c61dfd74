import Foundation
import Glibc
import Testing
import TestSupport
import VidscanBatch

@Suite("The files of a batch")
struct FinderTests {
    private func make(_ names: [String], in folder: TemporaryFolder) throws {
        for name in names {
            let path = folder.path + "/" + name
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test("Are all in a folder but hidden ones, results, and what is no video by its name")
    func folder() throws {
        let folder = try TemporaryFolder()
        try make(
            [
                "a.mp4", "b/c.MOV", "b/no-extension", ".hidden.mp4", ".git/d.mp4", "a.mp4.vidscan/overlay.mp4",
                "b/notes.txt",
                "batch.sqlite", "batch.sqlite-wal", "batch.sqlite-shm",
            ], in: folder)
        let found = InputFinder().find([folder.path])
        #expect(found.problems == [])
        #expect(found.inputs.map(\.place) == ["a.mp4.vidscan", "b/c.MOV.vidscan", "b/no-extension.vidscan"])
        #expect(found.inputs.map(\.path) == ["a.mp4", "b/c.MOV", "b/no-extension"].map { "\(folder.path)/\($0)" })
        #expect(found.inputs.allSatisfy { !$0.isNamed && $0.identity.bytes == 1 })
    }

    @Test("Are chosen by globs, of the path or the name")
    func globs() throws {
        let folder = try TemporaryFolder()
        try make(["a.mp4", "b/a.mp4", "b/c.mkv", "b/notes.txt"], in: folder)
        let places = { (include: [String], exclude: [String]) in
            InputFinder(include: include, exclude: exclude).find([folder.path]).inputs.map(\.place)
        }
        #expect(places(["*.mp4"], []) == ["a.mp4.vidscan", "b/a.mp4.vidscan"])
        #expect(places([], ["b/*"]) == ["a.mp4.vidscan"])
        #expect(places(["*.txt", "*.mkv"], []) == ["b/c.mkv.vidscan", "b/notes.txt.vidscan"])
    }

    @Test("Of several folders lie below the folders' names, and each file counts once")
    func several() throws {
        let folder = try TemporaryFolder()
        try make(["x/a.mp4", "y/a.mp4"], in: folder)
        let found = InputFinder().find(["x", "y", "x/a.mp4", "x"].map { "\(folder.path)/\($0)" })
        #expect(found.inputs.map(\.place) == ["x/a.mp4.vidscan", "y/a.mp4.vidscan"])
    }

    @Test("That cannot be looked at are told, and do not keep the others away")
    func problems() throws {
        let folder = try TemporaryFolder()
        try make(["a.mp4", "line\nend.mp4"], in: folder)
        let odd = folder.path + "/odd-"
        // No UTF-8.
        let descriptor = (Array(odd.utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]).withUnsafeBufferPointer {
            creat($0.baseAddress.unsafelyUnwrapped, 0o644)  // It has elements.
        }
        #expect(descriptor >= 0)
        close(descriptor)
        let found = InputFinder().find([folder.path, folder.path + "/none.mp4"])
        #expect(found.inputs.map(\.place) == ["a.mp4.vidscan", "line\nend.mp4.vidscan"])
        #expect(
            found.problems.map(\.reason) == [
                "its name is no UTF-8 text; rename it", "cannot open: No such file or directory",
            ])
    }

    @Test("Links to folders are not followed, so that no circle is walked")
    func links() throws {
        let folder = try TemporaryFolder()
        try make(["a.mp4"], in: folder)
        symlink(folder.path, folder.path + "/circle")
        symlink("a.mp4", folder.path + "/link.mp4")
        symlink("nowhere", folder.path + "/broken.mp4")
        let found = InputFinder().find([folder.path])
        #expect(found.inputs.map(\.place) == ["a.mp4.vidscan", "link.mp4.vidscan"])
    }

    @Test("Fall to shards evenly, each to exactly one", arguments: [1, 2, 7, 8])
    func shards(count: Int) throws {
        let paths = (0..<4000).map { "/data/day-\($0 % 7)/clip-\($0).mp4" }
        let shards = try (0..<count).map { try #require(BatchShard(index: $0, count: count)) }
        #expect(paths.allSatisfy { path in shards.count { $0.holds(path) } == 1 })
        // Of a fair hash, four standard deviations of a binomial count.
        let mean = 4000 / Double(count)
        let spread = 4 * (mean * (1 - 1 / Double(count))).squareRoot()
        for shard in shards { #expect(abs(Double(paths.count { shard.holds($0) }) - mean) <= spread) }
        #expect(BatchShard(index: count, count: count) == nil)
    }

    @Test("Stay in their shards when another folder is named, or a part of it, or the files themselves")
    func steadyShards() throws {
        let folder = try TemporaryFolder()
        try make((0..<40).map { "x/day-\($0 % 3)/\($0).mp4" } + ["y/0.mp4"], in: folder)
        let shards = try (0..<4).map { try #require(BatchShard(index: $0, count: 4)) }
        let division = { (names: [String]) in
            let inputs = InputFinder().find(names.map { "\(folder.path)/\($0)" }).inputs
            return shards.map { shard in Set(shard.own(inputs).map(\.path).filter { $0.contains("/x/") }) }
        }
        let alone = division(["x"])
        #expect(alone.map(\.count).reduce(0, +) == 40)
        #expect(division(["x", "y"]) == alone)
        #expect(division(["y", "x/day-0", "x/day-1", "x/day-2"]) == alone)
        #expect(division((0..<40).map { "x/day-\($0 % 3)/\($0).mp4" }) == alone)
    }

    @Test("Of one name in several shards get places of their own")
    func shardPlaces() throws {
        let folder = try TemporaryFolder()
        try make((0..<20).map { "\($0)/a.mp4" } + ["b.mp4"], in: folder)
        let inputs = InputFinder().find(
            (0..<20).map { "\(folder.path)/\($0)/a.mp4" } + [folder.path + "/b.mp4"]
        ).inputs
        let places = try (0..<4).flatMap { index in
            let shard = try #require(BatchShard(index: index, count: 4))
            let journal = try BatchJournal(folder: folder.path, shard: shard)
            return try journal.enroll(shard.own(inputs), configuration: "c", selection: .init()) { _ in false }
                .map(\.input.place)
        }
        #expect(places.count == 21)
        #expect(Set(places).count == 21)
        #expect(places.contains("b.mp4.vidscan"))
        #expect(places.count { $0.wholeMatch(of: /a\.mp4-[0-9a-f]{16}\.vidscan/) != nil } == 20)
    }
}
