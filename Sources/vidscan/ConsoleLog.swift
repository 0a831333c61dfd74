internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanCorrections
internal import VidscanMedia
internal import VidscanPeople
internal import VidscanRender
internal import VidscanResults

/// Messages and progress on standard error: `vidscan: warning: …`, or one JSON object per line.
final class ConsoleLog: Sendable {
    enum Level { case debug, info, warning, error }

    private let options: MessageOptions
    /// True on a terminal: progress then overwrites one line.
    private let showsProgressLine: Bool
    /// In each JSON line, so that the lines of many machines and runs can share one log.
    private let origin: LogFields
    private let lastProgress = Mutex(ContinuousClock.now - .seconds(60))

    init(_ options: MessageOptions, shard: BatchShard? = nil) {
        origin = ["host": Self.host, "run": Self.run, "shard": shard.map { "\($0.index)/\($0.count)" }]
        showsProgressLine = isatty(STDERR_FILENO) == 1 && options.format == .text && options.level != .quiet
        self.options = options
    }

    private static let host = (FileSystem.text("/proc/sys/kernel/hostname") ?? "").trimmingCharacters(in: .newlines)
    private static let run = NumberText.hexadecimal(UInt64.random(in: .min ... .max), digits: 16)

    /// The level of details that belong in a log, but not on a terminal.
    var detail: Level { options.format == .json ? .info : .debug }
    var isInfoEnabled: Bool { options.level != .quiet }

    /// A message about an input or a result begins with its name.
    func callAsFunction(
        _ level: Level, _ event: LogLine, input: String? = nil, result: String? = nil, _ text: String,
        _ fields: LogFields = [:]
    ) {
        guard level == .error || isInfoEnabled, level != .debug || options.level == .verbose else { return }
        let message = ((input ?? result).map { "\($0): " } ?? "") + text
        guard options.format == .json else {
            let prefix = level == .warning || level == .error ? "\(level): " : ""
            return Output.error("vidscan: \(prefix)\(message)", overProgressLine: showsProgressLine)
        }
        let common: LogFields = [
            "event": event.rawValue, "level": "\(level)", "input": input, "result": result,
            "time": Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            // People read the message, so it is escaped. Fields keep their exact values.
            "message": Printable.line(message),
        ]
        let object = [fields, origin, common].reduce(into: [:]) { object, more in
            object.merge(more.compactMapValues { $0?.json }) { $1 }
        }
        Output.jsonError(JSONValue.object(object).encoded())
    }

    /// The next progress is shown after the usual time.
    func holdProgress() { lastProgress.withLock { $0 = .now } }

    /// Makes and shows a line of progress, unless the last one was shown a moment ago.
    func progress(_ make: () -> (line: String, fields: LogFields)) {
        guard isInfoEnabled else { return }
        let now = ContinuousClock.now
        let isDue = lastProgress.withLock { last in
            guard now - last >= (showsProgressLine ? .milliseconds(100) : .seconds(30)) else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let (line, fields) = make()
        if showsProgressLine { Output.progress(line) } else { self(.info, .progress, line, fields) }
    }
}

/// Names a JSON line; `docs/log.schema.json` lists the fields of each.
enum LogLine: String {
    case opened, warning, note, failed, postponed, skipped, fileDone = "file_done", gone, forgotten
    case rendered, reported, exported, corrected, verified, published, pruned, people, person, message
    case started, reading, progress, waiting, finished, interrupted, stopped, retryLater = "retry_later", quarantined
}

/// Leaves out a field without a value.
typealias LogFields = [String: (any LogValue)?]

protocol LogValue: Sendable { var json: JSONValue { get } }
extension String: LogValue { var json: JSONValue { .text(self) } }
extension Int: LogValue { var json: JSONValue { .integer(self) } }
extension Bool: LogValue { var json: JSONValue { .flag(self) } }
/// Seconds or fractions.
extension Double: LogValue { var json: JSONValue { .number((self * 1000).rounded() / 1000) } }

/// Shows a progress line on a terminal, or a line every 30 seconds elsewhere; warnings and errors at once; summaries.
final class ConsoleReporter: RunObserver {
    private struct State: Sendable {
        var input = "", numbering = ""
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64?
        var startTime = ContinuousClock.now
    }

