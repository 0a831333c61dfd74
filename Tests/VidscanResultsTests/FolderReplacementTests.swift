import Foundation
import Glibc
import Synchronization
import Testing
import TestSupport
import VidscanBase
import VidscanResults

@Suite("A result replaces an older one completely or not at all")
struct FolderReplacementTests {
    /// A folder with an old result and a new one.
    private struct Scene {
        let folder: TemporaryFolder
        var final: String { folder.path + "/a.vidscan" }
        var fresh: String { folder.path + "/.a.vidscan.partial-1" }

        init() throws {
            folder = try TemporaryFolder()
            for (name, text) in [("a.vidscan", "old"), (".a.vidscan.partial-1", "new")] {
                try FileManager.default.createDirectory(
                    atPath: folder.path + "/" + name, withIntermediateDirectories: false)
                try folder.write(text, to: name + "/run.json")
                try folder.write(text, to: name + "/faces.csv")
            }
        }

        func replacement(_ calls: FolderReplacement.Calls = .system) -> FolderReplacement {
            FolderReplacement(finalPath: final, record: "run.json", calls: calls)
        }

        /// Which result is at the final path: `old`, `new` or a mixture.
        var delivered: String? {
            guard let record = try? folder.text("a.vidscan/run.json"),
                let faces = try? folder.text("a.vidscan/faces.csv")
            else { return nil }
            return record == faces ? record : "mixed"
        }
    }

    /// A file system that cannot exchange names.
    ///
    /// - Parameters:
    ///   - fails: the error of each failing rename, by its index.
    ///   - dies: the index of the first rename after which nothing happens, as if the process had been killed.
    private static func calls(
        exchange: Int32 = EINVAL, fails: [Int: Int32] = [:], dies: Int = .max
    ) -> FolderReplacement.Calls {
        let count = Mutex(0)
        return FolderReplacement.Calls(
            exchange: { _, _ in exchange },
            rename: { from, to in
                let number = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                if number >= dies { return EIO }
                if let error = fails[number] { return error }
                return rename(from, to) == 0 ? 0 : errno
            })
    }

    @Test("The new result replaces the old one, and nothing else remains", arguments: [0, EINVAL, ENOSYS, ENOTSUP])
    func replacing(exchange: Int32) throws {
        let scene = try Scene()
        try scene.replacement(exchange == 0 ? .system : Self.calls(exchange: exchange)).put(scene.fresh)
        #expect(scene.delivered == "new")
        #expect(scene.folder.entries == ["a.vidscan", "a.vidscan/faces.csv", "a.vidscan/run.json"])
    }

    @Test("If a step fails, the old result stays in place", arguments: [0, 1])
    func rollback(step: Int) throws {
        let scene = try Scene()
        let error = #expect(throws: VidscanError.self) {
            try scene.replacement(Self.calls(fails: [step: ENOSPC])).put(scene.fresh)
        }
        #expect(error?.code == .diskFull)
        #expect(error?.reason == "cannot move the result to \(scene.final): No space left on device")
        #expect(scene.delivered == "old")
        #expect(FileManager.default.fileExists(atPath: scene.fresh))
        #expect(!scene.folder.entries.contains { $0.contains(".old-") })
    }

    @Test("If the old result cannot be put back, the error says where it is")
    func failedRollback() throws {
        let scene = try Scene()
        let error = #expect(throws: VidscanError.self) {
            try scene.replacement(Self.calls(dies: 1)).put(scene.fresh)
        }
        let aside = "\(scene.folder.path)/.a.vidscan.old-\(getpid())"
        #expect(
            error?.reason == "cannot replace \(scene.final): Input/output error; the old one is at \(aside)")
        #expect(scene.delivered == nil)
        scene.replacement().recover()
        #expect(scene.delivered == "old")
        #expect(!FileManager.default.fileExists(atPath: aside))
    }

    @Test("If the exchange fails for another reason, nothing is replaced")
    func exchangeFails() throws {
        let scene = try Scene()
        #expect(throws: VidscanError.self) { try scene.replacement(Self.calls(exchange: EACCES)).put(scene.fresh) }
        #expect(scene.delivered == "old")
    }

    @Test("After a kill between the steps, the next run restores or removes the old result")
    func recovery() throws {
        let gone = try ChildProcess.run(["sh", "-c", "echo $$"]).output.trimmingCharacters(in: .newlines)
        let scene = try Scene()
        let aside = "\(scene.folder.path)/.a.vidscan.old-\(gone)"
        try FileManager.default.moveItem(atPath: scene.final, toPath: aside)
        scene.replacement().recover()
        #expect(scene.delivered == "old")
        // The same after the second step.
        try FileManager.default.moveItem(atPath: scene.final, toPath: aside)
        try FileManager.default.moveItem(atPath: scene.fresh, toPath: scene.final)
        scene.replacement().recover()
        #expect(scene.delivered == "new")
        #expect(!FileManager.default.fileExists(atPath: aside))
    }

    @Test("The old result of a live process, a foreign folder and a symbolic link are left alone")
    func notOurs() throws {
        let gone = try ChildProcess.run(["sh", "-c", "echo $$"]).output.trimmingCharacters(in: .newlines)
        let scene = try Scene()
        try FileManager.default.removeItem(atPath: scene.final)
        let names = [".a.vidscan.old-\(getppid())", ".a.vidscan.old-x", ".a.vidscan.old-\(gone)"]
        for name in names.prefix(2) {
            try FileManager.default.createDirectory(
                atPath: scene.folder.path + "/" + name, withIntermediateDirectories: false)
            try scene.folder.write("old", to: name + "/run.json")
        }
        try FileManager.default.createSymbolicLink(
            atPath: scene.folder.path + "/" + names[2], withDestinationPath: scene.fresh)
        scene.replacement().recover()
        #expect(!FileManager.default.fileExists(atPath: scene.final))
        for name in names { #expect(FileManager.default.fileExists(atPath: scene.folder.path + "/" + name)) }
    }
}
