import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("The clock of a video without metadata")
struct HiddenClockTests {
    /// Seconds since 1970 of a day in 2026.
    private static let date = "1795437000"
    private static let timeOfDay = "45296.789"

    /// Sources whose clocks tell when they were recorded, as options of ffmpeg.
    private static let sources: [(name: String, options: [String])] = [
        ("fragmented.mp4", ["-output_ts_offset", date, "-movflags", "+frag_keyframe+delay_moov", "-f", "mp4", "-"]),
        ("live.mkv", ["-output_ts_offset", date, "-f", "matroska", "-"]),
        ("stream.ts", ["-output_ts_offset", timeOfDay, "-f", "mpegts", "-"]),
        ("flash.flv", ["-output_ts_offset", timeOfDay, "-flvflags", "no_duration_filesize", "-f", "flv", "-"]),
    ]

    @Test(
        "The new video starts at 0 in every container, and picture and sound keep their distance",
        arguments: sources.map(\.name), ["mp4", "mov", "mkv"])
    func zero(name: String, container: String) throws {
        let folder = try TemporaryFolder()
        let options = try #require(Self.sources.first { $0.name == name }).options
        let source = try Self.make(name, ["-i", Checkout.clip, "-t", "1", "-c", "copy"] + options, in: folder)
        #expect(try Self.start(of: source) > 40_000)
        let path = try Self.transcode(source, container, in: folder)
        #expect(try abs(Self.start(of: path)) < 1e-6)
        let duration = try #require((try Probe(path: path).format()["duration"] as? String).flatMap(Double.init))
        #expect(duration < 2)
        // A timestamp in Matroska and FLV is a whole number of milliseconds. The new encoder needs 1024 samples before the first
        // one, so that Matroska, which has no edit lists, starts that much earlier.
        let distances = try [source, path].map { try Self.start(of: $0, "v:0") - Self.start(of: $0, "a:0") }
        let priming = container == "mkv" ? 1024.0 / 44_100 : 0
        #expect(abs(distances[1] - distances[0] - priming) < 0.003, "\(distances)")
    }

    @Test("A stream that is left out does not show how late the others begin")
    func leftOut() throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("1\n00:00:00,000 --> 00:00:02,000\nA line.\n", to: "text.srt")
        let source = try Self.make(
            "titled.mkv",
            [
                "-i", text, "-itsoffset", Self.timeOfDay, "-i", Checkout.clip, "-t", "45299", "-map", "0", "-map", "1",
                "-c",
                "copy", "-f", "matroska", "-",
            ], in: folder)
        #expect(try Self.start(of: try Self.transcode(source, "mp4", in: folder)) < 1e-6)
    }

    @Test("A frame at the date, in a video that starts at 0, is an error")
    func jump() throws {
        let folder = try TemporaryFolder()
        let source = try Self.make(
            "jump.mkv",
            [
                "-i", Checkout.clip, "-frames:v", "20", "-an", "-vf", "setpts='PTS+gte(N,10)*\(Self.date)/TB'",
                "-fps_mode",
                "passthrough", "-enc_time_base", "-1", "-c:v", "libx264", "-bf", "0", "-f", "matroska", "-",
            ], in: folder)
        let error = #expect(throws: MediaError.self) { try Self.transcode(source, "mp4", in: folder) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.reason == "a frame is 1795437000 s after the beginning, beyond the limit of 604800 s")
    }

    @Test("Sound that begins long before the picture waits in a few megabytes, and stays in time")
    func waiting() throws {
        let folder = try TemporaryFolder()
        // 11.5 MB of sound before the first frame.
        let source = try Self.make(
            "late.mkv",
            [
                "-f", "lavfi", "-i", "sine=440:r=48000:d=62,aformat=channel_layouts=stereo", "-itsoffset", "60", "-t",
                "2",
                "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=2", "-map", "0", "-map", "1", "-c:v", "libx264", "-c:a",
                "pcm_s16le", "-f", "matroska", "-",
            ], in: folder)
        let transcoder = try Transcoder(source: source, options: Self.options)
        let path = folder.path + "/new.mp4"
        try transcoder.run(to: path, container: .mp4) { _ in }
        #expect(transcoder.mostBytesWaiting > 4 << 20)
        #expect(transcoder.mostBytesWaiting < 5 << 20)
        #expect(transcoder.frameCount == 50)
        #expect(try Self.start(of: path, "a:0") == 0)
        #expect(try abs(Self.start(of: path, "v:0") - 60) < 1e-6)
        // The file has the packets in the order of their times.
        let positions = try Probe(path: path).positions()
        for (one, other) in zip(positions, positions.dropFirst()) {
            #expect(one.seconds < other.seconds + 1.5)
        }
    }

    private static var options: Transcoder.Options {
        var options = Transcoder.Options(rateFactor: 40)
        options.keepsMetadata = false
        options.copiesSubtitles = false
        return options
    }

    private static func transcode(_ source: String, _ container: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/new." + container
        try Transcoder(source: source, options: options).run(
            to: path, container: try #require(VideoContainer(rawValue: container))
        ) { _ in }
        return path
    }

    /// Makes a file as a recorder does that writes to a pipe.
    private static func make(_ name: String, _ options: [String], in folder: TemporaryFolder) throws -> String {
        let made = try ChildProcess.run(["ffmpeg", "-nostdin", "-v", "error"] + options)
        try #require(made.status == 0, "\(made.errors)")
        let path = folder.path + "/" + name
        try Data(made.outputBytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func start(of path: String, _ stream: String? = nil) throws -> Double {
        let probe = Probe(path: path)
        let entries = try stream.map(probe.stream) ?? probe.format()
        return try #require((entries["start_time"] as? String).flatMap(Double.init))
    }
}
