import Dispatch
import Foundation
import GRDB
import Synchronization
import Testing
import TestSupport
import VidscanBatch

@Suite("Journal files")
struct JournalFileTests: JournalTesting {
    @Test("Many processes that open a new journal at once create it once")
    func concurrentCreation() throws {
        let failures = Mutex<[String]>([])
        // Repeated, because the processes must meet at the right moment.
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                do {
                    let journal = try BatchJournal(folder: folder.path)
                    _ = try register([input("/\(number)")], in: journal)
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(try BatchJournal(folder: folder.path).items().count == 8)
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test("Each transaction is synced to the disk, with a write-ahead log and without")
    func durability() throws {
        let folder = try TemporaryFolder()
        #expect(try BatchJournal(folder: folder.path).isDurable())
        let shard = try TemporaryFolder()
        #expect(try BatchJournal(folder: shard.path, shard: BatchShard(index: 0, count: 2)).isDurable())
        let writable = try BatchJournal.all(in: folder.path, writable: true)
        #expect(writable.count == 1)
        #expect(try writable.allSatisfy { try $0.isDurable() })
    }

    @Test("A journal that nobody uses any more has no write-ahead log")
    func close() throws {
        let folder = try TemporaryFolder()
        /// What the header of an SQLite file says is needed to read it: 1 for a plain file, 2 for one with such a log.
        func version() throws -> UInt8 { try folder.bytes("batch.sqlite")[19] }
        let (one, other) = (try BatchJournal(folder: folder.path), try BatchJournal(folder: folder.path))
        one.close()
        #expect(try version() == 2)
        #expect(try other.items().isEmpty)
        other.close()
        #expect(try version() == 1)
        #expect(folder.entries == ["batch.sqlite"])
        #expect(try BatchJournal.openReadOnly(folder: folder.path).items().isEmpty)
    }

    @Test("A shard's journal that another process is creating counts as empty", arguments: [false, true])
    func creation(hasMigrationTable: Bool) throws {
        let folder = try TemporaryFolder()
        _ = try register([input("/0")], in: BatchJournal(folder: folder.path, shard: BatchShard(index: 0, count: 2)))
        let begun = try DatabaseQueue(path: folder.path + "/batch-1-of-2.sqlite")
        try begun.write { database in
            try database.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            if !hasMigrationTable { try database.execute(sql: "DROP TABLE grdb_migrations") }
        }
        for writable in [false, true] {
            #expect(try BatchJournal.all(in: folder.path, writable: writable).map { try $0.items().count } == [1, 0])
        }
        try BatchFolder(folder.path).removeLeftovers()
        try BatchFolder(folder.path).writeCombinedReport()
        #expect(try BatchFolder(folder.path).prune(olderThanDays: 1).removed == [])
        let journal = try BatchJournal(folder: folder.path, shard: BatchShard(index: 1, count: 2))
        #expect(try journal.items().isEmpty)
    }

    @Test("A folder with journals of another number of shards is refused")
    func otherShardCount() throws {
        let folder = try TemporaryFolder()
        _ = try BatchJournal(folder: folder.path, shard: BatchShard(index: 0, count: 4))
        for shard in [nil, BatchShard(index: 0, count: 8)] {
            #expect {
                try BatchJournal(folder: folder.path, shard: shard)
            } throws: { error in
                "\(error)"
                    == "\(folder.path) holds batch-0-of-4.sqlite, the journal of a batch with another number of shards;"
                    + " use the same number, or another folder"
            }
        }
    }
}
