internal import Foundation
internal import Logging
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch

/// Tells people how a batch goes: a live line on a terminal, a line now and then elsewhere, failures as they come.
final class BatchTeller: BatchObserver {
    private let log: MessageLog
    private let showsProgressLine: Bool
    private let lastTold = Mutex(ContinuousClock.now - .seconds(60))

    init(_ options: MessageOptions) {
        showsProgressLine = isatty(STDERR_FILENO) == 1 && options.format == .text && options.level != .quiet
        let level: Logger.Level =
            switch options.level {
            case .quiet: .error
            case .normal: .info
            case .verbose: .debug
            }
        log = MessageLog(format: options.format, level: level, overProgressLine: showsProgressLine)
    }

    /// Of a dry run: a line for each input.
    func tell(_ plan: [BatchJournal.Entry]) {
        for entry in plan {
            Output.standard("\(entry.isDue ? "do  " : "pass")  \(entry.input.path)  (\(entry.reason.rawValue))")
        }
        let due = plan.count(where: \.isDue)
        Output.standard("\(due) of \(plan.count) \(plan.count == 1 ? "file" : "files") would be done")
    }

    func reads(_ reading: ContentCheck.Reading) {
        log.info(
            "reading \(reading.files) \(reading.files == 1 ? "file" : "files"), \(reading.bytes >> 20) MB, to compare"
                + " their content with what was analysed", ["files": "\(reading.files)", "bytes": "\(reading.bytes)"])
    }

    func begins(_ plan: [BatchJournal.Entry]) {
        let due = plan.count(where: \.isDue)
        log.info(
            "\(plan.count) \(plan.count == 1 ? "file" : "files"), \(due) to do",
            ["files": "\(plan.count)", "due": "\(due)"])
    }

    func progressed(_ progress: Batch.Progress) {
        guard log.tellsInfo else { return }
        let now = ContinuousClock.now
        let isDue = lastTold.withLock { last in
            guard now - last >= (showsProgressLine ? .milliseconds(100) : .seconds(30)) else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let line = Self.line(progress)
        if showsProgressLine {
            Output.progress(line)
        } else {
            log.info(
                line,
                [
                    "done": "\(progress.done)", "failed": "\(progress.failed)", "left": "\(progress.left)",
                    "video_seconds": String(format: "%.1f", progress.videoSeconds),
                ])
        }
    }

    func delivered(_ path: String, report: WorkerReport) {
        log.debug("\(path): \(report.faces) faces in \(report.frames) frames", ["input": "\(path)"])
    }

    func failed(_ path: String, reason: String) {
        log.error("\(path): \(reason)", ["input": "\(path)"])
    }

    func left(_ path: String, because reason: String) {
        log.warning("\(path): \(reason)", ["input": "\(path)"])
    }

    func warned(_ path: String, _ message: String) {
        log.warning("\(path): \(message)", ["input": "\(path)"])
    }

    func waits(for files: Int) {
        log.info(
            "waiting for \(files) \(files == 1 ? "file" : "files") that another process works on",
            ["waiting": "\(files)"])
    }

    func stopped(_ error: BatchError) { log.error("\(error)") }

    /// - Returns: whether nothing has failed, now or earlier, that is still to be tried.
    func ends(_ summary: Batch.Summary, _ plan: [BatchJournal.Entry], folder: String) -> Bool {
        if showsProgressLine { Output.progress("") }
        let occupied = plan.filter { $0.reason == .occupied }
        for entry in occupied {
            failed(
                entry.input.path,
                reason: "\(folder)/\(entry.input.place) is there, and not made by this batch; --force replaces it")
        }
        let progress = summary.progress
        let failures = progress.failed + occupied.count
        var parts = ["\(progress.done) done", "\(failures) failed", "\(progress.skipped) skipped"]
        if progress.postponed > 0 { parts.append("\(progress.postponed) left for the next run") }
        log.info(
            parts.joined(separator: ", ")
                + "; \(Self.hours(progress.videoSeconds)) of video in \(Self.hours(progress.elapsedSeconds))"
                + " -> \(folder)/",
            [
                "done": "\(progress.done)", "failed": "\(failures)", "skipped": "\(progress.skipped)",
                "postponed": "\(progress.postponed)", "output": "\(folder)",
            ])
        let waiting = plan.count { $0.reason == .waiting }
        if waiting > 0 {
            log.error(
                "\(waiting) that failed earlier \(waiting == 1 ? "waits" : "wait") for the next try;"
                    + " --only-failed does it now", ["waiting": "\(waiting)"])
        }
        let quarantined = plan.count { $0.reason == .quarantined }
        if quarantined > 0 {
            log.info(
                "\(quarantined) failed too often and \(quarantined == 1 ? "is" : "are") passed over;"
                    + " 'vidscan batch status \(folder)' tells which", ["quarantined": "\(quarantined)"])
        }
        return failures == 0 && waiting == 0
    }

    /// `37 done, 1 failed, 12 left  4:02:10 of video  8.1× real time  0:30:12 left`
    private static func line(_ progress: Batch.Progress) -> String {
        var parts = ["\(progress.done) done, \(progress.failed) failed, \(progress.left) left"]
        parts.append("\(hours(progress.videoSeconds)) of video")
        if progress.elapsedSeconds > 0 {
            parts.append(String(format: "%.1f× real time", progress.videoSeconds / progress.elapsedSeconds))
        }
        if progress.share > 0.001, progress.share < 1 {
            parts.append("\(hours(progress.elapsedSeconds * (1 - progress.share) / progress.share)) left")
        }
        return parts.joined(separator: "  ")
    }

    private static func hours(_ seconds: Double) -> String { TimeText.clock(Int64(seconds * 1e6)) }
}
