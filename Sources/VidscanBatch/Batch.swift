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
        /// Of one worker, in bytes.
        public var memoryLimit: Int64 = 4 << 30
        /// Files of one worker before it is replaced.
        public var filesPerWorker = 200
        /// Left on the disk of the results, in bytes; less ends the batch.
        public var leastFreeSpace: Int64 = 64 << 20

        public init() {}
    }

    /// How far a batch has come.
    public struct Progress: Sendable {
        public var done = 0
        public var failed = 0
        public var skipped = 0
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
    ///   - command: the program that works as a worker, and its arguments.
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
                    try self.journal.renew()
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

        init(plan: [BatchInput]) { values = Mutex(State(plan: plan)) }
    }

    private struct State: Sendable {
        var counts = Progress()
        var failures: [(path: String, reason: String)] = []
        var bytesDone: Int64 = 0
        let bytes: Int64
        let files: Int
        let begin = ContinuousClock.now

        init(plan: [BatchInput]) {
            bytes = plan.reduce(0) { $0 + $1.identity.bytes }
            files = plan.count
        }

        func progress(now: ContinuousClock.Instant) -> Progress {
            var progress = counts
            progress.left = max(0, files - counts.done - counts.failed - counts.skipped)
            progress.elapsedSeconds = (now - begin) / .seconds(1)
            progress.share = bytes > 0 ? min(1, Double(bytesDone) / Double(bytes)) : 1
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
            guard let item = try journal.claim(among: places, configuration: configuration) else { return }
            guard await isSettled(item) else {
                try journal.finish(item, .postponed, retries: options.selection.retries)
                observer.left(item.path, because: "it is still changing; next time")
                continue
            }
            if worker == nil || files >= options.filesPerWorker {
                worker = try WorkerProcess(command: command)
                files = 0
            }
            guard let current = worker else { continue }
            files += 1
            let end = await analyze(item, with: current)
            if end.workerIsGone { worker = nil }
            try enter(end, item, state)
        }
    }

    private func enter(_ end: End, _ item: BatchJournal.Item, _ state: Ledger) throws {
        if case .failed(_, .interrupted) = end.result, Task.isCancelled {
            try journal.finish(item, .released, retries: options.selection.retries)
            throw BatchError(.interrupted, "interrupted")
        }
        switch end.result {
        case .failed(let reason, .diskFull):
            try journal.finish(item, .released, retries: options.selection.retries)
            throw BatchError(.diskFull, reason)
        case .failed(let reason, .setup):
            try journal.finish(item, .released, retries: options.selection.retries)
            throw BatchError(.worker, reason)
        case .failed(let reason, .notMedia) where !item.isNamed:
            try journal.finish(item, .skipped(reason), retries: options.selection.retries)
            state.values.withLock { $0.counts.skipped += 1 }
        case .failed(let reason, _):
            try journal.finish(item, .failed(reason), retries: options.selection.retries)
            state.values.withLock {
                $0.counts.failed += 1
                $0.failures.append((item.path, reason))
            }
            observer.failed(item.path, reason: reason)
        case .done(let report):
            try journal.finish(item, .done(report), retries: options.selection.retries)
            state.values.withLock {
                $0.counts.done += 1
                $0.counts.videoSeconds += report.videoSeconds
            }
            observer.delivered(item.path, report: report)
        }
        observer.progressed(
            state.values.withLock {
                $0.bytesDone += item.identity.bytes
                return $0.progress(now: .now)
            })
    }

    private func interruptible() throws {
        if Task.isCancelled { throw BatchError(.interrupted, "interrupted") }
    }

    private func checkDisk() throws(BatchError) {
        var space = statvfs()
        guard statvfs(folder, &space) == 0 else { return }
        let free = Int64(space.f_bavail) * Int64(space.f_frsize)
        guard free >= options.leastFreeSpace else {
            throw BatchError(
                .diskFull, "\(folder): only \(free >> 20) MB are free on its disk; the rest waits for the next run")
        }
    }

    /// Whether the file is as it was when it was entered, and nobody writes to it.
    private func isSettled(_ item: BatchJournal.Item) async -> Bool {
        // Gone: the worker says so.
        guard let identity = FileIdentity(path: item.path) else { return true }
        guard identity == item.identity else { return false }
        let age = Date().timeIntervalSince1970 - Double(identity.modified) / 1e9
        guard age < 3 else { return true }
        try? await Task.sleep(for: .seconds(1))
        return FileIdentity(path: item.path) == identity
    }

    // MARK: One file

    private enum FileResult: Sendable {
        case done(WorkerReport)
        case failed(String, WorkerFailure)
    }

    private struct End: Sendable {
        var result: FileResult
        var workerIsGone = false
    }

    /// What is known of a file while a worker is at it.
    private final class Course: Sendable {
        private struct Values {
            var verdict: String?
            var isInterrupted = false
            var videoSeconds: Double?
        }
        private let values = Mutex(Values())

        /// Why the batch ended the worker.
        var verdict: String? { values.withLock { $0.verdict } }
        var isInterrupted: Bool { values.withLock { $0.isInterrupted } }
        var videoSeconds: Double { values.withLock { $0.videoSeconds ?? 0 } }

        func settle(_ reason: String) { values.withLock { $0.verdict = $0.verdict ?? reason } }
        func interrupt() { values.withLock { $0.isInterrupted = true } }
        func open(_ seconds: Double?) { values.withLock { $0.videoSeconds = seconds } }
    }

    private func analyze(_ item: BatchJournal.Item, with worker: WorkerProcess) async -> End {
        _ = worker.send(WorkerJob(input: item.path, result: "\(folder)/\(item.place)"))
        let course = Course()
        // Not cancelled with this task: a worker that is asked to end still says how it ended.
        let listener = Task.detached { await self.listen(to: worker, item, course) }
        let watcher = Task.detached { await self.watch(worker, course) }
        defer { watcher.cancel() }
        return await withTaskCancellationHandler {
            await listener.value
        } onCancel: {
            course.interrupt()
            worker.signal(SIGTERM)
        }
    }

    private func listen(to worker: WorkerProcess, _ item: BatchJournal.Item, _ course: Course) async -> End {
        for await event in worker.events {
            switch event {
            case .message(.opened(let seconds)): course.open(seconds)
            case .message(.progressed): continue
            case .message(.warned(let words)): observer.warned(item.path, words)
            case .message(.done(let report)): return End(result: .done(report))
            case .message(.failed(let reason, let kind)): return End(result: .failed(reason, kind))
            case .ended(let status, let signal):
                let ending =
                    signal.map { "its worker was ended by signal \($0) (\(Self.name(of: $0)))" }
                    ?? "its worker ended with status \(status ?? 0)"
                return End(
                    result: .failed(
                        course.verdict ?? ending,
                        course.isInterrupted && course.verdict == nil ? .interrupted : .other), workerIsGone: true)
            }
        }
        return End(result: .failed("its worker is gone", .other), workerIsGone: true)
    }

    /// Ends a worker that takes too long or too much, or does not end when it is asked to.
    private func watch(_ worker: WorkerProcess, _ course: Course) async {
        let begin = ContinuousClock.now
        var interrupted: ContinuousClock.Instant?
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(200))
            if Task.isCancelled { break }
            let now = ContinuousClock.now
            let allowed = options.timeoutSeconds + options.timeoutPerVideoSecond * course.videoSeconds
            if (now - begin) / .seconds(1) > allowed {
                course.settle("took longer than \(Int(allowed.rounded())) s and was stopped")
                worker.signal(SIGKILL)
            }
            if let bytes = worker.residentBytes, bytes > options.memoryLimit {
                course.settle("needed more than \(options.memoryLimit >> 20) MB of memory and was stopped")
                worker.signal(SIGKILL)
            }
            if course.isInterrupted {
                let since = interrupted ?? now
                interrupted = since
                if now - since > .seconds(5) { worker.signal(SIGKILL) }
            }
        }
    }

    private static func name(of signal: Int32) -> String {
        strsignal(signal).map { String(cString: $0) } ?? "unknown"
    }
}

/// Hears how a batch goes, from any thread.
public protocol BatchObserver: Sendable {
    func progressed(_ progress: Batch.Progress)
    func delivered(_ path: String, report: WorkerReport)
    func failed(_ path: String, reason: String)
    func left(_ path: String, because reason: String)
    func warned(_ path: String, _ message: String)
}
