internal import Foundation
internal import Synchronization

/// Analyses many files: what is new, changed or failed before, in worker processes that may die without harm.
public struct Batch: Sendable {
    public struct Options: Sendable {
        /// Files at a time.
        public var jobs = 1
        public var selection = BatchJournal.Selection()
        /// A file's allowance in seconds, and more for each second of its video.
        public var timeoutSeconds = 300.0
        public var timeoutPerVideoSecond = 30.0
        /// What workers are told first.
        public var setup = WorkerSetup(pipeline: "", allowsFileFilters: false, workers: 1)
        /// Of one worker, in bytes.
        public var memoryLimit: Int64 = 4 << 30
        /// Files of one worker before it is replaced.
        public var filesPerWorker = 200
        /// Takes digests of what is analysed, to tell later whether only a file's date has changed.
        public var takesDigests = false
        /// Left on the disk of the results, in bytes; less ends the batch.
        public var leastFreeSpace: Int64 = 64 << 20

        public init() {}
    }

    /// How far a batch has come.
    public struct Progress: Sendable {
        public var done = 0
        public var failed = 0
        public var skipped = 0
        /// Still being written; left for the next run.
        public var postponed = 0
        /// To be done by this or another process.
        public var left = 0
        public var videoSeconds = 0.0
        public var elapsedSeconds = 0.0
        /// Of the bytes that this process set out to do, the share that is dealt with, 0…1.
        public var share = 0.0
    }

    public struct Summary: Sendable {
        public var progress = Progress()
        /// Named inputs and their reasons.
        public var failures: [(path: String, reason: String)] = []
    }

    private let folder: String
    private let options: Options
    private let journal: BatchJournal
    private let configuration: String
    private let command: [String]
    private let observer: any BatchObserver

    /// - Parameters:
    ///   - folder: that holds the results, as an absolute path.
    ///   - configuration: as the inputs were entered with.
    ///   - command: the program that works as a worker, by its path, and its arguments.
    public init(
        folder: String, journal: BatchJournal, configuration: String, command: [String], options: Options,
        observer: any BatchObserver
    ) {
        self.folder = folder
        self.journal = journal
        self.configuration = configuration
        self.command = command
        self.options = options
        self.observer = observer
    }

