internal import Foundation
internal import GRDB

/// What is known of every input of a batch: an SQLite database in the batch's folder.
///
/// Several processes of one machine may use one journal at once. A process that works on an input holds a lease of it,
/// which it renews. On the same machine a lease is good while its process runs, because a machine may sleep and its clock
/// may be set. The lease of a process elsewhere is good until it runs out.
public final class BatchJournal: Sendable {
    /// How long a process that is not heard of keeps what it has taken.
    public static let leaseSeconds = 60.0
    public static let systemClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    private let database: any DatabaseWriter
    private let owner: String
    let shard: BatchShard?
    /// Seconds since 1970.
    let clock: @Sendable () -> Double
    public let path: String

    /// Opens a batch's journal, and makes it when there is none.
    ///
    /// - Parameters:
    ///   - folder: that holds the results.
    ///   - shard: that the journal is of. Such a journal may lie on a file system that machines share, as one process
    ///     at a time uses it.
    ///   - owner: of the leases, unique among all processes of all machines.
    ///   - clock: seconds since 1970; machines that share a journal agree on them but for a few.
    /// - Throws: `BatchError`; `input` when the folder holds the journal of another division.
    public init(
        folder: String, shard: BatchShard? = nil, owner: String = LeaseOwner.current,
        clock: @escaping @Sendable () -> Double = BatchJournal.systemClock
    ) throws(BatchError) {
        let name = shard?.journalName ?? "batch"
        path = "\(folder)/\(name).sqlite"
        self.owner = owner
        self.shard = shard
        self.clock = clock
        let ending = shard.map { "-of-\($0.count)" } ?? "batch"
        if let other = Self.names(in: folder).first(where: { !$0.hasSuffix(ending) }) {
            throw BatchError(
                .input,
                "\(folder) holds \(other).sqlite, the journal of a batch that is divided otherwise;"
                    + " divide this one alike, or take another folder")
        }
        let configuration = Self.configuration(isReadOnly: false)
        do {
            // A write-ahead log is shared memory, which machines do not share.
            database =
                shard == nil
                ? try DatabasePool(path: path, configuration: configuration)
                : try DatabaseQueue(path: path, configuration: configuration)
            try JournalSchema.prepare(database, path: path)
            // With a write-ahead log a row would otherwise reach the disk some time after its transaction, and a result
            // before it. After a power cut that would be a result that the batch has not made.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        } catch {
            throw Self.failure(error, path)
        }
        try checkDivision()
    }

    /// Whether a transaction is on the disk when it ends, so that rows are there before the results that they describe.
    public func isDurable() throws(BatchError) -> Bool {
        try access { try (Int.fetchOne($0, sql: "PRAGMA synchronous") ?? 0) >= 2 }
    }

    private static func configuration(isReadOnly: Bool) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.readonly = isReadOnly
        configuration.busyMode = .callback { tries in
            guard let pause = JournalLock.pause(afterTries: tries) else { return false }
            usleep(UInt32(pause * 1e6))
            return true
        }
        // The file may be from elsewhere: what its schema says is not to run functions, and lengths in it are checked.
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    /// Refuses to go on with a division that put files elsewhere: they would be done again in another shard.
    private func checkDivision() throws(BatchError) {
        guard let shard else { return }
        let stray: String? = try look { database in
            let paths = try String.fetchCursor(database, sql: "SELECT path FROM item")
            while let path = try paths.next() { if !shard.holds(path) { return path } }
            return nil
        }
        guard let stray else { return }
        throw BatchError(
            .input,
            "\(path) is of a batch that was divided by another rule, of an earlier version of vidscan: \(stray) belongs to"
                + " another shard now; take another folder ('vidscan batch merge' still reads this one)")
    }

