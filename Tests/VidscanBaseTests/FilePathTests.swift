import Foundation
import Glibc
import TestSupport
import Testing
import VidscanBase

@Suite("Paths are taken apart and made absolute")
struct FilePathTests {
    @Test(
        "A path has a name and a folder, also a path of one letter and one that ends in a slash",
        arguments: [
            ("/a/b/c.mp4", "c.mp4", "/a/b"), ("a/b", "b", "a"), ("a", "a", "."), ("/a", "a", "/"), ("a/", "a", "."),
            ("a/b/", "b", "a"), ("a//b", "b", "a"), ("/", "/", "/"), ("./a", "a", "."), ("../a", "a", ".."),
            ("~x/y", "y", "~x"), ("a\u{FFFD}/ö", "ö", "a\u{FFFD}"),
        ])
    func parts(path: String, name: String, folder: String) {
        #expect(FilePath.name(of: path) == name)
        #expect(FilePath.folder(of: path) == folder)
    }

    @Test("A sibling is in the same folder")
    func siblings() {
        let siblings = ["/a/b", "a", "/a", "x/a/", "./a"].map { FilePath.sibling(of: $0, named: ".a") }
        #expect(siblings == ["/a/.a", ".a", "/.a", "x/.a", "./.a"])
    }

    @Test("The extension is in lower case; a hidden file has none")
    func extensions() {
        let extensions = ["a/c.MP4", "c.tar.gz", "c", ".hidden", "a.b/c", "c."].map(FilePath.fileExtension)
        #expect(extensions == ["mp4", "gz", "", "", "", ""])
    }

    @Test("An absolute path has no dots and no repeated slashes, and a leading ~ is a name")
    func absolute() {
        let paths = ["a", "./a//b/", "/x/../y", "..", "/..", "/private/y", "~/a", "", "../../../.."].map {
            FilePath.absolute($0, in: "/nowhere/deep")
        }
        #expect(
            paths == [
                "/nowhere/deep/a", "/nowhere/deep/a/b", "/y", "/nowhere", "/", "/private/y", "/nowhere/deep/~/a",
                "/nowhere/deep", "/",
            ])
        #expect(FilePath.absolute("a") == FileManager.default.currentDirectoryPath + "/a")
    }

    @Test("A shell in the current folder takes a quoted path for one word, which leads to the same file")
    func shellWords() throws {
        let current = FileManager.default.currentDirectoryPath
        let paths = ["/a-1/b.c", "x/y", "a b", "-n", "it's", "'\u{301}", "$(x)", "~", "ö", "a\nb"].map {
            $0.hasPrefix("/") ? $0 : "\(current)/\($0)"
        }
        let words = paths.map(FilePath.shellWord)
        #expect(words.prefix(4) == ["/a-1/b.c", "x/y", "'a b'", "./-n"])
        for (path, word) in zip(paths, words) {
            let echoed = try ChildProcess.run(["sh", "-c", "printf %s \(word)"])
            #expect(
                FilePath.absolute(echoed.output) == path && echoed.output.utf8.first != UInt8(ascii: "-"), "\(word)")
        }
    }

    @Test("Going up from a link leads to the folder above its target, as the kernel does; other links stay")
    func links() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/real/deep", withIntermediateDirectories: true)
        symlink("real/deep", folder.path + "/link")
        let whole = try #require(realpath(folder.path, nil).map { String(cString: $0) })
        #expect(FilePath.absolute("link/../a", in: folder.path) == whole + "/real/a")
        #expect(FilePath.absolute("link/x/../a", in: folder.path) == folder.path + "/link/a")
    }

    @Test("A leading ~ is the home folder where a shell would have replaced it")
    func home() throws {
        let home = try #require(getenv("HOME").map { String(cString: $0) })
        let user = try #require(getpwuid(getuid()))
        let (name, folder) = (String(cString: user.pointee.pw_name), String(cString: user.pointee.pw_dir))
        let paths = ["~", "~/a/~", "~\(name)/a", "a/~", "/~", "~nobody-has-this-name/a"].map(FilePath.expandingHome)
        #expect(paths == [home, home + "/a/~", folder + "/a", "a/~", "/~", "~nobody-has-this-name/a"])
    }
}
