import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("Sampled frames")
struct SampledFramesTests {
    private static let rates = ["5", "0.7", "12", nil]

    @Test(
        "Sampled frames follow from ffprobe's times and equal ffmpeg's frames, bit for bit",
        arguments: VariantList.decodable + ["orient6.mp4"])
    func asFFmpeg(name: String) throws {
        let path = try Variants.path(name)
        let golden = try FrameGolden(path: path)
        for rate in Self.rates {
            let rate = try SampleGrid.Rate.of(rate)
            let reading = try FrameReading(path, FrameReader.Options(rate: rate))
            #expect(reading.info.streamIndex == golden.streamIndex)
            #expect(reading.info.containerStartMicroseconds == golden.startMicroseconds)
            #expect(!reading.rows.isEmpty)
            #expect(Row.firstDifference(reading.rows, golden.rows(rate)) == nil, "\(name), rate \(rate)")
        }
        let rate = try SampleGrid.Rate.of("5")
        let whole = try FrameReading(
            path, FrameReader.Options(rate: rate, decoderThreads: 1, skipsUnneededPackets: false))
        #expect(Row.firstDifference(whole.rows, golden.rows(rate)) == nil, "\(name), decoding all")
    }

    @Test("Copied from AVI, presentation timestamps are decoding timestamps; the frames are those of a full decode")
    func wrongTimes() throws {
        let folder = try TemporaryFolder()
        for command in [
            ["-i", Checkout.clip, "-t", "6", "-an", "-c:v", "libx264", "-preset", "veryfast", "x.avi"],
            ["-i", "x.avi", "-c", "copy", "x.mp4"],
        ] {
            let made = try ChildProcess.run(["ffmpeg", "-nostdin", "-v", "fatal"] + command, in: folder.path)
            try #require(made.status == 0, "\(made.errors)")
        }
        for rate in ["5", "0.7", "12"] {
            let options = { FrameReader.Options(rate: try .of(rate), skipsUnneededPackets: $0) }
            let sampled = try FrameReading(folder.path + "/x.mp4", options(true))
            let whole = try FrameReading(folder.path + "/x.mp4", options(false))
            #expect(Row.firstDifference(sampled.rows, whole.rows) == nil)
        }
    }

    @Test("Filters that multiply frames without end stop when the run is cancelled")
    func endlessFilter() async throws {
        var options = FrameReader.Options(rate: try .of("5"))
        options.filters = try FilterChain(steps: ["loop=-1:1"], allowsFiles: false)
        let (cancellation, path) = (CancellationFlag(), Checkout.clip)
        let reading = Task { [options] in
            let reader = try FrameReader(path: path, options: options, cancellation: cancellation)
            while try reader.next() != nil {}
        }
        try await Task.sleep(for: .milliseconds(300))
        cancellation.set()
        await #expect(throws: MediaError.self) { try await reading.value }
    }

    @Test("The selected video stream is sampled")
    func chosenStream() throws {
        let path = try Variants.path("twovideo.mkv")
        let golden = try FrameGolden(path: path, stream: "v:1")
        let rate = try SampleGrid.Rate.of("5")
        let reading = try FrameReading(path, FrameReader.Options(rate: rate, streamIndex: 1))
        #expect(reading.info.codedSize == PictureSize(width: 160, height: 90))
        #expect(Row.firstDifference(reading.rows, golden.rows(rate)) == nil)
    }

