import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("A window of a video")
struct WindowTests {
    /// Start and end in microseconds.
    private static let windows: [(Int64?, Int64?)] = [
        (nil, 1_500_000), (900_000, 2_100_000), (1_000_000, nil), (2_500_000, 2_600_000), (2_000_000, 10_000_000),
        (1_960_000, 1_960_001),
    ]
    private static let files = [
        "bpyramid.mp4", "longgop.mp4", "hevc.mp4", "editlist.mp4", "fragmented.mp4", "starttime.mp4", "vfr.mp4",
        "audiofirst.mp4", "opengop.mkv", "hevc_opengop.mkv", "vp9.webm", "opengop.ts", "mpeg2.ts", "mpeg4.avi",
        "mjpeg.avi", "ffv1.mkv", "fields.mp4", "fields.ts", "hevc_layers.mp4",
    ]

    @Test("A window gives exactly its rows of the whole video, with the same frame indices", arguments: files)
    func rowsOfWholeRun(name: String) throws {
        try compare(name: name, rates: ["5", nil], windows: Self.windows)
    }

    @Test("A window from the beginning of the video misses no frame", arguments: files)
    func fromTheBeginning(name: String) throws {
        try compare(name: name, rates: ["12", nil], windows: [(0, nil), (0, 200_000), (1, 1_240_001), (40_000, nil)])
    }

    @Test("A window that begins between a sampling time and its frame does not sample that frame", arguments: files)
    func betweenTicks(name: String) throws {
        try compare(
            name: name, rates: ["5", "12"],
            windows: [(1_300_000, 1_500_000), (1_201_000, 1_500_000), (1_810_000, 2_100_000)])
    }

    /// - Parameter rates: of the samples; `nil` is every frame.
    private func compare(name: String, rates: [String?], windows: [(Int64?, Int64?)]) throws {
        let path = try Variants.path(name)
        for rateText in rates {
            let rate = try SampleGrid.Rate.of(rateText)
            let whole = try FrameReading(path, FrameReader.Options(rate: rate)).rows
            for (start, end) in windows {
                let window = try FrameReading(path, FrameReader.Options(rate: rate, start: start, end: end))
                let expected = whole.filter { $0.microseconds >= start ?? 0 && $0.microseconds < end ?? .max }
                let difference = Row.firstDifference(window.rows, expected)
                #expect(
                    difference == nil,
                    "\(name), rate \(rateText ?? "every frame"), \(start ?? 0) to \(end ?? -1) µs")
            }
        }
    }

    @Test(
        "A window ends decoding in codecs whose packets are never skipped, and damage in it is counted, also by filters"
    )
    func end() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.wmv"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=20", "-c:v", "wmv2",
            path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let rate = try SampleGrid.Rate.of("5")
        var options = FrameReader.Options(rate: rate, end: 1_000_000)
        let window = try FrameReading(path, options)
        #expect(window.rows.count == 5 && window.statistics.framesDecoded <= 30)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: try Variants.path("mpeg2.ts")))
        for index in stride(from: bytes.count / 8, to: bytes.count / 4, by: 97) { bytes[index] ^= 0xFF }
        let damaged = folder.path + "/damaged.ts"
        try bytes.write(to: URL(fileURLWithPath: damaged))
        options.end = 2_000_000
        #expect(try FrameReading(damaged, options).statistics.damage > 0)
        options.filters = try FilterChain(steps: ["yadif"], allowsFiles: false)
        #expect(try FrameReading(damaged, options).statistics.damage > 0)
    }

    @Test("A late window of an MP4 is reached by seeking")
    func seek() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/long.mp4"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=60", "-c:v", "libx264",
            "-preset", "ultrafast", "-bf", "2", "-g", "50", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let rate = try SampleGrid.Rate.of("5")
        let whole = try FrameReading(path, FrameReader.Options(rate: rate))
        let window = try FrameReading(path, FrameReader.Options(rate: rate, start: 40_100_000, end: 41_100_000))
        let expected = whole.rows.filter { (40_100_000..<41_100_000).contains($0.microseconds) }
        #expect(expected.count == 5)
        #expect(Row.firstDifference(window.rows, expected) == nil)
        // At most from the keyframe two seconds before to the end of the window.
        #expect(window.statistics.framesDecoded <= 80)
        #expect(window.statistics.packetsDecoded + window.statistics.packetsDropped <= 160)
    }

    @Test("A window after the end of the video is empty and not an error")
    func beyondEnd() throws {
        for name in ["bpyramid.mp4", "opengop.mkv", "opengop.ts"] {
            let path = try Variants.path(name)
            #expect(try FrameReading(path, FrameReader.Options(rate: .everyFrame, start: 60_000_000)).rows.isEmpty)
        }
    }
}
