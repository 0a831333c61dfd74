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
        let fresh: String
        var final: String { folder.path + "/a.vidscan" }

        init() throws {
            folder = try TemporaryFolder()
            fresh = WorkingName("a.vidscan", .partial).text
            for (name, text) in [("a.vidscan", "old"), (fresh, "new")] {
                try FileManager.default.createDirectory(
                    atPath: folder.path + "/" + name, withIntermediateDirectories: false)
                try folder.write(text, to: "\(name)/faces.csv")
                try folder.write(#"{"is":"\#(text)"}"#, to: "\(name)/run.json")
            }
        }

        func replacement(
            _ policy: FolderReplacement.Policy = .replace, _ calls: FolderReplacement.Calls = .system
        ) throws -> FolderReplacement {
            FolderReplacement(
                in: try Folder(folder.path), name: "a.vidscan", path: final, policy: policy, calls: calls)
        }

        func put(
            _ policy: FolderReplacement.Policy = .replace, _ calls: FolderReplacement.Calls = .system
        ) throws -> FolderReplacement.Previous? {
            try replacement(policy, calls).put(fresh)
        }

        /// Which result is at the final path: `old`, `new` or a mixture.
        var delivered: String? {
            guard let record = try? folder.text("a.vidscan/run.json"),
                let faces = try? folder.text("a.vidscan/faces.csv")
            else { return nil }
            return record == #"{"is":"\#(faces)"}"# ? faces : "mixed"
        }

        /// Where the old result is between the two steps.
        var aside: String? { folder.entries.first { $0.contains(".old-") && !$0.contains("/") } }
    }

    /// A file system that cannot exchange names.
    ///
    /// - Parameters:
    ///   - fails: the error of each failing rename, by its index.
    ///   - dies: the index of the first rename after which nothing happens, as if the process had been killed.
    private static func calls(
        exchange: Int32 = EINVAL, fails: [Int: Int32] = [:], dies: Int = .max, sync: Int32 = 0
    ) -> FolderReplacement.Calls {
        let count = Mutex(0)
        var calls = FolderReplacement.Calls.system
        calls.exchange = { _, _, _ in exchange }
        calls.rename = { folder, old, new in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            if number >= dies { return EIO }
            if let error = fails[number] { return error }
            return FolderReplacement.Calls.system.rename(folder, old, new)
        }
        calls.sync = { _ in sync }
        return calls
    }

    @Test("The new result replaces the old one, and nothing else remains", arguments: [0, EINVAL, ENOSYS, ENOTSUP])
    func replacing(exchange: Int32) throws {
        let scene = try Scene()
        #expect(try scene.put(.replace, exchange == 0 ? .system : Self.calls(exchange: exchange)) == nil)
        #expect(scene.delivered == "new")
        #expect(scene.folder.entries == ["a.vidscan", "a.vidscan/faces.csv", "a.vidscan/run.json"])
    }

    @Test("If a step fails, the old result stays in place", arguments: [0, 1])
    func rollback(step: Int) throws {
        let scene = try Scene()
        let error = #expect(throws: VidscanError.self) {
            _ = try scene.put(.replace, Self.calls(fails: [step: ENOSPC]))
        }
        #expect(error?.code == .diskFull)
        #expect(error?.reason == "cannot move the result to \(scene.final): No space left on device")
        #expect(scene.delivered == "old")
        #expect(scene.folder.entries.contains(scene.fresh))
        #expect(scene.aside == nil)
    }

    @Test("If the new names cannot be brought to the disk, the error says so, and the old result stays in two steps")
    func failedSync() throws {
        let two = try Scene()
        let error = #expect(throws: VidscanError.self) { _ = try two.put(.replace, Self.calls(sync: EIO)) }
        #expect(error?.reason == "cannot move the result to \(two.final): Input/output error")
        #expect(two.delivered == "old")
        let one = try Scene()
        var calls = FolderReplacement.Calls.system
        calls.sync = { _ in EIO }
        #expect(throws: VidscanError.self) { _ = try one.put(.replace, calls) }
        #expect(one.delivered == "new")
    }

    @Test("If the old result cannot be put back, the error says where it is")
    func failedRollback() throws {
        let scene = try Scene()
        let error = #expect(throws: VidscanError.self) { _ = try scene.put(.replace, Self.calls(dies: 1)) }
        let aside = try #require(scene.aside)
        #expect(
            error?.reason
                == "cannot replace \(scene.final): Input/output error; the old one is at \(scene.folder.path)/\(aside)")
        #expect(scene.delivered == nil)
        try scene.replacement().recover()
        #expect(scene.delivered == "old")
        #expect(scene.aside == nil)
    }

    @Test("If the exchange fails for another reason, nothing is replaced")
    func exchangeFails() throws {
        let scene = try Scene()
        #expect(throws: VidscanError.self) { _ = try scene.put(.replace, Self.calls(exchange: EACCES)) }
        #expect(scene.delivered == "old")
    }

    @Test("After a kill between the steps, the next run restores or removes the old result")
    func recovery() throws {
        let scene = try Scene()
        let aside = "\(scene.folder.path)/\(WorkingName("a.vidscan", .old).text)"
        try FileManager.default.moveItem(atPath: scene.final, toPath: aside)
        try scene.replacement().recover()
        #expect(scene.delivered == "old")
        // The same after the second step.
        try FileManager.default.moveItem(atPath: scene.final, toPath: aside)
        try FileManager.default.moveItem(atPath: "\(scene.folder.path)/\(scene.fresh)", toPath: scene.final)
        try scene.replacement().recover()
        #expect(scene.delivered == "new")
        #expect(!FileManager.default.fileExists(atPath: aside))
    }

    @Test("The old result of a run that has not ended, a foreign folder and a symbolic link are left alone")
    func notOurs() throws {
        let scene = try Scene()
        try FileManager.default.removeItem(atPath: scene.final)
        let names = [WorkingName("a.vidscan", .old).text, ".a.vidscan.old-x", WorkingName("a.vidscan", .old).text]
        for name in names.prefix(2) {
            try FileManager.default.createDirectory(
                atPath: scene.folder.path + "/" + name, withIntermediateDirectories: false)
            try scene.folder.write("old", to: name + "/run.json")
        }
        try FileManager.default.createSymbolicLink(
            atPath: scene.folder.path + "/" + names[2], withDestinationPath: scene.fresh)
        let held = open("\(scene.folder.path)/\(names[0])", O_RDONLY)
        defer { close(held) }
        #expect(flock(held, LOCK_EX) == 0)
        try scene.replacement().recover()
        #expect(!FileManager.default.fileExists(atPath: scene.final))
        for name in names { #expect(FileManager.default.fileExists(atPath: scene.folder.path + "/" + name)) }
    }

    @Test("A file of the user's keeps the old result, under the first free name", arguments: [true, false])
    func previous(exchanges: Bool) throws {
        let scene = try Scene()
        try scene.folder.write("mine", to: "a.vidscan/interview.eaf")
        try FileManager.default.createDirectory(
            atPath: scene.final + ".previous-1", withIntermediateDirectories: false)
        let previous = try #require(try scene.put(.replace, exchanges ? .system : Self.calls()))
        #expect(previous.name == "a.vidscan.previous-2")
        #expect(previous.contents.words == "it has a file that the analysis did not write (interview.eaf)")
        #expect(scene.delivered == "new")
        #expect(try scene.folder.text("a.vidscan.previous-2/interview.eaf") == "mine")
        #expect(try scene.folder.text("a.vidscan.previous-2/faces.csv") == "old")
    }

    @Test("An old result whose record cannot be read is kept, because it may have been edited")
    func damagedRecord() throws {
        let scene = try Scene()
        try scene.folder.write("{", to: "a.vidscan/run.json")
        let previous = try #require(try scene.put())
        #expect(previous.contents.words == "it has a file that somebody has edited (run.json)")
        #expect(scene.delivered == "new")
        #expect(try scene.folder.text("a.vidscan.previous-1/faces.csv") == "old")
    }

    @Test("If the new result cannot follow it, the old one gets its name back")
    func previousRestored() throws {
        let scene = try Scene()
        try scene.folder.write("mine", to: "a.vidscan/notes.txt")
        #expect(throws: VidscanError.self) { _ = try scene.put(.replace, Self.calls(fails: [1: ENOSPC])) }
        #expect(scene.delivered == "old")
        #expect(try scene.folder.text("a.vidscan/notes.txt") == "mine")
    }

    @Test("A file that appears while a result is corrected is not lost")
    func appearsMeanwhile() throws {
        let scene = try Scene()
        try scene.folder.write("mine", to: "a.vidscan/notes.txt")
        let error = #expect(throws: VidscanError.self) { _ = try scene.put(.absorb) }
        #expect(error?.reason == "\(scene.final) changed meanwhile: notes.txt is new; run the command again")
        try scene.folder.write("mine", to: "\(scene.fresh)/notes.txt")
        #expect(try scene.put(.absorb) == nil)
        #expect(try scene.folder.text("a.vidscan/notes.txt") == "mine")
    }
}
