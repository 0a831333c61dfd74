internal import Foundation
internal import GRDB

/// What is known of every input of a batch: an SQLite database in the batch's folder.
///
/// Several processes may use one journal at once. A process that works on an input holds a lease of it, which it renews;
/// a lease that has run out, or whose process is gone from this machine, counts for nothing.
public final class BatchJournal: Sendable {
    public enum Status: String, Sendable, CaseIterable {
        case pending, running, done, failed
        /// Failed as often as is allowed; left alone until asked for.
        case quarantined
        /// Found in a folder, and no video.
        case skipped
    }

    /// An input as the journal has it.
    public struct Item: Sendable, Equatable {
        public var place: String
        public var path: String
        public var identity: FileIdentity
        public var status: Status
        public var configuration: String
        public var attempts: Int
        /// Why the last attempt failed.
        public var error: String?
        /// Of the last attempt.
        public var wallSeconds: Double?
        public var videoSeconds: Double?
        public var frames: Int?
        public var faces: Int?
        public var isNamed: Bool
    }

    /// What a run is to do.
    public struct Selection: Sendable, Equatable {
        /// Do everything anew.
        public var isForced = false
        /// Do only what failed before, quarantined or not.
        public var isOnlyFailed = false
        /// How often a failed input is tried again.
        public var retries = 2

        public init() {}
    }

    /// Why an input is to be done, or why not.
    public enum Reason: String, Sendable {
        case new, changed, configured = "other configuration", failed = "failed before", missing = "result missing"
        case unfinished, forced, retried = "asked for again"
        case done = "done already", quarantined, waiting = "failed before, not due yet", skipped = "no video"
        case running = "another process works on it"
    }

    private static let leaseSeconds = 60.0
    private let database: DatabasePool
    private let owner: String
    public let path: String

    /// - Parameters:
    ///   - folder: that holds the results.
    ///   - name: of the file, without its extension; one per shard.
    ///   - owner: of the leases, unique among all processes of all machines.
    public init(folder: String, name: String = "batch", owner: String = BatchJournal.processName) throws(BatchError) {
        path = "\(folder)/\(name).sqlite"
        self.owner = owner
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(30)
        do {
            database = try DatabasePool(path: path, configuration: configuration)
            try Self.migrate(database)
        } catch {
            throw BatchError(.journal, "\(path): \(Self.reason(error))")
        }
    }

