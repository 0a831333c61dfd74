internal import ArgumentParser
internal import Foundation
internal import VidscanBatch

/// Which files a batch is to do.
struct BatchInputOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Files, and folders with all that is in them.", valueName: "input"))
    var inputs: [String] = []

    @Option(
        help: ArgumentHelp(
            "Take more inputs from a file, a path a line, or with a zero byte after each; - is standard input.",
            valueName: "file"))
    var from: String?

    @Option(help: ArgumentHelp("Of folders, take only files that match this; * matches / too.", valueName: "glob"))
    var include: [String] = []

    @Option(help: ArgumentHelp("Of folders, leave out files that match this.", valueName: "glob"))
    var exclude: [String] = []

    @Option(help: ArgumentHelp("Do one of several equal parts: its number from 0, and how many.", valueName: "K/N"))
    var shard: ShardArgument?

    func validate() throws {
        if inputs.isEmpty && from == nil { throw ValidationError("Name at least one file or folder, or use --from.") }
    }

    /// - Throws: `BatchError` when the list cannot be read.
    func find() throws(BatchError) -> InputFinder.Findings {
        var findings = InputFinder(include: include, exclude: exclude).find(inputs + (try listed()))
        if let shard { findings.inputs = shard.value.own(findings.inputs) }
        return findings
    }

    private func listed() throws(BatchError) -> [String] {
        guard let from else { return [] }
        let data =
            from == "-"
            ? try? FileHandle.standardInput.readToEnd() ?? Data() : FileManager.default.contents(atPath: from)
        guard let data else { throw BatchError(.input, "\(from): the list cannot be read") }
        // As of `find -print0`, for names with line ends in them.
        let separator: UInt8 = data.contains(0) ? 0 : UInt8(ascii: "\n")
        var paths: [String] = []
        for line in data.split(separator: separator) {
            let line = line.last == UInt8(ascii: "\r") && separator != 0 ? line.dropLast() : line
            guard let path = String(validating: line, as: UTF8.self) else {
                throw BatchError(.input, "\(from): it is no UTF-8 text: \(String(decoding: line, as: UTF8.self))")
            }
            if !path.isEmpty { paths.append(path) }
        }
        return paths
    }
}

/// How a batch goes about it.
struct BatchWorkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Files at a time. Default: one per two cores, as far as the memory gives each 1 GB, or its --memory-limit.",
            valueName: "count"))
    var jobs: Int?

    @Option(help: ArgumentHelp("How often a file that failed is tried again, in later runs.", valueName: "count"))
    var retries = 2

    @Option(help: ArgumentHelp("Stop a file that takes longer, in seconds…", valueName: "seconds"))
    var timeout = 300.0

    @Option(help: ArgumentHelp("…and this many more for each second of its video.", valueName: "seconds"))
    var timeoutPerSecond = 30.0

    @Option(
        help: ArgumentHelp(
            "Memory for all workers together. Default: three quarters of what the machine, or the control group, has.",
            valueName: "megabytes"))
    var memoryBudget: Int?

    @Option(
        help: ArgumentHelp(
            "Stop a file whose worker needs more memory. Default: 4096, or a worker's share of the budget if that is less.",
            valueName: "megabytes"))
    var memoryLimit: Int?

    @Option(help: ArgumentHelp("Stop when less is free on the disk of the results.", valueName: "megabytes"))
    var leaveFree = 64

    @Flag(
        help: """
            Do a file again for what is in it, not for its date: digests of what was analysed are kept, and files that \
            were copied, restored or touched are read and compared.
            """)
    var byContent = false

    @Flag(help: "Tell what would be done, and why; do nothing.")
    var dryRun = false

    @Flag(help: "Do only what failed before, quarantined or not, and at once.")
    var onlyFailed = false

    @Flag(help: "Write one table of all faces at the end: faces.csv in the batch's folder.")
    var merge = false

    @Option(help: ArgumentHelp("Write counts for node_exporter's textfile collector.", valueName: "file"))
    var metricsFile: String?

    @Option(
        help: ArgumentHelp(
            "Run this in a shell when not all is well at the end; VIDSCAN_STATUS and VIDSCAN_OUTPUT tell it.",
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
        if !(0...1 << 30).contains(leaveFree) { throw ValidationError("--leave-free must be 0 or more megabytes.") }
    }

    /// - Throws: `BatchError` when the number of jobs and the memory do not go together.
    func budget(cores: Int) throws(BatchError) -> MemoryBudget {
        let total =
            memoryBudget.map { Int64($0) << 20 } ?? MemoryBudget.usual(allowedBytes: MachineMemory.allowedBytes())
        return try MemoryBudget(
            total: total, cores: cores, jobs: jobs, workerLimit: memoryLimit.map { Int64($0) << 20 })
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
}
