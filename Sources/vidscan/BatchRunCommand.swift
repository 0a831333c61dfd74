internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBatch
internal import VidscanMedia

struct BatchRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Does what is to be done; the default.")

    @OptionGroup(title: "Which files")
    var files: BatchInputOptions

    @OptionGroup(title: "How")
    var work: BatchWorkOptions

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
            Output.error("vidscan: error: --output names the folder for the results and the journal")
            throw ExitStatus.usage
        }
        let teller = BatchTeller(resolved.settings.messages)
        let folder = BatchFolder(BatchFolder.absolute(output))
        var status: ExitStatus?
        var interrupts: InterruptHandler?
        defer { interrupts?.stop() }
        do {
            status = try await run(resolved, digest: digest, folder: folder, teller: teller, interrupts: &interrupts)
        } catch let error as BatchError {
            teller.stopped(error)
            status =
                switch error.code {
                case .interrupted: .interrupted
                case .input, .worker: .usage
                case .journal, .diskFull: .someFailed
                }
        } catch is CancellationError {
            teller.stopped(BatchError(.interrupted, "interrupted"))
            status = .interrupted
        }
        guard let status else { return }
        if status.code != ExitStatus.interrupted.code {
            try await call(status, folder.path, teller, interrupts ?? InterruptHandler {})
        }
        throw status
    }

    /// - Parameter interrupts: what hears of signals from when files are analysed.
    /// - Returns: how to end, when not all is well.
    private func run(
        _ resolved: ResolvedSettings, digest: String, folder: BatchFolder, teller: BatchTeller,
        interrupts: inout InterruptHandler?
    ) async throws -> ExitStatus? {
        let budget = try work.budget(cores: Self.cores)
        let findings = try files.find()
        for problem in findings.problems { teller.failed(problem.path, reason: problem.reason) }
        var selection = BatchJournal.Selection()
        selection.retries = work.retries
        selection.isForced = resolved.settings.write.replaces
        selection.isOnlyFailed = work.onlyFailed
        if work.dryRun {
            let journal = try BatchJournal.glance(folder: folder.path, shard: files.shard?.value)
            teller.tell(try plan(findings.inputs, digest, selection, in: journal, folder, teller))
            return findings.problems.isEmpty ? nil : .someFailed
        }
        do {
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        } catch {
            throw BatchError(.input, "cannot create the folder \(folder.path)")
        }
        let journal = try BatchJournal(folder: folder.path, shard: files.shard?.value)
        let plan = try plan(findings.inputs, digest, selection, in: journal, folder, teller)
        teller.begins(plan)
        let batch = Batch(
            folder: folder.path, journal: journal, configuration: digest, command: [Self.program, "batch-worker"],
            options: options(resolved, selection, budget), observer: teller)
        // Those of another process count too: it may die.
        let wanted = plan.filter { $0.isDue || $0.reason == .running }.map(\.input)
        let task = Task { try await batch.run(wanted) }
        interrupts = InterruptHandler { task.cancel() }
        let result = await task.result
        do {
            let record = BatchRecord(try journal.items())
            try record.write(folder: folder.path, shard: files.shard?.value)
            if let metrics = work.metricsFile { try record.writeMetrics(to: metrics) }
        } catch {
            // What ended the batch is what is told.
            if case .success = result { throw error }
        }
        let summary = try result.get()
        if work.merge {
            try BatchTable(folder: folder.path, table: "faces").write(to: "\(folder.path)/faces.csv", replaces: true)
        }
        let isAllWell = teller.ends(summary, plan, folder: folder.path) && findings.problems.isEmpty
        return isAllWell ? nil : .someFailed
    }

    private func plan(
        _ inputs: [BatchInput], _ digest: String, _ selection: BatchJournal.Selection, in journal: BatchJournal,
        _ folder: BatchFolder, _ teller: BatchTeller
    ) throws(BatchError) -> [BatchJournal.Entry] {
        var contents: [String: ContentCheck.Verdict] = [:]
        if work.byContent && !selection.isForced && !selection.isOnlyFailed {
            contents = try ContentCheck(journal: journal) { try? FileDigest.sha256(path: $0) }.run(
                inputs, configuration: digest, isDry: work.dryRun, hasResult: folder.hasResult, begins: teller.reads)
        }
        return try journal.enroll(
            inputs, configuration: digest, selection: selection, contents: contents, isDry: work.dryRun,
            hasResult: folder.hasResult)
    }

    private static var cores: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    private func options(
        _ resolved: ResolvedSettings, _ selection: BatchJournal.Selection, _ budget: MemoryBudget
    ) -> Batch.Options {
        var options = Batch.Options()
        options.jobs = budget.jobs
        options.selection = selection
        options.timeoutSeconds = work.timeout
        options.timeoutPerVideoSecond = work.timeoutPerSecond
        options.memoryLimit = budget.workerLimit
        options.takesDigests = work.byContent
        options.leastFreeSpace = Int64(work.leaveFree) << 20
        let isChosen = Setting.at("detect.workers").map { resolved.origin(of: $0) != .default } ?? false
        options.setup = WorkerSetup(
            pipeline: resolved.yaml, allowsFileFilters: settings.video.filters.allowFileFilters,
            workers: isChosen ? resolved.settings.detect.workers : max(1, Self.cores / options.jobs))
        return options
    }

    /// Calls the command for failures, if there is one.
    ///
    /// - Throws: `ExitStatus` when it was interrupted.
    private func call(
        _ status: ExitStatus, _ folder: String, _ teller: BatchTeller, _ interrupts: InterruptHandler
    ) async throws(ExitStatus) {
        guard let command = work.onFailure else { return }
        let name = "--on-failure"
        do {
            let hook = FailureHook(
                command: command, variables: ["VIDSCAN_STATUS": "\(status.code)", "VIDSCAN_OUTPUT": folder])
            switch try await hook.run(interrupts) {
            case .status(0): break
            case .status(let status): teller.warned(name, "the command ended with status \(status)")
            case .signal(let signal): teller.warned(name, "the command was ended by signal \(signal)")
            case .interrupted:
                teller.stopped(BatchError(.interrupted, "interrupted, and the command of --on-failure with it"))
                throw ExitStatus.interrupted
            }
        } catch let error as FailureHook.Failure {
            teller.warned(name, error.reason)
        } catch let status as ExitStatus {
            throw status
        } catch {
            teller.warned(name, error.localizedDescription)
        }
    }

    /// This program.
    private static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "vidscan"
    }
}
