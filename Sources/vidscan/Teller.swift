internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanMedia
internal import VidscanRender
internal import VidscanResults

/// Tells people how a run goes: a live line on a terminal, a plain line now and then elsewhere, warnings and errors as
/// they come, and a summary at the end of each input.
final class Teller: RunObserver {
    /// What of a video is looked at; times in microseconds.
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
        var begin = ContinuousClock.now
        var lastTold = ContinuousClock.now
    }

    private let log: MessageLog
    private let showsProgressLine: Bool
    private let state = Mutex(State())

    init(log: MessageLog, showsProgressLine: Bool) {
        self.log = log
        self.showsProgressLine = showsProgressLine
    }

    func begins(_ input: String, number: Int, of count: Int, window: Window) {
        state.withLock {
            $0 = State()
            $0.input = input
            $0.numbering = count > 1 ? "[\(number)/\(count)] " : ""
            $0.window = window
        }
    }

    func opened(_ input: String, info: VideoInfo) {
        state.withLock { state in
            let whole = state.window
            let part = whole.segment?.window(
                start: whole.start, end: whole.end, duration: info.durationMicroseconds)
            state.startMicroseconds = (part?.start ?? whole.start) ?? 0
            state.endMicroseconds = (part?.end ?? whole.end) ?? info.durationMicroseconds
        }
        let duration = info.durationMicroseconds.map { ", " + TimeText.clock($0) } ?? ""
        log.debug(
            "\(input): \(info.format), stream \(info.streamIndex), \(info.codec) \(info.codedSize)\(duration)",
            ["input": "\(input)", "codec": "\(info.codec)"])
    }

    func progressed(_ progress: RunProgress) {
        guard log.tellsInfo else { return }
        let now = ContinuousClock.now
        let line: String? = state.withLock { state in
            let pause: Duration = showsProgressLine ? .milliseconds(100) : .seconds(30)
            guard now - state.lastTold >= pause else { return nil }
            state.lastTold = now
            return Self.line(progress, state: state, now: now)
        }
        guard let line else { return }
        if showsProgressLine {
            Output.progress(line)
        } else {
            log.info(line)
        }
    }

    func warned(_ input: String, message: String) {
        log.warning("\(input): \(message)", ["input": "\(input)"])
    }

    func failed(_ error: any Error) {
        var facts: [String: String] = [:]
        if let error = error as? VidscanError {
            facts["input"] = error.input
            facts["stage"] = error.stage?.rawValue
        }
        log.error("\(error)", facts)
    }

    func interrupted() {
        log.error("interrupted; results that were complete stay")
    }

    func delivered(_ input: String, summary: Analysis.Summary) {
        guard log.tellsInfo else { return }
        let seconds = String(format: "%.1f", summary.wallSeconds)
        let video = Double(summary.analysedMicroseconds) / 1e6
        let speed =
            video > 0 && summary.parts == nil
            ? String(format: " (%.1f× real time)", video / max(summary.wallSeconds, 1e-3)) : ""
        // Who is who shows when the parts are joined.
        let segment = state.withLock { $0.window.segment }
        let part = segment.map { "part \($0): " } ?? summary.parts.map { Self.count($0, "part") + ": " } ?? ""
        let ids = segment == nil ? " of \(summary.identities) \(summary.identities == 1 ? "id" : "ids")" : ""
        let text =
            "\(input): \(part)\(Self.count(summary.faces, "face"))\(ids) in"
            + " \(Self.count(summary.frames, "frame")),"
            + " \(seconds) s\(speed) -> \(Self.relative(summary.resultPath))"
        log.info(
            text,
            [
                "input": "\(input)", "result": "\(summary.resultPath)", "frames": "\(summary.frames)",
                "faces": "\(summary.faces)", "face_ids": "\(summary.identities)", "wall_seconds": "\(seconds)",
            ])
    }

    func rendered(_ result: String, summary: Rendering.Summary) {
        guard log.tellsInfo else { return }
        let seconds = String(format: "%.1f", summary.wallSeconds)
        let speed =
            summary.seconds > 0
            ? String(format: " (%.1f× real time)", summary.seconds / max(summary.wallSeconds, 1e-3)) : ""
        log.info(
            "\(result): \(Self.count(summary.frames, "frame")), \(seconds) s\(speed) -> \(Self.relative(summary.path, isFolder: false))",
            [
                "result": "\(result)", "output": "\(summary.path)", "frames": "\(summary.frames)",
                "wall_seconds": "\(seconds)",
            ])
    }

    func reported(_ result: String, path: String) {
        log.info("\(result): -> \(Self.relative(path, isFolder: false))", ["input": "\(result)", "report": "\(path)"])
    }

    // MARK: Words

    /// `[2/3] movie.mp4  43 %  1:02 of 2:24  210.4 frames/s  42.1× real time  118 faces  0:02 left`
    private static func line(_ progress: RunProgress, state: State, now: ContinuousClock.Instant) -> String {
        let elapsed = max((now - state.begin) / .seconds(1), 1e-3)
        let end = state.endMicroseconds
        let done = max(0, progress.microseconds - state.startMicroseconds)
        var parts = [state.numbering + (state.input as NSString).lastPathComponent]
        if let end, end > state.startMicroseconds {
            let share = min(1, Double(done) / Double(end - state.startMicroseconds))
            parts.append("\(Int(share * 100)) %")
            parts.append("\(TimeText.clock(progress.microseconds)) of \(TimeText.clock(end))")
        } else {
            parts.append(TimeText.clock(progress.microseconds))
        }
        parts.append(String(format: "%.1f frames/s", Double(progress.frames) / elapsed))
        parts.append(String(format: "%.1f× real time", Double(done) / 1e6 / elapsed))
        parts.append(count(progress.faces, "face"))
        if let end, done > 0 {
            let left = Double(end - state.startMicroseconds - done) * elapsed / Double(done)
            parts.append("\(TimeText.clock(Int64(left * 1e6))) left")
        }
        return parts.joined(separator: "  ")
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func relative(_ path: String, isFolder: Bool = true) -> String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return (path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path) + (isFolder ? "/" : "")
    }
}
