import Foundation
import GRDB
import Testing
import VidscanBatch

@Suite("A journal that no batch has written")
struct JournalCheckTests {
    private static let columns = """
        place TEXT PRIMARY KEY, path, bytes, modified, configuration, status, attempts, failures, named, due, owner, lease,
        started, finished, error, wall, video, frames, faces, digest, changed
        """

    /// A journal with one finished input, whose row `sql` then spoils; the table takes any value.
    private func journal(_ folder: TemporaryFolder, sql: String) throws {
        _ = try BatchJournal(folder: folder.path)
        try DatabaseQueue(path: folder.path + "/batch.sqlite").write { database in
            try database.execute(
                sql: """
                    DROP TABLE item;
                    CREATE TABLE item (\(Self.columns));
                    INSERT INTO item VALUES ('a.vidscan', '/a', 1, 1, 'c', 'done', 1, 0, 1, 0, NULL, NULL, 1, 2, NULL, 0.5,
                        1.5, 5, 3, NULL, NULL);
                    \(sql)
                    """)
        }
    }

    @Test("A row of the usual values is read")
    func unspoiled() throws {
        let folder = try TemporaryFolder()
        try journal(folder, sql: "")
        #expect(try BatchRecord(folder: folder.path).text.contains("1 done"))
    }

    @Test(
        "A value that no batch writes is an error that names the file",
        arguments: [
            "place = NULL", "place = ''", "place = '/etc/a.vidscan'", "place = '../a.vidscan'",
            "place = 'b/../../a.vidscan'", "place = 'a'", "path = NULL", "path = x'00'", "bytes = 'many'",
            "bytes = 1e30", "modified = NULL", "status = 7", "attempts = -1", "failures = 9223372036854775807",
            "frames = 9223372036854775807", "faces = 'x'", "video = 9e999", "video = 1e300", "wall = 'long'",
            "due = NULL", "named = NULL", "status = 'running'", "configuration = NULL", "digest = 3", "changed = 'now'",
        ])
    func values(assignment: String) throws {
        let folder = try TemporaryFolder()
        try journal(folder, sql: "UPDATE item SET \(assignment);")
        let error = #expect(throws: BatchError.self) { try BatchRecord(folder: folder.path) }
        #expect(
            error?.reason == "\(folder.path)/batch.sqlite is damaged: row 1 holds what no batch writes;"
                + " restore it from a copy, or remove it to begin the batch anew")
        #expect(throws: BatchError.self) { try BatchJournal(folder: folder.path) }
    }

    @Test(
        "A view or a trigger is refused, because it runs when a table is used",
        arguments: [
            "DROP TABLE item; CREATE VIEW item AS SELECT 1 AS place;",
            "CREATE TRIGGER spoil AFTER UPDATE ON item BEGIN DELETE FROM item; END;",
        ])
    func schema(sql: String) throws {
        let folder = try TemporaryFolder()
        try journal(folder, sql: sql)
        let error = #expect(throws: BatchError.self) { try BatchJournal(folder: folder.path) }
        #expect(error?.reason.contains("batch.sqlite is no journal of a batch: it has a ") == true)
    }

    @Test("Pruning removes nothing outside of the batch's folder")
    func pruning() throws {
        let folder = try TemporaryFolder()
        let batch = folder.path + "/batch"
        for place in ["batch", "outside.vidscan"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(place)", withIntermediateDirectories: true)
        }
        try folder.write("{}", to: "outside.vidscan/run.json")
        _ = try BatchJournal(folder: batch)
        try DatabaseQueue(path: batch + "/batch.sqlite").write { database in
            try database.execute(
                sql: """
                    INSERT INTO item (place, path, bytes, modified, configuration, status, named, finished)
                    VALUES ('../outside.vidscan', '/a', 1, 1, 'c', 'done', 1, 1)
                    """)
        }
        #expect(throws: BatchError.self) { try BatchFolder(batch).prune(olderThanDays: 1) }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/outside.vidscan/run.json"))
    }
}
