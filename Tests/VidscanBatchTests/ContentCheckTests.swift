import Foundation
import GRDB
import Testing
import TestSupport
import VidscanBase
import VidscanBatch

@Suite("Content checks")
struct ContentCheckTests {
    /// A folder with a file that was analysed, and its journal.
    private struct Analysed {
        let folder: TemporaryFolder
        let journal: BatchJournal

        /// - Parameter digest: the one that the run recorded.
        init(digest: String?) throws {
            folder = try TemporaryFolder()
            try folder.write("one", to: "a.mp4")
            // Whole seconds, so that the test can restore it to the nanosecond.
            try Self.setDate(Self.originalDate, in: folder)
            journal = try BatchJournal(folder: folder.path)
            _ = try journal.register(found(), configuration: "c", selection: .init()) { _ in false }
            let item = try #require(try journal.claim(among: [PathBytes("a.mp4.vidscan")], configuration: "c"))
            var report = WorkerReport()
            report.digest = digest
            try journal.finish(item, .done(report), retries: 0)
        }

        func found() -> [BatchInput] { InputFinder().find([folder.path + "/a.mp4"]).inputs }

        /// Why the file is due or not, given these verdicts.
        func reason(_ verdicts: [PathBytes: BatchJournal.ContentVerdict] = [:]) throws -> BatchJournal.Reason? {
            try journal.register(found(), configuration: "c", selection: .init(), verdicts: verdicts, isDryRun: true) {
                _ in
                true
            }.first?.reason
        }

        /// - Returns: the verdicts, and how many files were read.
        func check(
            isDryRun: Bool = false, configuration: String = "c", hasResult: Bool = true
        ) throws -> (verdicts: [PathBytes: BatchJournal.ContentVerdict], read: Int) {
            var read = 0
            // The content itself serves as the digest.
            let verdicts = try journal.compareContent(
                of: found(), configuration: configuration, isDryRun: isDryRun,
                digest: { try? String(contentsOfFile: $0, encoding: .utf8) }, willRead: { files, _ in read = files },
                hasResult: { _ in hasResult })
            return (verdicts, read)
        }

        static let originalDate = Date(timeIntervalSince1970: 900_000)

        func setDate(_ date: Date) throws { try Self.setDate(date, in: folder) }

