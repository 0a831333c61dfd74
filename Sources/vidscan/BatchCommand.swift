internal import ArgumentParser
internal import Foundation
internal import VidscanBatch
internal import VidscanPipeline

struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Analyses many files, and each of them once: what is new, changed, or failed before.",
        discussion: """
            Inputs are files, folders with all that is in them, or a list. Results go to the same places below --output \
            every time, and a journal there knows what has been done: run it again, and only the rest is done. Each file \
            is analysed in a worker process, so that one that crashes, hangs or needs too much memory fails alone.

            EXAMPLES
              vidscan batch recordings/ --output results
              vidscan batch recordings/ --output results --pipeline nightly --jobs 4
              find /data -name '*.mp4' -mtime -1 | vidscan batch --from - --output results
              vidscan batch recordings/ --output results --dry-run
              vidscan batch status results
              vidscan batch merge results > all.csv
            """,
        subcommands: [BatchRunCommand.self, BatchStatusCommand.self, BatchMergeCommand.self],
        defaultSubcommand: BatchRunCommand.self)
}

struct BatchRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Does what is to be done; the default.")

    @Argument(help: ArgumentHelp("Files, and folders with all that is in them.", valueName: "input"))
    var inputs: [String] = []

    @Option(help: ArgumentHelp("Take more inputs from a file, a path a line; - is standard input.", valueName: "file"))
    var from: String?

    @Option(help: ArgumentHelp("Of folders, take only files that match this; * matches / too.", valueName: "glob"))
    var include: [String] = []

    @Option(help: ArgumentHelp("Of folders, leave out files that match this.", valueName: "glob"))
    var exclude: [String] = []

    @Option(help: ArgumentHelp("Do one of several equal parts: its number from 0, and how many.", valueName: "K/N"))
    var shard: ShardArgument?

    @Option(help: ArgumentHelp("Files at a time. Default: one per two cores.", valueName: "count"))
    var jobs: Int?

    @Option(help: ArgumentHelp("How often a file that failed is tried again, in later runs.", valueName: "count"))
    var retries = 2

    @Option(help: ArgumentHelp("Stop a file that takes longer, in seconds…", valueName: "seconds"))
    var timeout = 300.0

    @Option(help: ArgumentHelp("…and this many more for each second of its video.", valueName: "seconds"))
    var timeoutPerSecond = 30.0

    @Option(help: ArgumentHelp("Stop a file whose worker needs more memory.", valueName: "megabytes"))
    var memoryLimit = 4096

    @Flag(help: "Tell what would be done, and why; do nothing.")
    var dryRun = false

    @Flag(help: "Do only what failed before, as often as it may have.")
    var onlyFailed = false

    @Option(help: ArgumentHelp("Write counts for node_exporter's textfile collector.", valueName: "file"))
    var metricsFile: String?

    @OptionGroup
    var settings: SettingOptions

    func validate() throws {
        if inputs.isEmpty && from == nil { throw ValidationError("Name at least one file or folder, or use --from.") }
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be 1 to 256.") }
        if !(0...100).contains(retries) { throw ValidationError("--retries must be 0 to 100.") }
        if timeout <= 0 || timeoutPerSecond < 0 { throw ValidationError("--timeout must be above 0.") }
        if memoryLimit < 256 { throw ValidationError("--memory-limit must be 256 or more megabytes.") }
    }

    func run() async throws {
        let resolved: ResolvedConfiguration
        let digest: String
        do {
            resolved = try settings.resolve()
            let models = try ModelStore(concurrency: 1, precision: resolved.configuration.analysis.precision)
            digest = try resolved.configuration.digest(models: models)
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
        guard let output = resolved.configuration.output.folder else {
            Output.error("vidscan: error: --output names the folder for the results and the journal")
            throw ExitStatus.usage
        }
        let teller = BatchTeller(resolved.configuration.messages)
        do {
            try await run(resolved, digest: digest, folder: Self.absolute(output), teller: teller)
        } catch let error as BatchError {
            teller.stopped(error)
            switch error.code {
            case .interrupted: throw ExitStatus.interrupted
            case .input, .worker: throw ExitStatus.usage
            case .journal, .diskFull: throw ExitStatus.someFailed
            }
        } catch is CancellationError {
            teller.stopped(BatchError(.interrupted, "interrupted; what was complete stays"))
            throw ExitStatus.interrupted
        }
    }

    private func run(
        _ resolved: ResolvedConfiguration, digest: String, folder: String, teller: BatchTeller
    ) async throws {
        let found = try InputFinder(include: include, exclude: exclude).find(try inputs + listed())
            .filter { shard?.value.holds($0.place) ?? true }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw BatchError(.input, "cannot create the folder \(folder)")
        }
        let journal = try BatchJournal(folder: folder, name: shard?.journalName ?? "batch")
        var selection = BatchJournal.Selection()
        selection.retries = retries
        selection.isForced = resolved.configuration.output.replaces
        selection.isOnlyFailed = onlyFailed
        let plan = try journal.enroll(found, configuration: digest, selection: selection, isDry: dryRun) { place in
            FileManager.default.fileExists(atPath: "\(folder)/\(place)/run.json")
        }
        if dryRun { return teller.tell(plan) }
        teller.begins(plan)
        let settingsFile = "\(folder)/.settings-\(getpid()).yaml"
        try? Data(resolved.yaml.utf8).write(to: URL(fileURLWithPath: settingsFile))
        defer { unlink(settingsFile) }
        let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
        var options = Batch.Options()
        options.jobs = jobs ?? max(1, cores / 2)
        options.selection = selection
        options.timeoutSeconds = timeout
        options.timeoutPerVideoSecond = timeoutPerSecond
        options.memoryLimit = Int64(memoryLimit) << 20
        let workers = max(1, cores / options.jobs)
        let batch = Batch(
            folder: folder, journal: journal, configuration: digest,
            command: [
                Self.program, "batch-worker", "--pipeline", settingsFile, "--workers", "\(workers)",
            ], options: options, observer: teller)
        // Those of another process count too: it may die.
        let wanted = plan.filter { $0.isDue || $0.reason == .running }.map(\.input)
        let work = Task { try await batch.run(wanted) }
        let interrupts = InterruptHandler { work.cancel() }
        defer { interrupts.stop() }
        let result: Result<Batch.Summary, any Error> = await work.result
        try BatchRecord(journal.items()).write(folder: folder, name: shard?.journalName ?? "batch", metrics: metricsFile)
        let summary = try result.get()
        teller.ends(summary, folder: folder)
        if !summary.failures.isEmpty { throw ExitStatus.someFailed }
    }

    private func listed() throws(BatchError) -> [String] {
        guard let from else { return [] }
        let data = from == "-" ? try? FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: from)
        guard let data else { throw BatchError(.input, "\(from): the list cannot be read") }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }

    /// This program.
    static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "vidscan"
    }

    static func absolute(_ path: String) -> String {
        let whole = (path as NSString).isAbsolutePath ? path : FileManager.default.currentDirectoryPath + "/" + path
        return (whole as NSString).standardizingPath
    }
}

