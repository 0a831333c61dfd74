import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanMedia

@Suite("Timestamp discontinuities")
struct DiscontinuityTests {
    /// Files concatenated byte by byte.
    private struct Joined {
        let folder: TemporaryFolder
        let path: String

        init(_ parts: [String], as name: String) throws {
            folder = try TemporaryFolder()
            path = folder.path + "/" + name
            var bytes = Data()
            for part in parts { bytes += try Data(contentsOf: URL(fileURLWithPath: part)) }
            try bytes.write(to: URL(fileURLWithPath: path))
        }
    }

    /// A copy of a stream with a later clock.
    private static func moved(_ source: String, by seconds: Double, in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/moved-\(seconds).ts"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", source, "-map", "0:v", "-c", "copy", "-output_ts_offset",
            "\(seconds)", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    /// Expects the frames that ffmpeg decodes, at equal intervals, and the samples of the grid.
    ///
    /// - Returns: all frames.
    @discardableResult
    private func expectContinuous(_ path: String, step: Int64, jumps: Int) throws -> FrameReading {
        let whole = try FrameReading(path, FrameReader.Options(rate: .everyFrame))
        #expect(whole.rows.map(\.md5) == (try FrameGolden.digests(path: path, stream: "v:0")))
        #expect(whole.rows.map(\.index) == whole.rows.indices.map(Int64.init))
        for (row, next) in zip(whole.rows, whole.rows.dropFirst()) {
            // The times are rounded to microseconds.
            #expect(abs(next.microseconds - row.microseconds - step) <= 1, "after \(row)")
        }
        #expect(whole.statistics.discontinuities.count == jumps)
        for rateText in ["12", "0.7"] {
            let rate = try SampleGrid.Rate.of(rateText)
            let sampled = try FrameReading(path, FrameReader.Options(rate: rate)).rows
            let first = whole.rows[0].microseconds
            var expected: [Row] = []
            var lastTick: Int64 = -1
            guard case .perSecond(let perSecond) = rate else { continue }
            for row in whole.rows {
                // Rounding may have removed half a microsecond.
                let tick =
                    (2 * row.microseconds + 1) * perSecond.numerator / (2_000_000 * perSecond.denominator)
                if tick > lastTick { expected.append(row) }
                lastTick = max(lastTick, tick)
            }
            #expect(first >= 0)
            #expect(Row.firstDifference(sampled, expected) == nil, "rate \(rateText)")
        }
        return whole
    }

    @Test(
        "Concatenated copies give all frames of each copy, one after another",
        arguments: [
            ("starttime.ts", 2), ("opengop.ts", 2), ("opengop.ts", 3), ("mpeg2.ts", 3), ("mpeg2.mpg", 2),
            ("intrarefresh.ts", 2), ("fields.ts", 2),
        ])
    func joined(name: String, count: Int) throws {
        let source = try Variants.path(name)
        let single = try FrameReading(source, FrameReader.Options(rate: .everyFrame))
        let step = name == "fields.ts" ? Int64(20_000) : 40_000
        let joined = try Joined(Array(repeating: source, count: count), as: name)
        let whole = try expectContinuous(joined.path, step: step, jumps: count - 1)
        #expect(whole.rows.count == count * single.rows.count)
        let length = Int64(single.rows.count) * step
        for (number, jump) in whole.statistics.discontinuities.enumerated() {
            #expect(abs(jump.microseconds - single.rows[0].microseconds - Int64(number + 1) * length) <= 1)
            #expect(abs(jump.jumpMicroseconds + length) <= 1)
        }
    }

    @Test(
        "A clock reset within a group of pictures loses no frame", arguments: 20...23)
    func midGroup(packets: Int) throws {
        let folder = try TemporaryFolder()
        let source = try Variants.path("longgop.mp4")
        for (name, options) in [
            ("before.ts", ["-frames:v", "\(packets)"]),
            ("after.ts", ["-bsf:v", "noise=amount=0:drop='lt(n,\(packets))'", "-output_ts_offset", "500"]),
        ] {
            let made = try ChildProcess.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-i", source, "-c", "copy"] + options
                    + [folder.path + "/" + name])
            try #require(made.status == 0, "\(made.errors)")
        }
        let joined = try Joined(["before.ts", "after.ts"].map { folder.path + "/" + $0 }, as: "reset.ts")
        let reading = try expectContinuous(joined.path, step: 40_000, jumps: 1)
        #expect(reading.rows.map(\.md5) == (try FrameGolden.digests(path: source, stream: "v:0")))
    }

