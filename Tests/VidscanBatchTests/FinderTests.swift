import Foundation
import Glibc
import Testing
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
        #expect(OneLine.text("line\nend\u{1B}[K") == "line\\u{A}end\\u{1B}[K")
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
        let places = (0..<4000).map { "day-\($0 % 7)/clip-\($0).mp4.vidscan" }
        let shards = try (0..<count).map { try #require(BatchShard(index: $0, count: count)) }
        #expect(places.allSatisfy { place in shards.count { $0.holds(place) } == 1 })
        // Of a fair hash, four standard deviations of a binomial count.
        let mean = 4000 / Double(count)
        let spread = 4 * (mean * (1 - 1 / Double(count))).squareRoot()
        for shard in shards { #expect(abs(Double(places.count { shard.holds($0) }) - mean) <= spread) }
        #expect(BatchShard(index: count, count: count) == nil)
    }
}
