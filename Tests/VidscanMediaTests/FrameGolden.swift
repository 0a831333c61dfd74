import Foundation
import Testing
import VidscanBase

/// A sampled frame for comparison.
struct Row: Equatable, CustomStringConvertible {
    var index: Int64
    var microseconds: Int64
    var md5: String

    var description: String { "frame \(index) at \(microseconds) µs, \(md5.prefix(8))" }

    /// The first row at which two lists differ. The whole lists would be too long for a message.
    static func firstDifference(_ got: [Row], _ expected: [Row]) -> String? {
        guard got != expected else { return nil }
        let position = zip(got, expected).prefix { $0 == $1 }.count
        let describe = { (rows: [Row]) in rows.count > position ? "\(rows[position])" : "the end" }
        return "row \(position): got \(describe(got)), expected \(describe(expected))"
    }
}

/// The frames of a video according to ffprobe and ffmpeg, without any code of this project.
struct FrameGolden {
    private struct Probe: Decodable {
        struct Stream: Decodable {
            var index: Int
            var time_base: String
            var r_frame_rate: String
        }
        struct Start: Decodable {
            var index: Int
            var time_base: String
            var start_pts: Int64?
        }
        struct Format: Decodable {
            var start_time: String?
        }
        struct Frame: Decodable {
            var best_effort_timestamp: Int64?
            var best_effort_timestamp_time: String?
        }
        var streams: [Stream]
        var format: Format
        var frames: [Frame]
    }

    private struct Frame {
        /// In units of the time base.
        var timestamp: Int64
        /// As printed, on the file's own timeline.
        var microseconds: Int64
        var md5: String
    }

    let streamIndex: Int
    let startMicroseconds: Int64
    private let timeBase: (numerator: Int64, denominator: Int64)
    /// The exact value of `startMicroseconds`, in seconds.
    private let start: (numerator: Int128, denominator: Int128)
    private let frames: [Frame]

    /// - Parameter stream: a stream specifier of ffprobe.
    init(path: String, stream: String = "v:0") throws {
        let entries =
            "frame=best_effort_timestamp,best_effort_timestamp_time:stream=index,time_base,r_frame_rate"
            + ":format=start_time"
        let probed = try ChildProcess.run([
            "ffprobe", "-v", "error", "-of", "json", "-select_streams", stream, "-show_entries", entries, path,
        ])
        let probe = try JSONDecoder().decode(Probe.self, from: Data(probed.outputBytes))
        let description = try #require(probe.streams.first)
        let digests = try Self.digests(path: path, stream: stream)
        try #require(digests.count == probe.frames.count, "ffmpeg and ffprobe disagree on the number of frames")
        streamIndex = description.index
        let base = try Self.fraction(description.time_base)
        timeBase = base
        startMicroseconds = try probe.format.start_time.map(Self.microseconds) ?? 0
        start = try Self.start(path: path, microseconds: startMicroseconds, own: description.index)
        // A frame without a timestamp follows one frame duration after the frame before.
        let rate = try Self.fraction(description.r_frame_rate)
        let duration = base.denominator * rate.denominator / (base.numerator * rate.numerator)
        var last = -duration
        frames = try zip(probe.frames, digests).map { frame, md5 in
            let timestamp = frame.best_effort_timestamp ?? last + duration
            last = timestamp
            let printed = try frame.best_effort_timestamp_time.map(Self.microseconds)
            let microseconds = printed ?? timestamp * base.numerator * 1_000_000 / base.denominator
            return Frame(timestamp: timestamp, microseconds: microseconds, md5: md5)
        }
    }

    /// The samples by definition: sample k is the first frame at or after k / rate seconds, and no frame is used twice.
    func rows(_ rate: SampleGrid.Rate) -> [Row] {
        var lastTick: Int128 = -1
        return frames.enumerated().compactMap { index, frame in
            let row = Row(
                index: Int64(index), microseconds: frame.microseconds - startMicroseconds, md5: frame.md5)
            guard case .perSecond(let rate) = rate else { return row }
            // A fraction, to avoid rounding.
            let exact =
                Int128(frame.timestamp) * Int128(timeBase.numerator) * start.denominator
                - start.numerator * Int128(timeBase.denominator)
            let tick =
                exact * Int128(rate.numerator)
                / (Int128(timeBase.denominator) * start.denominator * Int128(rate.denominator))
            guard exact >= 0, tick > lastTick else { return nil }
            lastTick = tick
            return row
        }
    }

    /// The exact start of the stream, or of the earliest other stream, from which the container's start was rounded.
    private static func start(
        path: String, microseconds: Int64, own: Int
    ) throws -> (numerator: Int128, denominator: Int128) {
        struct Answer: Decodable { var streams: [Probe.Start] }
        let probed = try ChildProcess.run([
            "ffprobe", "-v", "error", "-of", "json", "-show_entries", "stream=index,time_base,start_pts", path,
        ])
        var best: (numerator: Int128, denominator: Int128)?
        let streams = try JSONDecoder().decode(Answer.self, from: Data(probed.outputBytes)).streams
        for stream in streams.sorted(by: { $0.index == own && $1.index != own }) {
            guard let pts = stream.start_pts else { continue }
            let base = try fraction(stream.time_base)
            let seconds = (numerator: Int128(pts) * Int128(base.numerator), denominator: Int128(base.denominator))
            let distance = seconds.numerator * 1_000_000 - Int128(microseconds) * seconds.denominator
            guard 2 * distance.magnitude <= seconds.denominator.magnitude else { continue }
            if stream.index == own { return seconds }
            guard let other = best else {
                best = seconds
                continue
            }
            if seconds.numerator * other.denominator < other.numerator * seconds.denominator { best = seconds }
        }
        return best ?? (Int128(microseconds), 1_000_000)
    }

    /// MD5 of the planes of every frame that ffmpeg decodes.
    static func digests(path: String, stream: String) throws -> [String] {
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-noautorotate", "-i", path, "-map", "0:\(stream)", "-fps_mode",
            "passthrough", "-copyts", "-f", "framemd5", "-",
        ])
        return made.output.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
        }
    }

    /// `12.345000` in microseconds. ffprobe always prints six decimals.
    private static func microseconds(_ text: String) throws -> Int64 {
        try #require(Int64(text.replacing(".", with: "")), "\(text) is not a time")
    }

    private static func fraction(_ text: String) throws -> (numerator: Int64, denominator: Int64) {
        let parts = text.split(separator: "/").compactMap { Int64($0) }
        try #require(parts.count == 2, "\(text) is not a fraction")
        return (parts[0], parts[1])
    }
}