/// `3/8`
struct ShardArgument: ExpressibleByArgument {
    let value: BatchShard

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1],
            let value = BatchShard(index: index, count: count)
        else { return nil }
        self.value = value
    }

    /// Every shard has a journal of its own: no two machines write to one file.
    var journalName: String { "batch-\(value.index)-of-\(value.count)" }
}

struct BatchStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Tells how far a batch is, while it runs or later.")

    @Argument(help: ArgumentHelp("The batch's folder.", valueName: "folder"))
    var folder: String

    @Flag(help: "As JSON.")
    var json = false

    func run() throws {
        do {
            let record = try BatchRecord(folder: BatchRunCommand.absolute(folder))
            Output.standard(json ? try record.json() : record.text)
        } catch let error as BatchError {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
    }
}

struct BatchMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Writes one table of all results of a batch, with the video in its first column.")

    @Argument(help: ArgumentHelp("The batch's folder.", valueName: "folder"))
    var folder: String

    @Option(help: "Which table: faces, frames, tracks or events.")
    var table = "faces"

    @Option(name: .shortAndLong, help: ArgumentHelp("Where to. Default: standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Replace a file that is there already.")
    var force = false

    func validate() throws {
        if !["faces", "frames", "tracks", "events"].contains(table) {
            throw ValidationError("--table must be faces, frames, tracks or events.")
        }
    }

    func run() throws {
        do {
            try BatchTable(folder: BatchRunCommand.absolute(folder), table: table).write(to: output, replaces: force)
        } catch {
            Output.error("vidscan: error: \(error)")
            throw error.code == .input ? ExitStatus.usage : ExitStatus.someFailed
        }
    }
}
