internal import GRDB
internal import VidscanBase

extension BatchJournal {
    package enum Status: String, Sendable, CaseIterable, Codable {
        case pending, running
        /// Its process ended before it finished; the next run starts it again. Never in the journal's file.
        case interrupted
        case done, failed
        /// Failed more often than `--retries` allows; only retried on request.
        case quarantined
        /// Its file does not exist any more, and it has no result.
        case gone
        /// Found in a folder, but not a video.
        case skipped
        /// Was done; `prune` removed its result.
        case pruned

        static let stored = allCases.filter { $0 != .interrupted }
    }

    /// A row of the table `item`. Paths of results are relative to the batch's folder; those of inputs are absolute.
    package struct Item: Sendable, Equatable, Codable {
        package var resultPath, path: String
        package var bytes: Int64
        /// Nanoseconds since 1970.
        package var modified: Int64
        package var configuration: String
        package var status = Status.pending
        /// Includes those of batches that were killed.
        package var attempts = 0
        package var failures = 0
        package var isNamed: Bool
        /// After a failure, the earliest time of the next attempt, in seconds since 1970.
        var due = 0.0
        var owner: String?
        /// When the lease expires, in seconds since 1970.
        var lease: Double?
        /// The last attempt, in seconds since 1970.
        var started, finished: Double?
        package var error: String?
        /// The fields up to `warningText` describe the last successful attempt.
        package var wallSeconds, videoSeconds: Double?
        package var frames, faces: Int?
        /// `nil` in rows of earlier versions.
        package var people, events: Int?
        var warningText: String?
        /// The analysed fraction, 0…1, at the last renewal of the lease; `nil` if unknown.
        package internal(set) var progress: Double?
        /// SHA-256 of the analysed content; `nil` if unknown.
        package var digest: String?
        package var changed: Int64?
        /// Describe an earlier result until a later analysis replaces it; see `hasKept`.
        var keptConfiguration: String?
        var keptBytes, keptModified, keptChanged: Int64?
        var keptDigest: String?
        var keptFinished: Double?

        enum CodingKeys: String, CodingKey {
            case resultPath = "place", path, bytes, modified, configuration, status, attempts, failures
            case isNamed = "named", due, owner, lease, started, finished, error
            case wallSeconds = "wall", videoSeconds = "video", frames, faces, people, events
            case warningText = "warnings", progress, digest, changed
            case keptConfiguration = "kept_configuration", keptBytes = "kept_bytes", keptModified = "kept_modified"
            case keptChanged = "kept_changed", keptDigest = "kept_digest", keptFinished = "kept_finished"
        }

        package var warnings: [String] { (warningText ?? "").split(separator: "\n").map(String.init) }

        var state: FileState {
            get { FileState(bytes: bytes, modified: modified, changed: changed) }
            set { (bytes, modified, changed) = (newValue.bytes, newValue.modified, newValue.changed) }
        }
    }

    package struct Selection: Sendable, Equatable {
        /// Includes inputs that are done.
        package var isForced = false
        package var isOnlyFailed = false
        package var retries = 2
        /// Whether to accept results of other settings, versions or models.
        package var keepsDone = false
        package var isStrict = false

        package init() {}
    }

    package enum Reason: String, Sendable {
        case new, changed, interrupted, forced, quarantined
        case returned = "exists again"
        case settingsChanged = "settings, version or models changed"
        case coversChanged = "covers changed"
        case failed = "failed before"
        case resultMissing = "result missing"
        /// A run was to analyse it, but ended before.
        case notStarted = "not started"
        case retryRequested = "failed before, retry requested"
        case done = "already done"
        case dateChanged = "only the date changed"
        case waiting = "failed before, retry not due yet"
        case skipped = "not a video"
        case running = "in progress in another process"
        case notFailed = "did not fail"
        case pruned = "result pruned"
        case kept = "done with other settings, kept"
        case hasWarnings = "done with warnings, which --strict does not accept"
        case foreignResult = "result exists, but is not from this batch"
    }

    package struct PlannedInput: Sendable, Equatable {
        package var input: BatchInput
        package var reason: Reason
        package var isDue: Bool
        /// The earlier row, or its finished result; `nil` for a new input.
        package var former: Item?
        /// More specific than the reason.
        package var detail: String?

        package var explanation: String { detail ?? reason.rawValue }
    }

    static func strictReason(_ warnings: [String]) -> String {
        "it has warnings (--strict): " + warnings.joined(separator: "; ")
    }

    package enum Outcome: Sendable {
        case done(WorkerReport)
        case failed(String)
        case skipped(String)
        case gone
        /// Given back because the batch is ending; does not count as an attempt.
        case released
        /// Left for a later run because the file was changing; does not count as an attempt.
        case postponed(hasReplacedResult: Bool)
    }
}

