internal import VidscanBase

extension BatchJournal {
    public enum Status: String, Sendable, CaseIterable, Codable {
        case pending, running, done, failed
        /// Failed more often than `--retries` allows; not tried again unless the user asks for it.
        case quarantined
        /// Found in a folder, and not a video.
        case skipped
        /// Was done; `prune` has removed its result.
        case pruned
    }

    /// The status of an input as people are shown it.
    public enum ShownStatus: String, Sendable, CaseIterable, Codable {
        case pending, running
        /// Its process ended before it could finish; the next run starts it again.
        case interrupted
        case done, failed, quarantined, skipped, pruned
    }

    /// An input as the journal records it: a row of the table `item`.
    public struct Item: Sendable, Equatable, Codable {
        /// Relative to the batch's folder.
        public var resultPath: String
        /// Absolute path of the input.
        public var path: String
        public var bytes: Int64
        /// Nanoseconds since 1970.
        public var modified: Int64
        public var configuration: String
        public var status = Status.pending
        /// How often an analysis was started, including those of batches that were killed.
        public var attempts = 0
        /// Consecutive failed attempts.
        public var failures = 0
        /// Whether the user named the input; see `BatchInput.isNamed`.
        public var isNamed: Bool
        /// The earliest time of the next attempt, in seconds since 1970.
        var due = 0.0
        /// The process that works on the input; see `LeaseOwner`.
        var owner: String?
        /// When the owner's lease expires, in seconds since 1970.
        var lease: Double?
        /// When the last attempt started and ended, in seconds since 1970.
        var started: Double?
        var finished: Double?
        /// Why the last attempt failed.
        public var error: String?
        /// These and the following up to `warningText` describe the last successful attempt.
        public var wallSeconds: Double?
        public var videoSeconds: Double?
        public var frames: Int?
        public var faces: Int?
        /// How many different people the result has, and how many events; `nil` in rows of earlier versions.
        public var people: Int?
        public var events: Int?
        /// The warnings of the result, one per line; `nil` if there are none.
        var warningText: String?
        /// The share of the input that is analysed, 0…1, as of the last renewal of the lease; `nil` if it is not known.
        public internal(set) var progress: Double?
        /// SHA-256 of the content that was analysed; `nil` if it is not known.
        public var digest: String?
        /// See `BatchInput.changed`.
        public var changed: Int64?
        /// What is different for the result of an earlier analysis, while a later one has not replaced it; see `hasKept`.
        var keptConfiguration: String?
        var keptBytes: Int64?
        var keptModified: Int64?
        var keptChanged: Int64?
        var keptDigest: String?
        var keptFinished: Double?

        /// The names of the columns.
        enum CodingKeys: String, CodingKey {
            case resultPath = "place"
            case path, bytes, modified, configuration, status, attempts, failures
            case isNamed = "named"
            case due, owner, lease, started, finished, error
            case wallSeconds = "wall"
            case videoSeconds = "video"
            case frames, faces, people, events
            case warningText = "warnings"
            case progress, digest, changed
            case keptConfiguration = "kept_configuration"
            case keptBytes = "kept_bytes"
            case keptModified = "kept_modified"
            case keptChanged = "kept_changed"
            case keptDigest = "kept_digest"
            case keptFinished = "kept_finished"
        }

        /// Problems that may affect the result, in words.
        public var warnings: [String] {
            (warningText ?? "").split(separator: "\n").map(String.init)
        }

        public var identity: FileIdentity { FileIdentity(bytes: bytes, modified: modified) }
    }

    /// Which inputs a run is to analyse.
    public struct Selection: Sendable, Equatable {
        /// Everything, even if it is done already.
        public var isForced = false
        /// Only what failed before, including quarantined inputs.
        public var isOnlyFailed = false
        /// How many more attempts a failed input gets.
        public var retries = 2
        /// Whether results that other settings, versions or models made are accepted.
        public var keepsDone = false
        /// Whether results with warnings count as failed.
        public var isStrict = false

        public init() {}
    }