    @Test("Jumps by hours back and ahead are bridged")
    func hours() throws {
        let folder = try TemporaryFolder()
        let source = try Variants.path("opengop.ts")
        let parts = try [0, 40_000, 20, 90_000, 500].map { try Self.moved(source, by: $0, in: folder) }
        let joined = try Joined(parts, as: "hours.ts")
        try expectContinuous(joined.path, step: 40_000, jumps: 4)
    }

    @Test("Wraps of the 33-bit clock are bridged, including repeated ones")
    func wrap() throws {
        let folder = try TemporaryFolder()
        let source = try Variants.path("opengop.ts")
        // 2³³ / 90000 s is 95443.7 s; libavformat unwraps this itself.
        try expectContinuous(try Self.moved(source, by: 95_440, in: folder), step: 40_000, jumps: 0)
        // A recording that begins at 1000 s, wraps, and passes its beginning again.
        let parts = try [1000, 500, 1100].map { try Self.moved(source, by: $0, in: folder) }
        let joined = try Joined(parts, as: "wraps.ts")
        try expectContinuous(joined.path, step: 40_000, jumps: 2)
    }

    @Test("A pause shorter than the limit keeps its length")
    func pause() throws {
        let folder = try TemporaryFolder()
        let source = try Variants.path("opengop.ts")
        // Three seconds each, with a pause of five seconds.
        let parts = try [0, 8].map { try Self.moved(source, by: $0, in: folder) }
        let joined = try Joined(parts, as: "pause.ts")
        let reading = try FrameReading(joined.path, FrameReader.Options(rate: .everyFrame))
        #expect(reading.statistics.discontinuities.isEmpty)
        let times = try Probe(path: joined.path).frameTimes().map { try #require($0) }
        try #require(times.count == 150 && reading.rows.count == 150)
        #expect(times[75] - times[74] > 4)
        for (row, time) in zip(reading.rows, times) {
            #expect(abs(Double(row.microseconds - reading.rows[0].microseconds) / 1e6 - (time - times[0])) < 2e-6)
        }
    }

    @Test(
        "Windows and segments give the rows of the whole video and report each jump once",
        arguments: VariantList.discontinuous)
    func segments(name: String) throws {
        let path = try Variants.path(name)
        for rateText in ["5", nil] {
            let rate = try SampleGrid.Rate.of(rateText)
            let whole = try FrameReading(path, FrameReader.Options(rate: rate))
            #expect(whole.statistics.discontinuities.count == 1)
            for (start, end) in [(600_000, 900_000), (2_900_000, 3_100_000), (3_500_000, 9_000_000)] {
                let window = try FrameReading(
                    path, FrameReader.Options(rate: rate, start: Int64(start), end: Int64(end)))
                let expected = whole.rows.filter { (Int64(start)..<Int64(end)).contains($0.microseconds) }
                #expect(Row.firstDifference(window.rows, expected) == nil)
            }
            var rows: [Row] = []
            var jumps: [TimestampDiscontinuity] = []
            for index in 0..<3 {
                let segment = try #require(VideoSegment(index: index, count: 3))
                let part = try FrameReading(path, FrameReader.Options(rate: rate, segment: segment))
                rows += part.rows
                jumps += part.statistics.discontinuities
            }
            #expect(Row.firstDifference(rows, whole.rows) == nil)
            #expect(jumps == whole.statistics.discontinuities)
        }
    }

    @Test("Transcoding keeps the times of the samples and the sound in sync")
    func transcoded() throws {
        let source = try Variants.path("joined.ts")
        let folder = try TemporaryFolder()
        let transcoder = try Transcoder(source: source, options: Transcoder.Options(rateFactor: 40))
        var times: [Int64] = []
        let path = folder.path + "/new.mp4"
        try transcoder.run(to: path, container: .mp4) { times.append($0.microseconds) }
        let reading = try FrameReading(source, FrameReader.Options(rate: .everyFrame))
        #expect(times == reading.rows.map(\.microseconds))
        #expect(transcoder.movedFrames == 0)
        let written = try Probe(path: path).frameTimes().map { try #require($0) }
        try #require(written.count == times.count)
        for (seconds, time) in zip(written, times) { #expect(abs(seconds - Double(time) / 1e6) < 2e-6) }
        let sound = try Probe(path: path).packets("a:0")
        let half = sound.count / 2
        try #require(sound.count == 2 * half)
        #expect(sound.prefix(half).map(\.hash) == sound.suffix(half).map(\.hash))
        // The audio of the first copy is longer than its video, so a few packets move by a tick each.
        for (first, second) in zip(sound.prefix(half), sound.suffix(half)).dropFirst(8) {
            #expect(abs(second.seconds - first.seconds - 3) < 0.001)
        }
    }
}
