internal import ArgumentParser
internal import CLinux
internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanMedia
internal import VidscanReport
internal import VidscanResults

struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Analyses many files, and on later runs only those that are new, changed or failed.",
        discussion: """
            Inputs are files, folders or a list. Results go below --output, where a journal records the state of each \
            file. If a batch is killed, finished results are kept and the next run resumes where it stopped. Each file \
            is analysed in a worker process, so a file that crashes, hangs or needs too much memory fails alone.

            EXAMPLES
              vidscan batch recordings/ --output results
              vidscan batch recordings/ --output results --pipeline nightly --jobs 4
              find /data -name '*.mp4' | vidscan batch --from - --output results
              vidscan batch recordings/ --output results --people
              vidscan batch recordings/ --output results --dry-run
              vidscan batch status results
              vidscan batch merge results > all.csv

            Exit status 1 means that a file failed, now or earlier, and will be retried. A file that failed too often \
            is quarantined: it is only reported, until it changes, or the settings or vidscan do. --only-failed retries it.

            --people keeps the face embeddings (biometric data) in each result, and joins the people of all videos in \
            people.csv and people.html, as 'vidscan people' does. Shards leave that to 'vidscan people'.
            """,
        subcommands: [
            BatchRunCommand.self, BatchStatusCommand.self, BatchMergeCommand.self, BatchPruneCommand.self,
            BatchForgetCommand.self,
        ],
        defaultSubcommand: BatchRunCommand.self)

    /// Combined with the options of the default subcommand.
    static var help: String {
        let own = VidscanCommand.helpMessage(for: BatchCommand.self)
        let run = VidscanCommand.helpMessage(for: BatchRunCommand.self)
        guard let usage = own.range(of: "USAGE: "), let subcommands = own.range(of: "SUBCOMMANDS:"),
            let runUsage = run.range(of: "USAGE: "),
            let options = run.range(of: "\n\n", range: runUsage.upperBound..<run.endIndex)
        else { return own }
        return own[..<usage.lowerBound]
            + "USAGE: vidscan batch [<input> ...] --output <folder> [<options>]\n       vidscan batch <subcommand>"
            + "\n\n" + run[options.upperBound...].trimmingCharacters(in: .newlines) + "\n\n"
            + own[subcommands.lowerBound...]
    }
}

struct BatchStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the state of a batch, also while it runs.")

    @Argument(help: .value("folder", "The batch's folder.")) var folder: String
    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Exit with status 1 if a file has failed or is quarantined.") var strict = false

    func run() throws {
        let folder = FilePath.absolute(folder)
        try BatchFolder(folder).removeLeftovers()
        let report = try BatchReport(folder: folder)
        if json { Output.json(report.json()) } else { Output.write(report.text + "\n") }
        let missing = BatchJournal.missingShards(in: folder)
        if let missing { Output.error("vidscan: warning: \(missing)") }
        if strict, report.hasFailures || missing != nil { throw ExitStatus.someFailed }
    }
}

struct BatchMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Writes one table of all results of a batch, with the video in the first column.",
        discussion: "For a batch in shards, it also writes the index and summary of all shards together.")

    @Argument(help: .value("folder", "The batch's folder.")) var folder: String
    @Option(help: "The table: faces, frames, tracks, events or episodes.") var table = "faces"
    @Option("file", "The output file. Default: standard output.", name: .shortAndLong) var output: String?
    @Flag(help: "Replace an existing file.") var force = false

    func validate() throws {
        try refuse(
            if: !["faces", "frames", "tracks", "events", "episodes"].contains(table),
            "--table must be faces, frames, tracks, events or episodes.")
    }

    func run() throws {
        let folder = BatchFolder(FilePath.absolute(folder))
        try folder.removeLeftovers()
        if let output { try ResultContents.refuseFile(output) }
        let merged = try MergedTable(folder: folder.path, table: table)
        if let output { try merged.write(to: output, replaces: force) } else { try merged.write(into: Output.print) }
        do { try folder.writeCombinedReport() } catch {
            // Only a warning, because the user asked for the table, and the folder may be read-only.
            Output.error("vidscan: warning: \(error)")
        }
        guard let missing = BatchJournal.missingShards(in: folder.path) else { return }
        Output.error("vidscan: error: \(missing); the others were merged")
        throw ExitStatus.someFailed
    }
}

