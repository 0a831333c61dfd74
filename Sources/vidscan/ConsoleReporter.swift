internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanCorrections
internal import VidscanMedia
internal import VidscanPeople
internal import VidscanRender
internal import VidscanResults

/// Shows a progress line on a terminal, or a line every 30 seconds elsewhere; warnings and errors at once; summaries.
final class ConsoleReporter: RunObserver {
    /// The analysed range, in microseconds.
    struct Window: Sendable {
        var start, end: Int64?
        var segment: VideoSegment?
    }

    private struct State: Sendable {
        var input = ""
        var numbering = ""
        var window = Window()
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64?
        var startTime = ContinuousClock.now
    }

    let log: ConsoleLog
    private let state = Mutex(State())

    init(_ options: MessageOptions) {
        log = ConsoleLog(options)
        log.holdProgress()
    }

    func started(_ input: String, number: Int, of count: Int, window: Window) {
        log.holdProgress()
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
        log(
            .debug, .opened, input: input,
            "\(info.format), stream \(info.streamIndex), \(info.codec) \(info.codedSize)\(duration)",
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

    func interrupted() { log(.error, .interrupted, "interrupted; complete results are kept") }

    func delivered(_ input: String, summary: RunOutcome) {
        guard log.isInfoEnabled else { return }
        let video = Double(summary.analysedMicroseconds) / 1e6
        let work = Self.work(summary.wallSeconds, of: summary.segmentCount == nil ? video : 0)
        // Identities are unknown until the segments are merged.
        let segment = state.withLock { $0.window.segment }
        let extent =
            segment.map { "segment \($0): " } ?? summary.segmentCount.map { NumberText.count($0, "segment") + ": " }
            ?? ""
        let faces =
            segment == nil
            ? NumberText.count(summary.counts.faceIds, "face") : NumberText.count(summary.counts.faces, "detection")
        log(
            .info, .fileDone, input: input, result: summary.resultPath,
            "\(extent)\(faces) in \(NumberText.count(summary.counts.sampledFrames, "sample")),"
                + " \(work) -> \(Self.relative(summary.resultPath))",
            [
                "frames": summary.counts.sampledFrames, "faces": summary.counts.faces,
                "face_ids": summary.counts.faceIds, "people": summary.counts.personIds,
                "events": summary.counts.events, "warnings": summary.warnings.count,
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
        guard log.isInfoEnabled else { return }
        let (tally, work) = (summary.visibility, Self.work(summary.wallSeconds, of: summary.seconds))
        let visibility = [summary.hidden, tally?.words].compactMap { $0.map { "; " + $0 } }.joined()
        log(
            .info, .rendered, result: result,
            "\(NumberText.count(summary.frames, "frame")), \(work)"
                + " -> \(Self.relative(summary.path, isFolder: false))\(visibility)",
            [
                "output": summary.path, "frames": summary.frames, "wall_seconds": summary.wallSeconds,
                "visible_frames": tally?.visibleFrames, "doubtful_frames": tally?.doubtfulFrames,
            ])
        if let reasons = tally?.reasons { note(reasons, input: result) }
    }

    func made(_ event: LogLine, _ path: String, from result: String) {
        log(.info, event, result: result, "-> \(Self.relative(path, isFolder: false))", ["output": path])
    }

    func note(_ text: String, input: String? = nil) { log(.info, .note, input: input, "note: \(text)") }

    func corrected(_ result: String, summary: Corrector.Summary, isUndone: Bool = false) {
        let count = isUndone ? 0 : summary.effects.count
        let work = isUndone ? "corrections undone" : NumberText.count(count, "correction") + " applied"
        let people = "\(summary.personIDs) \(summary.personIDs == 1 ? "person" : "people")"
        let target = isUndone ? "" : " -> " + Self.relative(summary.path)
        log(
            .info, .corrected, result: result,
            "\(work), \(NumberText.count(summary.faceIDs, "face")) of \(people) in"
                + " \(NumberText.count(summary.faces, "row"))\(target)",
            [
                "output": summary.path, "corrections": count, "faces": summary.faces, "face_ids": summary.faceIDs,
                "people": summary.personIDs,
            ])
        guard !summary.outdated.isEmpty else { return }
        let isOne = summary.outdated.count == 1
        warned(
            result,
            message: "\(summary.outdated.joined(separator: ", ")) \(isOne ? "shows" : "show") the tables as they were"
                + " before; make \(isOne ? "it" : "them") again with --force")
    }

    func linked(_ summary: PeopleStudy.Summary) { log(.info, .people, summary.text, summary.fields) }

    func forgot(_ result: String, hadEmbeddings: Bool) {
        let name = Self.relative(result, isFolder: false)
        log(
            .info, .people, "\(name): \(hadEmbeddings ? "embeddings removed" : "has no embeddings")",
            ["result": result, "removed": hadEmbeddings])
    }

    /// `[2/3] movie.mp4  43 %  1:02 of 2:24  210.4 frames/s  42.1× real time  118 faces  0:02 left`
    private static func line(_ progress: RunProgress, state: State) -> String {
        let elapsed = max((.now - state.startTime) / .seconds(1), 1e-3)
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

    /// `1.2 s (4.0× real time)`
    private static func work(_ seconds: Double, of video: Double) -> String {
        String(format: "%.1f s", seconds)
            + (video > 0 ? String(format: " (%.1f× real time)", video / max(seconds, 1e-3)) : "")
    }

    static func relative(_ path: String, isFolder: Bool = true) -> String {
        let current = FilePath.joining(FilePath.currentFolder, "")
        return (path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path) + (isFolder ? "/" : "")
    }
}

extension PeopleStudy.Summary {
    var text: String {
        let people = "\(people) \(people == 1 ? "person" : "people")"
        var text = "\(people) in \(NumberText.count(videos, "video"))"
        if corrections > 0 { text += ", \(NumberText.count(corrections, "correction")) applied" }
        if doubts > 0 { text += ", \(NumberText.count(doubts, "decision")) to check in people.html" }
        return "\(text) -> \(ConsoleReporter.relative(path, isFolder: false))"
    }

    var fields: LogFields { ["people": people, "videos": videos, "doubts": doubts, "output": path] }
}