extension BatchJournal.Item {
    func isLeased(now: Double) -> Bool {
        guard let owner, let lease else { return false }
        // One that ends much later was given before a clock was set back.
        return LeaseOwner.isRunning(owner) ?? (now..<now + 60 * BatchJournal.leaseSeconds).contains(lease)
    }

    mutating func start(owner: String, now: Double) {
        (status, self.owner, lease) = (.running, owner, now + BatchJournal.leaseSeconds)
        (started, error, progress) = (now, nil, nil)
        attempts += 1
    }

    private mutating func endLease() { (owner, lease, progress) = (nil, nil, nil) }

    /// - Parameter retries: how many consecutive failures do not yet quarantine an input.
    mutating func finish(_ outcome: BatchJournal.Outcome, retries: Int, now: Double) {
        endLease()
        finished = now
        switch outcome {
        case .done(let report):
            status = .done
            (failures, wallSeconds, videoSeconds) = (0, report.wallSeconds, report.videoSeconds)
            (frames, faces, people, events) = (report.frames, report.faces, report.people, report.events)
            warningText = report.warnings.isEmpty ? nil : report.warnings.map(Printable.line).joined(separator: "\n")
            digest = report.digest
            dropKept()
        case .failed(let reason):
            failures += 1
            status = failures > retries ? .quarantined : .failed
            error = reason
            // After 1, 4, 16, … minutes, at most 17 hours.
            due = now + Double(60 << (2 * min(failures - 1, 5)))
        case .skipped(let reason): (status, error) = (.skipped, reason)
        case .gone: lose()
        case .released, .postponed:
            status = .pending
            attempts = max(0, attempts - 1)
            guard case .postponed(let hasReplacedResult) = outcome else { return }
            // Not in this run. Registration resets it.
            due = now + 1e9
            if hasReplacedResult { dropKept() }
        }
    }

    /// Ends all attempts, because the file is gone. A finished result stays, because nobody can make it again.
    mutating func lose() {
        endLease()
        status = .gone
        error = "the file does not exist any more"
        if let kept { self = kept }
    }

    /// Whether an earlier result waits to be replaced. The row then describes the later analysis, and the fields that
    /// start with `kept` describe the earlier result.
    var hasKept: Bool { keptConfiguration != nil }
    package var isFinished: Bool { status == .done || status == .running && hasKept }
    var isUnfinished: Bool { status == .pending || status == .running }

    mutating func keepResult() {
        (keptBytes, keptModified, keptChanged) = (bytes, modified, changed)
        (keptConfiguration, keptDigest, keptFinished) = (configuration, digest, finished)
    }

    mutating func dropKept() {
        (keptBytes, keptModified, keptChanged) = (nil, nil, nil)
        (keptConfiguration, keptDigest, keptFinished) = (nil, nil, nil)
    }

    /// The item before the later analysis was requested; `nil` if there is no earlier result.
    private var kept: Self? {
        guard let keptConfiguration else { return nil }
        var item = self
        item.status = .done
        item.state = FileState(bytes: keptBytes ?? bytes, modified: keptModified ?? modified, changed: keptChanged)
        (item.configuration, item.digest, item.finished) = (keptConfiguration, keptDigest, keptFinished)
        // The later analysis's start says nothing about this result.
        (item.started, item.failures, item.due, item.error) = (nil, 0, 0, nil)
        item.endLease()
        item.dropKept()
        return item
    }

    /// The item without an abandoned analysis, which has not touched the earlier result.
    func settled(now: Double) -> Self {
        guard isUnfinished, !isLeased(now: now), let kept else { return self }
        return kept
    }

    /// The item that decides whether an input is due: the earlier result, unless the later analysis has ended, with
    /// this configuration and this file.
    func relevant(to configuration: String, _ state: FileState, now: Double) -> Self {
        let hasFailed = [.failed, .quarantined, .skipped].contains(status)
        guard hasFailed, self.configuration != configuration || !self.state.looksLike(state), let kept else {
            return settled(now: now)
        }
        return kept
    }

    mutating func setSource(_ state: FileState, digest: String) {
        if hasKept {
            (keptModified, keptChanged, keptDigest) = (state.modified, state.changed, digest)
        } else {
            (modified, changed, self.digest) = (state.modified, state.changed, digest)
        }
    }
}

extension BatchJournal.Item.CodingKeys: ColumnExpression {}

extension BatchJournal.Item: FetchableRecord, PersistableRecord {
    package static let databaseTableName = "item"

    typealias Columns = CodingKeys

    /// Cached, because a registration looks up each of its inputs.
    static func fetchOne(_ database: Database, path: String) throws -> Self? {
        try fetchOne(try database.cachedStatement(sql: "SELECT * FROM item WHERE path = ?"), arguments: [path])
    }

    static func filter(_ statuses: BatchJournal.Status...) -> QueryInterfaceRequest<Self> {
        filter(statuses.map(\.rawValue).contains(Columns.status))
    }
}
