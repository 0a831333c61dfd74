import AnalysisSupport
import Foundation
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase
import VidscanMedia
import VidscanRender
import VidscanResults
import VidscanReport

@Suite("Damaged results and segments are refused with one line", .serialized)
struct DamagedResultTests {
    private static func result(keepsEmbeddings: Bool = false) async throws -> DamagedResult {
        let folder = try TemporaryFolder()
        let clip = try DamagedResult.makeClip(in: folder)
        let place = folder.path + "/clip.mp4.vidscan"
        var settings = Settings(workers: 1)
        settings.detectThoroughly()
        settings.write.landmarks = true
        settings.track.keepsEmbeddings = keepsEmbeddings
        _ = try await Analysis(settings: settings, models: try Models.store(concurrency: 1), observer: Recorder()).run(
            input: clip, resultPath: place, replaces: false)
        return try DamagedResult(folder: folder, places: [place])
    }

    private static func segments() async throws -> DamagedResult {
        let folder = try TemporaryFolder()
        let clip = try DamagedResult.makeClip(in: folder)
        var places: [String] = []
        for index in 0..<2 {
            var settings = Settings(workers: 1)
            settings.segment = VideoSegment(index: index, count: 2)
            let place = "\(folder.path)/clip.mp4.part-\(index)-of-2"
            _ = try await Analysis(settings: settings, models: try Models.store(concurrency: 1), observer: Recorder())
                .run(input: clip, resultPath: place, replaces: false)
            places.append(place)
        }
        return try DamagedResult(folder: folder, places: places)
    }

    private static func report(_ result: DamagedResult) async throws {
        var options = Report.Options()
        options.hasThumbnails = false
        _ = try await Report(options: options).run(
            resultPath: result.places[0], outputPath: result.folder.path + "/page.html", replaces: true)
    }

    private static func render(_ result: DamagedResult, hides: Bool = false) async throws {
        var options = RenderOptions()
        options.overlay = OverlayStyle(elements: OverlayStyle.Preset.full.elements)
        if hides { options.anonymize = AnonymizeOptions(method: .blur) }
        options.sticker = StickerOptions(path: Checkout.samples + "/../pipelines/mustache.png")
        options.acceptsChangedSource = true
        _ = try await Renderer(options: options, observer: Recorder()).run(
            resultPath: result.places[0], outputPath: result.folder.path + "/video.mp4", replaces: true)
    }

    private static func merge(_ segments: DamagedResult) async throws {
        for set in try SegmentMerger.sets(of: segments.places) {
            _ = try await SegmentMerger(observer: Recorder()).run(
                set, resultPath: segments.folder.path + "/joined.vidscan", replaces: true)
        }
    }

    /// - Returns: the error, or `nil` if the work succeeded.
    private static func reason(_ work: () async throws -> Void) async -> String? {
        do {
            try await work()
            return nil
        } catch let error as VidscanError {
            return "\(error)"
        } catch {
            Issue.record("an error of another kind: \(error)")
            return nil
        }
    }

    /// A field of a table, what it is replaced by, and the error that follows.
    private typealias FieldDamage = (file: String, column: String, line: Int, value: String, message: String)

