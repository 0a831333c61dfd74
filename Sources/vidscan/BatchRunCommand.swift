internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanMedia
internal import VidscanPeople

struct BatchRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Analyses the files that are due.")

    @OptionGroup(title: "Which files")
    var files: BatchInputOptions

    @OptionGroup(title: "How")
    var execution: BatchExecutionOptions

    @OptionGroup
    var settings: SettingOptions

    func run() async throws {
        let resolved: ResolvedSettings
        let digest: String
        do {
            resolved = try settings.resolve()
            let models = try ModelStore(concurrency: 1, precision: resolved.settings.detect.precision)
            digest = try resolved.settings.digest(models: models)
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
        guard let output = resolved.settings.write.folder else {
            Output.error("vidscan: error: name the folder for the results and the journal with --output")
            throw ExitStatus.usage
        }
        let reporter = BatchConsoleReporter(resolved.settings.messages)
        let folder = BatchFolder(FilePath.absolute(output))
        var status: ExitStatus?
        var interrupts: InterruptHandler?
        defer { interrupts?.stop() }
        do {
            status = try await run(
                resolved, digest: digest, folder: folder, reporter: reporter, interrupts: &interrupts)
        } catch let error as BatchError {
            reporter.stopped(error)
            status =
                switch error.code {
                case .interrupted: .interrupted
                case .input, .worker: .usage
                case .journal, .diskFull: .someFailed
                }
        } catch is CancellationError {
            reporter.stopped(BatchError(.interrupted, "interrupted"))
            status = .interrupted
        }
        guard let status else { return }
        if status.code != ExitStatus.interrupted.code {
            try await runFailureHook(status, folder.path, reporter, interrupts ?? InterruptHandler {})
        }
        throw status
    }

    /// Runs the batch.
    ///
    /// - Parameter interrupts: Receives the interrupt handler when the analysis starts.
    /// - Returns: The exit status; `nil` if nothing failed.
    private func run(
        _ resolved: ResolvedSettings, digest: String, folder: BatchFolder, reporter: BatchConsoleReporter,
        interrupts: inout InterruptHandler?
    ) async throws -> ExitStatus? {
        let budget = try execution.budget(cores: Self.cores)
        let findings = try files.find()
        for problem in findings.problems { reporter.failed(problem.path, reason: problem.reason) }
        var selection = BatchJournal.Selection()
        selection.retries = execution.retries
        selection.isForced = resolved.settings.write.replaces
        selection.isOnlyFailed = execution.onlyFailed
        if execution.dryRun {
            let journal = try BatchJournal.openReadOnly(folder: folder.path, shard: files.shard?.value)
            reporter.listDecisions(try plan(findings.inputs, digest, selection, in: journal, folder, reporter))
            return findings.problems.isEmpty ? nil : .someFailed
        }
        do {
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        } catch {
            throw BatchError(.input, "cannot create the folder \(folder.path)")
        }
        let journal = try BatchJournal(folder: folder.path, shard: files.shard?.value)
        let plan = try plan(findings.inputs, digest, selection, in: journal, folder, reporter)
        reporter.started(plan)
        let live = LiveReport(folder: folder.path, journal: journal, jobs: budget.jobs)
        let batch = Batch(
            folder: folder.path, journal: journal, configuration: digest, command: [Self.program, "batch-worker"],
            options: options(resolved, selection, budget), observer: reporter, live: live)
        // Includes inputs that another process is working on, because that process may die.
        let due = plan.filter { $0.isDue || $0.reason == .running }.map(\.input)
        let task = Task { try await batch.run(due) }
        interrupts = InterruptHandler { task.cancel() }
        let result = await task.result
        do {
            let report = try Self.finish(live, result)
            if let metrics = execution.metricsFile { try report.writeMetrics(to: metrics) }
        } catch {
            // If the batch itself failed, report that error instead.
            if case .success = result { throw error }
        }
        let summary = try result.get()
        if execution.merge {
            try MergedTable(folder: folder.path, table: "faces").write(to: "\(folder.path)/faces.csv", replaces: true)
        }
        var succeeded = reporter.finished(summary, plan, folder: folder.path) && findings.problems.isEmpty
        if resolved.settings.track.keepsEmbeddings, plan.contains(where: { folder.hasResult(at: $0.input.resultPath) })
        {
            succeeded = try await linkPeople(folder, reporter) && succeeded
        }
        return succeeded ? nil : .someFailed
    }

    /// Writes how the run ended.
    private static func finish(
        _ live: LiveReport, _ result: Result<Batch.Summary, any Error>
    ) throws(BatchError) -> BatchReport {
        switch result {
        case .success: return try live.finish(.finished)
        case .failure(let error as BatchError) where error.code != .interrupted:
            return try live.finish(.stopped, message: error.reason)
        case .failure: return try live.finish(.interrupted)
        }
    }

    /// Joins the people of all results. One shard of several does not know when the others are done, and leaves it to the
    /// user.
    ///
    /// - Returns: Whether every result could be read.
    private func linkPeople(_ folder: BatchFolder, _ reporter: BatchConsoleReporter) async throws -> Bool {
        guard files.shard == nil else {
            reporter.keptEmbeddings(folder: folder.path)
            return true
        }
        do {
            let summary = try await PeopleStudy().run(results: [folder.path], folder: folder.path)
            reporter.linked(summary)
            return summary.failures.isEmpty
        } catch let error as VidscanError {
            reporter.failed(error.input ?? folder.path, reason: error.reason)
            return false
        }
    }

    private func plan(
        _ inputs: [BatchInput], _ digest: String, _ selection: BatchJournal.Selection, in journal: BatchJournal,
        _ folder: BatchFolder, _ reporter: BatchConsoleReporter
    ) throws(BatchError) -> [BatchJournal.PlannedInput] {
        var verdicts: [String: ContentCheck.Verdict] = [:]
        if execution.byContent && !selection.isForced && !selection.isOnlyFailed {
            verdicts = try ContentCheck(journal: journal) { try? FileDigest.sha256(path: $0) }.run(
                inputs, configuration: digest, isDryRun: execution.dryRun, hasResult: folder.hasResult,
                willRead: reporter.willRead)
        }
        return try journal.register(
            inputs, configuration: digest, selection: selection, verdicts: verdicts, isDryRun: execution.dryRun,
            hasResult: folder.hasResult)
    }

    private static var cores: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    private func options(
        _ resolved: ResolvedSettings, _ selection: BatchJournal.Selection, _ budget: MemoryBudget
    ) -> Batch.Options {
        var options = Batch.Options()
        options.jobs = budget.jobs
        options.selection = selection
        options.timeoutSeconds = execution.timeout
        options.timeoutPerVideoSecond = execution.timeoutPerSecond
        options.memoryLimit = budget.workerLimit
        options.takesDigests = execution.byContent
        options.minimumFreeSpace = Int64(execution.leaveFree) << 20
        let isChosen = Setting.at("detect.workers").map { resolved.origin(of: $0) != .default } ?? false
        options.setup = WorkerSetup(
            pipeline: resolved.yaml, allowsFileFilters: settings.video.filters.allowFileFilters,
            workers: isChosen ? resolved.settings.detect.workers : max(1, Self.cores / options.jobs))
        return options
    }

    /// Runs the command of `--on-failure`, if there is one.
    ///
    /// - Throws: `ExitStatus` if the command was interrupted.
    private func runFailureHook(
        _ status: ExitStatus, _ folder: String, _ reporter: BatchConsoleReporter, _ interrupts: InterruptHandler
    ) async throws(ExitStatus) {
        guard let command = execution.onFailure else { return }
        let name = "--on-failure"
        do {
            let hook = FailureHook(
                command: command, variables: ["VIDSCAN_STATUS": "\(status.code)", "VIDSCAN_OUTPUT": folder])
            switch try await hook.run(interrupts) {
            case .ended(.status(0)): break
            case .ended(.status(let status)): reporter.warned(name, "the command ended with status \(status)")
            case .ended(.signal(let signal)): reporter.warned(name, "the command was killed by signal \(signal)")
            case .interrupted:
                reporter.stopped(BatchError(.interrupted, "interrupted during the --on-failure command"))
                throw ExitStatus.interrupted
            }
        } catch let error as SystemError {
            reporter.warned(name, "cannot start /bin/sh: \(error)")
        } catch let status as ExitStatus {
            throw status
        } catch {
            reporter.warned(name, error.localizedDescription)
        }
    }

    /// The path of this program.
    private static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "vidscan"
    }
}
