import Foundation
import GRDB
import Testing
import TestSupport
import VidscanBase
import VidscanBatch

@Suite("Invalid journals")
struct InvalidJournalTests {
    /// A folder with the journal of one finished input, after running `sql` on it.
    private func tamper(_ sql: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        do {
            let journal = try BatchJournal(folder: folder.path)
            let input = BatchInput(
                path: "/a", resultPath: "a.vidscan", state: FileState(bytes: 1, modified: 1), isNamed: true)
            _ = try journal.register([input], configuration: "c", selection: .init()) { _ in false }
            let item = try #require(try journal.claim(among: [PathBytes("a.vidscan")], configuration: "c"))
            var report = WorkerReport()
            (report.frames, report.faces, report.videoSeconds, report.wallSeconds) = (1, 1, 1, 1)
            try journal.finish(item, .done(report), retries: 0)
        }
        try DatabaseQueue(path: folder.path + "/batch.sqlite").write { try $0.execute(sql: sql) }
        return folder
    }

    private func error(_ work: () throws -> Void) -> String {
        do {
            try work()
            return "none"
        } catch {
            return (error as? VidscanError)?.code == .input ? "\(error)" : "not an input error: \(error)"
        }
    }

    private static let schemas = [
        "CREATE TRIGGER act AFTER UPDATE ON item BEGIN DELETE FROM item; END",
        "CREATE TRIGGER act AFTER INSERT ON grdb_migrations BEGIN DELETE FROM item; END",
        "CREATE VIEW more AS SELECT * FROM item", "CREATE TABLE more (a)", "CREATE INDEX more ON item (abs(bytes))",
        "ALTER TABLE item RENAME TO other; CREATE VIEW item AS SELECT * FROM other",
        "DROP TABLE item; CREATE TABLE item (place TEXT, path TEXT)",
        "ALTER TABLE item ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(path)) VIRTUAL",
        "DROP TABLE item", "DROP TABLE grdb_migrations",
    ]

    @Test("A journal with other tables, triggers or views is refused", arguments: schemas)
    func schema(sql: String) throws {
        let folder = try tamper(sql)
        let expected =
            "\(folder.path)/batch.sqlite is not the journal of a batch, or it was made by a later version of vidscan;"
            + " move it away, or use another folder"
        #expect(error { _ = try BatchJournal(folder: folder.path) } == expected)
        #expect(error { _ = try BatchReport(folder: folder.path) } == expected)
        #expect(error { _ = try BatchJournal.openReadOnly(folder: folder.path) } == expected)
        #expect(error { _ = try BatchFolder(folder.path).prune(olderThanDays: 0) } == expected)
    }

    private static let rows = [
        "place = '../a.vidscan'", "place = '/tmp/a.vidscan'", "place = 'b/../../a.vidscan'", "place = 'b//a.vidscan'",
        "place = 'a'", "place = '.vidscan'", "place = x'00'", "place = 'a' || char(0) || '.vidscan'", "path = 'a'",
        "path = x'2f'", "bytes = 'many'", "bytes = -1", "status = 'finished'", "status = x'00'",
        "attempts = 9223372036854775807", "attempts = 1.5", "failures = 'a'", "named = 'a'", "due = 'a'",
        "owner = x'00'",
        "lease = 'a'", "started = 'a'", "finished = x'00'", "error = x'00'", "wall = 1e300", "video = 9e999",
        "video = 'a'", "frames = 9223372036854775807", "frames = -1", "faces = 'a'", "digest = x'00'", "changed = 'a'",
        "people = -1", "people = 'a'", "events = 9223372036854775807", "warnings = x'00'", "progress = 2",
        "progress = 'a'",
        "modified = 'a'", "configuration = x'00'", "kept_configuration = 'c'", "kept_bytes = 1", "kept_digest = x'00'",
        "kept_configuration = 'c', kept_bytes = 1, kept_modified = 1",
        "status = 'pending', kept_configuration = 'c', kept_bytes = -1, kept_modified = 1",
        "status = 'pending', kept_configuration = 'c', kept_bytes = 1, kept_modified = 1, kept_finished = 'a'",
    ]

    @Test(
        "A journal with invalid rows is refused, in particular a result outside the batch's folder",
        arguments: rows)
    func row(assignment: String) throws {
        let folder = try tamper("UPDATE item SET \(assignment)")
        let expected = /.*\/batch\.sqlite: the row of .* is not valid; .*, or use another folder/
        for text in [
            error { _ = try BatchJournal(folder: folder.path) }, error { _ = try BatchReport(folder: folder.path) },
            error { _ = try BatchFolder(folder.path).prune(olderThanDays: 0) },
        ] {
            #expect(text.wholeMatch(of: expected.dotMatchesNewlines()) != nil, "\(text)")
        }
    }

    @Test("A file that is not a database is refused")
    func noDatabase() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "not a database ", count: 1000), to: "batch.sqlite")
        #expect {
            try BatchJournal(folder: folder.path)
        } throws: { "\($0)" == "\(path): file is not a database" }
    }

    @Test("A journal of the version before digests is migrated")
    func older() throws {
        let folder = try tamper(
            """
            ALTER TABLE item DROP COLUMN digest; ALTER TABLE item DROP COLUMN changed;
            ALTER TABLE item DROP COLUMN people; ALTER TABLE item DROP COLUMN events;
            ALTER TABLE item DROP COLUMN warnings; ALTER TABLE item DROP COLUMN progress;
            ALTER TABLE item DROP COLUMN kept_configuration; ALTER TABLE item DROP COLUMN kept_bytes;
            ALTER TABLE item DROP COLUMN kept_modified; ALTER TABLE item DROP COLUMN kept_changed;
            ALTER TABLE item DROP COLUMN kept_digest; ALTER TABLE item DROP COLUMN kept_finished;
            DELETE FROM grdb_migrations WHERE identifier IN ('content', 'outcome', 'kept')
            """)
        #expect(try BatchReport(folder: folder.path).text.hasPrefix("1 file: "))
        #expect(try BatchJournal(folder: folder.path).items().map(\.path) == ["/a"])
    }
}
