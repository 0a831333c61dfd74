internal import ArgumentParser
internal import Foundation
internal import VidscanBatch

struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Analyses many files, and each of them once: what is new, changed, or failed before.",
        discussion: """
            Inputs are files, folders with all that is in them, or a list. Results go to the same places below \
            --output every time, and a journal there knows what has been done: run it again, and only the rest is \
            done. Each file is analysed in a worker process, so that one that crashes, hangs or needs too much memory \
            fails alone.

            EXAMPLES
              vidscan batch recordings/ --output results
              vidscan batch recordings/ --output results --pipeline nightly --jobs 4
              find /data -name '*.mp4' -mtime -1 | vidscan batch --from - --output results
              vidscan batch recordings/ --output results --dry-run
              vidscan batch status results
              vidscan batch merge results > all.csv

            Status 1 says that a file failed, now or earlier, and is to be tried again; one that failed once too often \
            is quarantined, and only mentioned. --only-failed does those again.
            """,
        subcommands: [
            BatchRunCommand.self, BatchStatusCommand.self, BatchMergeCommand.self, BatchPruneCommand.self,
        ],
        defaultSubcommand: BatchRunCommand.self)
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
            let record = try BatchRecord(folder: BatchFolder.absolute(folder))
            if json {
                Output.json(try record.json(), to: STDOUT_FILENO)
            } else {
                Output.write(record.text + "\n", to: STDOUT_FILENO)
            }
        } catch let error as BatchError {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
    }
}

struct BatchMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Writes one table of all results of a batch, with the video in its first column.",
        discussion: "Of a batch that was divided into shards, it also writes their common index and summary.")

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
            try BatchTable(folder: BatchFolder.absolute(folder), table: table).write(to: output, replaces: force)
            writeWholeRecord()
        } catch {
            Output.error("vidscan: error: \(error)")
            throw error.code == .input ? ExitStatus.usage : ExitStatus.someFailed
        }
    }

    /// The table is what was asked for, perhaps in a folder that may only be read.
    private func writeWholeRecord() {
        do {
            try BatchFolder(BatchFolder.absolute(folder)).writeWholeRecord()
        } catch {
            Output.error("vidscan: warning: \(error)")
        }
    }
}

struct BatchPruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes results that are older than some days, and remembers that they were made.",
        discussion: "Their inputs are not done again, unless they change or --force asks for it.")

    @Argument(help: ArgumentHelp("The batch's folder.", valueName: "folder"))
    var folder: String

    @Option(help: ArgumentHelp("How old, since the result was made.", valueName: "days"))
    var olderThan: Double

    func validate() throws {
        if !(olderThan >= 0) { throw ValidationError("--older-than must be 0 or more days.") }
    }

    func run() throws {
        do {
            let removed = try BatchFolder(BatchFolder.absolute(folder)).prune(olderThanDays: olderThan)
            Output.standard("\(removed) \(removed == 1 ? "result" : "results") removed")
        } catch {
            Output.error("vidscan: error: \(error)")
            throw error.code == .input ? ExitStatus.usage : ExitStatus.someFailed
        }
    }
}