    @Test(
        "A damaged file gives the same samples in every run, and the damage is counted", arguments: VariantList.corrupt)
    func damaged(name: String) throws {
        let path = try Variants.path(name)
        for rate in ["5", nil] {
            let options = FrameReader.Options(rate: try .of(rate))
            let first = try FrameReading(path, options)
            let second = try FrameReading(path, options)
            #expect(Row.firstDifference(first.rows, second.rows) == nil)
            #expect(first.rows.count >= 10)
            for run in [first, second] { #expect(run.statistics.damage + run.statistics.corruptPackets > 0) }
        }
    }

    @Test(
        "Sampling decodes only a share of the frames",
        arguments: [
            // At least half of the frames are unreferenced B-frames. In MJPEG, four of five packets are skipped.
            ("bpyramid.mp4", 0.85), ("longgop.mp4", 0.75), ("opengop.ts", 0.75), ("hevc.mp4", 0.85), ("mpeg2.ts", 0.75),
            ("mjpeg.avi", 0.25),
        ])
    func cost(name: String, share: Double) throws {
        let path = try Variants.path(name)
        let rate = try SampleGrid.Rate.of("5")
        let sampled = try FrameReading(path, FrameReader.Options(rate: rate)).statistics
        let whole = try FrameReading(path, FrameReader.Options(rate: rate, skipsUnneededPackets: false)).statistics
        #expect(Double(sampled.framesDecoded) <= share * Double(whole.framesDecoded))
        #expect(whole.packetsDropped == 0)
    }

    @Test(
        "Frames that no other frame refers to do not reach the decoder, whether or not the container marks them",
        arguments: ["bpyramid.mp4", "longgop.mp4", "opengop.ts", "hevc.mp4"])
    func unreferencedFrames(name: String) throws {
        let options = FrameReader.Options(rate: try SampleGrid.Rate.of("5"))
        let statistics = try FrameReading(try Variants.path(name), options).statistics
        // The encoders make at least every second frame such a frame, and at 25 frames a second four of five are unwanted.
        #expect(statistics.packetsDropped * 5 >= statistics.packetsDecoded)
    }

    @Test("The display size is that of the upright picture with square pixels")
    func displaySizes() throws {
        let sizes = [
            "sar.mp4": PictureSize(width: 640, height: 360), "sar_tall.mp4": PictureSize(width: 480, height: 270),
            "oddsize.webm": PictureSize(width: 319, height: 179),
            "still_exif.jpg": PictureSize(width: 640, height: 360),
        ].merging(VariantList.orientations.map { ($0, PictureSize(width: 640, height: 360)) }) { $1 }
        for (name, size) in sizes {
            let reader = try FrameReader(
                path: try Variants.path(name), options: FrameReader.Options(rate: .everyFrame))
            let frame = try #require(try reader.next())
            #expect(frame.geometry.displaySize == size, "\(name)")
            // In every orientation, opposite corners of the display are opposite corners of the coded picture.
            let map = frame.geometry.displayToCoded
            let coded = frame.geometry.codedSize
            let corners = [Point(x: 0, y: 0), Point(x: Double(size.width), y: Double(size.height))].map(map.apply)
            #expect(abs(abs(corners[0].x - corners[1].x) - Double(coded.width)) < 1e-9, "\(name)")
            #expect(abs(abs(corners[0].y - corners[1].y) - Double(coded.height)) < 1e-9, "\(name)")
        }
    }

    @Test("Without timestamps, times follow from the announced frame rate, and the statistics report it")
    func assumedFrameRate() throws {
        let path = try Variants.path("raw.h264")
        let reading = try FrameReading(path, FrameReader.Options(rate: .everyFrame))
        #expect(reading.rows.map(\.microseconds) == (0..<75).map { $0 * 40_000 })
        #expect(reading.statistics.assumesFrameRate?.value == 25)
        #expect(reading.statistics.framesWithoutTimestamp == 75)
        let timed = try FrameReading(try Variants.path("bpyramid.mp4"), FrameReader.Options(rate: .everyFrame))
        #expect(timed.statistics.assumesFrameRate == nil)
    }

    @Test("Every generated file is used in these tests")
    func complete() throws {
        let folder = (try Variants.path("empty.mp4") as NSString).deletingLastPathComponent
        let made = try FileManager.default.contentsOfDirectory(atPath: folder)
        let known =
            VariantList.decodable + VariantList.discontinuous + VariantList.orientations + VariantList.corrupt
            + VariantList.refused
        #expect(Set(made).subtracting(known) == [])
    }
}