    /// Damages one field after the other and expects the error each time.
    private static func expectRefusals(
        of damages: [FieldDamage], in result: DamagedResult, by work: (DamagedResult) async throws -> Void
    ) async throws {
        let place = result.places[0]
        for (file, column, line, value, message) in damages {
            try result.set(column, line: line, to: value, in: "\(place)/\(file)")
            let reason = await Self.reason { try await work(result) }
            // A time that is too late is noticed in the line after it.
            let shown = message == "time goes back" ? line + 1 : line
            #expect(
                reason == "\(place): \(file), line \(shown): \(message); the table is damaged, analyse the video again")
            try result.restore("\(place)/\(file)")
        }
    }

    @Test("An impossible field is an error that names the file and the line")
    func fields() async throws {
        let result = try await Self.result()
        let coordinates = "must be a number from -10000000 to 10000000, but is"
        let times = "must be a number from -8589934592 to 8589934592, but is"
        try await Self.report(result)
        try await Self.render(result)
        let inRendering: [FieldDamage] = [
            ("faces.csv", "face_id", 3, "1e30", "face_id must be a whole number from 1 to 2147483647, but is '1e30'"),
            ("faces.csv", "face_id", 3, "0", "face_id must be a whole number from 1 to 2147483647, but is '0'"),
            ("faces.csv", "x", 2, "nan", "x \(coordinates) 'nan'"),
            ("faces.csv", "nose_y", 2, "1e30", "nose_y \(coordinates) '1e30'"),
            ("faces.csv", "width", 2, "-1", "width must be a number from 0 to 10000000, but is '-1'"),
            ("faces.csv", "x", 2, "", "x is blank"),
            ("faces.csv", "dominant_emoji", 2, "\u{1B}[31m", "dominant_emoji has the unknown value '?[31m'"),
            ("faces.csv", "smile", 2, "101", "smile must be a number from 0 to 100, but is '101'"),
            ("frames.csv", "faces", 2, "-1", "faces must be a whole number from 0 to 1024, but is '-1'"),
            ("frames.csv", "time", 2, "inf", "time \(times) 'inf'"),
        ]
        try await Self.expectRefusals(of: inRendering, in: result) { try await Self.render($0) }
        let inReports: [FieldDamage] = [
            ("tracks.csv", "face_id", 2, "1e30", "face_id must be a whole number from 1 to 2147483647, but is '1e30'"),
            (
                "tracks.csv", "samples", 2, "nan",
                "samples must be a whole number from 0 to 1125899906842624, but is 'nan'"
            ),
            ("tracks.csv", "best_time", 2, "1e30", "best_time \(times) '1e30'"),
            ("tracks.csv", "last_time", 2, "-5", "last_time is before first_time"),
            ("tracks.csv", "joy_mean", 2, "inf", "joy_mean must be a number from 0 to 100, but is 'inf'"),
            ("events.csv", "kind", 2, "<b>", "kind has the unknown value '<b>'"),
            ("events.csv", "time", 2, "9", "time goes back"),
            ("frames.csv", "time", 2, "8000000", "time goes back"),
            ("frames.csv", "time", 2, "", "time is blank"),
        ]
        try await Self.expectRefusals(of: inReports, in: result) { try await Self.report($0) }
    }

    @Test("A truncated, overlong, surplus or repeated row is an error")
    func rows() async throws {
        let result = try await Self.result()
        let place = result.places[0]
        let hint = "; the table is damaged, analyse the video again"
        let faces = place + "/faces.csv"
        let text = String(decoding: try result.bytes(faces), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        let table = try CSVTable(text)
        let count = table.columns.count
        let again = try table.text("face_id", 0)
        for (changed, message) in [
            (String(text.dropLast(5)), "line \(lines.count): does not end with a line break"),
            (lines[0] + "\n1,2,3\n", "line 2: has 3 fields instead of \(count)"),
            (lines[0] + "\n" + String(repeating: "1", count: 200_000), "line 2: is longer than 65536 bytes"),
            (text + lines[1] + "\n", "line \(lines.count + 1): has no frame in frames.csv"),
            (lines[0] + ",x\n", "line 1: column 'x' appears twice"),
        ] {
            try result.replace(faces, by: Data(changed.utf8))
            let reason = await Self.reason { try await Self.render(result) }
            #expect(reason == "\(place): faces.csv, \(message)\(hint)")
        }
        // The same face twice in the first frame.
        try result.replace(
            faces, by: Data(([lines[0], lines[1], lines[1]] + lines.dropFirst(2)).joined(separator: "\n").utf8))
        let frames = place + "/frames.csv"
        let first = try #require(try CSVTable(bytes: result.bytes(frames)).numbers("faces").first)
        try result.set("faces", line: 2, to: "\(Int(first) + 1)", in: frames)
        let reason = await Self.reason { try await Self.render(result) }
        #expect(reason == "\(place): faces.csv, line 3: face_id \(again) appears twice in its frame\(hint)")
        try result.restore(frames)
        try result.restore(faces)
        let tracks = place + "/tracks.csv"
        let rows = String(decoding: try result.bytes(tracks), as: UTF8.self)
        try result.replace(tracks, by: Data((rows + rows.split(separator: "\n")[1] + "\n").utf8))
        let twice = await Self.reason { try await Self.report(result) }
        let end = rows.split(separator: "\n").count + 1
        #expect(twice == "\(place): tracks.csv, line \(end): face_id 1 appears twice\(hint)")
    }

    @Test("A landmark file must have as many coordinates as its header says, and all must be finite or NaN")
    func landmarks() async throws {
        let result = try await Self.result()
        let place = result.places[0]
        let path = place + "/landmarks.npy"
        let bytes = try result.bytes(path)
        let hint = "; the file is damaged, analyse the video again"
        let rows = (bytes.count - 128) / (4 * 3 * 478)
        var infinite = bytes
        infinite.replaceSubrange(128 + 40..<128 + 44, with: [0, 0, 0x80, 0x7F])
        var endless = bytes
        endless.replaceSubrange(8..<10, with: [0xFF, 0xFF])
        for (changed, message) in [
            (bytes.dropLast(1), "byte 10: does not have the size of \(rows) rows"),
            (infinite, "byte 168: row 1 has the invalid coordinate inf"),
            (bytes.prefix(9), "byte 0: is truncated"),
            (Data("PK".utf8) + bytes.dropFirst(2), "byte 0: is not a NumPy file of format 1.0"),
            (endless.prefix(1000), "byte 10: is truncated"),
        ] {
            try result.replace(path, by: changed)
            let reason = await Self.reason { try await Self.render(result) }
            #expect(reason == "\(place): landmarks.npy, \(message)\(hint)")
        }
    }

    @Test("Numbers in run.json are checked, and a pipe in place of a file is refused")
    func records() async throws {
        let result = try await Self.result(keepsEmbeddings: true)
        let place = result.places[0]
        let path = place + "/run.json"
        let text = String(decoding: try result.bytes(path), as: UTF8.self)
        func changed(_ key: String, _ value: String) throws -> Data {
            let pattern = try Regex("\"\(key)\" : [^,\n]*")
            try #require(text.contains(pattern))
            return Data(text.replacing(pattern, with: "\"\(key)\" : \(value)").utf8)
        }
        for (key, value, message) in [
            ("stream", "-1", "video.stream must be 0 to 2147483647"),
            ("stream", "1e30", nil), ("bytes", "-1", "input.bytes must be 0 to 1125899906842624"),
            ("duration_seconds", "1e30", "video.duration_seconds must be -8589934592 to 8589934592"),
            ("hard_cuts", "9223372036854775807", "counts.hard_cuts must be 0 to 1125899906842624"),
            ("rows", "-1", "embeddings.rows must be 0 to 1125899906842624"),
            ("display_width", "0", "video.display_width must be 1 to 1000000"),
            ("rate", "\"often\"", "pipeline.sample.rate: 'often' is not a number of samples per second"),
            ("accuracy", "\"best\"", "pipeline.detect.accuracy: 'best' is not one of low, medium, high"),
            ("min_track", "\"one\"", "pipeline.track.min_track has a value of the wrong type"),
        ] as [(String, String, String?)] {
            try result.replace(path, by: changed(key, value))
            let reason = try #require(await Self.reason { try await Self.report(result) }, "\(key) \(value)")
            #expect(reason.hasPrefix("\(place): its run.json cannot be read: "), "\(reason)")
            if let message { #expect(reason.hasSuffix(message), "\(reason)") }
        }
        // Early versions did not record discontinuities.
        let pattern = try Regex("\"discontinuities\" : \\[[^\\]]*\\],")
        try #require(text.contains(pattern))
        try result.replace(path, by: Data(text.replacing(pattern, with: "").utf8))
        try await Self.report(result)
        try result.replace(path, by: Data(String(repeating: "[", count: 500_000).utf8))
        #expect(await Self.reason { try await Self.report(result) } != nil)
        for file in ["run.json", "faces.csv", "frames.csv"] {
            for name in ["run.json", "faces.csv", "frames.csv"] { try result.restore("\(place)/\(name)") }
            unlink("\(place)/\(file)")
            try #require(mkfifo("\(place)/\(file)", 0o600) == 0)
            let reason = await Self.reason { try await Self.render(result) }
            #expect(reason == "\(place): cannot read \(file): it is not a regular file")
            unlink("\(place)/\(file)")
        }
    }

    @Test("Segments that were changed or truncated are not merged, and the error names the file")
    func digests() async throws {
        let segments = try await Self.segments()
        try await Self.merge(segments)
        let part = segments.places[1]
        for file in ["faces.record"] {
            let bytes = try segments.bytes("\(part)/\(file)")
            var flipped = bytes
            flipped[bytes.count / 2] ^= 1
            for changed in [flipped, bytes.dropLast(1), Data(), bytes + bytes] {
                try segments.replace("\(part)/\(file)", by: changed)
                #expect(
                    await Self.reason { try await Self.merge(segments) }
                        == "\(part): \(file) has changed since it was written: its SHA-256 differs from part.json;"
                        + " analyse the segment again")
            }
            try segments.restore("\(part)/\(file)")
        }
    }

    @Test("A segment can neither name a path outside the results folder nor claim impossible numbers")
    func segmentRecords() async throws {
        let segments = try await Self.segments()
        let path = segments.places[0] + "/part.json"
        let text = String(decoding: try segments.bytes(path), as: UTF8.self)
        for (key, value, message) in [
            ("result_name", "\"../escaped.vidscan\"", "part.result_name must be the name of a folder of a result"),
            (
                "result_name", "\"\u{600}/../escaped.vidscan\"",
                "part.result_name must be the name of a folder of a result"
            ),
            ("result_name", "\"..\"", "part.result_name must be the name of a folder of a result"),
            ("count", "9000000000000000000", "part.segment.count must be 1 to 100000"),
            ("count", "0", "part.segment.index: there is no segment 0 of 0"),
            ("denominator", "0", nil),
            ("damage", "9223372036854775807", "part.decoded.damage must be 0 to 1125899906842624"),
            ("frames_behind", "9223372036854775807", "part.decoded.frames_behind must be 0 to 1125899906842624"),
            ("mesh", "-1", "part.times.mesh must be 0 to 8589934592"),
            ("frames", "-3", "part.frames must be 0 to 1125899906842624"),
        ] as [(String, String, String?)] {
            let pattern = try Regex("\"\(key)\" : [^,\n]*")
            try segments.replace(path, by: Data(text.replacing(pattern, with: "\"\(key)\" : \(value)").utf8))
            let reason = try #require(await Self.reason { try await Self.merge(segments) }, "\(key) \(value)")
            #expect(reason.hasPrefix("\(segments.places[0]): its part.json cannot be read: "), "\(reason)")
            if let message { #expect(reason.hasSuffix(message), "\(reason)") }
        }
        #expect(!FileManager.default.fileExists(atPath: segments.folder.path + "/../escaped.vidscan"))
        try segments.replace(path, by: Data(text.replacing("\"\(Vidscan.version)\"", with: "\"0.0.1\"").utf8))
        #expect(
            await Self.reason { try await Self.merge(segments) }
                == "\(segments.places[0]): was made by vidscan 0.0.1; this is \(Vidscan.version)")
    }

    @Test("A result with random damage gives a report or a video, or an error in one line")
    func results() async throws {
        let result = try await Self.result()
        var generator = SeededGenerator(seed: 15)
        var refused = 0
        for round in 0..<160 {
            let file = try #require(result.files.randomElement(using: &generator))
            try result.replace(file, by: Damage.strike(try result.bytes(file), with: &generator))
            let (isVideo, hides) = (round % 4 == 0, round % 8 == 0)
            let isTable = file.hasSuffix(".csv")
            if hides, isTable { try TableDigests.correct(in: result.places[0]) }
            let reason = await Self.reason {
                try await isVideo ? Self.render(result, hides: hides) : Self.report(result)
            }
            if let reason {
                refused += 1
                #expect(!reason.contains { $0.isNewline || $0 == "\u{1B}" } && reason.count < 2000, "\(reason)")
            }
            try result.restore(file)
            if hides, isTable { try result.restore(result.places[0] + "/run.json") }
        }
        #expect(refused > 20)
        try await Self.render(result, hides: true)
    }

    @Test("A segment with random damage and a matching digest gives a result, or an error in one line")
    func damagedSegments() async throws {
        let segments = try await Self.segments()
        var generator = SeededGenerator(seed: 16)
        var refused = 0
        for _ in 0..<100 {
            let file = try #require(segments.files.randomElement(using: &generator))
            let record = (file as NSString).deletingLastPathComponent + "/part.json"
            let changed = Damage.strike(try segments.bytes(file), with: &generator)
            try segments.replace(file, by: changed)
            if file != record {
                let old = FileDigest.sha256(bytes: try segments.bytes(file))
                let text = String(decoding: try segments.bytes(record), as: UTF8.self)
                try #require(text.contains(old))
                try segments.replace(
                    record, by: Data(text.replacing(old, with: FileDigest.sha256(bytes: changed)).utf8))
            }
            let reason = await Self.reason { try await Self.merge(segments) }
            if let reason {
                refused += 1
                #expect(!reason.contains { $0.isNewline || $0 == "\u{1B}" } && reason.count < 2000, "\(reason)")
            }
            try segments.restore(file)
            try segments.restore(record)
        }
        #expect(refused > 15)
        try await Self.merge(segments)
    }
}
