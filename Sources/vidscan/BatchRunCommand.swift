internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanMedia
internal import VidscanPeople
internal import VidscanReport
internal import VidscanResults

struct BatchRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Analyses the files that are due.")

    @OptionGroup(title: "Which files") var files: BatchInputOptions
    @OptionGroup(title: "How") var execution: BatchExecutionOptions
    @OptionGroup var settings: SettingOptionGroups<BatchOutputSettings>

    func run() async throws {
        let resolved: ResolvedSettings
        var problem: (any Error)?
        do { resolved = try settings.resolve() } catch {
            // Without the pipeline, the options still tell where and how to report.
            var rest = settings
            rest.pipeline = nil
            guard let settings = try? rest.resolve() else { throw error }
            (resolved, problem) = (settings, error)
        }
        let end = BatchEnd(self, resolved)
        defer { end.interrupts.stop() }
        var status: ExitStatus?
        do {
            if let problem { throw problem }
            let work = try BatchWork(self, resolved, end)
            status = try await end.interrupts.run { try await work.run() }.get()
        } catch let error as VidscanError {
            status = end.reporter.stopped(error)
        } catch is CancellationError {
            status = end.reporter.stopped(VidscanError(.interrupted, "interrupted"))
        } catch { status = ExitStatus(rawValue: VidscanCommand.report(error)) }
        status = end.writeMetrics(status)
        guard let status else { return }
        if status != .interrupted { try await end.runFailureHook(status) }
        throw status
    }
}

private struct BatchWork {
    private let files: BatchInputOptions
    private let execution: BatchExecutionOptions
    private let resolved: ResolvedSettings
    private let reporter: BatchConsoleReporter
    private let metrics: BatchMetrics?
    private let allowsFileFilters: Bool
    private let folder: BatchFolder
    private let configuration: Configuration
    private let digest: String
    /// The digest of the same settings, but with a report page if this has none, or without it.
    private let digestOfOther: String
    private var selection = BatchJournal.Selection()

    init(_ command: BatchRunCommand, _ resolved: ResolvedSettings, _ end: BatchEnd) throws {
        (files, execution, self.resolved) = (command.files, command.execution, resolved)
        (reporter, metrics) = (end.reporter, end.metrics)
        allowsFileFilters = command.settings.video.filters.allowFileFilters
        var settings = resolved.settings
        guard let output = settings.write.folder else { throw SettingsError(BatchChecks.missingFolder(files.inputs)) }
        folder = BatchFolder(FilePath.absolute(output))
        let models = try ModelStore()
        configuration = try Configuration(settings, models: models)
        digest = configuration.digest
        settings.report.page.toggle()
        digestOfOther = try Configuration(settings, models: models).digest
        (selection.retries, selection.isForced) = (execution.retries, settings.write.replaces)
        (selection.isOnlyFailed, selection.keepsDone) = (execution.onlyFailed, execution.keepDone)
        selection.isStrict = execution.strict
    }

    func run() async throws -> ExitStatus? {
        let budget = try execution.budget(cores: Self.cores)
        try BatchChecks.settings(resolved.settings, merges: execution.merge)
        // A dry run of an existing batch also works on a read-only file system.
        if !execution.dryRun || !folder.hasJournal { try BatchChecks.writable(folder.path) }
        let findings = try files.find()
        for problem in findings.problems { reporter.failed(problem.path, reason: problem.reason) }
        try require(
            execution.onlyMissing == nil || folder.hasJournal, .input, "\(folder.path) does not contain a batch")
        if execution.dryRun {
            try await list(findings, budget)
            return findings.problems.isEmpty ? nil : .someFailed
        }
        // Probably a typing error: leave no folder behind.
        if findings.inputs.isEmpty, !findings.problems.isEmpty, !FileManager.default.fileExists(atPath: folder.path) {
            return .someFailed
        }
        do { try FileSystem.createFolder(folder.path) } catch {
            throw VidscanError(.input, "cannot create the folder \(folder.path): \(error)")
        }
        if !selection.isForced { try folder.protectFiles(shard: files.shard, merges: execution.merge) }
        let journal = try BatchJournal(folder: folder.path, shard: files.shard)
        defer { journal.close() }
        try folder.removeLeftovers()
        let succeeded =
            try await execution.onlyMissing != nil
            ? addReports(findings.inputs, in: journal, budget) && findings.problems.isEmpty
            : analyze(findings, in: journal, budget)
        return succeeded ? nil : .someFailed
    }

