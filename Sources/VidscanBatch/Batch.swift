internal import Foundation
internal import VidscanBase

/// Analyses the inputs of a batch in worker processes, so that a file that crashes or hangs its worker fails alone.
public struct Batch: Sendable {
    public struct Options: Sendable {
        /// Files at a time.
        public var jobs = 1
        public var selection = BatchJournal.Selection()
        /// The time limit of a file: this many seconds, and more for each second of its video.
        public var timeoutSeconds = 300.0
        public var timeoutPerVideoSecond = 30.0
        /// The first message to each worker.
        public var setup = WorkerSetup(pipeline: "", allowsFileFilters: false, workers: 1)
        /// The memory limit of a worker, in bytes.
        public var memoryLimit: Int64 = 4 << 30
        /// After this many files a worker is replaced.
        public var filesPerWorker = 200
        /// Whether to record digests of the inputs, by which a later run can recognise unchanged content.
        public var takesDigests = false
        /// The batch ends when less is free on the disk of the results, in bytes.
        public var minimumFreeSpace: Int64 = 64 << 20

        public init() {}
    }

    /// A file that this process is analysing.
    public struct RunningFile: Sendable, Equatable {
        public var path: String
        public var resultPath: String
        public var bytes: Int64
        /// `nil` until the first frames are analysed.
        public var progress: FileProgress?
    }

    public struct Progress: Sendable {
        public var done = 0
        /// Those of the done files that have warnings.
        public var withWarnings = 0
        public var failed = 0
        public var skipped = 0
        /// Still being written; left for the next run.
        public var postponed = 0
        /// Remaining for this or another process.
        public var left = 0
        /// Includes what is analysed of the files in progress.
        public var videoSeconds = 0.0
        public var elapsedSeconds = 0.0
        /// The fraction of the bytes of this run's files that is finished, 0…1. Files in progress count in part.
        public var fraction = 0.0
        public var running: [RunningFile] = []

        /// `nil` as long as nothing can be said, and at the end.
        public var secondsLeft: Double? {
            fraction > 0.001 && fraction < 1 ? elapsedSeconds * (1 - fraction) / fraction : nil
        }
    }

    public struct Summary: Sendable {
        public var progress = Progress()
        public var failures: [(path: String, reason: String)] = []
    }

    private let folder: String
    private let options: Options
    private let journal: BatchJournal
    private let configuration: String
    private let command: [String]
    private let observer: any BatchObserver
    private let live: LiveReport?

    /// - Parameters:
    ///   - live: receives the state of the batch while it runs.
    ///   - folder: absolute path of the folder of the results.
    ///   - configuration: the one that the inputs were registered with.
    ///   - command: the path of the worker program, and its arguments.
    public init(
        folder: String, journal: BatchJournal, configuration: String, command: [String], options: Options,
        observer: any BatchObserver, live: LiveReport? = nil
    ) {
        self.live = live
        self.folder = folder
        self.journal = journal
        self.configuration = configuration
        self.command = command
        self.options = options
        self.observer = observer
    }

