internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanPeople
internal import VidscanResults

/// Shows a progress line on a terminal, or a line every 30 seconds elsewhere, and failures as they happen.
final class BatchConsoleReporter: BatchObserver {
    private static let maximumSkipped = 10, manyResults = 100, maximumNotices = 3

    let log: ConsoleLog
    private let notices = Mutex<[String: Int]>([:])
    private let warnings = Mutex<Set<String>>([])

    init(_ options: MessageOptions, shard: BatchShard? = nil) { log = ConsoleLog(options, shard: shard) }

    func skipped(_ problems: [InputFinder.Problem]) {
        for problem in problems.prefix(Self.maximumSkipped) {
            log(.info, .skipped, "skipped \(problem.path): \(problem.reason)", ["input": problem.path])
        }
        if problems.count > Self.maximumSkipped {
            log(.info, .message, "skipped \(problems.count - Self.maximumSkipped) more; --dry-run lists them")
        }
    }

    func willRead(files: Int, bytes: Int) {
        log(
            .info, .reading,
            "reading \(NumberText.count(files, "file")), \(bytes >> 20) MB, to compare the content with what was analysed",
            ["files": files, "bytes": bytes])
    }

    func started(_ plan: [BatchJournal.PlannedInput]) {
        let due = plan.count(where: \.isDue)
        log(
            .info, .started, "\(NumberText.count(plan.count, "file")), \(due) to analyse",
            ["files": plan.count, "due": due])
        warnOfRepetition(plan)
    }

    func warnOfRepetition(_ plan: [BatchJournal.PlannedInput]) {
        // Most of these results share an explanation.
        let again = plan.filter { $0.isDue && $0.reason == .settingsChanged && $0.former?.status == .done }
        let reasons = Dictionary(grouping: again, by: \.explanation)
        guard again.count > Self.manyResults,
            let reason = reasons.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.key
        else { return }
        let onlyReports = reason == "report.page false → true" ? ", and --only-missing report adds only the pages" : ""
        log(
            .warning, .warning,
            "\(again.count) finished results will be analysed again (\(reason)); --keep-done keeps them as they are\(onlyReports)"
        )
    }

    func progressed(_ progress: Batch.Progress) {
        log.progress {
            let fields: LogFields = [
                "done": progress.done, "failed": progress.failed, "left": progress.left,
                "video_seconds": progress.videoSeconds, "elapsed_seconds": progress.elapsedSeconds,
                "seconds_left": progress.secondsLeft,
            ]
            return (Self.line(progress), fields)
        }
    }

    func delivered(_ path: String, report: WorkerReport, result: String, attempt: Int) {
        countNotices(of: result)
        log(
            log.detail, .fileDone, input: path, result: result,
            "\(NumberText.count(report.faces, "face")) in \(NumberText.count(report.frames, "frame"))",
            [
                "attempt": attempt, "frames": report.frames, "faces": report.faces, "people": report.people,
                "events": report.events, "warnings": report.warnings.count, "video_seconds": report.videoSeconds,
                "wall_seconds": report.wallSeconds,
            ])
    }

    func addedReport(_ path: String, result: String) {
        log(log.detail, .reported, "\(path): report added", ["result": result, "output": result + "/report.html"])
    }

    func failed(_ path: String, reason: String, attempt: Int? = nil) {
        log(.error, .failed, input: path, reason, ["attempt": attempt])
    }

    func lost(_ path: String) { log(.info, .gone, input: path, "gone before it was analysed", ["files": 1]) }

    func lost(files: Int, folder: String) {
        log(
            .info, .gone,
            "\(NumberText.count(files, "file")) without a result \(files == 1 ? "is" : "are") gone;"
                + " 'vidscan batch forget \(FilePath.shellWord(folder))' forgets \(files == 1 ? "it" : "them")",
            ["files": files])
    }

    func postponed(_ path: String, reason: String) { log(.warning, .postponed, input: path, reason) }

    func warned(_ path: String, _ message: String, attempt: Int? = nil) {
        // What an analysis finds in many files is said once; the index has the warnings of each file.
        let isNew = attempt == nil || warnings.withLock { $0.insert(message).inserted }
        log(isNew ? .warning : .debug, .warning, input: path, message, ["attempt": attempt])
    }

    func waiting(forFiles files: Int) {
        log(
            .info, .waiting, "waiting for \(NumberText.count(files, "file")) in progress in another process",
            ["files": files])
    }

    func overtaken(files: Int) {
        log(
            .error, .stopped,
            "another batch in this folder, with other settings, has taken over \(NumberText.count(files, "file")); run this one"
                + " again",
            ["files": files])
    }

    func stopped(_ error: VidscanError) -> ExitStatus {
        log(.error, error.code == .interrupted ? .interrupted : .stopped, "\(error)")
        return .after(error)
    }

    func interrupted(_ progress: Batch.Progress, isForced: Bool) {
        let again = isForced ? "the same command without --force" : "the same command again"
        let done = progress.done
        log(
            .error, .interrupted,
            "interrupted: \(NumberText.count(done, "result")) of this run \(done == 1 ? "is" : "are") kept, files in progress are"
                + " not; run \(again) for the \(progress.left) left",
            ["done": progress.done, "failed": progress.failed, "left": progress.left])
    }

