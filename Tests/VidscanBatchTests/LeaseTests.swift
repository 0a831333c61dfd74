import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanBatch

@Suite("Leases")
struct LeaseTests: JournalTesting {
    @Test("Each input is claimed once, the largest first")
    func order() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let inputs = [input("/a", bytes: 1), input("/b", bytes: 3), input("/c", bytes: 2)]
        #expect(try reasons(inputs, in: journal) == [.new, .new, .new])
        let resultPaths = Set(inputs.map { PathBytes($0.resultPath) })
        var claimed: [String] = []
        while let item = try journal.claim(among: resultPaths, configuration: "c") { claimed.append(item.path) }
        #expect(claimed == ["/b", "/c", "/a"])
    }

    @Test("An input that a process on another machine has claimed is neither claimed nor finished by this one")
    func otherMachineHolds() throws {
        let folder = try TemporaryFolder()
        let theirs = try BatchJournal(folder: folder.path, owner: otherMachine)
        _ = try register([input("/a")], in: theirs)
        let item = try #require(try claim("a.vidscan", in: theirs))
        let ours = try BatchJournal(folder: folder.path)
        #expect(try reasons([input("/a")], in: ours) == [.running])
        #expect(try claim("a.vidscan", in: ours) == nil)
        try ours.finish(item, .failed("not the owner"), retries: 0)
        #expect(try ours.items().map(\.status) == [.running])
        #expect(
            try ours.countClaimedByOthers(among: [PathBytes("a.vidscan"), PathBytes("b.vidscan")], configuration: "c")
                == 1)
        #expect(try theirs.countClaimedByOthers(among: [PathBytes("a.vidscan")], configuration: "c") == 0)
        try theirs.finish(item, done, retries: 0)
        #expect(try ours.items().map(\.status) == [.done])
        #expect(try ours.countClaimedByOthers(among: [PathBytes("a.vidscan")], configuration: "c") == 0)
    }

    @Test("A lease from before the clock was set back does not hold up the input")
    func clockSetBack() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let theirs = try BatchJournal(folder: folder.path, owner: otherMachine) { clock.now + 1e6 }
        let ours = try BatchJournal(folder: folder.path) { clock.now }
        _ = try register([input("/a")], in: theirs)
        _ = try #require(try claim("a.vidscan", in: theirs))
        #expect(try reasons([input("/a")], in: ours) == [.interrupted])
    }

    @Test("A batch notices what another one has taken over with other settings")
    func overtaken() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let inputs = [input("/a"), input("/b")]
        _ = try register(inputs, in: journal)
        _ = try register([input("/b")], in: journal, configuration: "other")
        let paths = Set(inputs.map { PathBytes($0.resultPath) })
        #expect(try journal.countOvertaken(among: paths, configuration: "c") == 1)
        #expect(try journal.countOvertaken(among: paths, configuration: "other") == 1)
    }

    @Test("The lease of a process on another machine expires unless it is renewed")
    func expiry() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let theirs = try BatchJournal(folder: folder.path, owner: otherMachine) { clock.now }
        let ours = try BatchJournal(folder: folder.path) { clock.now }
        _ = try register([input("/a")], in: theirs)
        let item = try #require(try claim("a.vidscan", in: theirs))
        clock.advance(by: BatchJournal.leaseSeconds - 1)
        #expect(try reasons([input("/a")], in: ours) == [.running])
        #expect(try claim("a.vidscan", in: ours) == nil)
        try theirs.renewLeases()
        clock.advance(by: BatchJournal.leaseSeconds - 1)
        #expect(try claim("a.vidscan", in: ours) == nil)
        #expect(try reasons([input("/a")], in: ours, forced: true) == [.running])
        clock.advance(by: 2)
        #expect(try reasons([input("/a")], in: ours) == [.interrupted])
        #expect(try claim("a.vidscan", in: ours)?.attempts == 2)
        // The former owner can neither finish nor renew.
        try theirs.finish(item, .failed("late"), retries: 0)
        try theirs.renewLeases()
        #expect(try ours.items().map(\.status) == [.running])
        #expect(try claim("a.vidscan", in: theirs) == nil)
        #expect(try ours.countClaimedByOthers(among: [PathBytes("a.vidscan")], configuration: "c") == 0)
    }

    @Test("A run that waits for another machine's process takes over the input when the lease expires")
    func expiryWhileWaiting() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let theirs = try BatchJournal(folder: folder.path, owner: otherMachine) { clock.now }
        let ours = try BatchJournal(folder: folder.path) { clock.now }
        _ = try register([input("/a")], in: theirs)
        _ = try #require(try claim("a.vidscan", in: theirs))
        #expect(try reasons([input("/a")], in: ours) == [.running])
        #expect(try ours.countClaimedByOthers(among: [PathBytes("a.vidscan")], configuration: "c") == 1)
        clock.advance(by: BatchJournal.leaseSeconds + 1)
        #expect(try claim("a.vidscan", in: ours)?.path == "/a")
    }

    @Test("On the same machine, a lease is valid while its process runs, even if the clock is wrong")
    func clockChanges() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let process = try Process.run(URL(fileURLWithPath: "/bin/sleep"), arguments: ["600"])
        // SIGTERM may be ignored, as set by whoever started the tests.
        defer { kill(process.processIdentifier, SIGKILL) }
        let owner = LeaseOwner.name(of: process.processIdentifier)
        let theirs = try BatchJournal(folder: folder.path, owner: owner) { clock.now }
        let ours = try BatchJournal(folder: folder.path) { clock.now }
        _ = try register([input("/a")], in: theirs)
        let item = try #require(try claim("a.vidscan", in: theirs))
        // The machine sleeps for a day; then somebody sets the clock back.
        for step in [86_400.0, -200_000] {
            clock.advance(by: step)
            #expect(try claim("a.vidscan", in: ours) == nil)
            #expect(try reasons([input("/a")], in: ours, forced: true) == [.running])
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // By the clock, the lease would be valid for two more days.
        #expect(try claim("a.vidscan", in: ours)?.attempts == 2)
        try theirs.finish(item, done, retries: 0)
        #expect(try ours.items().map(\.status) == [.running])
    }

    @Test("The lease of a process of an earlier boot, or of another container, is valid until it expires")
    func otherBoot() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        // The same host name and process number, with another boot and PID namespace.
        let current = LeaseOwner.current.split(separator: ":")
        let host = try #require(current[0].split(separator: "/").first)
        let owner = "\(host)/another-boot/pid_[1]:\(current[1]):\(current[2])"
        let theirs = try BatchJournal(folder: folder.path, owner: owner) { clock.now }
        let ours = try BatchJournal(folder: folder.path) { clock.now }
        _ = try register([input("/a")], in: theirs)
        _ = try #require(try claim("a.vidscan", in: theirs))
        #expect(try claim("a.vidscan", in: ours) == nil)
        clock.advance(by: BatchJournal.leaseSeconds + 1)
        #expect(try claim("a.vidscan", in: ours)?.path == "/a")
    }
}
