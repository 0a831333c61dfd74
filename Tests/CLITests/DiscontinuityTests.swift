import Foundation
import Testing
import TestSupport

@Suite("A video whose timestamps jump is analysed to its end")
struct DiscontinuityTests {
    private struct Record: Decodable {
        struct Discontinuity: Decodable {
            var time_seconds: Double
            var jump_seconds: Double
        }
        var discontinuities: [Discontinuity]
        struct Video: Decodable { var duration_seconds: Double }
        var warnings: [String]
        var video: Video
    }

    private func record(of result: String, in folder: TemporaryFolder) throws -> Record {
        try JSONDecoder().decode(Record.self, from: folder.bytes(result + "/run.json"))
    }

    /// The number of frames of a video that ffprobe decodes.
    private func decodedFrames(_ path: String) throws -> Int {
        let counted = try ChildProcess.run([
            "ffprobe", "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames",
            "-of", "csv=p=0", path,
        ])
        // A stream of a programme is listed twice.
        return try #require(counted.output.split(separator: "\n").first.flatMap { Int($0) }, "\(counted.errors)")
    }

    @Test("A jump ahead is no part of the duration")
    func ahead() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("reset.ts")
        try #require(try Tool.run("analyze", path, "--output", "r", "--metrics", "none", in: folder).status == 0)
        let record = try record(of: "r/reset.ts.vidscan", in: folder)
        try #require(record.discontinuities.contains { $0.jump_seconds > 400 })
        #expect(record.video.duration_seconds < 4)
    }

    @Test("run.json says where the timestamps jump, and no face_id or person_id is on both sides")
    func analyzed() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("joined.ts")
        let outcome = try Tool.run("analyze", path, "--output", "whole", in: folder)
        #expect(outcome.status == 0)
        let result = "whole/joined.ts.vidscan"
        let record = try record(of: result, in: folder)
        let jump = try #require(record.discontinuities.first)
        #expect(record.discontinuities.count == 1)
        #expect(abs(jump.jump_seconds + 3) < 1e-5)
        let warning = try #require(
            record.warnings.first { $0.hasPrefix("the timestamps jump once, back by 3.000 s") })
        #expect(outcome.errors.contains(warning))

        let frames = try CSVTable(path: folder.path + "/" + result + "/frames.csv")
        #expect(frames.rows.count == 30)
        let faces = try CSVTable(path: folder.path + "/" + result + "/faces.csv")
        func ids(_ column: String, _ isHere: (Double) -> Bool) throws -> Set<String> {
            let rows = try faces.rows.indices.filter { isHere(try #require(try faces.number("time", $0))) }
            return Set(try rows.map { try faces.text(column, $0) }.filter { !$0.isEmpty })
        }
        for column in ["face_id", "person_id"] {
            let before = try ids(column) { $0 < jump.time_seconds - 1e-6 }
            let after = try ids(column) { $0 >= jump.time_seconds - 1e-6 }
            try #require(!before.isEmpty && !after.isEmpty, "\(column)")
            #expect(before.isDisjoint(with: after), "\(column)")
        }
        let events = try CSVTable(path: folder.path + "/" + result + "/events.csv")
        for kind in ["face_stopped", "shot_cut"] {
            #expect(
                try events.rows.indices.contains {
                    try events.text("kind", $0) == kind && events.text("value", $0) == "discontinuity"
                }, "\(kind)")
        }
    }

    @Test("Merged segments on both sides of a jump give the tables of one run")
    func merged() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("joined.ts")
        #expect(try Tool.run("analyze", path, "--output", "whole", in: folder).status == 0)
        try Tool.analyzeSegments(3, of: path, in: folder)
        #expect(try Tool.shell("\"$0\" merge *-of-3 --output merged", in: folder).status == 0)
        try folder.expectSameTables("merged/joined.ts.vidscan", "whole/joined.ts.vidscan")
        #expect(try record(of: "merged/joined.ts.vidscan", in: folder).discontinuities.count == 1)
    }

    @Test("An anonymized video has every frame, and every face is covered, on both sides of a jump")
    func anonymized() throws {
        let name = "reset.ts"
        let folder = try TemporaryFolder()
        let source = try Variants.path(name)
        let outcome = try Tool.run("analyze", source, "--anonymize", "solid", "--crf", "0", "--tables", in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let result = "\(name).vidscan"
        let video = folder.path + "/" + (try #require(folder.entries.first { $0.contains("/anonymized.m") }))
        let count = try decodedFrames(source)
        #expect(count == 75)
        #expect(try decodedFrames(video) == count)

        let plain = try RawVideo(source, width: 640, height: 360)
        let covered = try RawVideo(video, width: 640, height: 360)
        try #require([plain, covered].map(\.frameCount) == [count, count])
        let faces = try CSVTable(path: "\(folder.path)/\(result)/faces.csv")
        let (frames, times, boxes) = (try faces.numbers("frame"), try faces.numbers("time"), try faces.boxes())
        let jump = try #require(try record(of: result, in: folder).discontinuities.first).time_seconds
        // Every frame has a face. reset.ts jumps after 22 of its frames.
        let before = times.count { $0 < jump - 1e-6 }
        try #require(before >= 20 && times.count - before >= 20)
        for row in faces.rows.indices {
            let frame = Int(frames[row])
            #expect(!plain.isCovered(boxes[row], frame: frame), "frame \(frame)")
            #expect(covered.isCovered(boxes[row], frame: frame), "frame \(frame)")
        }
    }
}