        private static func setDate(_ date: Date, in folder: TemporaryFolder) throws {
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.path + "/a.mp4")
        }
    }

    @Test("An unchanged file is not read")
    func untouched() throws {
        let analysed = try Analysed(digest: "one")
        #expect(try analysed.check().read == 0)
        #expect(try analysed.reason() == .done)
    }

    @Test("A file with a new date and the same content is not due, and its new date is recorded")
    func touched() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try analysed.reason() == .changed)
        // A dry run records nothing.
        #expect(try analysed.reason(analysed.check(isDryRun: true).verdicts) == .dateChanged)
        #expect(try analysed.reason() == .changed)
        let (verdicts, read) = try analysed.check()
        #expect(read == 1)
        #expect(try analysed.reason(verdicts) == .dateChanged)
        #expect(try analysed.check().read == 0)
        #expect(try analysed.reason() == .done)
        #expect(try analysed.journal.items().map(\.digest) == ["one"])
    }

    @Test("An edited file is due")
    func edited() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.folder.write("two", to: "a.mp4")
        try analysed.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try analysed.reason(analysed.check().verdicts) == .changed)
    }

    @Test("An edited file whose date was set back is due, which its date alone does not show")
    func setBack() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.folder.write("two", to: "a.mp4")
        try analysed.setDate(Analysed.originalDate)
        #expect(try analysed.reason() == .done)
        let (verdicts, read) = try analysed.check()
        #expect(read == 1)
        #expect(try analysed.reason(verdicts) == .changed)
    }

    @Test("A file that is due anyway is not read")
    func doneAnyway() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try analysed.check(configuration: "other").read == 0)
        #expect(try analysed.check(hasResult: false).read == 0)
        try analysed.folder.write("three", to: "a.mp4")
        #expect(try analysed.check().read == 0)
        #expect(try analysed.reason() == .changed)
    }

    @Test("A missing digest is recorded only if nothing has changed the file since its analysis")
    func noted() throws {
        let analysed = try Analysed(digest: nil)
        let (verdicts, read) = try analysed.check()
        #expect(verdicts.isEmpty)
        #expect(read == 1)
        #expect(try analysed.journal.items().map(\.digest) == ["one"])
        try analysed.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try analysed.reason(analysed.check().verdicts) == .dateChanged)

        // It is no longer known what was analysed.
        let late = try Analysed(digest: nil)
        try late.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try late.check().read == 0)
        #expect(try late.reason() == .changed)
        let setBack = try Analysed(digest: nil)
        try setBack.setDate(Analysed.originalDate)
        #expect(try setBack.check().read == 0)
        #expect(try setBack.reason() == .done)
    }

    @Test("The digest of the content that was analysed remains until another result replaces it")
    func again() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.folder.write("three", to: "a.mp4")
        _ = try analysed.journal.register(analysed.found(), configuration: "c", selection: .init()) { _ in true }
        #expect(try analysed.journal.items().map(\.digest) == ["one"])
        let item = try #require(try analysed.journal.claim(among: [PathBytes("a.mp4.vidscan")], configuration: "c"))
        try analysed.journal.finish(item, .done(WorkerReport()), retries: 0)
        #expect(try analysed.journal.items().map(\.digest) == [nil])
    }

    /// A journal of version 0.1.0.
    private func makeOldJournal(in folder: TemporaryFolder) throws {
        let path = try folder.write("one", to: "a.mp4")
        let input = try #require(InputFinder().find([path]).inputs.first)
        try DatabaseQueue(path: folder.path + "/batch.sqlite").write { database in
            try database.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('first'), ('content');
                    CREATE TABLE item (
                        place TEXT PRIMARY KEY NOT NULL, path TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL,
                        modified INTEGER NOT NULL, configuration TEXT NOT NULL, status TEXT NOT NULL,
                        attempts INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
                        named BOOLEAN NOT NULL, due DOUBLE NOT NULL DEFAULT 0, owner TEXT, lease DOUBLE, started DOUBLE,
                        finished DOUBLE, error TEXT, wall DOUBLE, video DOUBLE, frames INTEGER, faces INTEGER);
                    CREATE INDEX item_by_status ON item (status, bytes DESC, place);
                    ALTER TABLE item ADD COLUMN digest TEXT;
                    ALTER TABLE item ADD COLUMN changed INTEGER;
                    """)
            try database.execute(
                sql: """
                    INSERT INTO item (place, path, bytes, modified, changed, configuration, status, attempts, named,
                        started, finished, wall, video, frames, faces)
                    VALUES ('a.mp4.vidscan', ?, ?, ?, ?, 'c', 'done', 1, 1, 1, 2, 0.5, 2, 10, 7)
                    """,
                arguments: [path, input.state.bytes, input.state.modified, input.state.changed])
        }
    }

    @Test("A journal of version 0.1.0 keeps its rows")
    func oldJournal() throws {
        let folder = try TemporaryFolder()
        try makeOldJournal(in: folder)
        let inputs = InputFinder().find([folder.path + "/a.mp4"]).inputs
        let reason = { (journal: BatchJournal) in
            try journal.register(inputs, configuration: "c", selection: .init(), isDryRun: true) { _ in true }.map(
                \.reason)
        }
        // Read-only access does not migrate it.
        let readOnly = try BatchJournal.openReadOnly(folder: folder.path)
        #expect(try reason(readOnly) == [.done])
        #expect(try readOnly.items().map(\.faces) == [7])
        #expect(try BatchReport(folder: folder.path).text.hasPrefix("1 file: 0 pending, 0 running, 1 done"))

        let journal = try BatchJournal(folder: folder.path)
        #expect(try reason(journal) == [.done])
        #expect(try journal.items().map(\.faces) == [7])
        // Nothing has changed the file since its analysis, so its digest can be recorded.
        _ = try journal.compareContent(
            of: inputs, configuration: "c", digest: { _ in "digest" }, hasResult: { _ in true })
        #expect(try journal.items().map(\.digest) == ["digest"])
        #expect(try BatchJournal(folder: folder.path).items() == journal.items())
    }
}