    /// Analyses all inputs of the plan that no other process takes.
    ///
    /// - Throws: `BatchError`: `diskFull`, `journal` or `worker`; `interrupted` if the task is cancelled. Results that
    ///   are complete are kept.
    public func run(_ plan: [BatchInput]) async throws -> Summary {
        let state = BatchState(plan: plan)
        defer { live?.record(state.progress) }
        let resultPaths = Set(plan.map { PathBytes($0.resultPath) })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, options.jobs) { group.addTask { try await self.runJob(state, resultPaths) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(10))
                    guard !Task.isCancelled else { break }
                    let shares = state.progress.running.compactMap { file in
                        file.progress?.share.map { (PathBytes(file.resultPath), $0) }
                    }
                    try self.journal.renewLeases(progress: Dictionary(uniqueKeysWithValues: shares))
                }
            }
            if let live {
                group.addTask {
                    while !Task.isCancelled {
                        let pause = live.update(state.progress)
                        try? await Task.sleep(for: pause)
                    }
                }
            }
            var running = max(1, options.jobs)
            do {
                while running > 0, try await group.next() != nil { running -= 1 }
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
            try Task.checkCancellation()
            return state.summary
        }
    }

    // MARK: Reports

    /// Adds report pages to finished results, without analysing anything.
    ///
    /// - Parameter inputs: those whose results have no report page.
    /// - Throws: as `run`.
    public func addReports(_ inputs: [BatchInput]) async throws -> Summary {
        let state = BatchState(plan: inputs)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, min(options.jobs, inputs.count)) {
                group.addTask { try await addReports(inputs, state) }
            }
            try await group.waitForAll()
        }
        return state.summary
    }

    private func addReports(_ inputs: [BatchInput], _ state: BatchState) async throws {
        var worker: WorkerProcess?
        defer { worker?.signal(SIGKILL) }
        while true {
            let number = state.nextNumber()
            guard number < inputs.count else { return }
            if Task.isCancelled { throw BatchError(.interrupted, "interrupted") }
            try checkFreeSpace()
            let input = inputs[number]
            let current: WorkerProcess
            if let worker {
                current = worker
            } else {
                current = try await WorkerProcess.start(command: command)
                try current.send(options.setup)
                worker = current
            }
            let outcome = await FileAttempt(
                path: input.path, folder: folder, resultPath: input.resultPath, work: .report, worker: current,
                options: options, observer: observer
            ) { _ in }.run()
            if outcome.workerHasEnded { worker = nil }
            switch outcome.result {
            case .done(let report):
                state.countDone(report)
                observer.addedReport(input.path, result: "\(folder)/\(input.resultPath)")
            case .failed(_, .interrupted) where Task.isCancelled: throw BatchError(.interrupted, "interrupted")
            case .failed(let reason, .diskFull): throw BatchError(.diskFull, reason)
            case .failed(let reason, .setup): throw BatchError(.worker, reason)
            case .failed(let reason, _):
                state.countFailed(input.path, reason)
                observer.failed(input.path, reason: reason)
            }
            observer.progressed(state.advance(bytes: input.identity.bytes))
        }
    }

    // MARK: One job

    /// Claims one input after another, and has a worker analyse it, until none is left.
    private func runJob(_ state: BatchState, _ resultPaths: Set<PathBytes>) async throws {
        var worker: WorkerProcess?
        defer { worker?.signal(SIGKILL) }
        var filesOfWorker = 0
        while true {
            if Task.isCancelled { throw BatchError(.interrupted, "interrupted") }
            try checkFreeSpace()
            // Before the claim, so that no input is overlooked that another process gives back in between.
            let others = try journal.countClaimedByOthers(among: resultPaths, configuration: configuration)
            guard let item = try journal.claim(among: resultPaths, configuration: configuration) else {
                // If another process dies, this one takes over its inputs.
                guard others > 0 else { return }
                if state.isFirstWait() { observer.waiting(forFiles: others) }
                try? await Task.sleep(for: .seconds(1))
                continue
            }
            guard await isStable(item, since: state.startTime) else {
                try postpone(item, state)
                continue
            }
            if let other = conflictingInput(of: item) {
                let reason =
                    "\(folder)/\(item.resultPath) is the result of \(other), which belongs to another shard;"
                    + " --force replaces it"
                try record(.failed(reason, .other), of: item, state)
                continue
            }
            if worker == nil || filesOfWorker >= options.filesPerWorker {
                worker?.signal(SIGKILL)
                worker = try await startWorker(for: item)
                filesOfWorker = 0
            }
            guard let current = worker else { continue }
            filesOfWorker += 1
            state.start(item)
            let outcome = await FileAttempt(
                path: item.path, folder: folder, resultPath: item.resultPath, worker: current, options: options,
                observer: observer
            ) { [observer] in observer.progressed(state.update(item, $0)) }.run()
            state.end(item)
            if outcome.workerHasEnded {
                worker = nil
                BatchFolder(folder).removeLeftovers(beside: [item.resultPath])
            }
            try record(outcome.result, of: item, state)
        }
    }

    /// The input whose result is already at the item's path. Only in a shard, because another one with other inputs may
    /// have chosen the same path: shards do not know each other's journals.
    private func conflictingInput(of item: BatchJournal.Item) -> String? {
        guard journal.shard != nil, !options.selection.isForced,
            let input = BatchFolder(folder).inputPath(ofResultAt: item.resultPath), input.hasPrefix("/"),
            PathBytes(input) != PathBytes(item.path)
        else { return nil }
        return input
    }

    private func startWorker(for item: BatchJournal.Item) async throws -> WorkerProcess {
        do {
            let worker = try await WorkerProcess.start(command: command)
            try worker.send(options.setup)
            return worker
        } catch {
            try finish(item, .released)
            throw error
        }
    }

    private func finish(_ item: BatchJournal.Item, _ outcome: BatchJournal.Outcome) throws(BatchError) {
        try journal.finish(item, outcome, retries: options.selection.retries)
    }

    private func postpone(_ item: BatchJournal.Item, _ state: BatchState) throws {
        try finish(item, .postponed)
        state.countPostponed()
        observer.postponed(item.path, reason: "the file is still changing; it is left for the next run")
    }

    private func record(_ result: FileAttempt.Result, of item: BatchJournal.Item, _ state: BatchState) throws {
        switch result {
        case .failed(_, .interrupted) where Task.isCancelled:
            try finish(item, .released)
            throw BatchError(.interrupted, "interrupted")
        case .failed(let reason, .diskFull):
            try finish(item, .released)
            throw BatchError(.diskFull, reason)
        case .failed(let reason, .setup):
            try finish(item, .released)
            throw BatchError(.worker, reason)
        case .failed(let reason, let kind) where item.isSkipped(for: kind):
            try finish(item, .skipped(reason))
            state.countSkipped()
        case .failed(let reason, _):
            try finish(item, .failed(reason))
            state.countFailed(item.path, reason)
            observer.failed(item.path, reason: reason)
        case .done where FileState(path: item.path).map { $0.identity != item.identity } ?? false:
            // The file changed during its analysis, so the result may describe half of it.
            return try postpone(item, state)
        case .done(let report) where options.selection.isStrict && !report.warnings.isEmpty:
            // The result is complete, and what a run without --strict wants.
            let reason = BatchJournal.strictReason(report.warnings)
            try finish(item, .done(withDigest(report, of: item)))
            state.countFailed(item.path, reason)
            observer.failed(item.path, reason: reason)
        case .done(let report):
            try finish(item, .done(withDigest(report, of: item)))
            state.countDone(report)
            observer.delivered(item.path, report: report, result: "\(folder)/\(item.resultPath)")
        }
        observer.progressed(state.advance(bytes: item.bytes))
    }

    /// The digest is that of the analysed content only if nothing has changed the file since before the analysis.
    private func withDigest(_ report: WorkerReport, of item: BatchJournal.Item) -> WorkerReport {
        var report = report
        if FileState(path: item.path)?.changed != item.changed { report.digest = nil }
        return report
    }

    private func checkFreeSpace() throws(BatchError) {
        var space = statvfs()
        guard statvfs(folder, &space) == 0 else { return }
        let free = Int64(space.f_bavail) * Int64(space.f_frsize)
        guard free >= options.minimumFreeSpace else {
            throw BatchError(
                .diskFull,
                "\(folder): only \(free >> 20) MB are free on its disk, and --leave-free keeps"
                    + " \(options.minimumFreeSpace >> 20); free some space and run the batch again")
        }
    }

    /// Whether the file is as it was when it was registered, and nobody is writing to it.
    private func isStable(_ item: BatchJournal.Item, since startTime: ContinuousClock.Instant) async -> Bool {
        // For a missing file, the worker reports the reason.
        guard let identity = FileState(path: item.path)?.identity else { return true }
        guard identity == item.identity else { return false }
        // A file that was modified a moment ago must not change for a second after the run started.
        let age = Date().timeIntervalSince1970 - Double(identity.modified) / 1e9
        guard age < 3, .now - startTime < .seconds(1) else { return true }
        try? await Task.sleep(until: startTime + .seconds(1), clock: .continuous)
        return FileState(path: item.path)?.identity == identity
    }
}

extension BatchJournal.Item {
    /// Whether a file that failed is not a video, so that later runs ignore it: it was only found in a folder, and its
    /// extension does not say that it is a video or picture.
    fileprivate func isSkipped(for failure: WorkerFailure) -> Bool {
        !isNamed && (failure == .noVideo || failure == .notMedia && !InputFinder.hasVideoExtension(path))
    }
}

/// Receives the events of a batch, on any thread.
public protocol BatchObserver: Sendable {
    func progressed(_ progress: Batch.Progress)
    /// - Parameter result: the path of the result.
    func delivered(_ path: String, report: WorkerReport, result: String)
    func addedReport(_ path: String, result: String)
    func failed(_ path: String, reason: String)
    func postponed(_ path: String, reason: String)
    func warned(_ path: String, _ message: String)
    /// Other processes have claimed all remaining files.
    func waiting(forFiles count: Int)
}
