import Foundation
import GRDB
import Testing
import TestSupport
import VidscanBatch

@Suite("A journal from elsewhere")
struct ForeignJournalTests {
    /// A folder with a journal of one input that is done, tampered with.
    private func tamper(_ sql: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        do {
            let journal = try BatchJournal(folder: folder.path)
            let input = BatchInput(
                path: "/a", place: "a.vidscan", identity: FileIdentity(bytes: 1, modified: 1), isNamed: true)
            _ = try journal.enroll([input], configuration: "c", selection: .init()) { _ in false }
            let item = try #require(try journal.claim(among: ["a.vidscan"], configuration: "c"))
            let report = WorkerReport(frames: 1, faces: 1, videoSeconds: 1, wallSeconds: 1)
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
            return (error as? BatchError)?.code == .input ? "\(error)" : "another: \(error)"
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

    @Test("That holds other tables, triggers or views is refused by all who open it", arguments: schemas)
    func schema(sql: String) throws {
        let folder = try tamper(sql)
        let expected =
            "\(folder.path)/batch.sqlite is no journal of a batch, or one of a later version of vidscan; move it away,"
            + " or take another folder"
        #expect(error { _ = try BatchJournal(folder: folder.path) } == expected)
        #expect(error { _ = try BatchRecord(folder: folder.path) } == expected)
        #expect(error { _ = try BatchJournal.glance(folder: folder.path) } == expected)
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
        "modified = 'a'", "configuration = x'00'",
    ]

    @Test(
        "With rows that vidscan does not write is refused: a place outside of the folder is never touched",
        arguments: rows)
    func row(assignment: String) throws {
        let folder = try tamper("UPDATE item SET \(assignment)")
        let expected = /.*\/batch\.sqlite: its row of .* is not as vidscan writes it; .*, or take another folder/
        for text in [
            error { _ = try BatchJournal(folder: folder.path) }, error { _ = try BatchRecord(folder: folder.path) },
            error { _ = try BatchFolder(folder.path).prune(olderThanDays: 0) },
        ] {
            #expect(text.wholeMatch(of: expected.dotMatchesNewlines()) != nil, "\(text)")
        }
    }

    @Test("That is no database is told as such")
    func noDatabase() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "no database. ", count: 1000), to: "batch.sqlite")
        #expect {
            try BatchJournal(folder: folder.path)
        } throws: { "\($0)" == "\(path): file is not a database" }
    }

    @Test("Of the version before digests is brought up to date")
    func older() throws {
        let folder = try tamper(
            """
            ALTER TABLE item DROP COLUMN digest; ALTER TABLE item DROP COLUMN changed;
            DELETE FROM grdb_migrations WHERE identifier = 'content'
            """)
        #expect(try BatchRecord(folder: folder.path).text.hasPrefix("1 files: "))
        #expect(try BatchJournal(folder: folder.path).items().map(\.path) == ["/a"])
    }
}
