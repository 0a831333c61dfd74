import Foundation
import Synchronization
import Testing
import TestSupport
import VidscanBatch

@Suite("The journal of a batch")
struct JournalTests {
    /// Of processes that cannot be asked: on another machine.
    private static let elsewhere = "another-machine:1:1"

    private func input(_ path: String, place: String? = nil, bytes: Int64 = 10, modified: Int64 = 1) -> BatchInput {
        BatchInput(
            path: path, place: place ?? (path as NSString).lastPathComponent + ".vidscan",
            identity: FileIdentity(bytes: bytes, modified: modified), isNamed: true)
    }

    private func plan(
        _ journal: BatchJournal, _ inputs: [BatchInput], configuration: String = "c", retries: Int = 2,
        forced: Bool = false, onlyFailed: Bool = false, hasResult: Bool = true
    ) throws -> [BatchJournal.Entry] {
        var selection = BatchJournal.Selection()
        selection.retries = retries
        selection.isForced = forced
        selection.isOnlyFailed = onlyFailed
        return try journal.enroll(inputs, configuration: configuration, selection: selection) { _ in hasResult }
    }

    private func finish(
        _ journal: BatchJournal, _ place: String, _ outcome: BatchJournal.Outcome, retries: Int = 2
    ) throws {
        let item = try #require(try journal.claim(among: [place], configuration: "c"))
        try journal.finish(item, outcome, retries: retries)
    }

    private let done = BatchJournal.Outcome.done(
        WorkerReport(frames: 5, faces: 3, videoSeconds: 1, wallSeconds: 0.5))

