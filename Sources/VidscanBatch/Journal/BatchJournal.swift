internal import Foundation
internal import GRDB
package import VidscanBase

/// The state of every input of a batch: an SQLite database in the batch's folder.
///
/// Several processes on one machine can share a journal. Each holds and renews a lease on every input that it works on.
/// On the same machine, a lease is valid while its process runs, because a machine can sleep and its clock can be set.
/// The lease of a process elsewhere is valid until it expires.
package final class BatchJournal: Sendable {
    /// In seconds after the last renewal, for processes on other machines.
    package static let leaseSeconds = 60.0
    package static let systemClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    /// How long a process waits for the lock of a journal; at most twice as long to open one.
    private static let lockTimeoutSeconds = 120.0
    private let database: any DatabaseWriter
    let owner: String
    let shard: BatchShard?
    let clock: @Sendable () -> Double
    package let path: String

    /// Opens a batch's journal, or creates it.
    ///
    /// - Parameters:
    ///   - shard: its journal may lie on a shared file system, because one process at a time uses it.
    ///   - owner: unique among all processes of all machines.
    ///   - clock: seconds since 1970. Machines that share a journal agree to within a few seconds.
    /// - Throws: `input` if the folder holds journals of another number of shards.
    package init(
        folder: String, shard: BatchShard? = nil, owner: String = LeaseOwner.current,
        clock: @escaping @Sendable () -> Double = BatchJournal.systemClock
    ) throws(VidscanError) {
        path = Self.path(in: folder, shard)
        (self.owner, self.shard, self.clock) = (owner, shard, clock)
        let suffix = shard.map { "-of-\($0.count)" } ?? "batch"
        if let other = Self.names(in: folder).first(where: { !$0.hasSuffix(suffix) }) {
            throw .input(
                "\(folder) holds \(other).sqlite, the journal of a batch with another number of shards;"
                    + " use the same number, or another folder")
        }
        let (configuration, path) = (Self.configuration(isReadOnly: false), path)
        do {
            try Self.refuseLinks(path)
            // A write-ahead log needs shared memory, which machines cannot share.
            database = try Self.waitingForLocks {
                if shard != nil { return try DatabaseQueue(path: path, configuration: configuration) }
                return try DatabasePool(path: path, configuration: configuration)
            }
            try JournalSchema.prepare(database, path: path)
            // Otherwise SQLite syncs a row of a write-ahead log some time after its transaction, and a power failure
            // could leave a result on the disk without the row that says who made it.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        } catch { throw Self.failure(error, path) }
    }

    private init(existing path: String?, _ shard: BatchShard? = nil, isReadOnly: Bool = true) throws(VidscanError) {
        (self.path, owner, self.shard, clock) = (path ?? "", "", shard, Self.systemClock)
        do {
            if let path {
                try Self.refuseLinks(path)
                let found = try DatabaseQueue(path: path, configuration: Self.configuration(isReadOnly: isReadOnly))
                if try found.read({ try JournalSchema.check($0, path: path) }) {
                    database = found
                    return
                }
            }
            // There is none, or another process is creating it.
            database = try DatabaseQueue()
            try JournalSchema.prepare(database, path: "")
        } catch { throw Self.failure(error, path ?? "") }
    }

    /// Closes the journal and, unless another process is using it, removes its write-ahead log, which SQLite cannot open on a
    /// read-only file system.
    package func close() {
        try? database.close()
        var configuration = Self.configuration(isReadOnly: false)
        configuration.busyMode = .immediateError
        let last = try? DatabaseQueue(path: path, configuration: configuration)
        try? last?.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    }

    /// Opens the journal that a run would use, without changing anything; an empty one if there is none.
    package static func openReadOnly(folder: String, shard: BatchShard? = nil) throws(VidscanError) -> BatchJournal {
        let path = path(in: folder, shard)
        return try BatchJournal(existing: FileManager.default.fileExists(atPath: path) ? path : nil, shard)
    }

    /// The journal of the batch, or one for each shard, or only that of one shard; throws `input` if there is none.
    package static func all(
        in folder: String, shard: BatchShard? = nil, writable: Bool = false
    ) throws(VidscanError) -> [BatchJournal] {
        let names = names(in: folder).filter { shard == nil || $0 == "batch\(BatchShard.suffix(shard))" }
        guard !names.isEmpty else {
            let whose = shard.map { "shard \($0.index)/\($0.count) of a batch" } ?? "a batch"
            throw VidscanError(.input, "\(folder) does not contain the journal of \(whose)")
        }
        return try names.map { name throws(VidscanError) in
            try BatchJournal(existing: "\(folder)/\(name).sqlite", isReadOnly: !writable)
        }
    }

    /// Names a shard of the batch that has never run, and how many there are; `nil` if all have run.
    package static func missingShards(in folder: String) -> String? {
        let shards = names(in: folder).compactMap { $0.wholeMatch(of: /batch-(\d+)-of-(\d+)/)?.output }
        guard let count = shards.first.flatMap({ Int($0.2) }), count <= 100_000 else { return nil }
        let missing = (0..<count).filter { index in !shards.contains { $0.1 == "\(index)" } }
        guard let first = missing.first else { return nil }
        return
            "\(folder) has no journal of \(NumberText.count(missing.count, "shard")) of \(count), such as \(first)/\(count)"
    }

    static func exists(in folder: String) -> Bool { !names(in: folder).isEmpty }
    static func hasShards(_ folder: String) -> Bool { names(in: folder).contains { $0 != "batch" } }

    private static func path(in folder: String, _ shard: BatchShard?) -> String {
        "\(folder)/batch\(BatchShard.suffix(shard)).sqlite"
    }

    private static func names(in folder: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasPrefix("batch") }
            .compactMap { $0.wholeMatch(of: /(batch(?:-\d+-of-\d+)?)\.sqlite/).map { String($0.1) } }.sorted()
    }

    /// SQLite would follow links and write to their targets, and wait for the writer of a named pipe.
    private static func refuseLinks(_ path: String) throws(VidscanError) {
        for file in ["", "-wal", "-shm", "-journal"].map({ path + $0 }) {
            guard let entry = FileSystem.entry(file, followsLinks: false), entry != .file else { continue }
            throw VidscanError(.input, "\(file) is not a regular file; a batch follows no links in its folder")
        }
    }

    private static func configuration(isReadOnly: Bool) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.readonly = isReadOnly
        configuration.busyMode = .timeout(lockTimeoutSeconds)
        // Somebody else may have made the file: its schema must not call functions, and SQLite checks lengths in it.
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    /// While another process gives a new file its write-ahead log, SQLite may report a lock without asking the busy handler.
    private static func waitingForLocks(_ open: () throws -> any DatabaseWriter) throws -> any DatabaseWriter {
        let end = ContinuousClock.now + .seconds(lockTimeoutSeconds)
        while true {
            do { return try open() } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                guard ContinuousClock.now < end else { throw error }
                usleep(100_000)
            }
        }
    }

    /// Whether transactions are synced, so that rows reach the disk before the results that they describe.
    package func isDurable() throws(VidscanError) -> Bool {
        try write { try (Int.fetchOne($0, sql: "PRAGMA synchronous") ?? 0) >= 2 }
    }

    /// The shard in the file's name, for journals that are opened read-only.
    var fileShard: BatchShard? {
        FilePath.name(of: path).wholeMatch(of: /batch-(\d+)-of-(\d+)\.sqlite/)
            .flatMap { BatchShard(index: Int($0.1) ?? -1, count: Int($0.2) ?? 0) }
    }

    /// Ordered by result path. An input with an abandoned analysis is done if it has an earlier finished result,
    /// otherwise interrupted: its row says `running`, because nobody could record that the process died.
    package func items() throws(VidscanError) -> [Item] {
        let now = clock()
        return try read { database in
            try Item.order(Item.Columns.resultPath).fetchAll(database).map { row in
                var item = row.settled(now: now)
                if item.status == .running, !item.isLeased(now: now) { item.status = .interrupted }
                return item
            }
        }
    }

    func counts() throws(VidscanError) -> (files: [Status: Int], withWarnings: Int, running: [Item]) {
        let now = clock()
        return try read { database in
            var files: [Status: Int] = [:]
            var withWarnings = 0
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT CASE WHEN status = 'pending' AND kept_configuration IS NOT NULL THEN 'done' ELSE status END
                        AS settled, COUNT(*), COUNT(warnings)
                    FROM item WHERE status <> 'running' GROUP BY settled
                    """)
            while let row = try rows.next() {
                guard let status = Status(rawValue: row[0]) else { continue }
                files[status] = row[1]
                if status == .done { withWarnings = row[2] }
            }
            let begun = try Item.filter(.running).order(Item.Columns.resultPath).fetchAll(database)
                .map { $0.settled(now: now) }
            for item in begun { files[item.status, default: 0] += 1 }
            withWarnings += begun.count { $0.status != .running && $0.warningText != nil }
            return (files, withWarnings, begun.filter { $0.status == .running })
        }
    }

    /// Marks what was done before `seconds` (since 1970), and returns the result paths of all pruned inputs.
    package func prune(before seconds: Double) throws(VidscanError) -> [String] {
        let now = clock()
        return try write { database in
            try Item.filter(.done).filter(Item.Columns.finished < seconds)
                .updateAll(database, Item.Columns.status.set(to: Status.pruned.rawValue))
            // Results that were to be replaced, unless somebody is still working on that.
            if try !Item.filter(.running).fetchAll(database).contains(where: { $0.isLeased(now: now) }) {
                let rows = Item.filter(.pending, .running).filter(Item.Columns.keptConfiguration != nil)
                for row in try rows.fetchAll(database) {
                    var item = row.settled(now: now)
                    guard let finished = item.finished, finished < seconds else { continue }
                    item.status = .pruned
                    try item.update(database)
                }
            }
            return try Item.filter(.pruned).order(Item.Columns.resultPath)
                .select(Item.Columns.resultPath, as: String.self).fetchAll(database)
        }
    }

    /// Calls a closure while no process can start the pruned input again; `nil` if one has already started it.
    func whilePruned<Value>(_ resultPath: String, _ body: () throws -> Value?) throws(VidscanError) -> Value? {
        try write { try Item.fetchOne($0, key: resultPath)?.status == .pruned ? body() : nil }
    }

    /// For a pruned result that could not be removed.
    func restorePruned(_ resultPath: String) throws(VidscanError) {
        try write { database in
            guard var row = try Item.fetchOne(database, key: resultPath), row.status == .pruned else { return }
            try row.updateChanges(database) { $0.status = .done }
        }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws(VidscanError) -> Value {
        do { return try database.write(body) } catch { throw Self.failure(error, path) }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(VidscanError) -> Value {
        do { return try database.read(body) } catch { throw Self.failure(error, path) }
    }

    private static func failure(_ error: any Error, _ path: String) -> VidscanError {
        if let error = error as? VidscanError { return error }
        guard let error = error as? DatabaseError else {
            return VidscanError(.output, "\(path): \(error.localizedDescription)")
        }
        // On a full disk, the write-ahead log's shared memory cannot grow, and SQLite reports an I/O error.
        var space = statvfs()
        let isFull = statvfs(FilePath.folder(of: path), &space) == 0 && space.f_bavail == 0
        if error.resultCode == .SQLITE_FULL || isFull && [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode) {
            return VidscanError(.diskFull, "\(path): no space left on device")
        }
        return VidscanError(.output, "\(path): \(error.message ?? error.description)")
    }
}
