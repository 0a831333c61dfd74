import Foundation
import Testing
import TestSupport

@Suite("Segments of a video are merged into its result")
struct SegmentTests {
    @Test("Merged segments give the tables of one run")
    func parts() throws {
        let folder = try TemporaryFolder()
        let name = Checkout.clip
        for part in ["0/2", "1/2"] {
            let outcome = try Tool.run(
                "analyze", name, "--segment", part, "--rate", "2", "--end", "7", "--output", "parts", in: folder)
            #expect(outcome.status == 0)
            let line = try #require(outcome.errorLines.last)
            #expect(line.hasPrefix("vidscan: \(name): segment \(part): "))
            #expect(line.hasSuffix(" -> parts/faces.mp4.part-\(part.prefix(1))-of-2/"))
        }
        let again = try Tool.run(
            "analyze", name, "--segment", "1/2", "--rate", "2", "--end", "7", "--output", "parts", in: folder)
        #expect(again.status == 1)
        #expect(
            again.errors
                == "vidscan: error: \(name): the segment \(folder.path)/parts/faces.mp4.part-1-of-2 exists;"
                + " --force replaces it\n")
        let merged = try Tool.shell("\"$0\" merge parts/faces.mp4.part-*-of-2 --output results", in: folder)
        #expect(merged.status == 0)
        #expect(merged.errorLines.contains { $0.hasSuffix(" -> results/faces.mp4.vidscan/") })
        #expect(
            try Tool.run("analyze", name, "--rate", "2", "--end", "7", "--output", "whole", in: folder).status == 0)
        try folder.expectSameTables("results/faces.mp4.vidscan", "whole/faces.mp4.vidscan")
        // A merged result can be repeated like any other.
        let record = "results/faces.mp4.vidscan/run.json"
        #expect(try folder.text(record).contains("\"parts\" : 2"))
        func json(_ path: String) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: folder.bytes(path)) as? [String: Any])
        }
        let (whole, parts) = (try json(record), ["parts/faces.mp4.part-0-of-2", "parts/faces.mp4.part-1-of-2"])
        #expect(
            (whole["command"] as? [String]).map { $0.dropFirst() } == (["merge", "--output", "results"] + parts)[...])
        let started = try parts.compactMap { try (json($0 + "/part.json")["part"] as? [String: Any])?["started"] }
        #expect(whole["started"] as? String == started.compactMap { $0 as? String }.min() && started.count == 2)
        let processor = try json("whole/faces.mp4.vidscan/run.json")["processor"] as? String
        #expect(whole["processor"] as? String == processor)
        #expect(!(try Tool.run("cite", "results/faces.mp4.vidscan", in: folder).output.contains(" .")))
        let repeated = try Tool.run("analyze", name, "--pipeline", record, "--output", "again", in: folder)
        #expect(repeated.status == 0)
        #expect(
            try folder.bytes("again/faces.mp4.vidscan/faces.csv")
                == folder.bytes("whole/faces.mp4.vidscan/faces.csv"))
        let replaced = try Tool.shell("\"$0\" merge parts/*-of-2 --output results", in: folder)
        #expect(replaced.status == 1)
        #expect(replaced.errors.hasSuffix("results/faces.mp4.vidscan exists; --force replaces it\n"))
    }

    @Test("Videos and reports are made when the segments are merged")
    func making() throws {
        let folder = try TemporaryFolder()
        try Tool.analyzeSegments(2, of: Checkout.clip, "--rate", "2", "--end", "4", "--overlay", "--report", in: folder)
        #expect(!folder.entries.contains { $0.hasSuffix(".mp4") || $0.hasSuffix(".html") })
        #expect(try Tool.shell("\"$0\" merge *-of-2", in: folder).status == 0)
        for file in ["overlay.mp4", "report.html"] {
            #expect(folder.entries.contains("faces.mp4.vidscan/" + file), "\(file)")
        }
    }

    @Test("Segments of several videos are merged separately, and an incomplete video does not affect the others")
    func several() throws {
        let folder = try TemporaryFolder()
        let other = try Variants.path("oneframe.mp4")
        for part in ["0/2", "1/2"] {
            let inputs = part == "0/2" ? [Checkout.clip, other] : [other]
            let outcome = try ChildProcess.run(
                [Checkout.tool, "analyze", "--segment", part, "--rate", "1"] + inputs, in: folder.path)
            #expect(outcome.status == 0)
        }
        let outcome = try Tool.shell("\"$0\" merge *-of-2", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("vidscan: error: \(Checkout.clip): segment 1/2 is missing\n"))
        #expect(folder.entries.contains("oneframe.mp4.vidscan/faces.csv"))
        #expect(!folder.entries.contains { $0.hasPrefix("faces.mp4.vidscan") })
        let none = try Tool.run("merge", "oneframe.mp4.vidscan", in: folder)
        #expect(none.status == 1)
        #expect(
            none.errors
                == "vidscan: error: oneframe.mp4.vidscan: is not a segment made by 'vidscan analyze --segment':"
                + " it has no part.json\n")
    }
}
