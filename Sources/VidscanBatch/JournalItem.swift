extension BatchJournal {
    public enum Status: String, Sendable, CaseIterable {
        case pending, running, done, failed
        /// Failed as often as is allowed; left alone until asked for.
        case quarantined
        /// Found in a folder, and no video.
        case skipped
        /// Was done; its result has been removed for its age.
        case pruned
    }

    /// An input as the journal has it.
    public struct Item: Sendable, Equatable {
        public var place: String
        public var path: String
        public var identity: FileIdentity
        public var status: Status
        public var configuration: String
        /// How often it was begun, also by batches that were killed.
        public var attempts: Int
        /// How often in a row it failed.
        public var failures: Int
        /// Why the last attempt failed.
        public var error: String?
        /// Of the last attempt.
        public var wallSeconds: Double?
        public var videoSeconds: Double?
        public var frames: Int?
        public var faces: Int?
        public var isNamed: Bool
        /// When its content or attributes had last changed, as of `BatchInput`.
        public var changed: Int64?
        /// SHA-256 of what was analysed; `nil` where it is not known.
        public var digest: String?
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
        case done = "done already", touched = "date changed, content did not", quarantined
        case waiting = "failed before, not due yet", skipped = "no video"
        case running = "another process works on it", notFailed = "did not fail", pruned = "result removed for its age"
        case occupied = "a result that this batch has not made is in its place"
    }

    /// An input and what becomes of it in a run.
    public struct Entry: Sendable, Equatable {
        public var input: BatchInput
        public var reason: Reason
        public var isDue: Bool
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
}
