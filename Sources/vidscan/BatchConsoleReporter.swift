internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanPeople

/// Reports a batch on the console: a progress line on a terminal, a line every 30 seconds elsewhere, and failures as
/// they happen.
final class BatchConsoleReporter: BatchObserver {
    private let log: ConsoleLog
    private let lastProgress = Mutex(ContinuousClock.now - .seconds(60))

    init(_ options: MessageOptions) {
        log = ConsoleLog(options)
    }

    /// Lists the decisions of a dry run, one line per input.
    func listDecisions(_ plan: [BatchJournal.PlannedInput]) {
        for planned in plan {
            Output.standard("\(planned.isDue ? "run " : "skip")  \(planned.input.path)  (\(planned.reason.rawValue))")
        }
        Output.standard("\(plan.count(where: \.isDue)) of \(NumberText.count(plan.count, "file")) would be analysed")
    }

    func willRead(_ extent: ContentCheck.Extent) {
        log.info(
            "reading \(NumberText.count(extent.files, "file")), \(extent.bytes >> 20) MB, to compare the content with what was"
                + " analysed", ["files": "\(extent.files)", "bytes": "\(extent.bytes)"])
    }

    func started(_ plan: [BatchJournal.PlannedInput]) {
        let due = plan.count(where: \.isDue)
        log.info(
            "\(NumberText.count(plan.count, "file")), \(due) to analyse", ["files": "\(plan.count)", "due": "\(due)"])
    }

    func progressed(_ progress: Batch.Progress) {
        guard log.isInfoEnabled else { return }
        let now = ContinuousClock.now
        let isDue = lastProgress.withLock { last in
            guard now - last >= log.progressInterval else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        log.progress(
            Self.line(progress),
            [
                "done": "\(progress.done)", "failed": "\(progress.failed)", "left": "\(progress.left)",
                "video_seconds": String(format: "%.1f", progress.videoSeconds),
            ])
    }

    func delivered(_ path: String, report: WorkerReport) {
        log.debug(
            "\(path): \(NumberText.count(report.faces, "face")) in \(NumberText.count(report.frames, "frame"))",
            ["input": "\(path)"])
    }

    func failed(_ path: String, reason: String) {
        log.error("\(path): \(reason)", ["input": "\(path)"])
    }

    func postponed(_ path: String, reason: String) { warned(path, reason) }

    func warned(_ path: String, _ message: String) {
        log.warning("\(path): \(message)", ["input": "\(path)"])
    }

    func waiting(forFiles files: Int) {
        log.info(
            "waiting for \(NumberText.count(files, "file")) in progress in another process", ["waiting": "\(files)"])
    }

    func stopped(_ error: BatchError) { log.error("\(error)") }

    /// Reports the end of the batch.
    ///
    /// - Returns: `true` if nothing failed, and no file that failed earlier is waiting for its retry.
    func finished(_ summary: Batch.Summary, _ plan: [BatchJournal.PlannedInput], folder: String) -> Bool {
        log.clearProgressLine()
        let foreign = plan.filter { $0.reason == .foreignResult }
        for planned in foreign {
            failed(
                planned.input.path,
                reason: "\(folder)/\(planned.input.resultPath) exists, but is not from this batch; --force replaces it")
        }
        let progress = summary.progress
        let failures = progress.failed + foreign.count
        var counts = ["\(progress.done) done", "\(failures) failed", "\(progress.skipped) skipped"]
        if progress.postponed > 0 { counts.append("\(progress.postponed) left for the next run") }
        log.info(
            counts.joined(separator: ", ")
                + "; \(Self.clock(progress.videoSeconds)) of video in \(Self.clock(progress.elapsedSeconds))"
                + " -> \(folder)/",
            [
                "done": "\(progress.done)", "failed": "\(failures)", "skipped": "\(progress.skipped)",
                "postponed": "\(progress.postponed)", "output": "\(folder)",
            ])
        let waiting = plan.count { $0.reason == .waiting }
        if waiting > 0 {
            log.error(
                "\(NumberText.count(waiting, "file")) failed earlier and \(waiting == 1 ? "waits" : "wait") for a retry;"
                    + " --only-failed retries now", ["waiting": "\(waiting)"])
        }
        let quarantined = plan.count { $0.reason == .quarantined }
        if quarantined > 0 {
            log.info(
                "\(NumberText.count(quarantined, "file")) failed too often and \(quarantined == 1 ? "is" : "are") quarantined;"
                    + " 'vidscan batch status \(folder)' lists \(quarantined == 1 ? "it" : "them")",
                ["quarantined": "\(quarantined)"])
        }
        return failures == 0 && waiting == 0
    }

    /// Reports who is who in all results of the batch.
    func linked(_ summary: PeopleStudy.Summary) {
        for warning in summary.warnings { warned(warning.video, warning.message) }
        for failure in summary.failures { failed(failure.input ?? summary.path, reason: failure.reason) }
        log.info(summary.text, summary.fields)
    }

    /// Reports that the results have embeddings, but that nobody has compared them.
    func keptEmbeddings(folder: String) {
        log.info("'vidscan people \(folder)' joins the people of all videos", ["output": "\(folder)"])
    }

    /// Returns the progress line, for example
    /// `37 done, 1 failed, 12 left  4:02:10 of video  8.1× real time  0:30:12 left`.
    private static func line(_ progress: Batch.Progress) -> String {
        var fields = ["\(progress.done) done, \(progress.failed) failed, \(progress.left) left"]
        fields.append("\(clock(progress.videoSeconds)) of video")
        if progress.elapsedSeconds > 0 {
            fields.append(String(format: "%.1f× real time", progress.videoSeconds / progress.elapsedSeconds))
        }
        if progress.fraction > 0.001, progress.fraction < 1 {
            fields.append("\(clock(progress.elapsedSeconds * (1 - progress.fraction) / progress.fraction)) left")
        }
        return fields.joined(separator: "  ")
    }

    private static func clock(_ seconds: Double) -> String { TimeText.clock(Int64(seconds * 1e6)) }

}
