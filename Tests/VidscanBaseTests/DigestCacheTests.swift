import Foundation
import Glibc
import Synchronization
import Testing
import TestSupport
import VidscanBase

@Suite("Digests of files are kept as long as the files stay the same")
struct DigestCacheTests {
    private let folder: TemporaryFolder
    private let inside: PrivateFolder
    private let path: String
    /// A later time, at which all files of the test are old.
    private static let later = DigestCache.currentTime() + 3600 * 1_000_000_000

    init() throws {
        folder = try TemporaryFolder()
        inside = try PrivateFolder(folder.path + "/cache")
        path = try folder.write("content", to: "file")
    }

    /// Asks a new process for the digest of the file.
    ///
    /// - Parameter digest: What that process would compute.
    /// - Returns: What it says.
    private func ask(_ digest: String, of path: String? = nil, now: Int64 = later) -> String {
        let cache = DigestCache(inside, now: { now })
        let answer = cache.digest(of: path ?? self.path) { digest }
        cache.save()
        return answer
    }

    private var stored: String { get throws { try folder.text("cache/digests") } }

    @Test("A second process does not compute the digest again")
    func known() throws {
        #expect(ask("aa") == "aa")
        #expect(ask("bb") == "aa")
        let other = try folder.write("content", to: "other file")
        #expect(ask("cc", of: other) == "cc")
        #expect(ask("bb") == "aa")
        #expect(ask("dd", of: other) == "cc")
        #expect(folder.entries == ["cache", "cache/digests", "file", "other file"])
    }

    @Test("A file with other content of the same size and the same time of modification has a new digest")
    func changed() throws {
        #expect(ask("aa") == "aa")
        var before = stat()
        try #require(stat(path, &before) == 0)
        let file = open(path, O_WRONLY)
        try #require(write(file, "changed", 7) == 7)
        try #require(futimens(file, [before.st_atim, before.st_mtim]) == 0)
        close(file)
        var after = stat()
        try #require(stat(path, &after) == 0)
        try #require(
            after.st_size == before.st_size && after.st_ino == before.st_ino
                && after.st_mtim.tv_sec == before.st_mtim.tv_sec && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
        #expect(ask("bb") == "bb")
        #expect(ask("cc") == "bb")
    }

    @Test("A file that replaces another one at its path has a new digest")
    func replaced() throws {
        #expect(ask("aa") == "aa")
        let other = try folder.write("changed", to: "other")
        try #require(rename(other, path) == 0)
        #expect(ask("bb") == "bb")
    }

    @Test("A file that was just changed is read again, because another change may get the same time")
    func justChanged() throws {
        let now = DigestCache.currentTime()
        #expect(ask("aa", now: now) == "aa")
        #expect(ask("bb", now: now) == "bb")
        #expect(folder.entries == ["cache", "file"])
        #expect(ask("cc") == "cc")
        #expect(ask("dd") == "cc")
    }

    @Test("A file that changes while it is read is read again")
    func changesMeanwhile() throws {
        let cache = DigestCache(inside, now: { Self.later })
        let answer = try cache.digest(of: path) { () throws in
            try folder.write("longer content", to: "file")
            return "aa"
        }
        cache.save()
        #expect(answer == "aa")
        #expect(ask("bb") == "bb")
    }

    @Test("A damaged file is ignored and replaced", arguments: Harm.allCases)
    func damaged(_ harm: Harm) throws {
        #expect(ask("aa") == "aa")
        let whole = try stored
        try harm.apply(to: folder.path + "/cache/digests")
        #expect(ask("bb") == "bb")
        let other = whole.replacing("\naa ", with: "\nbb ")
        #expect(try stored == other.replacing(checksum(in: whole), with: checksum(in: stored)))
        #expect(ask("cc") == "bb")
    }

    private func checksum(in text: String) throws -> Substring {
        try #require(text.split(separator: "\n").last { $0.hasPrefix("checksum ") })
    }

    @Test("What others could have written is ignored")
    func foreign() throws {
        #expect(ask("aa") == "aa")
        chmod(folder.path + "/cache/digests", 0o666)
        #expect(ask("bb") == "bb")
        #expect(ask("cc") == "bb")
    }

    @Test("A folder that cannot be written changes nothing but the time")
    func unwritable() throws {
        mkdir(folder.path + "/cache/digests", 0o700)
        #expect(ask("aa") == "aa")
        #expect(ask("bb") == "bb")
        #expect(folder.entries == ["cache", "cache/digests", "file"])
    }

    @Test("A path that does not fit in a line is not kept, nor is one without a file")
    func unusual() throws {
        let odd = try folder.write("content", to: "two\nlines")
        #expect(ask("aa", of: odd) == "aa")
        #expect(ask("bb", of: odd) == "bb")
        #expect(ask("aa", of: folder.path + "/missing") == "aa")
        #expect(ask("bb", of: folder.path + "/missing") == "bb")
        let spaced = try folder.write("content", to: "a b  c ")
        #expect(ask("aa", of: spaced) == "aa")
        #expect(ask("bb", of: spaced) == "aa")
    }

    @Test("The digests that are in use stay when there are too many")
    func capacity() throws {
        for number in 0..<70 {
            let path = try folder.write("content", to: "file \(number)")
            #expect(ask("aa", of: path) == "aa")
        }
        #expect(ask("bb", of: folder.path + "/file 69") == "aa")
        #expect(ask("bb", of: folder.path + "/file 6") == "aa")
        #expect(ask("bb", of: folder.path + "/file 5") == "bb")
    }

    @Test("Threads that write at the same time leave a complete file")
    func threads() async throws {
        let paths = try (0..<8).map { try folder.write("content", to: "file \($0)") }
        await withTaskGroup(of: Void.self) { group in
            for path in paths { group.addTask { for _ in 0..<20 { _ = ask("aa", of: path) } } }
        }
        #expect(ask("aa") == "aa")
        #expect(ask("bb") == "aa")
        #expect(!folder.entries.contains { $0.contains(".partial") })
    }

    /// What can happen to the file.
    enum Harm: String, CaseIterable, CustomTestStringConvertible {
        case emptied, cutShort, cutInChecksum, otherDigest, otherFormat, grown, noText

        var testDescription: String { rawValue }

        func apply(to path: String) throws {
            let url = URL(fileURLWithPath: path)
            var bytes = try Data(contentsOf: url)
            switch self {
            case .emptied: bytes = Data()
            case .cutShort: bytes = bytes.prefix(bytes.count / 2)
            case .cutInChecksum: bytes = bytes.prefix(bytes.count - 2)
            case .otherDigest: bytes[try #require(bytes.range(of: Data("\naa ".utf8))).lowerBound + 1] ^= 3
            case .otherFormat: bytes[try #require(bytes.range(of: Data("digests 1".utf8))).upperBound - 1] += 1
            case .grown: bytes += Data("x".utf8)
            case .noText: bytes = Data([0xFF, 0x0A, 0x00, 0x0A, 0xC3, 0x0A])
            }
            try bytes.write(to: url)
        }
    }
}
