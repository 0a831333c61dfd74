import Foundation
import Testing
import TestSupport

@Suite("A file whose timestamps jump")
struct DiscontinuityTests {
    private struct Record: Decodable {
        struct Discontinuity: Decodable {
            var time_seconds: Double
            var jump_seconds: Double
        }
        var discontinuities: [Discontinuity]
        var warnings: [String]
    }

    @Test("Is analysed to its end; run.json says where they jump, and no face_id or person_id is on both sides")
    func analyzed() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("joined.ts")
        let outcome = try Tool.run("analyze", path, "--output", "whole", in: folder)
        #expect(outcome.status == 0)
        let result = "whole/joined.ts.vidscan"
        let record = try JSONDecoder().decode(Record.self, from: folder.bytes(result + "/run.json"))
        let jump = try #require(record.discontinuities.first)
        #expect(record.discontinuities.count == 1)
        #expect(abs(jump.jump_seconds + 3) < 1e-5)
        let warning = try #require(
            record.warnings.first { $0.hasPrefix("the timestamps jump once, first back by 3.000 s") })
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

    @Test("Divided into parts and merged gives the tables of one run")
    func merged() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("joined.ts")
        #expect(try Tool.run("analyze", path, "--output", "whole", in: folder).status == 0)
        for part in ["0/3", "1/3", "2/3"] {
            #expect(try Tool.run("analyze", path, "--segment", part, in: folder).status == 0)
        }
        #expect(try Tool.shell("\"$0\" merge *-of-3 --output merged", in: folder).status == 0)
        for file in ["faces.csv", "frames.csv", "tracks.csv", "events.csv"] {
            #expect(
                try folder.bytes("merged/joined.ts.vidscan/" + file)
                    == folder.bytes("whole/joined.ts.vidscan/" + file), "\(file)")
        }
        let record = try JSONDecoder().decode(Record.self, from: folder.bytes("merged/joined.ts.vidscan/run.json"))
        #expect(record.discontinuities.count == 1)
    }

    @Test("Is hidden to its end", arguments: ["joined.ts", "reset.ts"])
    func hidden(name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Tool.run(
            "analyze", try Variants.path(name), "--every-frame", "--anonymize", "solid", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let video = try #require(folder.entries.first { $0.hasSuffix(".mp4") })
        let counted = try ChildProcess.run([
            "ffprobe", "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames",
            "-of", "csv=p=0", folder.path + "/" + video,
        ])
        #expect(counted.output == (name == "joined.ts" ? "150\n" : "75\n"))
    }
}