    /// Returns whether nothing failed, now or earlier.
    private func analyze(
        _ found: InputFinder.Findings, in journal: BatchJournal, _ budget: MemoryBudget
    ) async throws -> Bool {
        var findings = found
        if let target = resolved.settings.render.publishFolder.map({ FilePath.resolved(FilePath.expandingHome($0)) }) {
            // The next run finds what this one publishes.
            let folders = ["/", ".private/"].map { target + $0 }
            findings.inputs.removeAll { input in folders.contains(where: FilePath.resolved(input.path).hasPrefix) }
        }
        // What cannot be written is reported now, not after the work.
        do { try metrics?.write(journal) } catch { throw VidscanError(.input, error.reason) }
        let publisher = try Publisher(resolved.settings, reporter.log, sources: files.inputs + [folder.path])
        let gone = try journal.markGone()
        if gone > 0 { reporter.lost(files: gone, folder: folder.path) }
        let plan = try plan(findings.inputs, in: journal)
        reporter.skipped(findings.skipped)
        reporter.started(plan)
        // Includes inputs of another process, because that process may die.
        let due = plan.filter { $0.isDue || $0.reason == .running }.map(\.input)
        let batch = batch(journal, budget)
        let devices = files.inputs.map(FileSystem.device)
        let result: Result<Batch.Summary, any Error>
        do { result = .success(try await batch.run(due, failures: findings.problems)) } catch {
            result = .failure(error)
        }
        do { try batch.live.finish(result) } catch {
            // If the batch failed too, its error matters more.
            if case .success = result { throw error }
        }
        if case .failure(let error) = result,
            (error as? VidscanError)?.code == .interrupted || error is CancellationError
        {
            reporter.interrupted(batch.live.progress, isForced: selection.isForced)
            throw ExitStatus.interrupted
        }
        var summary = try result.get()
        // Another process may have analysed some of the inputs.
        let known = Set(summary.failures.map { PathBytes($0.path) })
        let paths = Set(due.map { PathBytes($0.resultPath) })
        let failures = try journal.failures(among: paths, isStrict: selection.isStrict)
        for (path, reason) in failures.sorted(by: { $0.key < $1.key }) where !known.contains(path) {
            summary.progress.failed += 1
            reporter.failed(path.path, reason: reason)
        }
        // A folder or disk that vanished takes its files with it.
        for (root, device) in zip(files.inputs, devices)
        where summary.progress.gone > 0 && device != nil && FileSystem.device(root) != device {
            summary.progress.failed += 1
            reporter.failed(root, reason: "it vanished during the run")
        }
        let overtaken = try journal.countOvertaken(among: paths, configuration: digest)
        if overtaken > 0 { reporter.overtaken(files: overtaken) }
        let hasResults = plan.contains { folder.hasResult(at: $0.input.resultPath) }
        var published: (new: Int, failed: Int)?
        if let publisher {
            let done = try finished(findings.inputs, in: journal, isStrict: selection.isStrict)
            published = try await publish(done, publisher)
        }
        let isFine = reporter.finished(summary, plan, folder: folder.path, published: published)
        if execution.merge, hasResults {
            try MergedTable(folder: folder.path, table: "faces").write(to: "\(folder.path)/faces.csv", replaces: true)
        }
        let succeeded = isFine && overtaken == 0
        if publisher?.isIncomplete == true { throw ExitStatus.usage }
        guard resolved.settings.track.keepsEmbeddings, hasResults else { return succeeded }
        let people = "\(folder.path)/\(ReportIndex.peopleFile)"
        let isNew = !FileManager.default.fileExists(atPath: people)
        let isLinked = try await linkPeople()
        // The index links to the page of people.
        if isNew, FileManager.default.fileExists(atPath: people) { try batch.live.finish(result) }
        return isLinked && succeeded
    }

