internal import ArgumentParser
internal import Glibc
internal import VidscanBase
internal import VidscanBatch
internal import VidscanResults

/// The options that select the inputs of a batch.
struct BatchInputOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Files, and folders to search for videos and pictures.", valueName: "input"))
    var inputs: [String] = []

    @Option(
        help: ArgumentHelp(
            "Read more inputs from a file, one path per line or zero-terminated; - is standard input.",
            valueName: "file"))
    var from: String?

    @Option(help: ArgumentHelp("In folders, take only files that match; * also matches /.", valueName: "glob"))
    var include: [String] = []

    @Option(help: ArgumentHelp("In folders, leave out files that match.", valueName: "glob"))
    var exclude: [String] = []

    @Option(help: ArgumentHelp("Analyse one of several shards: its number, from 0, and their count.", valueName: "K/N"))
    var shard: ShardArgument?

    func validate() throws {
        if inputs.isEmpty && from == nil { throw ValidationError("Name at least one file or folder, or use --from.") }
    }

    /// Finds the inputs, and selects those of the shard.
    ///
    /// - Throws: `BatchError` if the list cannot be read.
    func find() throws(BatchError) -> InputFinder.Findings {
        var findings = InputFinder(include: include, exclude: exclude).find(inputs + (try listed()))
        if let shard { findings.inputs = shard.value.select(from: findings.inputs) }
        return findings
    }

    private func listed() throws(BatchError) -> [String] {
        guard let from else { return [] }
        let data = try Self.contents(ofList: from)
        // `find -print0` separates names with NUL, because they may contain newlines.
        let separator: UInt8 = data.contains(0) ? 0 : UInt8(ascii: "\n")
        let lines = data.split(separator: separator, maxSplits: Self.maximumPaths)
        guard lines.count <= Self.maximumPaths else {
            throw BatchError(.input, "the list \(from): it has more than \(Self.maximumPaths) paths")
        }
        var paths: [String] = []
        for line in lines {
            let line = line.last == UInt8(ascii: "\r") && separator != 0 ? line.dropLast() : line
            guard line.count < Int(PATH_MAX) else {
                throw BatchError(.input, "the list \(from): it has a path of \(line.count) bytes, which no file has")
            }
            guard let path = String(validating: line, as: UTF8.self) else {
                throw BatchError(.input, "\(from) is not valid UTF-8: \(String(decoding: line, as: UTF8.self))")
            }
            if !path.isEmpty { paths.append(path) }
        }
        return paths
    }

    private static let maximumPaths = 1_000_000
    private static let maximumListBytes = 64 << 20

    private static func contents(ofList from: String) throws(BatchError) -> [UInt8] {
        guard from == "-" else {
            do throws(VidscanError) {
                return try TextFile.bytes(path: from, limit: maximumListBytes)
            } catch {
                throw BatchError(.input, "the list \(from): \(error.reason)")
            }
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileSystem.read(STDIN_FILENO, limit: maximumListBytes)
        } catch {
            throw BatchError(.input, "cannot read the list from standard input: \(error)")
        }
        guard bytes.count <= maximumListBytes else {
            throw BatchError(.input, "the list on standard input is larger than \(maximumListBytes) bytes")
        }
        return bytes
    }
}

/// The options that control how a batch runs.
struct BatchExecutionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Files at a time. Default: one per two cores, as long as each gets 1 GB of memory, or its --memory-limit.",
            valueName: "count"))
    var jobs: Int?

    @Option(help: ArgumentHelp("How many times later runs retry a file that failed.", valueName: "count"))
    var retries = 2

    @Option(help: ArgumentHelp("Stop a file that takes longer.", valueName: "seconds"))
    var timeout = 300.0

    @Option(help: ArgumentHelp("Add this to --timeout for each second of the video.", valueName: "seconds"))
    var timeoutPerSecond = 30.0

    @Option(
        help: ArgumentHelp(
            "Memory of all workers together. Default: three quarters of what the machine or the control group has.",
            valueName: "megabytes"))
    var memoryBudget: Int?

    @Option(
        help: ArgumentHelp(
            "Stop a file whose worker needs more memory. Default: 4096, or the worker's share of the budget if that is less.",
            valueName: "megabytes"))
    var memoryLimit: Int?

    @Option(help: ArgumentHelp("Stop the batch when less is free on the disk of the results.", valueName: "megabytes"))
    var leaveFree = 64

    @Flag(
        help: """
            Identify files by SHA-256 instead of modification time, so that files that were copied, restored or touched \
            are not analysed again.
            """)
    var byContent = false

    @Flag(help: "Show which files would be analysed, why, and about how long it takes.")
    var dryRun = false

    @Flag(help: "Retry only what failed before, including quarantined files, without waiting.")
    var onlyFailed = false

    @Flag(help: "Accept finished results that other settings, versions or models made, instead of making them again.")
    var keepDone = false

    @Flag(help: "Count files with warnings, such as truncated ones, as failed.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "Only add to finished results what they lack, without analysing anything: report adds report pages.",
            valueName: "what"))
    var onlyMissing: MissingOutput?

    @Flag(help: "At the end, write one table of all faces: faces.csv in the batch's folder.")
    var merge = false

    @Option(help: ArgumentHelp("Write counts for the textfile collector of node_exporter.", valueName: "file"))
    var metricsFile: String?

    @Option(
        help: ArgumentHelp(
            "Run this shell command if the batch fails, with VIDSCAN_STATUS and VIDSCAN_OUTPUT set.",
            valueName: "command"))
    var onFailure: String?

    func validate() throws {
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be 1 to 256.") }
        if !(0...100).contains(retries) { throw ValidationError("--retries must be 0 to 100.") }
        if !(timeout > 0 && timeout < 1e9) { throw ValidationError("--timeout must be above 0.") }
        if !(timeoutPerSecond >= 0 && timeoutPerSecond < 1e9) {
            throw ValidationError("--timeout-per-second must be 0 or more.")
        }
        if let memoryBudget, !(256...1 << 30).contains(memoryBudget) {
            throw ValidationError("--memory-budget must be 256 or more megabytes.")
        }
        if let memoryLimit, !(256...1 << 30).contains(memoryLimit) {
            throw ValidationError("--memory-limit must be 256 or more megabytes.")
        }
        if onlyMissing != nil, onlyFailed {
            throw ValidationError("--only-missing and --only-failed cannot be used together.")
        }
        if !(0...1 << 30).contains(leaveFree) { throw ValidationError("--leave-free must be 0 or more megabytes.") }
    }

    /// Divides the memory among the jobs.
    ///
    /// - Throws: `BatchError` if the memory is too little for the number of jobs.
    func budget(cores: Int) throws(BatchError) -> MemoryBudget {
        let total =
            memoryBudget.map { Int64($0) << 20 }
            ?? MemoryBudget.defaultTotal(allowedBytes: MachineMemory.allowedBytes())
        return try MemoryBudget(
            total: total, cores: cores, jobs: jobs, workerLimit: memoryLimit.map { Int64($0) << 20 })
    }
}

/// What can be added to finished results.
enum MissingOutput: String, CaseIterable, ExpressibleByArgument {
    case report
}

/// A shard and the number of shards, for example `3/8`.
struct ShardArgument: ExpressibleByArgument {
    let value: BatchShard

    init?(argument: String) {
        let numbers = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let index = numbers[0], let count = numbers[1],
            let value = BatchShard(index: index, count: count)
        else { return nil }
        self.value = value
    }
}