struct BatchPruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Removes old results.",
        discussion: "The journal remembers their inputs, so that they are not analysed again unless they change.")

    @Argument(help: .value("folder", "The batch's folder.")) var folder: String
    @Option(help: .value("days", "Remove results that were made more than this many days ago.")) var olderThan: Double
    @Option("K/N", "Only in one shard.") var shard: BatchShard?
    @Flag(help: "Only list the results that would be removed.") var dryRun = false
    @Flag(help: "Do not ask before removing more than ten results.") var yes = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func validate() throws { try refuse(if: !(olderThan >= 0), "--older-than must be 0 or more days.") }

    func run() throws {
        let reporter = BatchConsoleReporter(try messages.options(), shard: shard)
        let folder = BatchFolder(FilePath.absolute(folder))
        let pruning: BatchFolder.PruneOutcome
        do {
            let planned = try dryRun || !yes ? folder.prunable(olderThanDays: olderThan, shard: shard) : nil
            if !dryRun, let count = planned?.removed.count, count > 10 {
                try require(
                    isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1, .input,
                    "\(count) results would be removed; --dry-run lists them, --yes removes them")
                Output.progress("Remove \(count) results? [y/N] ")
                try require(["y", "yes"].contains(readLine()?.lowercased()), .interrupted, "nothing was removed")
            }
            pruning =
                if dryRun, let planned { planned } else { try folder.prune(olderThanDays: olderThan, shard: shard) }
        } catch { throw reporter.stopped(error) }
        for (path, reason, _) in pruning.kept { reporter.warned(path, "not removed: \(reason)") }
        if dryRun { return reporter.listRemovals(pruning.removed, "result") }
        let count = pruning.removed.count
        let tables = ["people.html", "people.csv", "people_tracks.csv", "people_faces.csv", "people.json", "faces.csv"]
        let left = count == 0 ? [] : tables.filter { FileSystem.entry("\(folder.path)/\($0)") != nil }
        if !left.isEmpty {
            let text = "people of removed results are still in \(left.joined(separator: ", "))"
            reporter.warned(folder.path, text + " until a run with --people and --merge writes these again")
        }
        reporter.log(
            .info, .pruned, "\(NumberText.count(count, "result")) removed", ["results": count, "output": folder.path])
        if pruning.kept.contains(where: \.isFailure) { throw ExitStatus.someFailed }
    }
}

struct BatchForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forgets files that are gone and have no result.",
        discussion: "Files that failed, or were never analysed, and that do not exist any more.")

    @Argument(help: .value("folder", "The batch's folder.")) var folder: String
    @Option("K/N", "Only in one shard.") var shard: BatchShard?
    @Flag(help: "Only list the files that would be forgotten.") var dryRun = false
    @OptionGroup(title: MessageSettings.title) var messages: MessageArguments

    func run() throws {
        let reporter = BatchConsoleReporter(try messages.options(), shard: shard)
        let folder = BatchFolder(FilePath.absolute(folder))
        do {
            let paths = try folder.forgetGone(shard: shard, isDryRun: dryRun)
            if dryRun { return reporter.listRemovals(paths, "file") }
            for path in paths { reporter.log(reporter.log.detail, .forgotten, input: path, "forgotten") }
            reporter.log(
                .info, .forgotten, "\(NumberText.count(paths.count, "file")) forgotten",
                ["files": paths.count, "output": folder.path])
        } catch { throw reporter.stopped(error) }
    }
}

