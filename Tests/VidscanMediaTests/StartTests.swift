import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("The beginning of a video")
struct StartTests {
    /// Expects the golden rows from a copy of a file with other times.
    private func expectGolden(_ source: String, _ options: [String], as name: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + name
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", source, "-t", "0.6", "-c", "copy"] + options + [path])
        try #require(made.status == 0, "\(made.errors)")
        let golden = try FrameGolden(path: path)
        for rateText in ["5", "25"] {
            let rate = try SampleGrid.Rate.of(rateText)
            let reading = try FrameReading(path, FrameReader.Options(rate: rate))
            #expect(reading.info.containerStartMicroseconds == golden.startMicroseconds)
            #expect(Row.firstDifference(reading.rows, golden.rows(rate)) == nil, "\(options), rate \(rateText)")
            #expect(reading.rows.first?.index == 0, "\(options), rate \(rateText)")
        }
    }

    @Test("Sampling begins with the first frame wherever the clock of a transport stream starts", arguments: 0..<8)
    func transportStream(seed: UInt64) throws {
        // Offsets that are not multiples of a tick, and the same in every run.
        let offset = Double((seed &* 2_654_435_761) % 100_000_000) / 1e6
        try expectGolden(
            try Variants.path("bpyramid.mp4"), ["-output_ts_offset", "\(offset)", "-muxdelay", "0"], as: "start.ts")
    }

    @Test(
        "A file that begins late lasts no longer for it, so that a clock of the day does not make it too long",
        arguments: [
            ("late.mkv", 5000), ("late.mov", 5000), ("late.mp4", 5000), ("late.ts", 5000), ("late.nut", 5000),
            ("clock.mkv", 1_700_000_000),
        ])
    func duration(name: String, offset: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + name
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", try Variants.path("starttime.mp4"), "-map", "0:v", "-c", "copy",
            "-output_ts_offset", "\(offset)", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let options = FrameReader.Options(rate: try SampleGrid.Rate.of("1"))
        let duration = try #require(try FrameReading(path, options).info.durationMicroseconds)
        #expect(abs(duration - 3_000_000) <= 200_000, "\(duration)")
    }

    @Test("Sampling begins with the first frame if the audio starts earlier", arguments: [0.1, 7.654_321, 33.333_333])
    func withSound(offset: Double) throws {
        try expectGolden(
            try Variants.path("starttime.mp4"), ["-map", "0", "-output_ts_offset", "\(offset)"], as: "start.ts")
    }

    @Test(
        "Sampling begins with the first frame in every timescale of MP4",
        arguments: [
            (90_000, 0.033_366_7), (30_000, 1.001), (12_800, 7.077_077), (1_000_000, 0.033_366_7),
            (30_000, 0.033_366_7),
            (12_800, 1.001),
        ])
    func timescale(_ timescale: Int, offset: Double) throws {
        try expectGolden(
            try Variants.path("bpyramid.mp4"),
            ["-video_track_timescale", "\(timescale)", "-output_ts_offset", "\(offset)"], as: "start.mp4")
    }
}