    /// Counts the videos that were published now, and those that could not be.
    private func publish(_ inputs: [BatchInput], _ publisher: Publisher) async throws -> (new: Int, failed: Int) {
        var (new, failed) = (0, 0)
        for input in inputs {
            try Task.checkCancellation()
            do {
                if try await publisher.publish(input.resultPath, below: folder.path, of: input.path) { new += 1 }
            } catch let error as VidscanError where ![.interrupted, .diskFull].contains(error.code) {
                failed += 1
                reporter.failed(input.path, reason: error.reason)
            }
        }
        return (new, failed)
    }

    private func plan(
        _ inputs: [BatchInput], in journal: BatchJournal
    ) throws(VidscanError) -> [BatchJournal.PlannedInput] {
        var verdicts: [PathBytes: BatchJournal.ContentVerdict] = [:]
        if execution.byContent && !selection.isForced && !selection.isOnlyFailed {
            verdicts = try journal.compareContent(
                of: inputs, configuration: digest, isDryRun: execution.dryRun,
                digest: { try? FileDigest.sha256(path: $0) }, willRead: reporter.willRead, hasResult: folder.hasResult)
            try require(!Task.isCancelled, .interrupted, "interrupted")
        }
        var plan = try journal.register(
            inputs, configuration: digest, selection: selection, isEquivalent: isEquivalent, verdicts: verdicts,
            isDryRun: execution.dryRun,
            isMadeAsConfigured: { configuration.changes(since: "\(folder.path)/\($0)")?.isEmpty ?? false },
            hasCurrentCovers: { result in
                guard let hiding = resolved.settings.rendering?.anonymize else { return true }
                let path = "\(folder.path)/\(result)"
                return CoverFile.areCurrent(in: path, path: hiding.covers, isInverted: hiding.isInverted)
            },
            hasResult: folder.hasResult)
        try configuration.explain(&plan, journal, in: folder.path)
        return plan
    }

    /// Accepts a result with a report page that nobody asks for now, or to which a page was added.
    private func isEquivalent(_ digest: String, _ resultPath: String) -> Bool {
        digest == digestOfOther && (!resolved.settings.report.page || hasReport(resultPath))
    }

    private func hasReport(_ result: String) -> Bool { FileSystem.entry("\(folder.path)/\(result)/report.html") != nil }

