internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import VidscanBase
internal import VidscanBatch

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
            is quarantined: it is reported, and only --only-failed retries it.

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

    static func isHelpRequest(_ arguments: some Sequence<String>) -> Bool {
        [["batch", "--help"], ["batch", "-h"], ["help", "batch"]].contains(Array(arguments))
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
        if json { Output.json(try report.json()) } else { Output.write(report.text + "\n") }
        if strict, report.hasFailures { throw ExitStatus.someFailed }
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
        let merged = try MergedTable(folder: folder.path, table: table)
        if let output { try merged.write(to: output, replaces: force) } else { try merged.write(into: Output.print) }
        do { try folder.writeCombinedReport() } catch {
            // Only a warning, because the user asked for the table, and the folder may be read-only.
            Output.error("vidscan: warning: \(error)")
        }
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

    private static let askedAbove = 10

    func validate() throws { try refuse(if: !(olderThan >= 0), "--older-than must be 0 or more days.") }

    func run() throws {
        let reporter = BatchConsoleReporter(try messages.options(), shard: shard)
        let folder = BatchFolder(FilePath.absolute(folder))
        do {
            if dryRun || !yes {
                let paths = try folder.prunable(olderThanDays: olderThan, shard: shard)
                if dryRun { return reporter.listRemovals(paths.map { "\(folder.path)/\($0)" }, "result") }
                if paths.count > Self.askedAbove { try confirm(paths.count) }
            }
            reporter.pruned(try folder.prune(olderThanDays: olderThan, shard: shard), folder: folder.path)
        } catch let error as VidscanError {
            reporter.stopped(error)
            throw ExitStatus.after(error)
        }
    }

    private func confirm(_ count: Int) throws {
        try require(
            isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1, .input,
            "\(count) results would be removed; --dry-run lists them, --yes removes them")
        Output.progress("Remove \(count) results? [y/N] ")
        try require(["y", "yes"].contains(readLine()?.lowercased()), .interrupted, "nothing was removed")
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
            if dryRun { reporter.listRemovals(paths, "file") } else { reporter.forgot(paths, folder: folder.path) }
        } catch {
            reporter.stopped(error)
            throw ExitStatus.after(error)
        }
    }
}