    /// Does all that the journal says is to be done.
    ///
    /// - Throws: `BatchError`: `diskFull`, `journal`, `worker`; `interrupted` when the task is cancelled. Whatever was
    ///   delivered stays.
    public func run(_ plan: [BatchInput]) async throws -> Summary {
        let state = Ledger(plan: plan)
        let places = Set(plan.map(\.place))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, options.jobs) { group.addTask { try await self.work(state, places) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(10))
                    if !Task.isCancelled { try self.journal.renew() }
                }
            }
            var working = max(1, options.jobs)
            do {
                while working > 0, try await group.next() != nil { working -= 1 }
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
            try Task.checkCancellation()
            return state.values.withLock { Summary(progress: $0.progress(now: .now), failures: $0.failures) }
        }
    }

    /// What all jobs of this run have come to.
    private final class Ledger: Sendable {
        let values: Mutex<State>

        let begin = ContinuousClock.now
        private let hasWaited = Mutex(false)

        init(plan: [BatchInput]) { values = Mutex(State(plan: plan)) }

        func isFirstWait() -> Bool {
            hasWaited.withLock { hasWaited in
                defer { hasWaited = true }
                return !hasWaited
            }
        }
    }

    private struct State: Sendable {
        var counts = Progress()
        var failures: [(path: String, reason: String)] = []
        /// Sparse files may say that they are larger than all that a counter can add up.
        var bytesDone = 0.0
        let bytes: Double
        let files: Int
        let begin = ContinuousClock.now

        init(plan: [BatchInput]) {
            bytes = plan.reduce(0) { $0 + Double($1.identity.bytes) }
            files = plan.count
        }

        func progress(now: ContinuousClock.Instant) -> Progress {
            var progress = counts
            progress.left = max(0, files - counts.done - counts.failed - counts.skipped - counts.postponed)
            progress.elapsedSeconds = (now - begin) / .seconds(1)
            progress.share = bytes > 0 ? min(1, bytesDone / bytes) : 1
            return progress
        }
    }

    // MARK: One after another

    private func work(_ state: Ledger, _ places: Set<String>) async throws {
        var worker: WorkerProcess?
        defer { worker?.signal(SIGKILL) }
        var files = 0
        while true {
            try interruptible()
            try checkDisk()
            guard let item = try journal.claim(among: places, configuration: configuration) else {
                // What another process is at falls to this one if that dies.
                let others = try journal.othersAtWork(among: places, configuration: configuration)
                guard others > 0 else { return }
                if state.isFirstWait() { observer.waits(for: others) }
                try? await Task.sleep(for: .seconds(1))
                continue
            }
            guard await isSettled(item, since: state.begin) else {
                try postpone(item, state)
                continue
            }
            if let other = otherInput(at: item.place, than: item) {
                let reason =
                    "\(folder)/\(item.place) holds the result of \(other), of another shard; --force replaces it"
                try enter(.failed(reason, .other), item, state)
                continue
            }
            if worker == nil || files >= options.filesPerWorker {
                worker?.signal(SIGKILL)
                worker = try await startWorker(for: item)
                files = 0
            }
            guard let current = worker else { continue }
            files += 1
            let end = await FileAttempt(
                path: item.path, result: "\(folder)/\(item.place)", worker: current, options: options,
                observer: observer
            ).run()
            if end.workerIsGone { worker = nil }
            try enter(end.result, item, state)
        }
    }

    /// Shards do not know each other's journals: one that was given other inputs may have come to the same place.
    private func otherInput(at place: String, than item: BatchJournal.Item) -> String? {
        guard journal.shard != nil, !options.selection.isForced, let input = BatchFolder(folder).input(at: place),
            input.hasPrefix("/"), input != item.path
        else { return nil }
        return input
    }

    private func startWorker(for item: BatchJournal.Item) async throws -> WorkerProcess {
        do {
            let worker = try await WorkerProcess.start(command: command)
            _ = worker.send(options.setup)
            return worker
        } catch {
            try journal.finish(item, .released, retries: options.selection.retries)
            throw error
        }
    }

    private func postpone(_ item: BatchJournal.Item, _ state: Ledger) throws {
        try journal.finish(item, .postponed, retries: options.selection.retries)
        state.values.withLock { $0.counts.postponed += 1 }
        observer.left(item.path, because: "is still changing; it is left for the next run")
    }

    private func enter(_ result: FileAttempt.Result, _ item: BatchJournal.Item, _ state: Ledger) throws {
        if case .failed(_, .interrupted) = result, Task.isCancelled {
            try journal.finish(item, .released, retries: options.selection.retries)
            throw BatchError(.interrupted, "interrupted")
        }
        switch result {
        case .failed(let reason, .diskFull):
            try journal.finish(item, .released, retries: options.selection.retries)
            throw BatchError(.diskFull, reason)
        case .failed(let reason, .setup):
            try journal.finish(item, .released, retries: options.selection.retries)
            throw BatchError(.worker, reason)
        case .failed(let reason, let kind) where Self.isNoVideo(item, kind):
            try journal.finish(item, .skipped(reason), retries: options.selection.retries)
            state.values.withLock { $0.counts.skipped += 1 }
        case .failed(let reason, _):
            try journal.finish(item, .failed(reason), retries: options.selection.retries)
            state.values.withLock {
                $0.counts.failed += 1
                $0.failures.append((item.path, reason))
            }
            observer.failed(item.path, reason: reason)
        case .done where FileState(path: item.path).map { $0.identity != item.identity } ?? false:
            // What was analysed is half of it, perhaps.
            return try postpone(item, state)
        case .done(var report):
            // The digest is of what was analysed only if nothing has touched the file from before that until now.
            if FileState(path: item.path)?.changed != item.changed { report.digest = nil }
            try journal.finish(item, .done(report), retries: options.selection.retries)
            state.values.withLock {
                $0.counts.done += 1
                $0.counts.videoSeconds += report.videoSeconds
            }
            observer.delivered(item.path, report: report)
        }
        observer.progressed(
            state.values.withLock {
                $0.bytesDone += Double(item.identity.bytes)
                return $0.progress(now: .now)
            })
    }

    /// Whether a file that was only found, not named, is left alone from now on. One that says that it is a video by
    /// its name is a broken one.
    private static func isNoVideo(_ item: BatchJournal.Item, _ kind: WorkerFailure) -> Bool {
        let claimsVideo = videos.contains(PathText.ending(item.path))
        return !item.isNamed && (kind == .noVideo || kind == .notMedia && !claimsVideo)
    }

    private static let videos: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "m2ts", "mts", "wmv", "flv", "3gp", "ogv",
        "mxf",
        "vob", "h264", "hevc", "gif", "png", "jpg", "jpeg", "webp", "bmp", "tif", "tiff",
    ]

    private func interruptible() throws {
        if Task.isCancelled { throw BatchError(.interrupted, "interrupted") }
    }

    private func checkDisk() throws(BatchError) {
        var space = statvfs()
        guard statvfs(folder, &space) == 0 else { return }
        let free = Int64(space.f_bavail) * Int64(space.f_frsize)
        guard free >= options.leastFreeSpace else {
            throw BatchError(
                .diskFull,
                "\(folder): only \(free >> 20) MB are free on its disk, and \(options.leastFreeSpace >> 20) are to stay;"
                    + " the rest waits for the next run")
        }
    }

    /// Whether the file is as it was when it was entered, and nobody writes to it.
    private func isSettled(_ item: BatchJournal.Item, since begin: ContinuousClock.Instant) async -> Bool {
        // Gone: the worker says so.
        guard let identity = FileState(path: item.path)?.identity else { return true }
        guard identity == item.identity else { return false }
        // One that was written to a moment ago has to stay as it is for a second after it was entered.
        let age = Date().timeIntervalSince1970 - Double(identity.modified) / 1e9
        guard age < 3, .now - begin < .seconds(1) else { return true }
        try? await Task.sleep(until: begin + .seconds(1), clock: .continuous)
        return FileState(path: item.path)?.identity == identity
    }
}

/// Hears how a batch goes, from any thread.
public protocol BatchObserver: Sendable {
    func progressed(_ progress: Batch.Progress)
    func delivered(_ path: String, report: WorkerReport)
    func failed(_ path: String, reason: String)
    func left(_ path: String, because reason: String)
    func warned(_ path: String, _ message: String)
    /// All that is left is with other processes.
    func waits(for files: Int)
}