/// A worker of `vidscan batch`: runs jobs from standard input, one at a time.
struct BatchWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch-worker", abstract: "Analyses files for 'vidscan batch'.", shouldDisplay: false)

    func run() async throws {
        // If the batch is killed, the kernel kills its workers too.
        _ = vs_die_with_parent()
        // If the machine runs out of memory, the kernel kills the worker rather than the batch.
        try? Data("500".utf8).write(to: URL(fileURLWithPath: "/proc/self/oom_score_adj"))
        // Service managers send these to all processes of a batch, but the batch ends its workers itself, with SIGUSR1.
        for number in InterruptHandler.signals { signal(number, SIG_IGN) }
        _ = Self.messages
        guard let line = try await Self.nextLine() else { return }
        let (analysis, command): (Analysis, [String])
        do { (analysis, command) = try Self.setUp(line) } catch {
            _ = try await Self.nextLine()
            Self.send(.failed(reason: "\(error)", kind: .setup))
            throw ExitStatus.usage
        }
        let interrupts = InterruptHandler(on: [SIGUSR1])
        defer { interrupts.stop() }
        try await interrupts.run {
            while let line = try await Self.nextLine() {
                let job: WorkerJob
                do { job = try JSONDecoder().decode(WorkerJob.self, from: Data(line.utf8)) } catch {
                    Self.send(.failed(reason: "its worker cannot read what to do: \(error)", kind: .other))
                    continue
                }
                Self.triggerTestFault(job.input)
                Self.send(await Self.analyze(job, with: analysis, command))
                if Task.isCancelled { throw ExitStatus.interrupted }
            }
        }.get()
    }

    private static func setUp(_ line: String) throws -> (Analysis, command: [String]) {
        let setup = try JSONDecoder().decode(WorkerSetup.self, from: Data(line.utf8))
        let file = try PipelineFile(
            text: setup.pipeline, path: "the batch's pipeline", filters: .run(allowsFiles: setup.allowsFileFilters))
        let workers = try ResolvedSettings.Override("detect.workers", .integer(setup.workers), option: "--workers")
        let settings = try ResolvedSettings(workers: 1, file: file, overrides: [workers]).settings
        let models = try ModelStore()
        models.keepUntilExit()
        let analysis = Analysis(
            settings: settings, models: models, observer: WorkerObserver(settings), addition: VideoAndPage())
        return (analysis, setup.command)
    }

    private static func analyze(_ job: WorkerJob, with analysis: Analysis, _ command: [String]) async -> WorkerMessage {
        do {
            if job.work == .report {
                let folder = try Folder(job.folder).folder(job.resultPath)
                _ = try await VideoAndPage().page(analysis.settings).run(resultPath: folder.path, replaces: false)
                return .done(WorkerReport())
            }
            let summary = try await analysis.run(
                input: job.input, resultPath: "\(job.folder)/\(job.resultPath)", below: job.folder, replaces: true,
                command: command)
            var report = WorkerReport()
            (report.frames, report.faces) = (summary.counts.sampledFrames, summary.counts.faces)
            (report.people, report.events) = (summary.counts.personIds, summary.counts.events)
            report.warnings = summary.warnings
            report.videoSeconds = Double(summary.analysedMicroseconds) / 1e6
            report.wallSeconds = summary.wallSeconds
            // Optional, because a digest only saves work later.
            if job.takesDigest { report.digest = summary.digest ?? (try? FileDigest.sha256(path: job.input)) }
            return .done(report)
        } catch {
            let known = error as? VidscanError
            return .failed(reason: known?.reason ?? "\(error)", kind: known.map(kind(of:)) ?? .other)
        }
    }

    /// Faults that no file causes reliably, for tests: `VIDSCAN_TEST_FAULT=abort:a.mp4,hang:b.mp4,memory:c.mp4`.
    private static func triggerTestFault(_ input: String) {
        guard let plan = ProcessInfo.processInfo.environment["VIDSCAN_TEST_FAULT"] else { return }
        let (faults, name) = (plan.components(separatedBy: ","), FilePath.name(of: input))
        if faults.contains("abort:" + name) { abort() }
        while faults.contains("hang:" + name) { sleep(1) }
        while faults.contains("memory:" + name) {
            memset(UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 4096), 1, 64 << 20)
            usleep(50_000)
        }
    }

    private static func kind(of error: VidscanError) -> WorkerFailure {
        switch error.code {
        case .interrupted: .interrupted
        case .setup: .setup
        case .media(.notMedia), .media(.refersElsewhere): .notMedia
        case .media(.noVideo): .noVideo
        case .diskFull: .diskFull
        default: .other
        }
    }

    /// On a separate thread, because reading blocks.
    private static func nextLine() async throws -> String? {
        try await BlockingWork.run(thread: "jobs", input: "standard input") { _ in readLine() }
    }

    /// Separates the messages from what libraries print to standard output, which goes to standard error.
    private static let messages: Int32 = {
        let pipe = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return pipe
    }()

    fileprivate static func send(_ message: WorkerMessage) {
        do { try FileSystem.write([UInt8](JSONEncoder().encode(message)) + [UInt8(ascii: "\n")], to: messages) } catch {
            // Without the batch, nobody waits for results.
            Output.error("vidscan: error: cannot send a message to the batch: \(error)")
            Glibc.exit(ExitStatus.someFailed.rawValue)
        }
    }
}

private final class WorkerObserver: RunObserver {
    private let window: (start: Int64, end: Int64?)
    private let state = Mutex((end: Int64?.none, lastProgress: ContinuousClock.now))

    init(_ settings: Settings) { window = (settings.sample.start ?? 0, settings.sample.end) }

    func opened(_ input: String, info: VideoInfo) {
        let end = [window.end, info.durationMicroseconds].compactMap { $0 }.min()
        state.withLock { $0 = (end: end, lastProgress: .now) }
        BatchWorkerCommand.send(.opened(videoSeconds: info.durationMicroseconds.map { Double($0) / 1e6 }))
    }

    /// The batch writes its state only every two seconds.
    func progressed(_ progress: RunProgress) {
        let message: FileProgress? = state.withLock { state in
            let now = ContinuousClock.now
            guard now - state.lastProgress >= .seconds(1) else { return nil }
            state.lastProgress = now
            return FileProgress(
                seconds: Double(max(0, progress.microseconds - window.start)) / 1e6,
                lengthSeconds: state.end.map { Double(max(0, $0 - window.start)) / 1e6 })
        }
        if let message { BatchWorkerCommand.send(.progressed(message)) }
    }

    func warned(_ input: String, message: String) { BatchWorkerCommand.send(.warned(message)) }
}
