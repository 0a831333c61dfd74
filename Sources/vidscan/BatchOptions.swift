internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanRender
internal import VidscanResults

struct BatchInputOptions: ParsableArguments {
    @Argument(help: .value("input", "Files, and folders to search for videos and pictures.")) var inputs: [String] = []

    @Option("file", "Read more inputs from a file, one path per line or zero-terminated; - is standard input.")
    var from: String?

    @Option("glob", "In folders, take only files that match; * also matches /.") var include: [String] = []
    @Option("glob", "In folders, leave out what matches.") var exclude: [String] = []
    @Option("K/N", "Analyse one of several shards: its number, from 0, and their count.") var shard: BatchShard?

    func validate() throws {
        try refuse(if: inputs.isEmpty && from == nil, "Name at least one file or folder, or use --from.")
    }

    func find() throws(VidscanError) -> InputFinder.Findings {
        var findings = InputFinder(include: include, exclude: exclude).find(inputs + (try listed()))
        if let shard {
            findings.inputs = shard.select(from: findings.inputs)
            findings.problems.removeAll { FileSystem.entry($0.path) == nil && !shard.contains($0.path) }
        }
        return findings
    }

    private func listed() throws(VidscanError) -> [String] {
        guard let from else { return [] }
        let data = try Self.contents(ofList: from)
        // `find -print0` ends names with NUL, because they may contain newlines.
        let separator: UInt8 = data.contains(0) ? 0 : UInt8(ascii: "\n")
        let lines = data.split(separator: separator, maxSplits: Self.maximumPaths)
        try require(
            lines.count <= Self.maximumPaths, .input, "the list \(from): it has more than \(Self.maximumPaths) paths")
        var paths: [String] = []
        for line in lines {
            let line = line.last == UInt8(ascii: "\r") && separator != 0 ? line.dropLast() : line
            try require(
                line.count < Int(PATH_MAX), .input,
                "the list \(from): it has a path of \(line.count) bytes, longer than any file's path")
            // A name that is not valid UTF-8 gets U+FFFD, so that no file has it.
            if !line.isEmpty { paths.append(String(decoding: line, as: UTF8.self)) }
        }
        return paths
    }

    private static let maximumPaths = 1_000_000
    private static let maximumListBytes = 64 << 20

    private static func contents(ofList from: String) throws(VidscanError) -> [UInt8] {
        guard from == "-" else {
            do throws(VidscanError) { return try TextFile.bytes(path: from, limit: maximumListBytes) } catch {
                throw VidscanError(.input, "the list \(from): \(error.reason)")
            }
        }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try FileSystem.read(STDIN_FILENO, limit: maximumListBytes) } catch {
            throw VidscanError(.input, "cannot read the list from standard input: \(error)")
        }
        try require(
            bytes.count <= maximumListBytes, .input,
            "the list on standard input is larger than \(maximumListBytes) bytes")
        return bytes
    }
}

struct BatchExecutionOptions: ParsableArguments {
    @Option(
        "count",
        "Files at a time. Default: one per two cores, as long as each gets 1 GB of memory, or its --memory-limit.")
    var jobs: Int?

    @Option("count", "How many times later runs retry a file that failed.") var retries = 2
    @Option("seconds", "Stop a file that takes longer.") var timeout = 300.0
    @Option("seconds", "Add this to --timeout for each second of the video.") var timeoutPerSecond = 30.0

    @Option(
        "megabytes",
        "Memory of all workers together. Default: three quarters of what the machine or the control group has.")
    var memoryBudget: Int?

    @Option(
        "megabytes",
        "Stop a file whose worker needs more memory. Default: 4096, or the worker's part of the budget if that is"
            + " less.")
    var memoryLimit: Int?

    @Option("megabytes", "Stop the batch when less is free on the disk of the results.") var leaveFree = 64

    @Flag(
        help: """
            Compare files by SHA-256 instead of modification time, so that files that were touched, or restored under the \
            same path, are not analysed again.
            """)
    var byContent = false

    @Flag(help: "Show which files would be analysed, why, and about how long it takes.") var dryRun = false
    @Flag(help: "Retry only what failed before, including quarantined files, without waiting.") var onlyFailed = false

    @Flag(help: "Accept finished results that other settings, versions or models made, instead of making them again.")
    var keepDone = false

    @Flag(help: "Count files with warnings, such as truncated ones, as failed.") var strict = false

    @Option(
        "what", "Only add to finished results what they lack, without analysing anything: report adds report pages.")
    var onlyMissing: MissingOutput?

    @Flag(help: "At the end, write one table of all faces: faces.csv in the batch's folder.") var merge = false

    @Option(
        "file",
        "Write metrics for the textfile collector of node_exporter, also during the run. In a folder, the file is"
            + " named after the batch.")
    var metricsFile: String?

    @Option("command", "Run this shell command if the batch fails, with VIDSCAN_STATUS and VIDSCAN_OUTPUT set.")
    var onFailure: String?