    @Test("Gives each input once, the largest first")
    func order() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let inputs = [input("/a", bytes: 1), input("/b", bytes: 3), input("/c", bytes: 2)]
        #expect(try plan(journal, inputs, hasResult: false).map(\.reason) == [.new, .new, .new])
        let places = Set(inputs.map(\.place))
        var taken: [String] = []
        while let item = try journal.claim(among: places, configuration: "c") { taken.append(item.path) }
        #expect(taken == ["/b", "/c", "/a"])
    }

    @Test("Does again what changed, what another configuration made, and what lost its result, and no more")
    func reasons() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        try plan(journal, [input("/a")], hasResult: false).forEach { #expect($0.isDue) }
        try finish(journal, "a.vidscan", done)
        #expect(try plan(journal, [input("/a")]).map(\.reason) == [.done])
        #expect(try plan(journal, [input("/a")]).map(\.isDue) == [false])
        #expect(try plan(journal, [input("/a", bytes: 11)]).map(\.reason) == [.changed])
        #expect(try plan(journal, [input("/a", bytes: 11)]).map(\.reason) == [.unfinished])
        try finish(journal, "a.vidscan", done)
        #expect(try plan(journal, [input("/a", bytes: 11, modified: 2)]).map(\.reason) == [.changed])
        try finish(journal, "a.vidscan", done)
        let last = input("/a", bytes: 11, modified: 2)
        #expect(try plan(journal, [last], hasResult: false).map(\.reason) == [.missing])
        try finish(journal, "a.vidscan", done)
        #expect(try plan(journal, [last], forced: true).map(\.reason) == [.forced])
        try finish(journal, "a.vidscan", done)
        #expect(try plan(journal, [last], configuration: "other").map(\.reason) == [.configured])
    }

    @Test("Lets a failed input wait, tries it as often as it may, and then only when asked")
    func retries() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        _ = try plan(journal, [input("/a")], hasResult: false)
        try finish(journal, "a.vidscan", .failed("no"), retries: 1)
        #expect(try journal.items().map(\.status) == [.failed])
        #expect(try plan(journal, [input("/a")], retries: 1).map(\.reason) == [.waiting])
        #expect(try plan(journal, [input("/a")], retries: 1, onlyFailed: true).map(\.reason) == [.retried])
        // Asked for, it starts at none.
        try finish(journal, "a.vidscan", .failed("no"), retries: 0)
        #expect(try journal.items().map(\.status) == [.quarantined])
        #expect(try plan(journal, [input("/a")]).map(\.reason) == [.quarantined])
        #expect(try plan(journal, [input("/a"), input("/b")], onlyFailed: true).map(\.isDue) == [true, false])
    }

    @Test("Counts no failure for an attempt whose process was killed")
    func killedIsNoFailure() throws {
        let folder = try TemporaryFolder()
        for number in 1...5 {
            // Of this machine, and gone: its process has another start.
            let journal = try BatchJournal(folder: folder.path, owner: LeaseOwner.current + "-\(number)")
            #expect(try plan(journal, [input("/a")], hasResult: false).map(\.isDue) == [true])
            #expect(try journal.claim(among: ["a.vidscan"], configuration: "c")?.attempts == number)
        }
        let journal = try BatchJournal(folder: folder.path)
        _ = try plan(journal, [input("/a")], hasResult: false)
        try finish(journal, "a.vidscan", .failed("no"))
        #expect(try journal.items().map(\.status) == [.failed])
    }

    @Test("Leaves alone what another machine's process holds, and takes nothing of it back")
    func leases() throws {
        let folder = try TemporaryFolder()
        let theirs = try BatchJournal(folder: folder.path, owner: Self.elsewhere)
        _ = try plan(theirs, [input("/a")], hasResult: false)
        let item = try #require(try theirs.claim(among: ["a.vidscan"], configuration: "c"))
        let ours = try BatchJournal(folder: folder.path)
        #expect(try plan(ours, [input("/a")]).map(\.reason) == [.running])
        #expect(try ours.claim(among: ["a.vidscan"], configuration: "c") == nil)
        try ours.finish(item, .failed("not theirs to say"), retries: 0)
        #expect(try ours.items().map(\.status) == [.running])
        #expect(try ours.othersAtWork(among: ["a.vidscan", "b.vidscan"], configuration: "c") == 1)
        #expect(try theirs.othersAtWork(among: ["a.vidscan"], configuration: "c") == 0)
        try theirs.finish(item, done, retries: 0)
        #expect(try ours.items().map(\.status) == [.done])
        #expect(try ours.othersAtWork(among: ["a.vidscan"], configuration: "c") == 0)
    }

    @Test("Takes over what another machine's process holds when that was not heard of for a lease's time, not before")
    func leaseRunsOut() throws {
        let folder = try TemporaryFolder()
        let time = Clock(1_000_000)
        let theirs = try BatchJournal(folder: folder.path, owner: Self.elsewhere) { time.now }
        let ours = try BatchJournal(folder: folder.path) { time.now }
        _ = try plan(theirs, [input("/a")], hasResult: false)
        let item = try #require(try theirs.claim(among: ["a.vidscan"], configuration: "c"))
        time.pass(BatchJournal.leaseSeconds - 1)
        #expect(try plan(ours, [input("/a")], hasResult: false).map(\.reason) == [.running])
        #expect(try ours.claim(among: ["a.vidscan"], configuration: "c") == nil)
        // It is heard of, and has all of the time again.
        try theirs.renew()
        time.pass(BatchJournal.leaseSeconds - 1)
        #expect(try ours.claim(among: ["a.vidscan"], configuration: "c") == nil)
        #expect(try plan(ours, [input("/a")], forced: true).map(\.reason) == [.running])
        // Not again.
        time.pass(2)
        #expect(try plan(ours, [input("/a")], hasResult: false).map(\.reason) == [.unfinished])
        #expect(try ours.claim(among: ["a.vidscan"], configuration: "c")?.attempts == 2)
        // Too late: it neither ends nor keeps what is another's now.
        try theirs.finish(item, .failed("late"), retries: 0)
        try theirs.renew()
        #expect(try ours.items().map(\.status) == [.running])
        #expect(try theirs.claim(among: ["a.vidscan"], configuration: "c") == nil)
        #expect(try ours.othersAtWork(among: ["a.vidscan"], configuration: "c") == 0)
    }

    @Test("A run that waits for another machine's process takes its input when the lease has run out")
    func leaseRunsOutMeanwhile() throws {
        let folder = try TemporaryFolder()
        let time = Clock(1_000_000)
        let theirs = try BatchJournal(folder: folder.path, owner: Self.elsewhere) { time.now }
        let ours = try BatchJournal(folder: folder.path) { time.now }
        _ = try plan(theirs, [input("/a")], hasResult: false)
        _ = try theirs.claim(among: ["a.vidscan"], configuration: "c")
        #expect(try plan(ours, [input("/a")], hasResult: false).map(\.reason) == [.running])
        #expect(try ours.othersAtWork(among: ["a.vidscan"], configuration: "c") == 1)
        time.pass(BatchJournal.leaseSeconds + 1)
        #expect(try ours.claim(among: ["a.vidscan"], configuration: "c")?.path == "/a")
    }

    @Test("Is made and brought up to date by one of many processes that open it at once")
    func openedAtOnce() throws {
        let failures = Mutex<[String]>([])
        // Often, as each must come at the right moment.
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                do {
                    let journal = try BatchJournal(folder: folder.path)
                    _ = try plan(journal, [input("/\(number)")], hasResult: false)
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(try BatchJournal(folder: folder.path).items().count == 8)
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test("Leaves what a process of this machine holds alone while that runs, whatever the clock says")
    func clockSteps() throws {
        let folder = try TemporaryFolder()
        let time = Clock(1_000_000)
        let process = try Process.run(URL(fileURLWithPath: "/bin/sleep"), arguments: ["600"])
        // Nobody can ignore it, whatever the runner of the tests has left ignored.
        defer { kill(process.processIdentifier, SIGKILL) }
        let owner = LeaseOwner.name(of: process.processIdentifier)
        let theirs = try BatchJournal(folder: folder.path, owner: owner) { time.now }
        let ours = try BatchJournal(folder: folder.path) { time.now }
        _ = try plan(theirs, [input("/a")], hasResult: false)
        let item = try #require(try theirs.claim(among: ["a.vidscan"], configuration: "c"))
        // The machine has slept for a day; then somebody sets the clock back.
        for step in [86_400.0, -200_000] {
            time.pass(step)
            #expect(try ours.claim(among: ["a.vidscan"], configuration: "c") == nil)
            #expect(try plan(ours, [input("/a")], forced: true).map(\.reason) == [.running])
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // Its lease would be good for two more days.
        #expect(try ours.claim(among: ["a.vidscan"], configuration: "c")?.attempts == 2)
        try theirs.finish(item, done, retries: 0)
        #expect(try ours.items().map(\.status) == [.running])
    }

    @Test("A process of an earlier start of this machine, or of another container, is judged by its lease")
    func otherStarts() throws {
        let folder = try TemporaryFolder()
        let time = Clock(1_000_000)
        // The same name and number, and another host by all else.
        let current = LeaseOwner.current.split(separator: ":")
        let host = try #require(current[0].split(separator: "/").first)
        let owner = "\(host)/another-start/pid_[1]:\(current[1]):\(current[2])"
        let theirs = try BatchJournal(folder: folder.path, owner: owner) { time.now }
        let ours = try BatchJournal(folder: folder.path) { time.now }
        _ = try plan(theirs, [input("/a")], hasResult: false)
        _ = try theirs.claim(among: ["a.vidscan"], configuration: "c")
        #expect(try ours.claim(among: ["a.vidscan"], configuration: "c") == nil)
        time.pass(BatchJournal.leaseSeconds + 1)
        #expect(try ours.claim(among: ["a.vidscan"], configuration: "c")?.path == "/a")
    }

    @Test("Lets other processes write while it enters a hundred thousand inputs and looks for their results")
    func registersInSteps() throws {
        let folder = try TemporaryFolder()
        let time = Clock(1_000_000)
        let theirs = try BatchJournal(folder: folder.path, owner: Self.elsewhere) { time.now }
        _ = try plan(theirs, [input("/theirs")], hasResult: false)
        _ = try theirs.claim(among: ["theirs.vidscan"], configuration: "c")
        let ours = try BatchJournal(folder: folder.path) { time.now }
        var looks = 0
        var entered: [Int] = []
        var failure: (any Error)?
        // In each look for a result, where the disk is waited for, no transaction may be open.
        let entries = try ours.enroll(
            (0..<100_000).map { input("/in/\($0)") }, configuration: "c", selection: BatchJournal.Selection()
        ) { _ in
            looks += 1
            guard looks % 10_000 == 1, failure == nil else { return false }
            do {
                time.pass(BatchJournal.leaseSeconds / 2)
                try theirs.renew()
                entered.append(try theirs.items().count - 1)
            } catch {
                failure = error
            }
            return false
        }
        #expect(failure == nil)
        #expect(entries.count == 100_000)
        #expect(entries.allSatisfy { $0.reason == .new && $0.isDue })
        #expect(Set(entries.map(\.input.place)).count == 100_000)
        // What was entered before is there already.
        #expect(entered == (0..<10).map { $0 * 10_000 })
        // Five leases' time later the other process still has what it had.
        #expect(try ours.claim(among: ["theirs.vidscan"], configuration: "c") == nil)
        #expect(try ours.items().count == 100_001)
    }

    @Test("What another process enters between the look and the entry counts")
    func meanwhile() throws {
        let folder = try TemporaryFolder()
        let theirs = try BatchJournal(folder: folder.path, owner: Self.elsewhere)
        let ours = try BatchJournal(folder: folder.path)
        var isFirst = true
        let entries = try ours.enroll(
            [input("/x/a"), input("/y/b")], configuration: "c", selection: BatchJournal.Selection()
        ) { _ in
            if isFirst {
                isFirst = false
                // One that takes the first's place, and the second itself, which it begins.
                _ = try? plan(theirs, [input("/z/a"), input("/y/b")], hasResult: false)
                _ = try? theirs.claim(among: ["b.vidscan"], configuration: "c")
            }
            return false
        }
        #expect(entries.map(\.reason) == [.new, .running])
        #expect(entries.map(\.input.place) == ["a-2.vidscan", "b.vidscan"])
        #expect(try ours.items().map(\.path) == ["/x/a", "/z/a", "/y/b"])
    }

    @Test("Waits for a lock longer each time, and not for ever")
    func lock() {
        var pauses: [Double] = []
        while let pause = JournalLock.pause(afterTries: pauses.count) { pauses.append(pause) }
        #expect(Array(pauses.prefix(9)) == [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.25])
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(abs(pauses.reduce(0, +) - JournalLock.patienceSeconds) <= 0.5)
    }

    @Test("Has its rows on the disk when a transaction ends, with a write-ahead log and without")
    func durable() throws {
        let folder = try TemporaryFolder()
        #expect(try BatchJournal(folder: folder.path).isDurable())
        let shard = try TemporaryFolder()
        #expect(try BatchJournal(folder: shard.path, shard: BatchShard(index: 0, count: 2)).isDurable())
        #expect(try BatchJournal.all(in: folder.path, writable: true).allSatisfy { try $0.isDurable() })
    }

    @Test("Two inputs never share a place, and each keeps the one that it has")
    func places() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let first = try plan(journal, [input("/x/a.mp4"), input("/y/a.mp4")], hasResult: false)
        #expect(first.map(\.input.place) == ["a.mp4.vidscan", "a.mp4-2.vidscan"])
        // Other company, another order, another place wished for.
        let second = try plan(
            journal, [input("/w/a.mp4"), input("/y/a.mp4", place: "y/a.mp4.vidscan"), input("/v/a.mp4-2")],
            hasResult: false)
        #expect(second.map(\.input.place) == ["a.mp4-3.vidscan", "a.mp4-2.vidscan", "a.mp4-2-2.vidscan"])
        let places = try journal.items().map(\.place)
        #expect(Set(places).count == places.count)
    }

    @Test("Refuses a folder that is divided otherwise")
    func otherDivision() throws {
        let folder = try TemporaryFolder()
        _ = try BatchJournal(folder: folder.path, shard: BatchShard(index: 0, count: 4))
        for shard in [nil, BatchShard(index: 0, count: 8)] {
            #expect {
                try BatchJournal(folder: folder.path, shard: shard)
            } throws: { error in
                "\(error)"
                    == "\(folder.path) holds batch-0-of-4.sqlite, the journal of a batch that is divided otherwise;"
                    + " divide this one alike, or take another folder"
            }
        }
    }

    @Test("Refuses to go on with a division by another rule")
    func otherRule() throws {
        let folder = try TemporaryFolder()
        let shards = try (0..<2).map { try #require(BatchShard(index: $0, count: 2)) }
        let path = shards[0].holds("/a") ? "/a" : "/b"
        try #require(shards[0].holds(path))
        do {
            let journal = try BatchJournal(folder: folder.path, shard: shards[0])
            _ = try plan(journal, [input(path)], hasResult: false)
        }
        _ = try BatchJournal(folder: folder.path, shard: shards[0])
        // What a copy would be, or one whose rule has put the file elsewhere.
        try FileManager.default.moveItem(
            atPath: folder.path + "/batch-0-of-2.sqlite", toPath: folder.path + "/batch-1-of-2.sqlite")
        #expect {
            try BatchJournal(folder: folder.path, shard: shards[1])
        } throws: { error in
            "\(error)".hasPrefix("\(folder.path)/batch-1-of-2.sqlite is of a batch that was divided by another rule")
                && "\(error)".contains(": \(path) belongs to another shard now")
        }
    }

    @Test("Does not replace a result that the batch has not made, unless forced")
    func occupied() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let entries = try plan(journal, [input("/a")], hasResult: true)
        #expect(entries.map(\.reason) == [.occupied])
        #expect(entries.map(\.isDue) == [false])
        #expect(try journal.items().isEmpty)
        #expect(try plan(journal, [input("/a")], forced: true, hasResult: true).map(\.isDue) == [true])
    }

    @Test("A dry run enters nothing, and needs no folder")
    func dry() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal.glance(folder: folder.path + "/none")
        let entries = try journal.enroll(
            [input("/x/a"), input("/y/a")], configuration: "c", selection: BatchJournal.Selection(), isDry: true
        ) { _ in false }
        #expect(entries.map(\.input.place) == ["a.vidscan", "a-2.vidscan"])
        #expect(entries.map(\.isDue) == [true, true])
        #expect(try journal.items().isEmpty)
        #expect(folder.entries == [])
    }

    @Test("What was pruned is not done again, unless it changes")
    func pruned() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        _ = try plan(journal, [input("/a")], hasResult: false)
        try finish(journal, "a.vidscan", done)
        #expect(try journal.prune(before: 0) == [])
        #expect(try journal.prune(before: Date().timeIntervalSince1970 + 1) == ["a.vidscan"])
        #expect(try plan(journal, [input("/a")], configuration: "other", hasResult: false).map(\.reason) == [.pruned])
        #expect(try plan(journal, [input("/a", bytes: 11)], hasResult: false).map(\.reason) == [.changed])
    }

    @Test("Only results that are old enough are removed, and none whose input is being done again")
    func prunesOldResults() throws {
        let folder = try TemporaryFolder()
        let long = Clock(Date().timeIntervalSince1970 - 10 * 86_400)
        let journal = try BatchJournal(folder: folder.path) { long.now }
        for name in ["old", "made-by-hand", "again"] {
            _ = try plan(journal, [input("/\(name)")], hasResult: false)
            try finish(journal, "\(name).vidscan", done)
            let result = "\(folder.path)/\(name).vidscan"
            try FileManager.default.createDirectory(atPath: result, withIntermediateDirectories: false)
            try folder.write("{}", to: "\(name).vidscan/run.json")
            guard name != "made-by-hand" else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: long.now)], ofItemAtPath: result + "/run.json")
        }
        _ = try plan(journal, [input("/again", bytes: 11)])
        _ = try journal.claim(among: ["again.vidscan"], configuration: "c")
        #expect(try BatchFolder(folder.path).prune(olderThanDays: 11) == 0)
        #expect(try BatchFolder(folder.path).prune(olderThanDays: 9) == 1)
        #expect(
            folder.entries.filter { $0.hasSuffix(".vidscan") || $0.hasSuffix(".pruned") }
                == ["again.vidscan", "made-by-hand.vidscan"])
        #expect(try BatchFolder(folder.path).prune(olderThanDays: 9) == 0)
    }
}

/// A clock that goes when it is told to.
private final class Clock: Sendable {
    private let seconds: Mutex<Double>

    init(_ seconds: Double) { self.seconds = Mutex(seconds) }

    var now: Double { seconds.withLock { $0 } }

    func pass(_ duration: Double) { seconds.withLock { $0 += duration } }
}
