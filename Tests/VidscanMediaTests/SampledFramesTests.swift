import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("Sampled frames")
struct SampledFramesTests {
    private static let rates = ["5", "2", "0.7", "12", nil]

    @Test(
        "Are those that ffprobe's times and the rate call for, and bit for bit what ffmpeg decodes",
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
            let whole = try FrameReading(path, FrameReader.Options(rate: rate, decoderThreads: 1, passesOver: false))
            #expect(Row.firstDifference(whole.rows, golden.rows(rate)) == nil, "\(name), rate \(rate), decoding all")
        }
    }

    @Test("Of the second video stream are taken when it is asked for")
    func chosenStream() throws {
        let path = try Variants.path("twovideo.mkv")
        let golden = try FrameGolden(path: path, stream: "v:1")
        let rate = try SampleGrid.Rate.of("5")
        let reading = try FrameReading(path, FrameReader.Options(rate: rate, streamIndex: 1))
        #expect(reading.info.codedSize == PictureSize(width: 160, height: 90))
        #expect(Row.firstDifference(reading.rows, golden.rows(rate)) == nil)
    }

    @Test("Of a damaged file are the same in every run, and the damage is counted", arguments: VariantList.corrupt)
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
        "Cost less than decoding everything",
        arguments: [
            // B-frames that nothing refers to are half of it and more; of a still picture after picture, four of five
            // are not touched.
            ("bpyramid.mp4", 0.85), ("longgop.mp4", 0.75), ("opengop.ts", 0.75), ("hevc.mp4", 0.85), ("mpeg2.ts", 0.75),
            ("mjpeg.avi", 0.25),
        ])
    func cost(name: String, share: Double) throws {
        let path = try Variants.path(name)
        let rate = try SampleGrid.Rate.of("5")
        let sampled = try FrameReading(path, FrameReader.Options(rate: rate)).statistics
        let whole = try FrameReading(path, FrameReader.Options(rate: rate, passesOver: false)).statistics
        #expect(Double(sampled.framesDecoded) <= share * Double(whole.framesDecoded))
        #expect(whole.packetsDropped == 0)
    }

    @Test("Have the size that a player shows, upright and with square pixels")
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
            // Whatever the turn, opposite corners of the one picture are opposite corners of the other.
            let map = frame.geometry.displayToCoded
            let coded = frame.geometry.codedSize
            let corners = [Point(x: 0, y: 0), Point(x: Double(size.width), y: Double(size.height))].map(map.apply)
            #expect(abs(abs(corners[0].x - corners[1].x) - Double(coded.width)) < 1e-9, "\(name)")
            #expect(abs(abs(corners[0].y - corners[1].y) - Double(coded.height)) < 1e-9, "\(name)")
        }
    }

    @Test("Of a stream without timestamps lie at the announced frame rate, and the statistics say so")
    func assumedFrameRate() throws {
        let path = try Variants.path("raw.h264")
        let reading = try FrameReading(path, FrameReader.Options(rate: .everyFrame))
        #expect(reading.rows.map(\.microseconds) == (0..<75).map { $0 * 40_000 })
        #expect(reading.statistics.assumesFrameRate?.value == 25)
        let timed = try FrameReading(try Variants.path("bpyramid.mp4"), FrameReader.Options(rate: .everyFrame))
        #expect(timed.statistics.assumesFrameRate == nil)
    }

    @Test("Every file that the script makes has a place in these tests")
    func complete() throws {
        let folder = (try Variants.path("empty.mp4") as NSString).deletingLastPathComponent
        let made = try FileManager.default.contentsOfDirectory(atPath: folder)
        let known =
            VariantList.decodable + VariantList.discontinuous + VariantList.orientations + VariantList.corrupt
            + VariantList.refused
        #expect(Set(made).subtracting(known) == [])
    }
}