    let log: ConsoleLog
    /// The settings of an analysis, which may cover only part of each video.
    private let settings: Settings?
    private let state = Mutex(State())

    init(_ options: MessageOptions, analysis settings: Settings? = nil) {
        log = ConsoleLog(options)
        self.settings = settings
        log.holdProgress()
    }

    func started(_ input: String, number: Int, of count: Int) {
        log.holdProgress()
        state.withLock { $0 = State(input: input, numbering: count > 1 ? "[\(number)/\(count)] " : "") }
    }

    func opened(_ input: String, info: VideoInfo) {
        let (sample, duration) = (settings?.sample, info.durationMicroseconds)
        let segment = settings?.segment?.window(start: sample?.start, end: sample?.end, duration: duration)
        state.withLock {
            $0.startMicroseconds = (segment?.start ?? sample?.start) ?? 0
            $0.endMicroseconds = [segment?.end ?? sample?.end, duration].compactMap { $0 }.min()
            $0.startTime = .now
        }
        let length = duration.map { ", " + TimeText.clock($0) } ?? ""
        log(
            .debug, .opened, input: input,
            "\(info.format), stream \(info.streamIndex), \(info.codec) \(info.codedSize)\(length)",
            ["codec": info.codec])
    }

    func progressed(_ progress: RunProgress) {
        log.progress {
            let state = state.withLock { $0 }
            let fields: LogFields = [
                "input": state.input, "frames": progress.frames, "faces": progress.faces,
                "video_seconds": Double(progress.microseconds) / 1e6,
            ]
            return (Self.line(progress, state: state), fields)
        }
    }

    /// Of pairs of people.
    func compared(_ done: Int, of all: Int) {
        log.progress {
            let state = state.withLock { $0 }
            let name = FilePath.name(of: state.input)
            return (
                "\(state.numbering)\(name)  \(100 * done / all) %  \(done) of \(all) pairs compared",
                ["input": state.input, "done": done, "left": all - done]
            )
        }
    }

    func warned(_ input: String, message: String) { log(.warning, .warning, input: input, message) }

    func failed(_ error: any Error) {
        let known = error as? VidscanError
        log(.error, .failed, "\(error)", ["input": known?.input, "stage": known?.stage?.rawValue])
    }

    func delivered(_ input: String, summary: RunOutcome) {
        let counts = summary.counts
        let video = Double(summary.analysedMicroseconds) / 1e6
        let work = Self.work(summary.wallSeconds, of: summary.segmentCount == nil ? video : 0)
        // Identities are unknown until the segments are merged.
        let segment = settings?.segment
        let extent =
            segment.map { "segment \($0): " } ?? summary.segmentCount.map { NumberText.count($0, "segment") + ": " }
            ?? ""
        let (number, noun) = segment == nil ? (counts.faceIds, "face") : (counts.faces, "detection")
        log(
            .info, .fileDone, input: input, result: summary.resultPath,
            "\(extent)\(NumberText.count(number, noun)) in \(NumberText.count(counts.sampledFrames, "sample")), \(work)"
                + " -> \(FilePath.relative(summary.resultPath))/",
            [
                "frames": counts.sampledFrames, "faces": counts.faces, "face_ids": counts.faceIds,
                "people": counts.personIds, "events": counts.events, "warnings": summary.warnings.count,
                "video_seconds": video, "wall_seconds": summary.wallSeconds,
            ])
        for (row, text) in summary.quality.lines {
            let fields: LogFields = [
                "person_id": row.personID, "seconds_visible": row.visibleSeconds,
                "measured_fraction": row.measuredFraction,
            ]
            log(.info, .person, input: input, text, fields)
        }
        let omitted = summary.quality.omitted
        guard omitted > 0 else { return }
        log(.info, .message, input: input, "and \(omitted) more \(omitted == 1 ? "person" : "people")")
    }

