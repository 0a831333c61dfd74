import Foundation
import Glibc
import TestSupport
import Testing
import VidscanBase

@Suite("A file appears complete or not at all")
struct AtomicFileTests {
    private static func write(_ text: String, to path: String, replaces: Bool = true) throws(VidscanError) {
        let file = try AtomicFile(path: path, replaces: replaces)
        try file.write(text)
        try file.complete()
    }

    @Test("The file has its name only when it is complete, and no other file remains")
    func appears() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a"
        let file = try AtomicFile(path: path)
        try file.write("one, ")
        try "two".write(toFile: file.writingPath, atomically: false, encoding: .utf8)
        #expect(folder.entries.count == 1)
        #expect(folder.entries.first?.hasPrefix(".a.partial-") == true)
        try file.complete()
        #expect(folder.entries == ["a"])
        #expect(try folder.text("a") == "two")
    }

    @Test("A file that is not completed leaves the old one as it was")
    func discarded() throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "a")
        do {
            let file = try AtomicFile(path: folder.path + "/a")
            try file.write("new")
        }
        #expect(folder.entries == ["a"])
        #expect(try folder.text("a") == "old")
    }

    @Test("An existing file is replaced only on request, and nothing but a file ever")
    func replacing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("old", to: "a")
        let kept = #expect(throws: VidscanError.self) { try Self.write("new", to: path, replaces: false) }
        #expect(kept?.code == .exists)
        #expect(kept?.reason == "\(path) exists; --force replaces it")
        #expect(try folder.text("a") == "old")
        try Self.write("new", to: path)
        #expect(try folder.text("a") == "new")
        let other = #expect(throws: VidscanError.self) { try Self.write("new", to: folder.path) }
        #expect(other?.reason == "\(folder.path) is not a regular file, and is not replaced")
        #expect(folder.entries == ["a"])
    }

    @Test(
        "A file that replaces a private one is private, but none is more public than others", arguments: [0o600, 0o666])
    func permissions(mode: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("old", to: "a")
        chmod(path, mode_t(mode))
        try Self.write("new", to: path)
        #expect(try folder.text("a") == "new")
        try Self.write("new", to: folder.path + "/b")
        let modes = try ["a", "b"].map {
            try FileManager.default.attributesOfItem(atPath: folder.path + "/" + $0)[.posixPermissions] as? Int ?? 0
        }
        #expect(modes[0] == mode & modes[1])
    }

    @Test("A file that appears during the work is not replaced without a request")
    func appearsMeanwhile() throws {
        let folder = try TemporaryFolder()
        let file = try AtomicFile(path: folder.path + "/a", replaces: false)
        try file.write("new")
        try folder.write("mine", to: "a")
        var error: VidscanError?
        do { try file.complete() } catch let caught { error = caught }
        #expect(error?.code == .exists)
        #expect(try folder.text("a") == "mine")
        #expect(folder.entries == ["a"])
    }

    @Test("The source is never replaced, whichever path leads to it")
    func source() throws {
        let folder = try TemporaryFolder()
        let video = try folder.write("video", to: "v.mp4")
        link(video, folder.path + "/hard.mp4")
        symlink(video, folder.path + "/soft.mp4")
        for name in ["v.mp4", "hard.mp4", "soft.mp4"] {
            let error = #expect(throws: VidscanError.self) {
                _ = try AtomicFile(path: "\(folder.path)/\(name)", source: video).writingPath
            }
            #expect(error?.reason.hasSuffix("\(name) is the source video, which is never replaced") == true)
        }
        #expect(try folder.text("v.mp4") == "video")
    }

    @Test("If another file has taken the temporary name, it does not become the result")
    func taken() throws {
        let folder = try TemporaryFolder()
        let file = try AtomicFile(path: folder.path + "/a")
        let name = try #require(folder.entries.first)
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        try folder.write("planted", to: name)
        var error: VidscanError?
        do { try file.complete() } catch let caught { error = caught }
        #expect(error?.reason == "cannot write \(folder.path)/a: its temporary file was removed meanwhile")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/a"))
    }

    @Test("A link at the final name is replaced, and what it leads to stays as it was")
    func linkAtName() throws {
        let folder = try TemporaryFolder()
        let victim = try folder.write("untouched", to: "victim")
        symlink(victim, folder.path + "/a")
        try Self.write("new", to: folder.path + "/a")
        #expect(try folder.text("victim") == "untouched")
        #expect(try folder.text("a") == "new")
        #expect(try Folder(folder.path).entry("a") == .file)
    }

    @Test("A folder that is missing is an error in one line")
    func missingFolder() {
        let error = #expect(throws: VidscanError.self) { try Self.write("new", to: "/nowhere/a") }
        #expect(error?.code == .output)
        #expect(error?.reason == "cannot write /nowhere/a: No such file or directory")
    }
}
