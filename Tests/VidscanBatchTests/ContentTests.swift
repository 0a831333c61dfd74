import Foundation
import GRDB
import Testing
import TestSupport
import VidscanBatch

@Suite("What is in the files of a batch")
struct ContentTests {
    /// A folder with a file that was analysed, and the journal of it.
    private struct Analysed {
        let folder: TemporaryFolder
        let journal: BatchJournal

        /// - Parameter digest: that the run took.
        init(digest: String?) throws {
            folder = try TemporaryFolder()
            try folder.write("one", to: "a.mp4")
            // Whole seconds, so that it can be set back to the nanosecond.
            try Self.setDate(Self.begin, in: folder)
            journal = try BatchJournal(folder: folder.path)
            _ = try journal.enroll(found(), configuration: "c", selection: .init()) { _ in false }
            let item = try #require(try journal.claim(among: ["a.mp4.vidscan"], configuration: "c"))
            try journal.finish(
                item,
                .done(WorkerReport(frames: 1, faces: 1, videoSeconds: 1, wallSeconds: 1, digest: digest)), retries: 0)
        }

        func found() -> [BatchInput] { InputFinder().find([folder.path + "/a.mp4"]).inputs }

        /// Why the file would be done, or not, after what reading it has told.
        func reason(_ verdicts: [String: ContentCheck.Verdict] = [:]) throws -> BatchJournal.Reason? {
            try journal.enroll(found(), configuration: "c", selection: .init(), contents: verdicts, isDry: true) { _ in
                true
            }.first?.reason
        }

        /// - Returns: what was found out, and how many files were read for it.
        func check(
            isDry: Bool = false, configuration: String = "c", hasResult: Bool = true
        ) throws -> (verdicts: [String: ContentCheck.Verdict], read: Int) {
            var read = 0
            // What is in a file does for its digest.
            let verdicts = try ContentCheck(journal: journal) { try? String(contentsOfFile: $0, encoding: .utf8) }.run(
                found(), configuration: configuration, isDry: isDry, hasResult: { _ in hasResult }
            ) { read = $0.files }
            return (verdicts, read)
        }

        static let begin = Date(timeIntervalSince1970: 900_000)

        func setDate(_ date: Date) throws { try Self.setDate(date, in: folder) }

