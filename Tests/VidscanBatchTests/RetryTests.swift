import Testing
import TestSupport
import VidscanBatch

@Suite("Retries")
struct RetryTests: JournalTesting {
    @Test("A failed input waits, is retried as often as allowed, and is then quarantined")
    func quarantine() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        _ = try register([input("/a")], in: journal)
        try finish("a.vidscan", in: journal, .failed("no"), retries: 1)
        #expect(try journal.items().map(\.status) == [.failed])
        #expect(try reasons([input("/a")], in: journal, retries: 1) == [.waiting])
        #expect(try reasons([input("/a")], in: journal, retries: 1, onlyFailed: true) == [.retryRequested])
        // A requested retry counts as one of them.
        try finish("a.vidscan", in: journal, .failed("no"), retries: 1)
        #expect(try journal.items().map(\.status) == [.quarantined])
        #expect(try reasons([input("/a")], in: journal) == [.quarantined])
        #expect(
            try register([input("/a"), input("/b")], in: journal, onlyFailed: true).map(\.isDue) == [true, false])
        try finish("a.vidscan", in: journal, .failed("no"), retries: 2)
        #expect(try journal.items().map(\.status) == [.quarantined])
        #expect(try journal.items().map(\.attempts) == [3])
    }

    @Test("Each retry waits four times as long as the one before, up to seventeen hours")
    func delays() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let journal = try BatchJournal(folder: folder.path) { clock.now }
        _ = try register([input("/a")], in: journal)
        for minutes in [1.0, 4, 16, 64, 256, 1024, 1024] {
            try finish("a.vidscan", in: journal, .failed("no"), retries: 100)
            clock.advance(by: minutes * 60 - 1)
            #expect(try reasons([input("/a")], in: journal, retries: 100) == [.waiting])
            clock.advance(by: 1)
            #expect(try reasons([input("/a")], in: journal, retries: 100) == [.failed])
        }
    }

    @Test("A failure that was recorded while the clock was years ahead is retried")
    func clockAhead() throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let journal = try BatchJournal(folder: folder.path) { clock.now }
        _ = try register([input("/a")], in: journal)
        clock.advance(by: 1e8)
        try finish("a.vidscan", in: journal, .failed("no"))
        clock.advance(by: -1e8)
        #expect(try reasons([input("/a")], in: journal) == [.failed])
    }

    @Test("An attempt whose process was killed is not a failure")
    func killedProcess() throws {
        let folder = try TemporaryFolder()
        for number in 1...5 {
            // A process of this machine that has ended: its start time is not that of the process with its number.
            let journal = try BatchJournal(folder: folder.path, owner: LeaseOwner.current + "-\(number)")
            #expect(try register([input("/a")], in: journal).map(\.isDue) == [true])
            #expect(try claim("a.vidscan", in: journal)?.attempts == number)
        }
        let journal = try BatchJournal(folder: folder.path)
        _ = try register([input("/a")], in: journal)
        try finish("a.vidscan", in: journal, .failed("no"))
        #expect(try journal.items().map(\.status) == [.failed])
    }

    @Test("A released or postponed input does not count as an attempt")
    func released() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let journal = try BatchJournal(folder: folder.path) { clock.now }
        _ = try register([input("/a")], in: journal)
        try finish("a.vidscan", in: journal, .released)
        #expect(try journal.items().map(\.status) == [.pending])
        #expect(try journal.items().map(\.attempts) == [0])
        // A postponed input is not due again in the same run.
        try finish("a.vidscan", in: journal, .postponed(hasReplacedResult: false))
        #expect(try journal.items().map(\.attempts) == [0])
        #expect(try claim("a.vidscan", in: journal) == nil)
        clock.advance(by: 100_000)
        #expect(try claim("a.vidscan", in: journal) == nil)
        #expect(try register([input("/a")], in: journal).map(\.isDue) == [true])
        #expect(try claim("a.vidscan", in: journal)?.attempts == 1)
    }
}