    private func list(_ findings: InputFinder.Findings, _ budget: MemoryBudget) async throws {
        let journal = try BatchJournal.openReadOnly(folder: folder.path, shard: files.shard)
        if execution.onlyMissing != nil {
            let lacking = try finished(findings.inputs, in: journal).filter { !hasReport($0.resultPath) }
            for input in lacking { Output.standard("add   \(input.path)  (no report page)") }
            return Output.standard("\(NumberText.count(lacking.count, "report")) would be added")
        }
        let plan = try plan(findings.inputs, in: journal)
        let due = plan.filter(\.isDue).map(\.input)
        var (estimate, basis) = (TimeEstimate(try journal.items(), configuration: digest), "the files that are done")
        if estimate == nil, !due.isEmpty {
            let samples = try await measure(due, journal, budget)
            basis = "the first seconds of \(NumberText.count(samples.count, "file"))"
            estimate = TimeEstimate(samples)
        }
        for planned in plan {
            let decision = planned.isDue ? "run " : planned.reason == .hasWarnings ? "fail" : "skip"
            Output.standard("\(decision)  \(planned.input.path)  (\(planned.explanation))")
        }
        for problem in findings.skipped { Output.standard("skip  \(problem.path)  (\(problem.reason))") }
        var time = ""
        if let estimate, !due.isEmpty {
            let bytes = due.map { Double($0.state.bytes) }
            let (seconds, videoSeconds) = (estimate.seconds(bytes, jobs: budget.jobs), estimate.videoSeconds(bytes))
            let length =
                seconds < 3600 ? TimeText.clock(Int64(seconds * 1e6)) : String(format: "%.1f hours", seconds / 3600)
            time = ", in " + (seconds < 1 ? "less than a second" : "about \(length)")
            if videoSeconds > 0 { time += String(format: " (%.1f× real time)", videoSeconds / max(seconds, 1e-3)) }
            let more = resolved.settings.render == Settings.Render() ? "" : ", without new videos"
            time += ", estimated from \(basis)\(more)"
        }
        Output.standard("\(due.count) of \(NumberText.count(plan.count, "file")) would be analysed\(time)")
        reporter.warnOfRepetition(plan)
    }

    /// Analyses the beginning of a small, a medium and a large file in a private folder that is removed.
    private func measure(
        _ inputs: [BatchInput], _ journal: BatchJournal, _ budget: MemoryBudget
    ) async throws -> [TimeEstimate.Sample] {
        let parent = FileManager.default.temporaryDirectory.path
        let temporary = try WorkingItem.temporaryFolder(in: parent)
        defer { temporary.remove() }
        var settings = resolved.settings
        // Faces can be hidden only in whole videos.
        settings.render = Settings.Render()
        settings.write.tables = nil
        let (start, end) = (settings.sample.start ?? 0, settings.sample.end ?? .max)
        let length: Int64 = 5_000_000
        settings.sample.end = min(min(start, .max - length) + length, end)
        let sorted = inputs.sorted { ($0.state.bytes, $0.path) < ($1.state.bytes, $1.path) }
        let count = min(sorted.count, 3)
        let chosen = (0..<count).map { sorted[(2 * $0 + 1) * sorted.count / (2 * count)] }
        let batch = batch(journal, budget, in: "\(parent)/\(temporary.name)", try ResolvedSettings(settings).yaml)
        return try await batch.measure(chosen) { min($0, Double(end) / 1e6) - Double(start) / 1e6 }
    }

    /// Whether every result could be read. The user starts this for shards, which do not know when the others are done.
    private func linkPeople() async throws -> Bool {
        guard files.shard == nil else {
            let advice = "'vidscan people \(FilePath.shellWord(folder.path))' joins the people of all videos"
            reporter.log(.info, .message, advice, ["output": folder.path])
            return true
        }
        do {
            let summary = try await PeopleStudy().run(results: [folder.path], folder: folder.path)
            reporter.linked(summary)
            return summary.failures.isEmpty
        } catch let error as VidscanError where error.code != .interrupted {
            reporter.failed(error.input ?? folder.path, reason: error.reason)
            return false
        }
    }

    /// - Parameter isStrict: leaves out results with warnings.
    private func finished(
        _ inputs: [BatchInput], in journal: BatchJournal, isStrict: Bool = false
    ) throws(VidscanError) -> [BatchInput] {
        try journal.register(
            inputs, configuration: digest, selection: BatchJournal.Selection(), isDryRun: true,
            hasResult: folder.hasResult
        ).filter { $0.former?.status == .done && folder.hasResult(at: $0.input.resultPath) }
            .filter { !isStrict || $0.former?.warnings.isEmpty == true }.map(\.input)
    }

