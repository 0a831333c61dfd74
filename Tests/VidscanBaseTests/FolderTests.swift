import Foundation
import Glibc
import TestSupport
import Testing
import VidscanBase

@Suite("An open folder")
struct FolderTests {
    @Test("Nothing below it is reached through a link")
    func links() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/out/a", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder.path + "/else/b", withIntermediateDirectories: true)
        try folder.write("mine", to: "else/b/thesis.txt")
        symlink("../else", folder.path + "/out/link")
        symlink("out", folder.path + "/named")
        // The folder itself may be named by a link.
        let out = try Folder(folder.path + "/named")
        #expect(try out.folder("a").names() == [])
        for path in ["link", "link/b", "a/../../else"] {
            #expect(throws: SystemError.self, "\(path)") { try out.folder(path) }
            #expect(throws: SystemError.self, "\(path)") { try out.folder(path, creates: true) }
        }
        #expect(out.entry("link") == .link)
        try out.remove("link")
        try out.remove("a")
        #expect(folder.entries == ["else", "else/b", "else/b/thesis.txt", "named", "out"])
    }

    @Test("It stays the same folder if its name leads elsewhere")
    func moved() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
        let open = try Folder(folder.path + "/a")
        rename(folder.path + "/a", folder.path + "/c")
        symlink("b", folder.path + "/a")
        close(try open.createFile("x"))
        #expect(folder.entries == ["a", "b", "c", "c/x"])
        #expect(FilePath.absolute(open.path + "/x") == FilePath.absolute(folder.path) + "/c/x")
    }

    @Test("Names that are not UTF-8 are removed with their folder")
    func bytes() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(["sh", "-c", "mkdir d && : > \"$(printf 'd/\\377')\""], in: folder.path)
        #expect(made.status == 0)
        try Folder(folder.path).remove("d")
        #expect(try Folder(folder.path).names() == [])
    }

    @Test("Nothing that exists is replaced by a name that must be free")
    func free() throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "a")
        try folder.write("new", to: "b")
        let error = #expect(throws: SystemError.self) { try Folder(folder.path).renameToFree("b", to: "a") }
        #expect(error?.number == EEXIST)
        #expect(try folder.text("a") == "old")
    }

    @Test("Two spellings of one word are two paths")
    func spellings() {
        let (one, other) = ("/caf\u{E9}.mp4", "/cafe\u{301}.mp4")
        #expect(one == other)
        #expect(PathBytes(one) != PathBytes(other))
        #expect(Set([PathBytes(one), PathBytes(other)]).count == 2)
        #expect(PathBytes(other) < PathBytes(one))
        #expect(FilePath.name(of: "/a/\u{301}b.mp4") == "\u{301}b.mp4")
        #expect(FilePath.folder(of: "/a/\u{301}b.mp4") == "/a")
    }
}
