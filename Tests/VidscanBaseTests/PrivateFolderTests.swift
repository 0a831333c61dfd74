import Glibc
import Testing
import TestSupport
import VidscanBase

@Suite("A private folder holds only what its user wrote")
struct PrivateFolderTests {
    private let folder: TemporaryFolder
    private let inside: PrivateFolder

    init() throws {
        folder = try TemporaryFolder()
        inside = try PrivateFolder(folder.path + "/a/b")
    }

    private func write(_ text: String, to name: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { inside.write([$0], to: name) }
    }

    private func read(_ name: String, limit: Int = 100) -> String? {
        inside.read(name, limit: limit).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("A file is written whole, from several parts, and replaces an earlier one")
    func roundTrip() throws {
        #expect(write("one", to: "file"))
        let parts = [Array("two ".utf8), [], Array("parts".utf8)]
        let isWritten = parts[0].withUnsafeBytes { first in
            parts[1].withUnsafeBytes { second in
                parts[2].withUnsafeBytes { third in inside.write([first, second, third], to: "file") }
            }
        }
        #expect(isWritten)
        #expect(read("file") == "two parts")
        #expect(folder.entries == ["a", "a/b", "a/b/file"])
        inside.remove("file")
        #expect(read("file") == nil)
    }

    @Test("A file that is missing, too large, a link or a folder is not read")
    func unreadable() throws {
        #expect(write("12345", to: "file"))
        #expect(read("file", limit: 5) == "12345")
        #expect(read("file", limit: 4) == nil)
        #expect(read("missing") == nil)
        symlink(folder.path + "/a/b/file", folder.path + "/a/b/link")
        #expect(read("link") == nil)
        mkdir(folder.path + "/a/b/folder", 0o700)
        #expect(read("folder") == nil)
        #expect(inside.files.map(\.name) == ["file"])
    }

    @Test("A file that cannot be written leaves nothing behind")
    func unwritable() throws {
        mkdir(folder.path + "/a/b/taken", 0o700)
        #expect(!write("text", to: "taken"))
        #expect(folder.entries == ["a", "a/b", "a/b/taken"])
    }

    @Test("The folder stays the one that was examined when its path leads elsewhere")
    func moved() throws {
        #expect(write("mine", to: "file"))
        rename(folder.path + "/a/b", folder.path + "/a/moved")
        mkdir(folder.path + "/a/b", 0o777)
        try folder.write("planted", to: "a/b/file")
        #expect(read("file") == "mine")
        #expect(inside.files.map(\.bytes) == [4])
    }

    @Test("A path that leads through a file is an error that names it")
    func noFolder() throws {
        let file = try folder.write("", to: "file")
        #expect(throws: VidscanError(.setup, "cannot open \(file)/x: Not a directory")) {
            try PrivateFolder(file + "/x")
        }
    }
}