    func rendered(_ result: String, summary: Renderer.Summary) {
        let (tally, work) = (summary.visibility, Self.work(summary.wallSeconds, of: summary.seconds))
        let visibility = [summary.hidden, tally?.words].compactMap { $0.map { "; " + $0 } }.joined()
        log(
            .info, .rendered, result: result,
            "\(NumberText.count(summary.frames, "frame")), \(work) -> \(FilePath.relative(summary.path))\(visibility)",
            [
                "output": summary.path, "frames": summary.frames, "wall_seconds": summary.wallSeconds,
                "visible_frames": tally?.visibleFrames, "doubtful_frames": tally?.doubtfulFrames,
            ])
        if let reasons = tally?.reasons { note(reasons, input: result) }
    }

    func made(_ event: LogLine, _ path: String, from result: String) {
        log(.info, event, result: result, "-> \(FilePath.relative(path))", ["output": path])
    }

    func note(_ text: String, input: String? = nil) { log(.info, .note, input: input, "note: \(text)") }

    func corrected(_ result: String, summary: Corrector.Summary, isUndone: Bool = false) {
        let count = isUndone ? 0 : summary.effects.count
        let work = isUndone ? "corrections undone" : NumberText.count(count, "correction") + " applied"
        let target = isUndone ? "" : " -> \(FilePath.relative(summary.path))/"
        log(
            .info, .corrected, result: result,
            "\(work), \(NumberText.count(summary.faceIDs, "face")) of \(NumberText.people(summary.personIDs)) in"
                + " \(NumberText.count(summary.faces, "row"))\(target)",
            [
                "output": summary.path, "corrections": count, "faces": summary.faces, "face_ids": summary.faceIDs,
                "people": summary.personIDs,
            ])
        guard !summary.outdated.isEmpty else { return }
        warned(
            result,
            message: "\(summary.outdated.joined(separator: ", ")) may show the tables as they were before; make"
                + " \(summary.outdated.count == 1 ? "it" : "them") again with --force")
    }

    /// `[2/3] movie.mp4  43 %  1:02 of 2:24  210.4 frames/s  42.1× real time  118 faces  0:02 left`
    private static func line(_ progress: RunProgress, state: State) -> String {
        let elapsed = max((.now - state.startTime) / .seconds(1), 1e-3)
        let (end, done) = (state.endMicroseconds, max(0, progress.microseconds - state.startMicroseconds))
        var fields = [state.numbering + FilePath.name(of: state.input)]
        if let end, end > state.startMicroseconds {
            fields.append("\(Int(min(1, Double(done) / Double(end - state.startMicroseconds)) * 100)) %")
            fields.append("\(TimeText.clock(progress.microseconds)) of \(TimeText.clock(end))")
        } else {
            fields.append(TimeText.clock(progress.microseconds))
        }
        fields.append(String(format: "%.1f frames/s", Double(progress.frames) / elapsed))
        fields.append(String(format: "%.1f× real time", Double(done) / 1e6 / elapsed))
        fields.append(NumberText.count(progress.faces, "face"))
        if let end, done > 0 {
            let left = Double(end - state.startMicroseconds - done) * elapsed / Double(done)
            fields.append("\(TimeText.clock(Int64(left * 1e6))) left")
        }
        return fields.joined(separator: "  ")
    }

    /// `1.2 s (4.0× real time)`
    private static func work(_ seconds: Double, of video: Double) -> String {
        String(format: "%.1f s", seconds)
            + (video > 0 ? String(format: " (%.1f× real time)", video / max(seconds, 1e-3)) : "")
    }
}

extension ConsoleLog {
    func linked(_ summary: PeopleStudy.Summary) {
        let doubts = summary.doubts
        var text = "\(NumberText.people(summary.people)) in \(NumberText.count(summary.videos, "video"))"
        if summary.corrections > 0 { text += ", \(NumberText.count(summary.corrections, "correction")) applied" }
        if doubts > 0 { text += ", \(NumberText.count(doubts, "decision")) to check in people.html" }
        self(
            .info, .people, "\(text) -> \(FilePath.relative(summary.path))",
            ["people": summary.people, "videos": summary.videos, "doubts": doubts, "output": summary.path])
    }
}
