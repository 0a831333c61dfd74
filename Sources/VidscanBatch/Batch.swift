internal import Foundation
internal import Synchronization
internal import VidscanBase

/// Analyses the inputs of a batch in worker processes, so that a file that crashes or hangs its worker fails alone.
package struct Batch: Sendable {
    package struct Options: Sendable {
        /// Files at a time.
        package var jobs = 1
        package var selection = BatchJournal.Selection()
        /// A file's time limit: this many seconds, and more per second of its video.
        package var timeoutSeconds = 300.0, timeoutPerVideoSecond = 30.0
        package var setup = WorkerSetup()
        /// Per worker, in bytes.
        package var memoryLimit: Int64 = 4 << 30
        package var filesPerWorker = 200
        /// Whether to record digests, by which a later run recognises unchanged content.
        package var takesDigests = false
        package var metrics: BatchMetrics?
        /// In bytes, on the disk of the results; with less, the batch ends.
        package var minimumFreeSpace: Int64 = 64 << 20

        package init() {}
    }

    package struct RunningFile: Sendable {
        package let path: String
        let resultPath: String
        let bytes: Int64
        /// `nil` until the first frames are analysed.
        package internal(set) var progress: FileProgress?
    }

    /// `status.json` has all of it except `withWarnings` and `running`.
    package struct Progress: Sendable, Codable {
        package var done = 0
        /// Included in `done`.
        package var withWarnings = 0
        package var failed = 0, skipped = 0
        /// Still being written; left for the next run.
        package var postponed = 0
        /// Vanished before they were analysed.
        package var gone = 0
        /// Remaining for this or another process.
        package var left = 0
        /// Includes the analysed part of files in progress.
        package var videoSeconds = 0.0
        package var elapsedSeconds = 0.0
        /// The finished fraction of the bytes, 0…1, counting files in progress in part.
        package var fraction = 0.0
        /// `nil` at the end, and while too little is known.
        package var secondsLeft: Double?
        package var running: [RunningFile] = []

        private enum CodingKeys: CodingKey {
            case done, failed, skipped, postponed, gone, left, videoSeconds, elapsedSeconds, fraction, secondsLeft
        }
    }

    package struct Summary: Sendable {
        package var progress = Progress()
        package var failures: [InputFinder.Problem] = []
    }

    private let folder, configuration: String
    private let options: Options
    private let journal: BatchJournal
    private let command: [String]
    private let observer: any BatchObserver
    package let live: LiveReport

    package init(
        folder: String, journal: BatchJournal, configuration: String, command: [String], options: Options,
        observer: any BatchObserver
    ) {
        live = LiveReport(folder: folder, journal: journal, jobs: options.jobs)
        (self.folder, self.journal, self.configuration) = (folder, journal, configuration)
        (self.command, self.options, self.observer) = (command, options, observer)
    }

    /// Analyses all inputs of the plan that no other process takes. On an error or a cancellation, keeps finished
    /// results. `failures`: inputs that were not found, which the plan lacks.
    package func run(_ plan: [BatchInput], failures: [InputFinder.Problem] = []) async throws -> Summary {
        let state = BatchState(plan: plan, failures: failures)
        defer { live.record(state.progress) }
        let resultPaths = Set(plan.map { PathBytes($0.resultPath) })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, options.jobs) { group.addTask { try await self.runJob(state, resultPaths) } }
            group.addTask {
                // A cancellation ends the sleep.
                while (try? await Task.sleep(for: .seconds(10))) != nil {
                    let progress = state.progress.running.compactMap { file in
                        file.progress?.fraction.map { (PathBytes(file.resultPath), $0) }
                    }
                    try self.journal.renewLeases(progress: Dictionary(uniqueKeysWithValues: progress))
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    let pause = self.live.update(state.progress)
                    self.options.metrics?.update(self.journal)
                    try? await Task.sleep(for: pause)
                }
            }
            for _ in 0..<max(1, options.jobs) { _ = try await group.next() }
            group.cancelAll()
            try Task.checkCancellation()
            return state.summary
        }
    }

    /// Adds report pages to finished results, without analysing anything.
    package func addReports(_ inputs: [BatchInput]) async throws -> Summary {
        let state = BatchState(plan: inputs)
        let _: [Never] = try await divide(inputs, state) { input, _, worker in
            try checkFreeSpace()
            let outcome = await FileAttempt(
                job: job(.report, input.path, input.resultPath), worker: worker, options: options, observer: observer
            ) { _ in }.run()
            if let error = end(after: outcome.result) { throw error }
            switch outcome.result {
            case .done(let report):
                state.countDone(report)
                observer.addedReport(input.path, result: "\(folder)/\(input.resultPath)")
            case .failed(let reason, _):
                state.countFailed(input.path, reason)
                observer.failed(input.path, reason: reason, attempt: nil)
            }
            observer.progressed(state.advance(bytes: input.state.bytes))
            return (nil, outcome.workerHasEnded)
        }
        return state.summary
    }

    /// Divides inputs among the jobs. Each job has a worker, which is replaced when it has ended.
    private func divide<Value: Sendable>(
        _ inputs: [BatchInput], _ state: BatchState,
        _ work: @escaping @Sendable (BatchInput, Int, WorkerProcess) async throws -> (Value?, workerHasEnded: Bool)
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: [Value].self) { group in
            for _ in 0..<max(1, min(options.jobs, inputs.count)) {
                group.addTask {
                    var values: [Value] = []
                    var worker: WorkerProcess?
                    defer { worker?.signal(SIGKILL) }
                    while let number = state.next(below: inputs.count) {
                        if Task.isCancelled { throw VidscanError(.interrupted, "interrupted") }
                        let current = if let worker { worker } else { try await startWorker() }
                        worker = current
                        let (value, workerHasEnded) = try await work(inputs[number], number, current)
                        if workerHasEnded { worker = nil }
                        if let value { values.append(value) }
                    }
                    return values
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Measures how long a few inputs take, by analysing them up to the end that the settings name. The batch's folder
    /// receives the results. `analysedSeconds`: how much of a video of this length the batch will analyse.
    package func measure(
        _ inputs: [BatchInput], analysedSeconds: @escaping @Sendable (Double) -> Double
    ) async throws -> [TimeEstimate.Sample] {
        try await divide(inputs, BatchState(plan: inputs)) { input, number, worker in
            var sample: TimeEstimate.Sample?
            // The first time, it loads the models.
            for round in 1...2 {
                let outcome = await FileAttempt(
                    job: job(.analysis, input.path, "\(number)-\(round).vidscan"), worker: worker, options: options
                ) { _ in }.run()
                if Task.isCancelled { throw VidscanError(.interrupted, "interrupted") }
                if let error = end(after: outcome.result) { throw error }
                guard case .done(let report) = outcome.result else { return (nil, outcome.workerHasEnded) }
                let length = max(analysedSeconds(outcome.videoSeconds), report.videoSeconds)
                let scale = report.videoSeconds > 0 ? length / report.videoSeconds : 1
                sample = TimeEstimate.Sample(
                    bytes: Double(input.state.bytes), videoSeconds: length, wallSeconds: report.wallSeconds * scale)
            }
            return (sample, false)
        }
    }

    private func runJob(_ state: BatchState, _ resultPaths: Set<PathBytes>) async throws {
        var worker: WorkerProcess?
        defer { worker?.signal(SIGKILL) }
        var filesOfWorker = 0
        while true {
            if Task.isCancelled { throw VidscanError(.interrupted, "interrupted") }
            try checkFreeSpace()
            // Before the claim, so as not to overlook an input that another process gives back in between.
            let others = try journal.countClaimedByOthers(among: resultPaths, configuration: configuration)
            guard let item = try journal.claim(among: resultPaths, configuration: configuration) else {
                // If another process dies, this one takes over its inputs.
                guard others > 0 else { return }
                if !state.hasWaited.exchange(true, ordering: .relaxed) { observer.waiting(forFiles: others) }
                try? await Task.sleep(for: .seconds(1))
                continue
            }
            guard await isStable(item, since: state.startTime) else {
                try postpone(item, state)
                continue
            }
            if let reason = conflict(of: item) {
                try record(.failed(reason, .other), of: item, state)
                continue
            }
            if worker == nil || filesOfWorker >= options.filesPerWorker {
                worker?.signal(SIGKILL)
                do { worker = try await startWorker() } catch {
                    try finish(item, .released)
                    throw error
                }
                filesOfWorker = 0
            }
            guard let current = worker else { continue }
            filesOfWorker += 1
            let file = PathBytes(item.resultPath)
            state.update {
                $0.running[file] = RunningFile(path: item.path, resultPath: item.resultPath, bytes: item.bytes)
            }
            let outcome = await FileAttempt(
                job: job(.analysis, item.path, item.resultPath), attempt: item.attempts, worker: current,
                options: options, observer: observer
            ) { [observer] progress in
                observer.progressed(state.update { $0.running[file]?.progress = progress })
            }.run()
            state.update { $0.running[file] = nil }
            if outcome.workerHasEnded {
                worker = nil
                BatchFolder(folder).removeLeftovers(beside: [item.resultPath])
            }
            try record(outcome.result, of: item, state)
        }
    }

    /// Why the item's result must not be written: another shard, whose journal is unknown, may have chosen its path.
    private func conflict(of item: BatchJournal.Item) -> String? {
        guard journal.shard != nil, !options.selection.isForced, let input = BatchFolder(folder).otherInput(of: item)
        else { return nil }
        return "\(folder)/\(item.resultPath) is the result of \(input), which belongs to another shard;"
            + " --force replaces it"
    }

    private func job(_ work: WorkerJob.Work, _ path: String, _ resultPath: String) -> WorkerJob {
        WorkerJob(input: path, folder: folder, resultPath: resultPath, work: work, takesDigest: options.takesDigests)
    }

    private func startWorker() async throws -> WorkerProcess {
        let worker = try await WorkerProcess.start(command: command)
        try worker.send(options.setup)
        return worker
    }

    private func end(after result: FileAttempt.Result) -> VidscanError? {
        switch result {
        case .failed(_, .interrupted) where Task.isCancelled: VidscanError(.interrupted, "interrupted")
        case .failed(let reason, .diskFull): VidscanError(.diskFull, reason, input: folder)
        case .failed(let reason, .setup): VidscanError(.setup, reason)
        default: nil
        }
    }

    private func finish(_ item: BatchJournal.Item, _ outcome: BatchJournal.Outcome) throws(VidscanError) {
        try journal.finish(item, outcome, retries: options.selection.retries)
    }

    private func postpone(_ item: BatchJournal.Item, _ state: BatchState, hasReplacedResult: Bool = false) throws {
        try finish(item, .postponed(hasReplacedResult: hasReplacedResult))
        state.update { $0.counts.postponed += 1 }
        observer.postponed(item.path, reason: "the file is still changing; it is left for the next run")
    }

    private func record(_ result: FileAttempt.Result, of item: BatchJournal.Item, _ state: BatchState) throws {
        if let error = end(after: result) {
            try finish(item, .released)
            throw error
        }
        var failure: String?
        // If the file changed during its analysis, a new result may describe half of it.
        let hasChanged = FileState(path: item.path)?.looksLike(item.state) == false
        switch result {
        case .done where hasChanged: return try postpone(item, state, hasReplacedResult: true)
        case .failed where hasChanged: return try postpone(item, state)
        case .failed(let reason, _) where FileState.isGone(item.path):
            try finish(item, .gone)
            if item.isNamed {
                failure = reason
            } else {
                state.update { $0.counts.gone += 1 }
                observer.lost(item.path)
            }
        case .failed(let reason, let kind)
        where !item.isNamed && (kind == .noVideo || kind == .notMedia && !InputFinder.hasVideoExtension(item.path)):
            // It was only found in a folder, and neither its content nor its extension is that of a video or picture.
            try finish(item, .skipped(reason))
            state.update { $0.counts.skipped += 1 }
        case .failed(let reason, _):
            try finish(item, .failed(reason))
            failure = reason
        case .done(var report):
            // The digest describes the analysed content only if the file has not changed since before the analysis.
            if FileState(path: item.path)?.changed != item.changed { report.digest = nil }
            try finish(item, .done(report))
            if options.selection.isStrict, !report.warnings.isEmpty {
                // The result is complete, and acceptable without --strict.
                failure = BatchJournal.strictReason(report.warnings)
            } else {
                state.countDone(report)
                observer.delivered(
                    item.path, report: report, result: "\(folder)/\(item.resultPath)", attempt: item.attempts)
            }
        }
        if let failure {
            state.countFailed(item.path, failure)
            observer.failed(item.path, reason: failure, attempt: item.attempts)
        }
        observer.progressed(state.advance(bytes: item.bytes))
    }

    private func checkFreeSpace() throws(VidscanError) {
        var space = statvfs()
        guard statvfs(folder, &space) == 0, space.f_blocks > 0 else { return }
        let free = Int64(space.f_bavail) * Int64(space.f_frsize)
        try require(
            free >= options.minimumFreeSpace, .diskFull,
            "\(folder): only \(free >> 20) MB are free on its disk, and --leave-free keeps"
                + " \(options.minimumFreeSpace >> 20); free some space and run the batch again")
    }

    /// Whether the file is as registered, and nobody is writing to it.
    private func isStable(_ item: BatchJournal.Item, since startTime: ContinuousClock.Instant) async -> Bool {
        // The worker reports a missing file.
        guard let state = FileState(path: item.path) else { return true }
        guard state.looksLike(item.state) else { return false }
        // A recently modified file must not change for a second after the run started.
        let age = Date().timeIntervalSince1970 - Double(state.modified) / 1e9
        guard age < 3, .now - startTime < .seconds(1) else { return true }
        try? await Task.sleep(until: startTime + .seconds(1), clock: .continuous)
        return FileState(path: item.path)?.looksLike(state) ?? false
    }
}

/// Called on any thread.
package protocol BatchObserver: Sendable {
    func progressed(_ progress: Batch.Progress)
    /// - Parameter attempt: from 1, over all runs.
    func delivered(_ path: String, report: WorkerReport, result: String, attempt: Int)
    func addedReport(_ path: String, result: String)
    /// - Parameter attempt: `nil` if nothing was to be analysed.
    func failed(_ path: String, reason: String, attempt: Int?)
    /// The file vanished before it was analysed.
    func lost(_ path: String)
    func postponed(_ path: String, reason: String)
    func warned(_ path: String, _ message: String, attempt: Int?)
    func waiting(forFiles count: Int)
}
