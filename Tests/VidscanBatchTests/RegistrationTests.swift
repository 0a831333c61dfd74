import Testing
import TestSupport
import VidscanBatch

@Suite("Registration of inputs")
struct RegistrationTests: JournalTesting {
    @Test("An input is due again if it changed, its result is missing, or the settings differ, and otherwise not")
    func due() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let edited = input("/a", bytes: 11, modified: 2)
        let finish = { try self.finish("a.vidscan", in: journal, self.done) }
        #expect(try register([input("/a")], in: journal).map(\.isDue) == [true])
        try finish()
        let repeated = try register([input("/a")], in: journal, hasResult: true)
        #expect(repeated.map(\.reason) == [.done])
        #expect(repeated.map(\.isDue) == [false])
        #expect(try reasons([input("/a", bytes: 11)], in: journal, hasResult: true) == [.changed])
        // The result that there is remains that of the former content.
        #expect(try reasons([input("/a", bytes: 11)], in: journal, hasResult: true) == [.changed])
        try finish()
        #expect(try reasons([edited], in: journal, hasResult: true) == [.changed])
        try finish()
        #expect(try reasons([edited], in: journal) == [.resultMissing])
        try finish()
        #expect(try reasons([edited], in: journal, forced: true, hasResult: true) == [.forced])
        try finish()
        #expect(try reasons([edited], in: journal, configuration: "other", hasResult: true) == [.settingsChanged])
    }

    @Test("Other processes can write while thirty thousand inputs are registered and their results checked")
    func transactions() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let theirs = try BatchJournal(folder: folder.path, owner: otherMachine) { clock.now }
        _ = try register([input("/theirs")], in: theirs)
        _ = try #require(try claim("theirs.vidscan", in: theirs))
        let ours = try BatchJournal(folder: folder.path) { clock.now }
        var checks = 0
        var registered: [Int] = []
        var failure: (any Error)?
        // No transaction may be open during a check for a result, because the disk can be slow.
        let plan = try ours.register(
            (0..<30_000).map { input("/in/\($0)") }, configuration: "c", selection: BatchJournal.Selection()
        ) { _ in
            checks += 1
            guard checks % 3_000 == 1, failure == nil else { return false }
            do {
                clock.advance(by: BatchJournal.leaseSeconds / 2)
                try theirs.renewLeases()
                registered.append(try theirs.items().count - 1)
            } catch {
                failure = error
            }
            return false
        }
        #expect(failure == nil)
        #expect(plan.count == 30_000)
        #expect(plan.allSatisfy { $0.reason == .new && $0.isDue })
        #expect(Set(plan.map(\.input.resultPath)).count == 30_000)
        // Each transaction is visible to others before the next checks.
        #expect(registered == (0..<10).map { $0 * 3_000 })
        // Five lease periods later, the other process still holds its lease.
        #expect(try claim("theirs.vidscan", in: ours) == nil)
        #expect(try ours.items().count == 30_001)
    }

    @Test("Changes of another process between the check and the transaction are respected")
    func concurrentChange() throws {
        let folder = try TemporaryFolder()
        let theirs = try BatchJournal(folder: folder.path, owner: otherMachine)
        let ours = try BatchJournal(folder: folder.path)
        var isFirst = true
        let plan = try ours.register(
            [input("/x/a"), input("/y/b")], configuration: "c", selection: BatchJournal.Selection()
        ) { _ in
            if isFirst {
                isFirst = false
                // Another input takes the first one's path, and the second one is claimed.
                _ = try? register([input("/z/a"), input("/y/b")], in: theirs)
                _ = try? claim("b.vidscan", in: theirs)
            }
            return false
        }
        #expect(plan.map(\.reason) == [.new, .running])
        #expect(plan.map(\.input.resultPath) == ["a-2.vidscan", "b.vidscan"])
        #expect(try ours.items().map(\.path) == ["/x/a", "/z/a", "/y/b"])
    }

    @Test("Two inputs never share the path of a result, and each keeps its own")
    func resultPaths() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let first = try register([input("/x/a.mp4"), input("/y/a.mp4")], in: journal)
        #expect(first.map(\.input.resultPath) == ["a.mp4.vidscan", "a.mp4-2.vidscan"])
        // The second input asks for another path now, in another order and next to other inputs.
        let second = try register(
            [input("/w/a.mp4"), input("/y/a.mp4", resultPath: "y/a.mp4.vidscan"), input("/v/a.mp4-2")], in: journal)
        #expect(second.map(\.input.resultPath) == ["a.mp4-3.vidscan", "a.mp4-2.vidscan", "a.mp4-2-2.vidscan"])
        #expect(
            try journal.items().map(\.resultPath) == [
                "a.mp4-2-2.vidscan", "a.mp4-2.vidscan", "a.mp4-3.vidscan", "a.mp4.vidscan",
            ])
    }

    @Test("A result that is not from the batch is replaced only with --force")
    func foreignResult() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let plan = try register([input("/a")], in: journal, hasResult: true)
        #expect(plan.map(\.reason) == [.foreignResult])
        #expect(plan.map(\.isDue) == [false])
        #expect(try journal.items().isEmpty)
        #expect(try register([input("/a")], in: journal, forced: true, hasResult: true).map(\.isDue) == [true])
    }

    @Test("A dry run registers nothing, and works without the batch's folder")
    func dryRun() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal.openReadOnly(folder: folder.path + "/none")
        let plan = try journal.register(
            [input("/x/a"), input("/y/a")], configuration: "c", selection: BatchJournal.Selection(), isDryRun: true
        ) { _ in false }
        #expect(plan.map(\.input.resultPath) == ["a.vidscan", "a-2.vidscan"])
        #expect(plan.map(\.isDue) == [true, true])
        #expect(try journal.items().isEmpty)
        #expect(folder.entries == [])
    }
}