    /// Whether nothing failed, and no failed file is waiting for its retry. `published`: videos, if any were to be.
    func finished(
        _ summary: Batch.Summary, _ plan: [BatchJournal.PlannedInput], folder: String,
        published: (new: Int, failed: Int)?
    ) -> Bool {
        let refused = plan.filter { [.foreignResult, .hasWarnings].contains($0.reason) }
        for planned in refused {
            let result = "\(folder)/\(planned.input.resultPath)"
            let foreign = "\(result) exists, but is not from this batch; --force replaces it"
            failed(planned.input.path, reason: planned.reason == .foreignResult ? foreign : planned.explanation)
        }
        let progress = summary.progress
        let failures = progress.failed + refused.count
        let warnings = progress.withWarnings > 0 ? " (\(progress.withWarnings) with warnings)" : ""
        var counts = ["\(progress.done) done\(warnings)", "\(failures) failed", "\(progress.skipped) skipped"]
        if progress.gone > 0 { counts.append("\(progress.gone) gone") }
        if progress.postponed > 0 { counts.append("\(progress.postponed) postponed to the next run") }
        if let published { counts.append("\(published.new) published") }
        let unpublished = published?.failed ?? 0
        if unpublished > 0 { counts.append("\(unpublished) not published") }
        let quarantined = plan.count { $0.reason == .quarantined }
        log(
            .info, .finished,
            counts.joined(separator: ", ")
                + "; \(Self.clock(progress.videoSeconds)) of video in \(Self.clock(progress.elapsedSeconds))"
                + " -> \(folder)/",
            [
                "done": progress.done, "failed": failures, "skipped": progress.skipped, "gone": progress.gone,
                "postponed": progress.postponed, "quarantined": quarantined, "with_warnings": progress.withWarnings,
                "video_seconds": progress.videoSeconds, "elapsed_seconds": progress.elapsedSeconds, "output": folder,
                "published": published?.new, "unpublished": unpublished > 0 ? unpublished : nil,
            ])
        reportNotices(done: progress.done)
        let waiting = plan.count { $0.reason == .waiting }
        if waiting > 0 {
            log(
                .error, .retryLater,
                "\(NumberText.count(waiting, "file")) failed earlier and \(waiting == 1 ? "waits" : "wait") for a retry;"
                    + " --only-failed retries now", ["files": waiting])
        }
        if quarantined > 0 {
            log(
                .warning, .quarantined,
                "\(NumberText.count(quarantined, "file")) failed too often and \(quarantined == 1 ? "is" : "are") quarantined;"
                    + " 'vidscan batch status \(FilePath.shellWord(folder))' lists \(quarantined == 1 ? "it" : "them")",
                ["files": quarantined])
        }
        return failures + unpublished + waiting == 0
    }

    private func countNotices(of result: String) {
        guard log.isInfoEnabled,
            let found = try? RecordFile.decode(
                ResultNotices.self, folder: result, name: ResultFolder.Kind.result.record)
        else { return }
        // The others were already warnings during the analysis.
        let new = found.notices.filter { !$0.hasPrefix(IdentifyingFiles.advice) }
        notices.withLock { counts in for text in new { counts[text, default: 0] += 1 } }
    }

    /// Reports each notice once, and only the most frequent ones.
    private func reportNotices(done: Int) {
        let counts = notices.withLock { $0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (text, count) in counts.prefix(Self.maximumNotices) {
            let extent = count < done ? " (\(count) of \(NumberText.count(done, "file")))" : ""
            log(.info, .note, "note: \(text)\(extent)")
        }
        if counts.count > Self.maximumNotices {
            log(.info, .note, "note: run.json of each result has \(counts.count - Self.maximumNotices) other notes")
        }
    }

    func listRemovals(_ paths: [String], _ noun: String) {
        for path in paths { Output.standard(path) }
        Output.standard("\(NumberText.count(paths.count, noun)) would be \(noun == "file" ? "forgotten" : "removed")")
    }

    func linked(_ summary: PeopleStudy.Summary) {
        for warning in summary.warnings { warned(warning.video, warning.message) }
        for failure in summary.failures { failed(failure.input ?? summary.path, reason: failure.reason) }
        log.linked(summary)
    }

    /// `37 done, 1 failed, 12 left  4:02:10 of video  8.1× real time  0:30:12 left  a.mp4 43 %`
    private static func line(_ progress: Batch.Progress) -> String {
        var fields = ["\(progress.done) done, \(progress.failed) failed, \(progress.left) left"]
        fields.append("\(clock(progress.videoSeconds)) of video")
        if progress.elapsedSeconds > 0 {
            fields.append(String(format: "%.1f× real time", progress.videoSeconds / progress.elapsedSeconds))
        }
        if let left = progress.secondsLeft { fields.append("\(clock(left)) left") }
        fields += progress.running.prefix(2).compactMap { file in
            file.progress?.fraction.map { "\(FilePath.name(of: file.path)) \(Int($0 * 100)) %" }
        }
        return fields.joined(separator: "  ")
    }

    private static func clock(_ seconds: Double) -> String { TimeText.clock(Int64(seconds * 1e6)) }
}

/// The part of `run.json` with limits of the result.
private struct ResultNotices: Decodable { let notices: [String] }
