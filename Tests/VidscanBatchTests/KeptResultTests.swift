import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanBatch

/// A finished result stays what it is until another one replaces it.
@Suite("Finished results while others are to replace them")
struct KeptResultTests: JournalTesting {
    private struct Fixture {
        let folder: TemporaryFolder
        let clock = ManualClock()
        let journal: BatchJournal

        init() throws {
            folder = try TemporaryFolder()
            let clock = clock
            journal = try BatchJournal(folder: folder.path) { clock.now }
        }
    }

    /// A journal with a finished result of the configuration "c", which a run with "new" is to replace.
    private func replacing() throws -> Fixture {
        let fixture = try Fixture()
        _ = try register([input("/a")], in: fixture.journal)
        try finish("a.vidscan", in: fixture.journal, done)
        fixture.clock.advance(by: 10)
        #expect(try decision(fixture.journal, "new") == .settingsChanged)
        return fixture
    }

    private func decision(
        _ journal: BatchJournal, _ configuration: String, bytes: Int64 = 10, keepsDone: Bool = false,
        hasResult: Bool = true, isMadeAsConfigured: Bool = true
    ) throws -> BatchJournal.Reason? {
        var selection = BatchJournal.Selection()
        selection.keepsDone = keepsDone
        return try journal.register(
            [input("/a", bytes: bytes)], configuration: configuration, selection: selection,
            isMadeAsConfigured: { _ in isMadeAsConfigured }
        ) { _ in hasResult }.first?.reason
    }

    private func claim(_ journal: BatchJournal) throws -> BatchJournal.Item {
        try #require(try journal.claim(among: [PathBytes("a.vidscan")], configuration: "new"))
    }

    @Test("A result that was to be replaced is done, and the settings that made it find it done")
    func notStarted() throws {
        let journal = try replacing().journal
        #expect(try journal.items().map(\.status) == [.done])
        #expect(try journal.items().map(\.configuration) == ["c"])
        #expect(try decision(journal, "c") == .done)
        #expect(try decision(journal, "new", keepsDone: true) == .kept)
        #expect(try decision(journal, "new") == .settingsChanged)
        #expect(try claim(journal).attempts == 2)
    }

    @Test("So is one whose analysis was given back, or whose process was killed")
    func interrupted() throws {
        let fixture = try replacing()
        let item = try claim(fixture.journal)
        #expect(try fixture.journal.items().map(\.status) == [.running])
        try fixture.journal.finish(item, .released, retries: 2)
        #expect(try decision(fixture.journal, "c") == .done)
        let killed = try BatchJournal(folder: fixture.folder.path, owner: LeaseOwner.current + "-1")
        _ = try claim(killed)
        #expect(try fixture.journal.items().map(\.status) == [.done])
        #expect(try BatchReport(folder: fixture.folder.path).text.hasPrefix("1 file: 0 pending, 0 running, 1 done"))
        #expect(try decision(fixture.journal, "c") == .done)
        #expect(try decision(fixture.journal, "new", keepsDone: true) == .kept)
        // Going on counts the attempt of the killed process.
        #expect(try decision(fixture.journal, "new") == .settingsChanged)
        #expect(try claim(fixture.journal).attempts == 3)
    }

    @Test("When the new result replaces it, only the new settings find it done")
    func replaced() throws {
        let journal = try replacing().journal
        try journal.finish(claim(journal), done, retries: 2)
        #expect(try journal.items().map(\.configuration) == ["new"])
        #expect(try decision(journal, "new") == .done)
        #expect(try decision(journal, "c") == .settingsChanged)
    }

    @Test("If the file changed during the analysis that replaced its result, no result is left")
    func torn() throws {
        let journal = try replacing().journal
        try journal.finish(claim(journal), .postponed(hasReplacedResult: false), retries: 2)
        #expect(try journal.items().map(\.status) == [.done])
        #expect(try decision(journal, "new") == .settingsChanged)
        try journal.finish(claim(journal), .postponed(hasReplacedResult: true), retries: 2)
        #expect(try journal.items().map(\.status) == [.pending])
        #expect(try decision(journal, "c") == .settingsChanged)
    }

    @Test("If the process was killed after it had replaced the result, nobody takes that for the earlier one")
    func replacedUnseen() throws {
        let fixture = try replacing()
        _ = try claim(try BatchJournal(folder: fixture.folder.path, owner: LeaseOwner.current + "-1"))
        #expect(try decision(fixture.journal, "c", isMadeAsConfigured: false) == .interrupted)
    }

    @Test("A failure is retried with its settings; the settings that made the earlier result find it done again")
    func failed() throws {
        let fixture = try replacing()
        let journal = fixture.journal
        try journal.finish(claim(journal), .failed("no"), retries: 2)
        #expect(try journal.items().map(\.status) == [.failed])
        #expect(try decision(journal, "new") == .waiting)
        fixture.clock.advance(by: 100)
        #expect(try decision(journal, "new") == .failed)
        // The retry is killed, which is neither a failure nor forgets one.
        _ = try claim(
            try BatchJournal(folder: fixture.folder.path, owner: LeaseOwner.current + "-1") { fixture.clock.now })
        #expect(try decision(journal, "new") == .settingsChanged)
        try journal.finish(claim(journal), .failed("no"), retries: 1)
        #expect(try journal.items().map(\.status) == [.quarantined])
        #expect(try decision(journal, "new") == .quarantined)
        #expect(try decision(journal, "c") == .done)
        #expect(try journal.items().map(\.status) == [.done])
        #expect(try journal.items().map(\.error) == [nil])
    }

    @Test("Without its result, or with other content, an input is due with any settings")
    func gone() throws {
        let journal = try replacing().journal
        #expect(try decision(journal, "c", bytes: 11) == .changed)
        // Still that of the first content.
        #expect(try journal.items().map(\.bytes) == [10])
        #expect(try decision(journal, "c") == .done)
        #expect(try decision(journal, "c", hasResult: false) == .resultMissing)
        #expect(try journal.items().map(\.status) == [.pending])
    }

    @Test("What is left of an interrupted run with --force is due in the next run without it, but not with --keep-done")
    func forced() throws {
        let fixture = try Fixture()
        let journal = fixture.journal
        _ = try register([input("/a")], in: journal)
        try finish("a.vidscan", in: journal, done)
        #expect(try register([input("/a")], in: journal, forced: true, hasResult: true).map(\.reason) == [.forced])
        #expect(try journal.items().map(\.status) == [.done])
        #expect(try decision(journal, "c", keepsDone: true) == .done)
        #expect(try decision(journal, "c") == .notStarted)
        try finish("a.vidscan", in: journal, done)
        #expect(try decision(journal, "c") == .done)
    }

    @Test("An old result that was to be replaced is pruned, unless a process works on the batch")
    func pruned() throws {
        let fixture = try replacing()
        let journal = fixture.journal
        let limit = fixture.clock.now
        _ = try journal.register([input("/b", bytes: 20)], configuration: "new", selection: .init()) { _ in false }
        let other = try #require(try journal.claim(among: [PathBytes("b.vidscan")], configuration: "new"))
        #expect(try journal.prune(before: limit) == [])
        try journal.finish(other, .released, retries: 2)
        #expect(try journal.prune(before: limit - 100) == [])
        #expect(try journal.prune(before: limit) == ["a.vidscan"])
        #expect(try decision(journal, "c") == .pruned)
    }
}