    func validate() throws {
        let megabytes = 256...1 << 30
        try refuse(if: !(1...256).contains(jobs ?? 1), "--jobs must be 1 to 256.")
        try refuse(if: !(0...100).contains(retries), "--retries must be 0 to 100.")
        try refuse(if: !(timeout > 0 && timeout < 1e9), "--timeout must be above 0.")
        try refuse(if: !(0..<1e9).contains(timeoutPerSecond), "--timeout-per-second must be 0 or more.")
        try refuse(if: !megabytes.contains(memoryBudget ?? 256), "--memory-budget must be 256 or more megabytes.")
        try refuse(if: !megabytes.contains(memoryLimit ?? 256), "--memory-limit must be 256 or more megabytes.")
        try refuse(if: onlyMissing != nil && onlyFailed, "--only-missing and --only-failed cannot be used together.")
        try refuse(if: !(0...1 << 30).contains(leaveFree), "--leave-free must be 0 or more megabytes.")
    }

    func budget(cores: Int) throws(VidscanError) -> MemoryBudget {
        let total =
            memoryBudget.map { Int64($0) << 20 }
            ?? MemoryBudget.defaultTotal(allowedBytes: MachineMemory.allowedBytes())
        return try MemoryBudget(
            total: total, cores: cores, jobs: jobs, workerLimit: memoryLimit.map { Int64($0) << 20 })
    }
}

enum MissingOutput: String, CaseIterable, ExpressibleByArgument { case report }

/// `3/8`
extension BatchShard: ExpressibleByArgument {
    init?(argument: String) {
        let numbers = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let index = numbers[0], let count = numbers[1] else { return nil }
        self.init(index: index, count: count)
    }
}

/// Refuses before the first file what would let every file fail, or lose its work.
enum BatchChecks {
    static func settings(_ settings: Settings, merges: Bool) throws(VidscanError) {
        if let sticker = settings.render.sticker {
            do { _ = try StickerPainter.read(sticker) } catch { throw VidscanError(.input, error.reason) }
        }
        let remedy =
            settings.write.keepsTables ? "; add csv to --format" : ", and --anonymize leaves no tables; add --tables"
        try require(
            !merges || settings.write.formats.contains(.csv) && settings.write.keepsTables, .input,
            "--merge needs faces.csv of each result\(remedy)")
    }

    /// Checks the nearest existing folder, in which the others would be made.
    static func writable(_ folder: String) throws(VidscanError) {
        var existing = folder
        while FileSystem.entry(existing) == nil, existing != "/" { existing = FilePath.folder(of: existing) }
        // A file in the way is reported elsewhere.
        guard FileSystem.entry(existing) == .folder else { return }
        try require(access(existing, W_OK | X_OK) == 0, .input, "cannot write to \(existing): \(SystemError.current)")
    }

    /// The first word may be a mistyped subcommand.
    static func missingFolder(_ inputs: [String]) -> String {
        let word = inputs.first ?? ""
        let suggestion = suggestion(for: ["batch", word])
        return suggestion.isEmpty
            ? "name the folder for the results and the journal with --output" : "\(word) does not exist\(suggestion)"
    }

    /// `; did you mean 'vidscan batch status'?`, or empty if nothing suggests a mistyped subcommand.
    static func suggestion(for commandLine: some Sequence<String>) -> String {
        let words = Array(commandLine.prefix(2))
        let names = BatchCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard words.count == 2, words[0] == "batch", !words[1].hasPrefix("-"), !names.contains(words[1]),
            !FileManager.default.fileExists(atPath: words[1]), let name = NearestName.find(words[1], among: names)
        else { return "" }
        return "; did you mean 'vidscan batch \(name)'?"
    }
}

extension Configuration {
    /// What has changed since a result was made; `nil` if its configuration cannot be read.
    func changes(since resultPath: String) -> [String]? { try? Configuration(resultPath: resultPath).changes(to: self) }

    /// Names the changed settings of each input. The journal has only digests, but one result of a configuration shows
    /// the settings of all its results.
    func explain(
        _ plan: inout [BatchJournal.PlannedInput], _ journal: BatchJournal, in folder: String
    ) throws(VidscanError) {
        let indices = plan.indices.filter { [.settingsChanged, .kept].contains(plan[$0].reason) }
        let wanted = Set(indices.compactMap { plan[$0].former?.configuration })
        guard !wanted.isEmpty else { return }
        var details: [String: String] = [:]
        for item in try journal.items() where item.isFinished && wanted.contains(item.configuration) {
            guard details[item.configuration] == nil, let found = changes(since: "\(folder)/\(item.resultPath)"),
                !found.isEmpty
            else { continue }
            let more = found.count > 5 ? ", and \(found.count - 5) more" : ""
            details[item.configuration] = found.prefix(5).joined(separator: ", ") + more
        }
        for index in indices {
            guard let detail = plan[index].former.flatMap({ details[$0.configuration] }) else { continue }
            plan[index].detail = plan[index].reason == .kept ? "kept: \(detail)" : detail
        }
    }
}
