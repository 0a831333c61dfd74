import Foundation
import Glibc
import TestSupport
import Testing
import VidscanBase

@Suite("A working file or folder belongs to one run")
struct WorkingItemTests {
    private static var now: Int { time(nil) }

    /// What a run that was killed leaves: a name that nobody holds.
    private static func abandon(_ finalName: String, in folder: TemporaryFolder, machine: String? = nil) throws
        -> String
    {
        var name = WorkingName(finalName, .partial).text
        if let machine {
            name.replaceSubrange(name.index(name.endIndex, offsetBy: -25)..., with: "\(machine)-0123456789abcdef")
        }
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(name)/inner", withIntermediateDirectories: true)
        try folder.write("faces", to: "\(name)/inner/.frames")
        return name
    }

    @Test("Each run gets a name of its own, which names are not those of other programs")
    func names() throws {
        let (one, other) = (WorkingName("a.mp4.vidscan", .partial), WorkingName("a.mp4.vidscan", .partial))
        #expect(one.text != other.text)
        #expect(one.text.wholeMatch(of: /\.a\.mp4\.vidscan\.partial-[0-9a-f]{8}-[0-9a-f]{16}/) != nil)
        #expect(WorkingName(Array(one.text.utf8))?.isFor("a.mp4.vidscan") == true)
        #expect(WorkingName(Array(one.text.utf8))?.isFor("b.mp4.vidscan") == false)
        for name in [".a.partial-123", ".a.partial-x", "a.partial-0123abcd-0123456789abcdef", ".partial-", ".a.part-1"]
        {
            #expect(WorkingName(Array(name.utf8)) == nil, "\(name)")
        }
        #expect(WorkingName([0x2E, 0xFF] + Array(one.text.utf8)) == nil)
    }

    @Test("A name of 255 bytes gets a working name of at most 255, and different ones stay different")
    func longNames() throws {
        let folder = try TemporaryFolder()
        let open = try Folder(folder.path)
        let stem = String(repeating: "é", count: 120)
        let (one, other) = (stem + "a.mp4", stem + "b.mp4")
        #expect(one.utf8.count == 245)
        _ = try WorkingItem.folder(for: one, in: open)
        let name = WorkingName(one, .old)
        #expect(name.text.utf8.count <= 255)
        #expect(name.isFor(one) && !name.isFor(other))
    }

    @Test("What a killed run left is removed, with everything in it, and what a run holds stays")
    func leftovers() throws {
        let folder = try TemporaryFolder()
        let open = try Folder(folder.path)
        let held = try WorkingItem.folder(for: "held", in: open)
        try folder.write("kept", to: "\(held.name)/.frames")
        let gone = try Self.abandon("gone", in: folder)
        WorkingItem.removeLeftovers(in: open)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(gone)"))
        #expect(folder.entries == [held.name, "\(held.name)/.frames"])
        #expect(held.isInPlace)
    }

    @Test("The kernel releases the lock of a process that is killed")
    func killed() throws {
        let folder = try TemporaryFolder()
        let open = try Folder(folder.path)
        let name = try Self.abandon("a", in: folder)
        let holder = try ChildProcess(
            ["flock", "--exclusive", "--no-fork", name, "sh", "-c", "echo held > ready; exec tail -f /dev/null"],
            in: folder.path)
        while (try? folder.text("ready")) != "held\n" { usleep(1000) }
        WorkingItem.removeLeftovers(in: open)
        #expect(folder.entries.contains(name))
        holder.send(SIGKILL)
        _ = try holder.finish(within: 10)
        WorkingItem.removeLeftovers(in: open)
        #expect(folder.entries == ["ready"])
    }

    @Test("For a run on another machine, or where there are no locks, the last change is a lease")
    func lease() throws {
        for (machine, hasLocks) in [("ffffffff", true), (nil, false), ("ffffffff", false)] {
            let folder = try TemporaryFolder()
            let open = try Folder(folder.path)
            let name = try Self.abandon("a", in: folder, machine: machine)
            WorkingItem.removeLeftovers(in: open, hasLocks: hasLocks, now: Self.now + WorkingItem.leaseSeconds - 5)
            #expect(folder.entries.contains(name))
            WorkingItem.removeLeftovers(in: open, hasLocks: hasLocks, now: Self.now + WorkingItem.leaseSeconds + 5)
            #expect(folder.entries == [])
        }
    }

    @Test("A held folder stays, however old it is and whatever machine it is from")
    func heldForLong() throws {
        let folder = try TemporaryFolder()
        let open = try Folder(folder.path)
        let held = try WorkingItem.folder(for: "a", in: open)
        WorkingItem.removeLeftovers(in: open, now: Self.now + 1_000_000)
        #expect(held.isInPlace)
    }

    @Test("Links and what they lead to, names of others, and half a name stay")
    func others() throws {
        let folder = try TemporaryFolder()
        let open = try Folder(folder.path)
        try FileManager.default.createDirectory(atPath: folder.path + "/mine", withIntermediateDirectories: false)
        try folder.write("mine", to: "mine/thesis.txt")
        let link = WorkingName("a", .partial).text
        symlink("mine", "\(folder.path)/\(link)")
        let inside = try Self.abandon("b", in: folder)
        symlink("../mine", "\(folder.path)/\(inside)/link")
        try folder.write("", to: ".a.partial-123")
        WorkingItem.removeLeftovers(in: open, now: Self.now + 1_000_000)
        #expect(folder.entries == [link, ".a.partial-123", "mine", "mine/thesis.txt"].sorted())
    }

    @Test("Runs that start and clean up at the same time never take each other's folders")
    func race() async throws {
        let folder = try TemporaryFolder()
        let lost = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { Self.startAndCleanUp(200, in: folder) } }
            return await group.reduce(0, +)
        }
        #expect(lost == 0)
        #expect(folder.entries == [])
    }

    /// - Returns: How often another task took the folder.
    private static func startAndCleanUp(_ times: Int, in folder: TemporaryFolder) -> Int {
        var lost = 0
        for _ in 0..<times {
            do {
                let open = try Folder(folder.path)
                let item = try WorkingItem.folder(for: "a", in: open)
                WorkingItem.removeLeftovers(in: open)
                if !item.isInPlace { lost += 1 }
                try open.remove(item.name)
            } catch {
                lost += 1
            }
        }
        return lost
    }
}