    /// Why an input is due, or why it is not.
    public enum Reason: String, Sendable {
        case new, changed
        case settingsChanged = "settings, version or models changed"
        case failed = "failed before"
        case resultMissing = "result missing"
        /// A run that was to analyse it has ended before.
        case notStarted = "not started"
        /// The process that analysed it has ended.
        case interrupted
        case forced
        case retryRequested = "failed before, retry requested"
        case done = "already done"
        case dateChanged = "only the date changed"
        case quarantined
        case waiting = "failed before, retry not due yet"
        case skipped = "not a video"
        case running = "in progress in another process"
        case notFailed = "did not fail"
        case pruned = "result pruned"
        case kept = "done with other settings, kept"
        case hasWarnings = "done with warnings, which --strict does not accept"
        case foreignResult = "result exists, but is not from this batch"
    }

    /// An input and the decision about it.
    public struct PlannedInput: Sendable, Equatable {
        public var input: BatchInput
        public var reason: Reason
        /// Whether this run is to analyse it.
        public var isDue: Bool
        /// What the journal said of the input before, or of its finished result; `nil` for a new one.
        public var former: Former?
        /// More than the reason says, in words.
        public var detail: String?

        /// The detail, or else the reason.
        public var explanation: String { detail ?? reason.rawValue }
    }

    /// What the journal said of an input.
    public struct Former: Sendable, Equatable {
        public var status: Status
        public var configuration: String
    }

    /// The reason of a failure that only `--strict` makes one.
    static func strictReason(_ warnings: [String]) -> String {
        "it has warnings (--strict): " + warnings.joined(separator: "; ")
    }

    /// How an attempt ended.
    public enum Outcome: Sendable {
        case done(WorkerReport)
        case failed(String)
        /// Found in a folder, and not a video.
        case skipped(String)
        /// Given back because the batch is ending. Does not count as an attempt.
        case released
        /// Left for a later run because the file was changing. Does not count as an attempt.
        case postponed
    }
}

extension BatchJournal.Item {
    /// Whether the lease of the item's owner is valid.
    func isLeased(now: Double) -> Bool {
        guard let owner, let lease else { return false }
        return LeaseOwner.isRunning(owner) ?? (lease > now)
    }

    /// What people are shown. An input whose process has ended is not running any more, although nobody could record that.
    func shownStatus(now: Double) -> BatchJournal.ShownStatus {
        switch status {
        case .pending: .pending
        case .running: isLeased(now: now) ? .running : .interrupted
        case .done: .done
        case .failed: .failed
        case .quarantined: .quarantined
        case .skipped: .skipped
        case .pruned: .pruned
        }
    }

    mutating func start(owner: String, now: Double) {
        status = .running
        self.owner = owner
        lease = now + BatchJournal.leaseSeconds
        started = now
        attempts += 1
        error = nil
        progress = nil
    }

    /// - Parameter retries: how many failures in a row do not yet quarantine an input.
    mutating func finish(_ outcome: BatchJournal.Outcome, retries: Int, now: Double) {
        owner = nil
        lease = nil
        finished = now
        progress = nil
        switch outcome {
        case .done(let report):
            status = .done
            failures = 0
            wallSeconds = report.wallSeconds
            videoSeconds = report.videoSeconds
            frames = report.frames
            faces = report.faces
            people = report.people
            events = report.events
            warningText = report.warnings.isEmpty ? nil : report.warnings.map(Printable.line).joined(separator: "\n")
            digest = report.digest
            dropKept()
        case .failed(let reason):
            failures += 1
            status = failures > retries ? .quarantined : .failed
            error = reason
            due = now + Self.retryDelay(afterFailures: failures)
        case .skipped(let reason):
            status = .skipped
            error = reason
        case .released, .postponed:
            status = .pending
            attempts = max(0, attempts - 1)
            if case .postponed = outcome { due = now + 60 }
        }
    }

    /// 1, 4, 16, … minutes, and at most 17 hours; in seconds.
    private static func retryDelay(afterFailures failures: Int) -> Double {
        (1..<min(failures, 6)).reduce(60) { delay, _ in delay * 4 }
    }
}