    /// `host:process:start`
    public static var processName: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "\(host):\(getpid()):\(startTime(of: getpid()) ?? 0)"
    }

    private static func migrate(_ database: DatabasePool) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first") { database in
            try database.create(table: "item") { table in
                table.primaryKey("place", .text)
                table.column("path", .text).notNull()
                table.column("bytes", .integer).notNull()
                table.column("modified", .integer).notNull()
                table.column("configuration", .text).notNull()
                table.column("status", .text).notNull()
                table.column("attempts", .integer).notNull().defaults(to: 0)
                table.column("named", .boolean).notNull()
                table.column("due", .double).notNull().defaults(to: 0)
                table.column("owner", .text)
                table.column("lease", .double)
                table.column("started", .double)
                table.column("finished", .double)
                table.column("error", .text)
                table.column("wall", .double)
                table.column("video", .double)
                table.column("frames", .integer)
                table.column("faces", .integer)
            }
            try database.create(index: "item_status", on: "item", columns: ["status", "bytes"])
        }
        try migrator.migrate(database)
    }

    // MARK: Planning

    /// Enters the inputs, and decides which of them are to be done.
    ///
    /// - Parameters:
    ///   - configuration: a digest of all that a result depends on besides its input.
    ///   - hasResult: whether a result is there, by its place.
    ///   - isDry: only tells.
    /// - Returns: why each input is to be done, or why not, in the order of the inputs.
    @discardableResult
    public func enroll(
        _ inputs: [BatchInput], configuration: String, selection: Selection, isDry: Bool = false,
        hasResult: (String) -> Bool
    ) throws(BatchError) -> [(input: BatchInput, reason: Reason, isDue: Bool)] {
        let now = Date().timeIntervalSince1970
        return try access { database in
            var plan: [(input: BatchInput, reason: Reason, isDue: Bool)] = []
            for input in inputs {
                let row = try Row.fetchOne(database, sql: "SELECT * FROM item WHERE place = ?", arguments: [input.place])
                let (reason, isDue) = Self.judge(
                    row, input, configuration, selection, now: now, hasResult: hasResult(input.place))
                plan.append((input, reason, isDue))
                guard isDue, !isDry else { continue }
                let startsAnew = reason != .failed && reason != .unfinished
                try database.execute(
                    sql: """
                        INSERT INTO item (place, path, bytes, modified, configuration, status, named, due)
                        VALUES (?, ?, ?, ?, ?, 'pending', ?, 0)
                        ON CONFLICT (place) DO UPDATE SET path = excluded.path, bytes = excluded.bytes,
                            modified = excluded.modified, configuration = excluded.configuration, status = 'pending',
                            named = excluded.named, due = 0, owner = NULL, lease = NULL,
                            attempts = CASE WHEN ? THEN 0 ELSE attempts END
                        """,
                    arguments: [
                        input.place, input.path, input.identity.bytes, input.identity.modified, configuration,
                        input.isNamed, startsAnew,
                    ])
            }
            return plan
        }
    }

    private static func judge(
        _ row: Row?, _ input: BatchInput, _ configuration: String, _ selection: Selection, now: Double,
        hasResult: Bool
    ) -> (Reason, Bool) {
        guard let row, let status = Status(rawValue: row["status"]) else {
            return selection.isOnlyFailed ? (.new, false) : (.new, true)
        }
        if status == .running, isHeld(row, now: now) { return (.running, false) }
        let hasFailed = status == .failed || status == .quarantined
        if selection.isOnlyFailed { return hasFailed ? (.retried, true) : (.done, false) }
        if selection.isForced { return (.forced, true) }
        let isSame = row["bytes"] == input.identity.bytes && row["modified"] == input.identity.modified
        if !isSame { return (.changed, true) }
        if row["configuration"] != configuration { return (.configured, true) }
        switch status {
        case .pending, .running: return (.unfinished, true)
        case .done: return hasResult ? (.done, false) : (.missing, true)
        case .skipped: return (.skipped, false)
        case .quarantined: return (.quarantined, false)
        case .failed:
            let due: Double = row["due"]
            return due <= now ? (.failed, true) : (.waiting, false)
        }
    }

    private static func isHeld(_ row: Row, now: Double) -> Bool {
        guard let owner: String = row["owner"], let lease: Double = row["lease"], lease > now else { return false }
        return isAlive(owner) ?? true
    }

    /// Whether the process of a lease still runs; `nil` for one of another machine, which only its lease tells.
    static func isAlive(_ owner: String) -> Bool? {
        let parts = owner.split(separator: ":")
        guard parts.count == 3, parts[0] == processName.split(separator: ":")[0], let process = pid_t(parts[1]) else {
            return nil
        }
        return startTime(of: process).map { "\($0)" } == String(parts[2])
    }

    /// Ticks since the machine started: tells a process from a later one of the same number.
    private static func startTime(of process: pid_t) -> UInt64? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    // MARK: Working

    /// Takes the largest input that is to be done, with a lease.
    ///
    /// - Parameters:
    ///   - places: of the inputs to choose among.
    ///   - configuration: as they were entered.
    /// - Returns: `nil` when nothing is left to take.
    public func claim(among places: Set<String>, configuration: String) throws(BatchError) -> Item? {
        let now = Date().timeIntervalSince1970
        let owner = owner
        return try access { database in
            let candidates = try Row.fetchCursor(
                database,
                sql: """
                    SELECT * FROM item WHERE status IN ('pending', 'running') AND configuration = ? AND due <= ?
                    ORDER BY bytes DESC, place
                    """, arguments: [configuration, now])
            while let row = try candidates.next() {
                let place: String = row["place"]
                guard places.contains(place) else { continue }
                if row["status"] == Status.running.rawValue {
                    guard row["owner"] != owner, !Self.isHeld(row, now: now) else { continue }
                }
                try database.execute(
                    sql: """
                        UPDATE item SET status = 'running', owner = ?, lease = ?, started = ?, attempts = attempts + 1,
                            error = NULL WHERE place = ?
                        """, arguments: [owner, now + Self.leaseSeconds, now, place])
                return try Self.item(database, place)
            }
            return nil
        }
    }

    /// Keeps this process's leases.
    public func renew() throws(BatchError) {
        let lease = Date().timeIntervalSince1970 + Self.leaseSeconds
        let owner = owner
        try access { database in
            try database.execute(
                sql: "UPDATE item SET lease = ? WHERE status = 'running' AND owner = ?", arguments: [lease, owner])
        }
    }

    /// How an attempt ended.
    public enum Outcome: Sendable {
        case done(WorkerReport)
        case failed(String)
        /// No video, found in a folder.
        case skipped(String)
        /// Not now: the batch is ending. It does not count as an attempt.
        case released
        /// Not in this run: the file was changing. It does not count as an attempt.
        case postponed
    }

    /// Enters the end of an attempt, unless somebody else has taken the input meanwhile.
    public func finish(_ item: Item, _ outcome: Outcome, retries: Int) throws(BatchError) {
        let now = Date().timeIntervalSince1970
        let owner = owner
        try access { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT * FROM item WHERE place = ?", arguments: [item.place]),
                row["owner"] == owner
            else { return }
            var values: [String: (any DatabaseValueConvertible)?] = ["owner": nil, "lease": nil, "finished": now]
            switch outcome {
            case .done(let report):
                values["status"] = Status.done.rawValue
                values["wall"] = report.wallSeconds
                values["video"] = report.videoSeconds
                values["frames"] = report.frames
                values["faces"] = report.faces
            case .failed(let reason):
                values["status"] = item.attempts > retries ? Status.quarantined.rawValue : Status.failed.rawValue
                values["error"] = reason
                // One minute, four, sixteen, …
                values["due"] = now + 60 * pow(4, Double(min(item.attempts, 6) - 1))
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
        try access { database in
            try String.fetchAll(database, sql: "SELECT place FROM item ORDER BY place").compactMap {
                try Self.item(database, $0)
            }
        }
    }

    private static func item(_ database: Database, _ place: String) throws -> Item? {
        guard let row = try Row.fetchOne(database, sql: "SELECT * FROM item WHERE place = ?", arguments: [place]) else {
            return nil
        }
        return Item(
            place: row["place"], path: row["path"],
            identity: FileIdentity(bytes: row["bytes"], modified: row["modified"]),
            status: Status(rawValue: row["status"]) ?? .pending, configuration: row["configuration"],
            attempts: row["attempts"], error: row["error"], wallSeconds: row["wall"], videoSeconds: row["video"],
            frames: row["frames"], faces: row["faces"], isNamed: row["named"])
    }

    private func access<Value>(_ work: (Database) throws -> Value) throws(BatchError) -> Value {
        do {
            return try database.write(work)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw BatchError(.diskFull, "\(path): no space left on device")
        } catch {
            throw BatchError(.journal, "\(path): \(Self.reason(error))")
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return error.localizedDescription }
        return error.message ?? error.description
    }
}

/// What a worker says of a finished input.
public struct WorkerReport: Sendable, Codable, Equatable {
    public var frames: Int
    public var faces: Int
    public var videoSeconds: Double
    public var wallSeconds: Double

    public init(frames: Int, faces: Int, videoSeconds: Double, wallSeconds: Double) {
        self.frames = frames
        self.faces = faces
        self.videoSeconds = videoSeconds
        self.wallSeconds = wallSeconds
    }
}
