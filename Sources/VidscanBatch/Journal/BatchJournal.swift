internal import Foundation
internal import GRDB
internal import VidscanBase

/// The state of every input of a batch: an SQLite database in the batch's folder.
///
/// Several processes on one machine can use a journal at the same time. A process holds a lease on each input that it
/// works on, and renews it. On the same machine, a lease is valid while its process runs, because a machine can sleep and
/// its clock can be set. The lease of a process elsewhere is valid until it expires.
public final class BatchJournal: Sendable {
    /// How long the lease of a process on another machine is valid after its last renewal.
    public static let leaseSeconds = 60.0
    public static let systemClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    private let database: any DatabaseWriter
    let owner: String
    let shard: BatchShard?
    /// Seconds since 1970.
    let clock: @Sendable () -> Double
    public let path: String

    /// Opens a batch's journal, or creates it if there is none.
    ///
    /// - Parameters:
    ///   - folder: the folder of the results.
    ///   - shard: the shard that the journal belongs to. Such a journal may be on a file system that machines share,
    ///     because one process at a time uses it.
    ///   - owner: the owner of the leases, unique among all processes of all machines.
    ///   - clock: seconds since 1970. Machines that share a journal agree on them to within a few seconds.
    /// - Throws: `BatchError`; `input` if the folder holds journals of another number of shards.
    public init(
        folder: String, shard: BatchShard? = nil, owner: String = LeaseOwner.current,
        clock: @escaping @Sendable () -> Double = BatchJournal.systemClock
    ) throws(BatchError) {
        path = Self.path(in: folder, shard)
        self.owner = owner
        self.shard = shard
        self.clock = clock
        let suffix = shard.map { "-of-\($0.count)" } ?? "batch"
        if let other = Self.names(in: folder).first(where: { !$0.hasSuffix(suffix) }) {
            throw BatchError(
                .input,
                "\(folder) holds \(other).sqlite, the journal of a batch with another number of shards;"
                    + " use the same number, or another folder")
        }
        let configuration = Self.configuration(isReadOnly: false)
        do {
            try Self.refuseLinks(path)
            // A write-ahead log needs shared memory, which processes on different machines do not have.
            database =
                shard == nil
                ? try DatabasePool(path: path, configuration: configuration)
                : try DatabaseQueue(path: path, configuration: configuration)
            try JournalSchema.prepare(database, path: path)
            // With a write-ahead log, SQLite would otherwise sync a row some time after its transaction, so a power
            // failure could leave a result on the disk without the row that says who made it.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        } catch {
            throw Self.failure(error, path)
        }
        try checkShard()
    }

    /// Opens an existing journal, or an empty one in memory if there is no path.
    private init(existing path: String?, isReadOnly: Bool = true) throws(BatchError) {
        self.path = path ?? ""
        owner = ""
        shard = nil
        clock = Self.systemClock
        do {
            if let path {
                try Self.refuseLinks(path)
                database = try DatabaseQueue(path: path, configuration: Self.configuration(isReadOnly: isReadOnly))
                try database.read { try JournalSchema.check($0, path: path) }
            } else {
                database = try DatabaseQueue()
                try JournalSchema.prepare(database, path: "")
            }
        } catch {
            throw Self.failure(error, path ?? "")
        }
    }

    /// Opens the journal that a run would use, without changing anything. If there is none, it is empty.
    public static func openReadOnly(folder: String, shard: BatchShard? = nil) throws(BatchError) -> BatchJournal {
        let path = path(in: folder, shard)
        return try BatchJournal(existing: FileManager.default.fileExists(atPath: path) ? path : nil)
    }

    /// Opens all journals in a folder: the one of the batch, or one for each shard.
    ///
    /// - Throws: `BatchError` with the code `input` if there is none.
    public static func all(in folder: String, writable: Bool = false) throws(BatchError) -> [BatchJournal] {
        let names = names(in: folder)
        guard !names.isEmpty else { throw BatchError(.input, "\(folder) does not contain the journal of a batch") }
        var journals: [BatchJournal] = []
        for name in names {
            journals.append(try BatchJournal(existing: "\(folder)/\(name).sqlite", isReadOnly: !writable))
        }
        return journals
    }

    static func exists(in folder: String) -> Bool { !names(in: folder).isEmpty }

    /// Whether the batch in a folder is divided into shards.
    static func hasShards(_ folder: String) -> Bool { names(in: folder).contains { $0 != "batch" } }

    private static func path(in folder: String, _ shard: BatchShard?) -> String {
        "\(folder)/\(shard?.journalName ?? "batch").sqlite"
    }

