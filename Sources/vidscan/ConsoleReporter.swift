internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanMedia
internal import VidscanRender
internal import VidscanResults

/// Reports a run on the console: a progress line on a terminal, a line every 30 seconds elsewhere, warnings and errors
/// as they happen, and a summary of each input.
final class ConsoleReporter: RunObserver {
    /// The range of a video that is analysed; times in microseconds.
    struct Window: Sendable {
        var start: Int64?
        var end: Int64?
        var segment: VideoSegment?
    }

    private struct State: Sendable {
        var input = ""
        var numbering = ""
        var window = Window()
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64?
        var startTime = ContinuousClock.now
        var lastProgress = ContinuousClock.now
    }

    private let log: ConsoleLog
    private let state = Mutex(State())

    init(_ options: MessageOptions) {
        log = ConsoleLog(options)
    }

    func started(_ input: String, number: Int, of count: Int, window: Window) {
        state.withLock {
            $0 = State()
            $0.input = input
            $0.numbering = count > 1 ? "[\(number)/\(count)] " : ""
            $0.window = window
        }
    }

    func opened(_ input: String, info: VideoInfo) {
        state.withLock { state in
            let window = state.window
            let segment = window.segment?.window(
                start: window.start, end: window.end, duration: info.durationMicroseconds)
            state.startMicroseconds = (segment?.start ?? window.start) ?? 0
            state.endMicroseconds = (segment?.end ?? window.end) ?? info.durationMicroseconds
        }
        let duration = info.durationMicroseconds.map { ", " + TimeText.clock($0) } ?? ""
        log.debug(
            .opened,
            "\(input): \(info.format), stream \(info.streamIndex), \(info.codec) \(info.codedSize)\(duration)",
            ["input": .text(input), "codec": .text(info.codec)])
    }

    func progressed(_ progress: RunProgress) {
        guard log.isInfoEnabled else { return }
        let now = ContinuousClock.now
        let line: (text: String, input: String)? = state.withLock { state in
            guard now - state.lastProgress >= log.progressInterval else { return nil }
            state.lastProgress = now
            return (Self.line(progress, state: state, now: now), state.input)
        }
        guard let line else { return }
        log.progress(
            line.text,
            [
                "input": .text(line.input), "frames": .integer(progress.frames), "faces": .integer(progress.faces),
                "video_seconds": .seconds(Double(progress.microseconds) / 1e6),
            ])
    }

    func warned(_ input: String, message: String) {
        log.warning(.warning, "\(input): \(message)", ["input": .text(input)])
    }

    func failed(_ error: any Error) {
        var fields: LogFields = [:]
        if let error = error as? VidscanError {
            fields["input"] = error.input.map { .text($0) }
            fields["stage"] = error.stage.map { .text($0.rawValue) }
        }
        log.error(.failed, "\(error)", fields)
    }

    func interrupted() {
        log.error(.interrupted, "interrupted; complete results are kept")
    }

    func delivered(_ input: String, summary: Analysis.Summary) {
        guard log.isInfoEnabled else { return }
        let seconds = String(format: "%.1f", summary.wallSeconds)
        let video = Double(summary.analysedMicroseconds) / 1e6
        let speed =
            video > 0 && summary.segmentCount == nil
            ? String(format: " (%.1f× real time)", video / max(summary.wallSeconds, 1e-3)) : ""
        // Identities are only known after the segments are merged.
        let segment = state.withLock { $0.window.segment }
        let extent =
            segment.map { "segment \($0): " } ?? summary.segmentCount.map { NumberText.count($0, "segment") + ": " }
            ?? ""
        let faces =
            segment == nil
            ? NumberText.count(summary.identities, "face") : NumberText.count(summary.faces, "detection")
        let text =
            "\(input): \(extent)\(faces) in \(NumberText.count(summary.frames, "sample")),"
            + " \(seconds) s\(speed) -> \(Self.relative(summary.resultPath))"
        log.info(
            .fileDone, text,
            [
                "input": .text(input), "result": .text(summary.resultPath), "frames": .integer(summary.frames),
                "faces": .integer(summary.faces), "face_ids": .integer(summary.identities),
                "people": .integer(summary.people), "events": .integer(summary.events),
                "warnings": .integer(summary.warnings.count), "video_seconds": .seconds(video),
                "wall_seconds": .seconds(summary.wallSeconds),
            ])
    }

    func rendered(_ result: String, summary: Rendering.Summary) {
        guard log.isInfoEnabled else { return }
        let seconds = String(format: "%.1f", summary.wallSeconds)
        let speed =
            summary.seconds > 0
            ? String(format: " (%.1f× real time)", summary.seconds / max(summary.wallSeconds, 1e-3)) : ""
        var fields: LogFields = [
            "result": .text(result), "output": .text(summary.path), "frames": .integer(summary.frames),
            "wall_seconds": .seconds(summary.wallSeconds),
        ]
        var visibility = ""
        if let hidden = summary.hidden { visibility = "; " + hidden }
        if let tally = summary.visibility {
            visibility += "; " + tally.words
            fields["visible_frames"] = .integer(tally.visibleFrames)
            fields["doubtful_frames"] = .integer(tally.doubtfulFrames)
        }
        log.info(
            .rendered,
            "\(result): \(NumberText.count(summary.frames, "frame")), \(seconds) s\(speed)"
                + " -> \(Self.relative(summary.path, isFolder: false))\(visibility)", fields)
    }

    func reported(_ result: String, path: String) {
        log.info(
            .reported, "\(result): -> \(Self.relative(path, isFolder: false))",
            ["result": .text(result), "output": .text(path)])
    }

    func exported(_ result: String, paths: [String]) {
        for path in paths {
            log.info(
                .exported, "\(result): -> \(Self.relative(path, isFolder: false))",
                ["result": .text(result), "output": .text(path)])
        }
    }

    /// Prints what is worth knowing, although nothing is wrong.
    ///
    /// - Parameter input: The input that it is about; `nil` if it is about all of them.
    func note(_ text: String, input: String? = nil) {
        let place = input.map { "\($0): " } ?? ""
        log.info(.note, "\(place)note: \(text)", input.map { ["input": .text($0)] } ?? [:])
    }

    func inform(_ event: LogLine, _ text: String, _ fields: LogFields) {
        log.info(event, text, fields)
    }

    // MARK: Text

    /// Returns the progress line, for example
    /// `[2/3] movie.mp4  43 %  1:02 of 2:24  210.4 frames/s  42.1× real time  118 faces  0:02 left`.
    private static func line(_ progress: RunProgress, state: State, now: ContinuousClock.Instant) -> String {
        let elapsed = max((now - state.startTime) / .seconds(1), 1e-3)
        let end = state.endMicroseconds
        let done = max(0, progress.microseconds - state.startMicroseconds)
        var fields = [state.numbering + FilePath.name(of: state.input)]
        if let end, end > state.startMicroseconds {
            let fraction = min(1, Double(done) / Double(end - state.startMicroseconds))
            fields.append("\(Int(fraction * 100)) %")
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

    static func relative(_ path: String, isFolder: Bool = true) -> String {
        let current = FilePath.joining(FilePath.currentFolder, "")
        return (path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path) + (isFolder ? "/" : "")
    }
}