    private func addReports(
        _ inputs: [BatchInput], in journal: BatchJournal, _ budget: MemoryBudget
    ) async throws -> Bool {
        let known = try finished(inputs, in: journal)
        let lacking = known.filter { !hasReport($0.resultPath) }
        let batch = batch(journal, budget)
        defer { _ = try? BatchReport(try journal.items()).write(folder: folder.path, shard: files.shard) }
        let summary = try await batch.addReports(lacking)
        let (done, failed) = (summary.progress.done, summary.progress.failed)
        reporter.log(
            .info, .finished,
            "\(NumberText.count(done, "report")) added, \(failed) failed,"
                + " \(NumberText.count(known.count - done - failed, "result")) had one already -> \(folder.path)/",
            ["done": done, "failed": failed, "output": folder.path])
        return summary.failures.isEmpty
    }

    private static var cores: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    /// - Parameter path: a folder instead of the batch's.
    private func batch(
        _ journal: BatchJournal, _ budget: MemoryBudget, in path: String? = nil, _ pipeline: String? = nil
    ) -> Batch {
        var options = Batch.Options()
        (options.jobs, options.selection) = (budget.jobs, selection)
        options.timeoutSeconds = execution.timeout
        options.timeoutPerVideoSecond = execution.timeoutPerSecond
        (options.memoryLimit, options.metrics) = (budget.workerLimit, metrics)
        options.takesDigests = execution.byContent
        options.minimumFreeSpace = Int64(execution.leaveFree) << 20
        let isChosen = Setting.at("detect.workers").map { resolved.origin(of: $0) != .default } ?? false
        options.setup.pipeline = pipeline ?? resolved.yaml
        options.setup.allowsFileFilters = allowsFileFilters
        options.setup.workers = isChosen ? resolved.settings.detect.workers : max(1, Self.cores / options.jobs)
        return Batch(
            folder: path ?? folder.path, journal: journal, configuration: digest,
            command: [Installation.program, "batch-worker"], options: options, observer: reporter)
    }
}

/// What happens after a run, even if it could not start: metrics, and the command of `--on-failure`.
private struct BatchEnd {
    let reporter: BatchConsoleReporter
    let interrupts = InterruptHandler()
    let metrics: BatchMetrics?
    private let execution: BatchExecutionOptions
    private let folder: String

    init(_ command: BatchRunCommand, _ resolved: ResolvedSettings) {
        execution = command.execution
        folder = resolved.settings.write.folder.map { FilePath.absolute($0) } ?? ""
        reporter = BatchConsoleReporter(resolved.settings.messages, shard: command.files.shard)
        // Without the folder's name, they would be those of another batch.
        metrics = execution.metricsFile.flatMap { [folder] path in
            folder.isEmpty ? nil : BatchMetrics(path: path, folder: folder, shard: command.files.shard)
        }
    }

    /// Returns the status of the run, which is a failure if the metrics cannot be written.
    func writeMetrics(_ status: ExitStatus?) -> ExitStatus? {
        guard let metrics, !execution.dryRun else { return status }
        do throws(VidscanError) { try metrics.finish(exitStatus: status?.rawValue ?? 0) } catch {
            // If the batch failed too, its error matters more.
            guard status == nil else { return status }
            _ = reporter.stopped(error)
            return .someFailed
        }
        return status
    }

    func runFailureHook(_ status: ExitStatus) async throws(ExitStatus) {
        guard let command = execution.onFailure else { return }
        let name = "--on-failure"
        let variables = ["VIDSCAN_STATUS": "\(status.rawValue)", "VIDSCAN_OUTPUT": folder]
        let termination: SpawnedProcess.Termination?
        do throws(SystemError) {
            termination = try await FailureHook().run(command, variables: variables, interrupts)
        } catch { return reporter.warned(name, "cannot start /bin/sh: \(error)") }
        switch termination {
        case .status(0): break
        case .status(let status): reporter.warned(name, "the command ended with status \(status)")
        case .signal(let signal): reporter.warned(name, "the command was killed by signal \(signal)")
        case nil: throw reporter.stopped(VidscanError(.interrupted, "interrupted during the --on-failure command"))
        }
    }
}