    private static func names(in folder: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.wholeMatch(of: /batch(-\d+-of-\d+)?\.sqlite/) != nil }.map { String($0.dropLast(7)) }
            .sorted()
    }

    /// SQLite would follow links and write to what they lead to.
    private static func refuseLinks(_ path: String) throws(BatchError) {
        for file in ["", "-wal", "-shm", "-journal"].map({ path + $0 }) {
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { continue }
            throw BatchError(.input, "\(file) is a symbolic link; a batch follows no links in its folder")
        }
    }

    private static func configuration(isReadOnly: Bool) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.readonly = isReadOnly
        configuration.busyMode = .callback { attempts in
            guard let delay = LockBackoff.delay(afterAttempts: attempts) else { return false }
            usleep(UInt32(delay * 1e6))
            return true
        }
        // The file may come from somebody else: its schema must not call functions, and SQLite checks lengths in it.
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    /// Refuses a journal whose files belong to other shards now, because they would be analysed twice.
    private func checkShard() throws(BatchError) {
        guard let shard else { return }
        let stray: String? = try read { database in
            let paths = try ItemRow.select(ItemRow.Columns.path, as: String.self).fetchCursor(database)
            while let path = try paths.next() { if !shard.contains(path) { return path } }
            return nil
        }
        guard let stray else { return }
        throw BatchError(
            .input,
            "\(path) was made by an earlier version of vidscan, which divided files into shards by another rule:"
                + " \(stray) belongs to another shard now; use another folder"
                + " ('vidscan batch merge' still reads this one)")
    }

    // MARK: Reading and pruning

    /// Whether each transaction is synced to the disk when it ends, so that rows are there before the results that they
    /// describe.
    public func isDurable() throws(BatchError) -> Bool {
        try write { try (Int.fetchOne($0, sql: "PRAGMA synchronous") ?? 0) >= 2 }
    }

    /// The shard that the name of the file states, also if the journal was opened to read it only.
    var fileShard: BatchShard? {
        FilePath.name(of: path).wholeMatch(of: /batch-(\d+)-of-(\d+)\.sqlite/).flatMap { match in
            Int(match.1).flatMap { index in Int(match.2).flatMap { BatchShard(index: index, count: $0) } }
        }
    }

    /// All inputs, in the order of their results' paths. One whose analysis did not come to its end is still done if it has
    /// a finished result of an earlier one.
    public func items() throws(BatchError) -> [Item] {
        let now = clock()
        return try read { database in
            try ItemRow.order(ItemRow.Columns.resultPath).fetchAll(database).map { $0.item.settled(now: now) }
        }
    }

    /// How many inputs have each status, how many have warnings, and the inputs in progress.
    func counts() throws(BatchError) -> (files: [Status: Int], withWarnings: Int, running: [Item]) {
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
            var running: [Item] = []
            for row in try ItemRow.filter(.running).order(ItemRow.Columns.resultPath).fetchAll(database) {
                let item = row.item.settled(now: now)
                files[item.status, default: 0] += 1
                if item.status == .running {
                    running.append(item)
                } else if item.warningText != nil {
                    withWarnings += 1
                }
            }
            return (files, withWarnings, running)
        }
    }

    /// Marks inputs that were done before a moment as pruned.
    ///
    /// - Parameter seconds: since 1970.
    /// - Returns: the paths of their results, and of all results that were marked earlier.
    public func prune(before seconds: Double) throws(BatchError) -> [String] {
        let now = clock()
        return try write { database in
            try ItemRow.filter(.done).filter(ItemRow.Columns.finished < seconds)
                .updateAll(database, ItemRow.Columns.status.set(to: Status.pruned.rawValue))
            // Results that were to be replaced, unless somebody is still doing that.
            if try !ItemRow.filter(.running).fetchAll(database).contains(where: { $0.item.isLeased(now: now) }) {
                let rows = ItemRow.filter(.pending, .running).filter(ItemRow.Columns.keptConfiguration != nil)
                for row in try rows.fetchAll(database) {
                    var item = row.item.settled(now: now)
                    guard let finished = item.finished, finished < seconds else { continue }
                    item.status = .pruned
                    try ItemRow(item).update(database)
                }
            }
            return try ItemRow.filter(.pruned).order(ItemRow.Columns.resultPath)
                .select(ItemRow.Columns.resultPath, as: String.self).fetchAll(database)
        }
    }

    /// Calls a closure while no process can start the input of a pruned result again.
    ///
    /// - Returns: `nil`, without calling it, if a process has already started the input again.
    func whilePruned<Value>(_ resultPath: String, _ body: () throws -> Value?) throws(BatchError) -> Value? {
        try write { try ItemRow.fetchOne($0, key: resultPath)?.item.status == .pruned ? body() : nil }
    }

    /// Takes back that a result was pruned, because it was not removed.
    func restorePruned(_ resultPath: String) throws(BatchError) {
        try write { database in
            guard var row = try ItemRow.fetchOne(database, key: resultPath), row.item.status == .pruned else { return }
            try row.updateChanges(database) { $0.item.status = .done }
        }
    }

    // MARK: Transactions

    func write<Value>(_ body: (Database) throws -> Value) throws(BatchError) -> Value {
        do {
            return try database.write(body)
        } catch {
            throw Self.failure(error, path)
        }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(BatchError) -> Value {
        do {
            return try database.read(body)
        } catch {
            throw Self.failure(error, path)
        }
    }

    private static func failure(_ error: any Error, _ path: String) -> BatchError {
        if let error = error as? BatchError { return error }
        guard let error = error as? DatabaseError else {
            return BatchError(.journal, "\(path): \(error.localizedDescription)")
        }
        if error.resultCode == .SQLITE_FULL { return BatchError(.diskFull, "\(path): no space left on device") }
        // On a full disk the write-ahead log's shared memory cannot grow, which SQLite reports as an I/O error.
        var space = statvfs()
        let isFull = statvfs(FilePath.folder(of: path), &space) == 0 && space.f_bavail == 0
        if isFull, [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode) {
            return BatchError(.diskFull, "\(path): no space left on device")
        }
        return BatchError(.journal, "\(path): \(error.message ?? error.description)")
    }
}
