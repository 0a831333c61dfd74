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
    var settings: SettingOptionGroups<BatchOutputSettings>

    private struct Work {
        let configuration: Configuration
        let digest: String
        private let makesReport: Bool
        /// The digest of the same settings, but with a report page if this has none, or without it.
        private let digestOfOther: String

        init(_ settings: Settings, models: ModelStore) throws(VidscanError) {
            configuration = try Configuration(settings, models: models)
            digest = try configuration.digest()
            makesReport = settings.report.page
            var other = settings
            other.report.page.toggle()
            digestOfOther = try Configuration(other, models: models).digest()
        }

        /// Accepts a result with a report page that nobody asks for now, or to which a page was added.
        func isMet(by digest: String, at result: String) -> Bool {
            digest == digestOfOther
                && (!makesReport || FileManager.default.fileExists(atPath: result + "/report.html"))
        }
    }

    func run() async throws {
        let (resolved, work, output) = try ExitStatus.usage.onError {
            let resolved = try settings.resolve()
            let models = try ModelStore()
            let work = try Work(resolved.settings, models: models)
            guard let output = resolved.settings.write.folder else {
                throw SettingsError(BatchChecks.missingFolder(files.inputs))
            }
            return (resolved, work, output)
        }
        let reporter = BatchConsoleReporter(resolved.settings.messages)
        let folder = BatchFolder(FilePath.absolute(output))
        var status: ExitStatus?
        var interrupts: InterruptHandler?
        defer { interrupts?.stop() }
        do {
            status = try await run(
                resolved, work, folder: folder, reporter: reporter, interrupts: &interrupts)
        } catch let error where error is VidscanError || error is CancellationError {
            let error = error as? VidscanError ?? VidscanError(.interrupted, "interrupted")
            reporter.stopped(error)
            status = ExitStatus(error)
        }
        guard let status else { return }
        if status.code != ExitStatus.interrupted.code {
            try await runFailureHook(status, folder.path, reporter, interrupts ?? InterruptHandler {})
        }
        throw status
    }

    private func run(
        _ resolved: ResolvedSettings, _ work: Work, folder: BatchFolder, reporter: BatchConsoleReporter,
        interrupts: inout InterruptHandler?
    ) async throws -> ExitStatus? {
        let budget = try execution.budget(cores: Self.cores)
        try BatchChecks.settings(resolved.settings, merges: execution.merge)
        try BatchChecks.writable(folder.path)
        let findings = try files.find()
        for problem in findings.problems { reporter.failed(problem.path, reason: problem.reason) }
        var selection = BatchJournal.Selection()
        selection.retries = execution.retries
        selection.isForced = resolved.settings.write.replaces
        selection.isOnlyFailed = execution.onlyFailed
        selection.keepsDone = execution.keepDone
        selection.isStrict = execution.strict
        if execution.onlyMissing != nil, !folder.hasJournal {
            throw VidscanError(.input, "\(folder.path) does not contain a batch")
        }
        if execution.dryRun {
            let journal = try BatchJournal.openReadOnly(folder: folder.path, shard: files.shard)
            if execution.onlyMissing != nil {
                reporter.listMissingReports(try finished(findings.inputs, in: journal, work, folder).lacking)
                return findings.problems.isEmpty ? nil : .someFailed
            }
            var plan = try plan(findings.inputs, work, selection, in: journal, folder, reporter)
            let items = try journal.items()
            BatchExplanation(configuration: work.configuration, folder: folder, items: items).explain(&plan)
            let estimate = TimeEstimate(items, configuration: work.digest)
            let due = plan.filter(\.isDue).map { Double($0.input.identity.bytes) }
            reporter.listDecisions(
                plan, skipped: findings.skipped,
                seconds: due.isEmpty ? nil : estimate?.seconds(due, jobs: budget.jobs))
            reporter.warnOfRepetition(plan)
            return findings.problems.isEmpty ? nil : .someFailed
        }
        // Probably a typing error: leave no folder behind.
        if findings.inputs.isEmpty, !findings.problems.isEmpty,
            !FileManager.default.fileExists(atPath: folder.path)
        {
            return .someFailed
        }
        do {
            try FileSystem.createFolder(folder.path)
        } catch {
            throw VidscanError(.input, "cannot create the folder \(folder.path): \(error)")
        }
        let journal = try BatchJournal(folder: folder.path, shard: files.shard)
        try folder.removeLeftovers()
        if execution.onlyMissing != nil {
            return try await addReports(
                findings, resolved, work, selection, in: journal, folder, budget, reporter, &interrupts)
        }
        var plan = try plan(findings.inputs, work, selection, in: journal, folder, reporter)
        BatchExplanation(configuration: work.configuration, folder: folder, items: try journal.items()).explain(&plan)
        reporter.skipped(findings.skipped)
        reporter.started(plan)
        let live = LiveReport(folder: folder.path, journal: journal, jobs: budget.jobs)
        let batch = Batch(
            folder: folder.path, journal: journal, configuration: work.digest, command: [Self.program, "batch-worker"],
            options: options(resolved, selection, budget), observer: reporter, live: live)
        // Includes inputs of another process, because that process may die.
        let due = plan.filter { $0.isDue || $0.reason == .running }.map(\.input)
        let task = Task { try await batch.run(due) }
        interrupts = InterruptHandler { task.cancel() }
        let result = await task.result
        do {
            let report = try Self.finish(live, result)
            if let metrics = execution.metricsFile { try report.writeMetrics(to: metrics) }
        } catch {
            // If the batch failed too, its error matters more.
            if case .success = result { throw error }
        }
        if case .failure(let error) = result,
            (error as? VidscanError)?.code == .interrupted || error is CancellationError
        {
            reporter.interrupted(live.progress, isForced: selection.isForced)
            return .interrupted
        }
        var summary = try result.get()
        try add(
            journal.failures(among: Set(due.map { PathBytes($0.resultPath) }), isStrict: selection.isStrict),
            to: &summary, reporter)
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

    private func finished(
        _ inputs: [BatchInput], in journal: BatchJournal, _ work: Work, _ folder: BatchFolder
    ) throws(VidscanError) -> (count: Int, lacking: [BatchInput]) {
        let finished = try journal.register(
            inputs, configuration: work.digest, selection: BatchJournal.Selection(), isDryRun: true,
            hasResult: folder.hasResult
        ).filter { $0.former?.status == .done && folder.hasResult(at: $0.input.resultPath) }.map(\.input)
        let lacking = finished.filter {
            !FileManager.default.fileExists(atPath: "\(folder.path)/\($0.resultPath)/report.html")
        }
        return (finished.count, lacking)
    }

    private func addReports(
        _ findings: InputFinder.Findings, _ resolved: ResolvedSettings, _ work: Work,
        _ selection: BatchJournal.Selection, in journal: BatchJournal, _ folder: BatchFolder,
        _ budget: MemoryBudget, _ reporter: BatchConsoleReporter, _ interrupts: inout InterruptHandler?
    ) async throws -> ExitStatus? {
        let (known, lacking) = try finished(findings.inputs, in: journal, work, folder)
        let batch = Batch(
            folder: folder.path, journal: journal, configuration: work.digest, command: [Self.program, "batch-worker"],
            options: options(resolved, selection, budget), observer: reporter)
        let task = Task { try await batch.addReports(lacking) }
        interrupts = InterruptHandler { task.cancel() }
        let result = await task.result
        try BatchReport(try journal.items()).write(folder: folder.path, shard: files.shard)
        let summary = try result.get()
        reporter.addedReports(summary, of: known, folder: folder.path)
        return summary.failures.isEmpty && findings.problems.isEmpty ? nil : .someFailed
    }

    /// Adds failures of inputs that another process analysed, by their paths.
    private func add(
        _ failures: [PathBytes: String], to summary: inout Batch.Summary, _ reporter: BatchConsoleReporter
    ) {
        let known = Set(summary.failures.map { PathBytes($0.path) })
        for (path, reason) in failures.sorted(by: { $0.key < $1.key }) where !known.contains(path) {
            summary.failures.append((path.path, reason))
            summary.progress.failed += 1
            reporter.failed(path.path, reason: reason)
        }
    }

    private static func finish(
        _ live: LiveReport, _ result: Result<Batch.Summary, any Error>
    ) throws(VidscanError) -> BatchReport {
        switch result {
        case .success: return try live.finish(.finished)
        case .failure(let error as VidscanError) where error.code != .interrupted:
            return try live.finish(.stopped, message: error.reason)
        case .failure: return try live.finish(.interrupted)
        }
    }

    /// Returns whether every result could be read. With several shards, the user starts this, because a shard does not
    /// know when the others are done.
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
        _ inputs: [BatchInput], _ work: Work, _ selection: BatchJournal.Selection, in journal: BatchJournal,
        _ folder: BatchFolder, _ reporter: BatchConsoleReporter
    ) throws(VidscanError) -> [BatchJournal.PlannedInput] {
        var verdicts: [PathBytes: ContentCheck.Verdict] = [:]
        if execution.byContent && !selection.isForced && !selection.isOnlyFailed {
            verdicts = try ContentCheck(journal: journal) { try? FileDigest.sha256(path: $0) }.run(
                inputs, configuration: work.digest, isDryRun: execution.dryRun, hasResult: folder.hasResult,
                willRead: reporter.willRead)
        }
        return try journal.register(
            inputs, configuration: work.digest, selection: selection,
            isEquivalent: { work.isMet(by: $0, at: "\(folder.path)/\($1)") }, verdicts: verdicts,
            isDryRun: execution.dryRun,
            isMadeAsConfigured: { resultPath in
                let made = try? Configuration(resultPath: "\(folder.path)/\(resultPath)")
                return made?.changes(to: work.configuration).isEmpty ?? false
            }, hasResult: folder.hasResult)
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

    private func runFailureHook(
        _ status: ExitStatus, _ folder: String, _ reporter: BatchConsoleReporter, _ interrupts: InterruptHandler
    ) async throws(ExitStatus) {
        guard let command = execution.onFailure else { return }
        let name = "--on-failure"
        let hook = FailureHook(
            command: command, variables: ["VIDSCAN_STATUS": "\(status.code)", "VIDSCAN_OUTPUT": folder])
        let outcome: FailureHook.Outcome
        do throws(SystemError) { outcome = try await hook.run(interrupts) } catch {
            return reporter.warned(name, "cannot start /bin/sh: \(error)")
        }
        switch outcome {
        case .ended(.status(0)): break
        case .ended(.status(let status)): reporter.warned(name, "the command ended with status \(status)")
        case .ended(.signal(let signal)): reporter.warned(name, "the command was killed by signal \(signal)")
        case .interrupted:
            reporter.stopped(VidscanError(.interrupted, "interrupted during the --on-failure command"))
            throw .interrupted
        }
    }

    private static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "vidscan"
    }
}