    /// Opens a journal to look at it; with no path one that is empty.
    private init(existing path: String?, isReadOnly: Bool = true) throws(BatchError) {
        self.path = path ?? ""
        owner = ""
        shard = nil
        clock = Self.systemClock
        do {
            if let path {
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

    /// All journals of a folder, one for each shard, to look at.
    ///
    /// - Throws: `BatchError` with the code `input` when there is none.
    public static func all(in folder: String, writable: Bool = false) throws(BatchError) -> [BatchJournal] {
        let names = names(in: folder)
        guard !names.isEmpty else { throw BatchError(.input, "\(folder): there is no journal of a batch") }
        var journals: [BatchJournal] = []
        for name in names {
            journals.append(try BatchJournal(existing: "\(folder)/\(name).sqlite", isReadOnly: !writable))
        }
        return journals
    }

    /// The journal as a run would find it, for a look ahead.
    public static func glance(folder: String, shard: BatchShard? = nil) throws(BatchError) -> BatchJournal {
        let path = "\(folder)/\(shard?.journalName ?? "batch").sqlite"
        return try BatchJournal(existing: FileManager.default.fileExists(atPath: path) ? path : nil)
    }

    /// Whether a folder's batch is divided into shards.
    static func isDivided(_ folder: String) -> Bool { names(in: folder).contains { $0 != "batch" } }

    private static func names(in folder: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.wholeMatch(of: /batch(-\d+-of-\d+)?\.sqlite/) != nil }.map { String($0.dropLast(7)) }
            .sorted()
    }

    // MARK: Working

    static func isHeld(_ row: Row, now: Double) -> Bool {
        guard let owner: String = row["owner"], let lease: Double = row["lease"] else { return false }
        return LeaseOwner.isAlive(owner) ?? (lease > now)
    }

    /// Takes the largest input that is to be done, with a lease.
    ///
    /// - Parameters:
    ///   - places: of the inputs to choose among.
    ///   - configuration: as they were entered.
    /// - Returns: `nil` when nothing is left to take.
    public func claim(among places: Set<String>, configuration: String) throws(BatchError) -> Item? {
        let now = clock()
        let owner = owner
        return try access { database in
            // Those of dead processes last: what is pending needs no look at their leases.
            for status in [Status.pending, .running] {
                let candidates = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT place, configuration, due, owner, lease FROM item WHERE status = ?
                        ORDER BY bytes DESC, place
                        """, arguments: [status.rawValue])
                while let row = try candidates.next() {
                    let place: String = row["place"]
                    let due: Double = row["due"]
                    guard places.contains(place), row["configuration"] == configuration, due <= now else { continue }
                    if status == .running {
                        guard row["owner"] != owner, !Self.isHeld(row, now: now) else { continue }
                    }
                    try database.execute(
                        sql: """
                            UPDATE item SET status = 'running', owner = ?, lease = ?, started = ?,
                                attempts = attempts + 1, error = NULL WHERE place = ?
                            """, arguments: [owner, now + Self.leaseSeconds, now, place])
                    return try Row.fetchOne(database, sql: "SELECT * FROM item WHERE place = ?", arguments: [place])
                        .map(Self.item)
                }
            }
            return nil
        }
    }

    /// How many inputs other processes are at.
    ///
    /// - Parameters: as of `claim`.
    public func othersAtWork(among places: Set<String>, configuration: String) throws(BatchError) -> Int {
        let owner = owner
        return try look { database in
            try Row.fetchAll(
                database, sql: "SELECT place FROM item WHERE status = 'running' AND configuration = ? AND owner <> ?",
                arguments: [configuration, owner]
            ).count { places.contains($0["place"]) }
        }
    }

    /// Keeps this process's leases.
    public func renew() throws(BatchError) {
        let lease = clock() + Self.leaseSeconds
        let owner = owner
        try access { database in
            try database.execute(
                sql: "UPDATE item SET lease = ? WHERE status = 'running' AND owner = ?", arguments: [lease, owner])
        }
    }

    /// Enters the end of an attempt, unless somebody else has taken the input meanwhile.
    public func finish(_ item: Item, _ outcome: Outcome, retries: Int) throws(BatchError) {
        let now = clock()
        let owner = owner
        try access { database in
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT * FROM item WHERE place = ?", arguments: [item.place]),
                row["owner"] == owner
            else { return }
            var values: [String: (any DatabaseValueConvertible)?] = ["owner": nil, "lease": nil, "finished": now]
            switch outcome {
            case .done(let report):
                values["status"] = Status.done.rawValue
                values["failures"] = 0
                values["wall"] = report.wallSeconds
                values["video"] = report.videoSeconds
                values["frames"] = report.frames
                values["faces"] = report.faces
                values["digest"] = report.digest
            case .failed(let reason):
                let failures = item.failures + 1
                values["status"] = failures > retries ? Status.quarantined.rawValue : Status.failed.rawValue
                values["failures"] = failures
                values["error"] = reason
                // One minute, four, sixteen, …
                values["due"] = now + 60 * pow(4, Double(min(failures, 6) - 1))
            case .skipped(let reason):
                values["status"] = Status.skipped.rawValue
                values["error"] = reason
            case .released, .postponed:
                values["status"] = Status.pending.rawValue
                values["attempts"] = max(0, item.attempts - 1)
                if case .postponed = outcome { values["due"] = now + 60 }
            }
            let keys = values.keys.sorted()
            try database.execute(
                sql: "UPDATE item SET \(keys.map { "\($0) = ?" }.joined(separator: ", ")) WHERE place = ?",
                arguments: StatementArguments(keys.map { values[$0] ?? nil } + [item.place]))
        }
    }

    // MARK: Looking

    /// All inputs, in the order of their places.
    public func items() throws(BatchError) -> [Item] {
        try look { try Row.fetchAll($0, sql: "SELECT * FROM item ORDER BY place").map(Self.item) }
    }

    private static func item(_ row: Row) -> Item {
        Item(
            place: row["place"], path: row["path"],
            identity: FileIdentity(bytes: row["bytes"], modified: row["modified"]),
            status: Status(rawValue: row["status"]) ?? .pending, configuration: row["configuration"],
            attempts: row["attempts"], failures: row["failures"], error: row["error"], wallSeconds: row["wall"],
            videoSeconds: row["video"], frames: row["frames"], faces: row["faces"], isNamed: row["named"],
            changed: row["changed"], digest: row["digest"])
    }

    // MARK: Removing

    /// Enters that the results of inputs that were done before a moment are to be removed.
    ///
    /// - Parameter seconds: since 1970.
    /// - Returns: the places of those, and of any that were entered earlier.
    public func prune(before seconds: Double) throws(BatchError) -> [String] {
        try access { database in
            try database.execute(
                sql: "UPDATE item SET status = 'pruned' WHERE status = 'done' AND finished < ?", arguments: [seconds])
            return try String.fetchAll(database, sql: "SELECT place FROM item WHERE status = 'pruned' ORDER BY place")
        }
    }

    /// Does something to the result of an input while nobody can begin it anew; nothing when somebody has.
    func whilePruned<Value>(_ place: String, _ work: () throws -> Value?) throws(BatchError) -> Value? {
        try access { database in
            let isPruned = try Bool.fetchOne(
                database, sql: "SELECT status = 'pruned' FROM item WHERE place = ?", arguments: [place])
            return isPruned == true ? try work() : nil
        }
    }

    // MARK: Access

    func access<Value>(_ work: (Database) throws -> Value) throws(BatchError) -> Value {
        do {
            return try database.write(work)
        } catch {
            throw Self.failure(error, path)
        }
    }

    func look<Value>(_ work: (Database) throws -> Value) throws(BatchError) -> Value {
        do {
            return try database.read(work)
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
        // The log's shared memory cannot grow on a full disk, which SQLite takes for a failure to read or write.
        var space = statvfs()
        let isFull = statvfs(PathText.parent(path), &space) == 0 && space.f_bavail == 0
        if isFull, [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode) {
            return BatchError(.diskFull, "\(path): no space left on device")
        }
        return BatchError(.journal, "\(path): \(error.message ?? error.description)")
    }
}