        private static func setDate(_ date: Date, in folder: TemporaryFolder) throws {
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.path + "/a.mp4")
        }
    }

    @Test("Is not read while nothing has touched them")
    func untouched() throws {
        let analysed = try Analysed(digest: "one")
        #expect(try analysed.check().read == 0)
        #expect(try analysed.reason() == .done)
    }

    @Test("Tells that only the date has changed, and then the new date is the file's")
    func touched() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try analysed.reason() == .changed)
        // A dry run tells, and enters nothing.
        #expect(try analysed.reason(analysed.check(isDry: true).verdicts) == .touched)
        #expect(try analysed.reason() == .changed)
        let (verdicts, read) = try analysed.check()
        #expect(read == 1)
        #expect(try analysed.reason(verdicts) == .touched)
        #expect(try analysed.check().read == 0)
        #expect(try analysed.reason() == .done)
        #expect(try analysed.journal.items().map(\.digest) == ["one"])
    }

    @Test("Tells an edit from a new date")
    func edited() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.folder.write("two", to: "a.mp4")
        try analysed.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try analysed.reason(analysed.check().verdicts) == .changed)
    }

    @Test("Tells an edit whose date was set back, which the date does not")
    func setBack() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.folder.write("two", to: "a.mp4")
        try analysed.setDate(Analysed.begin)
        #expect(try analysed.reason() == .done)
        let (verdicts, read) = try analysed.check()
        #expect(read == 1)
        #expect(try analysed.reason(verdicts) == .changed)
    }

    @Test("Of another size, of another configuration and without a result are not read: they are done anyway")
    func doneAnyway() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try analysed.check(configuration: "other").read == 0)
        #expect(try analysed.check(hasResult: false).read == 0)
        try analysed.folder.write("three", to: "a.mp4")
        #expect(try analysed.check().read == 0)
        #expect(try analysed.reason() == .changed)
    }

    @Test("Of results made without digests are noted as long as nothing has touched them, and only then")
    func noted() throws {
        let analysed = try Analysed(digest: nil)
        let (verdicts, read) = try analysed.check()
        #expect(verdicts.isEmpty)
        #expect(read == 1)
        #expect(try analysed.journal.items().map(\.digest) == ["one"])
        try analysed.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try analysed.reason(analysed.check().verdicts) == .touched)

        // Nobody can say any more what was analysed.
        let late = try Analysed(digest: nil)
        try late.setDate(Date(timeIntervalSince1970: 1_000_000))
        #expect(try late.check().read == 0)
        #expect(try late.reason() == .changed)
        let setBack = try Analysed(digest: nil)
        try setBack.setDate(Analysed.begin)
        #expect(try setBack.check().read == 0)
        #expect(try setBack.reason() == .done)
    }

    @Test("Loses its digest when the file is done again without one")
    func again() throws {
        let analysed = try Analysed(digest: "one")
        try analysed.folder.write("three", to: "a.mp4")
        _ = try analysed.journal.enroll(analysed.found(), configuration: "c", selection: .init()) { _ in true }
        #expect(try analysed.journal.items().map(\.digest) == [nil])
    }

    /// The schema before digests were kept.
    private func makeOldJournal(in folder: TemporaryFolder, started: Double) throws {
        let path = try folder.write("one", to: "a.mp4")
        let input = try #require(InputFinder().find([path]).inputs.first)
        try DatabaseQueue(path: folder.path + "/batch.sqlite").write { database in
            try database.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('first');
                    CREATE TABLE item (
                        place TEXT PRIMARY KEY NOT NULL, path TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL,
                        modified INTEGER NOT NULL, configuration TEXT NOT NULL, status TEXT NOT NULL,
                        attempts INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
                        named BOOLEAN NOT NULL, due DOUBLE NOT NULL DEFAULT 0, owner TEXT, lease DOUBLE, started DOUBLE,
                        finished DOUBLE, error TEXT, wall DOUBLE, video DOUBLE, frames INTEGER, faces INTEGER);
                    CREATE INDEX item_by_status ON item (status, bytes DESC, place);
                    """)
            try database.execute(
                sql: """
                    INSERT INTO item (place, path, bytes, modified, configuration, status, attempts, named, started,
                        finished, wall, video, frames, faces)
                    VALUES ('a.mp4.vidscan', ?, ?, ?, 'c', 'done', 1, 1, ?, ?, 0.5, 2, 10, 7)
                    """,
                arguments: [path, input.identity.bytes, input.identity.modified, started, started + 1])
        }
    }

    @Test("Journals of before digests were kept open, with all that is in them")
    func oldJournal() throws {
        let folder = try TemporaryFolder()
        try makeOldJournal(in: folder, started: Date().timeIntervalSince1970 + 1)
        let inputs = InputFinder().find([folder.path + "/a.mp4"]).inputs
        let reason = { (journal: BatchJournal) in
            try journal.enroll(inputs, configuration: "c", selection: .init(), isDry: true) { _ in true }.map(\.reason)
        }
        // To look at, it is left as it is.
        let glance = try BatchJournal.glance(folder: folder.path)
        #expect(try reason(glance) == [.done])
        #expect(try glance.items().map(\.faces) == [7])
        #expect(try BatchRecord(folder: folder.path).text.hasPrefix("1 files: 0 pending, 0 running, 1 done"))

        let journal = try BatchJournal(folder: folder.path)
        #expect(try reason(journal) == [.done])
        #expect(try journal.items().map(\.faces) == [7])
        // It was analysed after anything had touched the file.
        _ = try ContentCheck(journal: journal) { _ in "digest" }.run(inputs, configuration: "c") { _ in true }
        #expect(try journal.items().map(\.digest) == ["digest"])
        #expect(try BatchJournal(folder: folder.path).items() == journal.items())
    }

    @Test("Is not noted from a journal of before where something has touched the file since")
    func oldJournalTouched() throws {
        let folder = try TemporaryFolder()
        try makeOldJournal(in: folder, started: Date().timeIntervalSince1970 - 60)
        let journal = try BatchJournal(folder: folder.path)
        let inputs = InputFinder().find([folder.path + "/a.mp4"]).inputs
        _ = try ContentCheck(journal: journal) { _ in "digest" }.run(inputs, configuration: "c") { _ in true }
        #expect(try journal.items().map(\.digest) == [nil])
    }
}
