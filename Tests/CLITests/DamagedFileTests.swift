import Foundation
import Testing
import TestSupport

/// Results and segments that were damaged, read by the real binary.
@Suite("Damaged results end in one line of error, never in a crash", .serialized)
struct DamagedFileTests {
    private static func makeClip(in folder: TemporaryFolder) throws {
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-ss", "9", "-t", "1", "-i", Checkout.clip, "-an", "-vf",
            "scale=320:-2,fps=10", folder.path + "/clip.mp4",
        ])
        try #require(made.status == 0, "\(made.errors)")
    }

    private static func result() throws -> TemporaryFolder {
        try PreparedFolder.copy("small clip, analyzed") { folder in
            try makeClip(in: folder)
            let outcome = try Tool.run("analyze", "--quiet", "--landmarks", "clip.mp4", in: folder)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    private static let render = [
        "render", "clip.mp4.vidscan", "--style", "full", "--force", "--output", "out.mp4", "--changed-source",
    ]
    private static let report = ["report", "clip.mp4.vidscan", "--force", "--output", "out.html", "--changed-source"]
    private static let export = [
        "export", "clip.mp4.vidscan", "--to", "elan,vtt,textgrid,bids,rttm", "--force", "--output", "out/",
    ]

    private static let interact = ["interact", "clip.mp4.vidscan", "--force", "--output", "pairs.csv"]

    /// - Returns: whether the command refused what it read. A signal, 128 and more, is no refusal.
    private static func expectOneLine(_ outcome: ChildProcess.Outcome, _ what: String) -> Bool {
        #expect(outcome.status == 0 || outcome.status == 1, "\(what): \(outcome.status) \(outcome.errors)")
        guard outcome.status != 0 else { return false }
        let errors = outcome.errorLines.filter { $0.hasPrefix("vidscan: error: ") }
        #expect(errors.count == 1, "\(what): \(outcome.errors)")
        #expect(!outcome.errors.contains("\u{1B}"), "\(what)")
        return true
    }

    @Test(
        "An impossible field is an error that names the file and the line",
        arguments: [
            ("faces.csv", "face_id", "nan", render), ("faces.csv", "face_id", "1e30", render),
            ("faces.csv", "x", "nan", render), ("frames.csv", "faces", "1e30", render),
            ("frames.csv", "time", "1e30", render), ("events.csv", "time", "1e30", render),
            ("tracks.csv", "face_id", "nan", report), ("tracks.csv", "samples", "1e30", report),
            ("tracks.csv", "best_time", "1e30", report), ("tracks.csv", "last_time", "-1e9", report),
            ("events.csv", "face_id", "1e30", report), ("faces.csv", "time", "1e300", report),
            ("events.csv", "face_id", "1e30", export), ("events.csv", "value", "1e30", export),
            ("events.csv", "time", "-1e30", export), ("events.csv", "episode", "0", export),
            ("episodes.csv", "person_id", "0", export), ("episodes.csv", "start", "1e30", export),
            ("episodes.csv", "end", "-1", export), ("episodes.csv", "start_seen", "2", export),
            ("episodes.csv", "with", "1  2", export), ("episodes.csv", "peak", "nan", export),
            ("frames.csv", "time", "nan", export), ("faces.csv", "width", "inf", export),
            ("faces.csv", "frame", "7", export), ("faces.csv", "person_id", "0", interact),
            ("faces.csv", "looks_at", "-1", interact), ("faces.csv", "smile", "1e30", interact),
            ("faces.csv", "time", "0.001", interact), ("frames.csv", "time", "nan", interact),
        ])
    func fields(file: String, column: String, value: String, command: [String]) throws {
        let folder = try Self.result()
        let path = "clip.mp4.vidscan/\(file)"
        var table = try CSVTable(path: folder.path + "/" + path)
        try table.set(column, 0, to: value)
        try folder.write(table.text, to: path)
        let outcome = try ChildProcess.run([Checkout.tool] + command, in: folder.path)
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("vidscan: error: clip.mp4.vidscan: \(file), line 2: "), "\(outcome.errors)")
    }

    @Test("A repeated track and an impossible count are errors")
    func crossed() throws {
        let folder = try Self.result()
        let tracks = try folder.text("clip.mp4.vidscan/tracks.csv")
        try folder.write(tracks + tracks.split(separator: "\n")[1] + "\n", to: "clip.mp4.vidscan/tracks.csv")
        let twice = try ChildProcess.run([Checkout.tool] + Self.report, in: folder.path)
        #expect(twice.status == 1)
        #expect(twice.errors.contains("face_id 1 appears twice"), "\(twice.errors)")
        try folder.write(tracks, to: "clip.mp4.vidscan/tracks.csv")
        let record = try folder.text("clip.mp4.vidscan/run.json")
        try folder.write(
            record.replacing(/"(hard|gradual)_cuts" : \d+/) { "\"\($0.1)_cuts\" : 9223372036854775807" },
            to: "clip.mp4.vidscan/run.json")
        let cuts = try ChildProcess.run([Checkout.tool] + Self.report, in: folder.path)
        #expect(cuts.status == 1)
        #expect(cuts.errors.contains("counts.hard_cuts must be 0 to "), "\(cuts.errors)")
    }

    @Test("A result with random damage gives a page, a video or annotations, or one line")
    func chance() throws {
        let folder = try Self.result()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/clip.mp4.vidscan").sorted()
        var generator = SeededGenerator(seed: 150)
        var refused = 0
        for round in 0..<24 {
            let name = try #require(names.randomElement(using: &generator))
            let path = "\(folder.path)/clip.mp4.vidscan/\(name)"
            let original = try Data(contentsOf: URL(fileURLWithPath: path))
            try Damage.strike(original, with: &generator).write(to: URL(fileURLWithPath: path))
            let command = [Self.render, Self.report, Self.export, Self.interact][round % 4]
            let outcome = try ChildProcess.run([Checkout.tool] + command, in: folder.path)
            if Self.expectOneLine(outcome, "\(name), round \(round)") { refused += 1 }
            try original.write(to: URL(fileURLWithPath: path))
        }
        #expect(refused > 4)
    }

    @Test("Segments with random damage give a result, or one line")
    func segments() throws {
        let folder = try TemporaryFolder()
        try Self.makeClip(in: folder)
        try Tool.analyzeSegments(2, of: "clip.mp4", "--quiet", in: folder)
        var generator = SeededGenerator(seed: 151)
        var refused = 0
        for round in 0..<16 {
            let name = ["part.json", "faces.record"][round % 2]
            let path = "\(folder.path)/clip.mp4.part-\(round / 4 % 2)-of-2/\(name)"
            let original = try Data(contentsOf: URL(fileURLWithPath: path))
            let damaged = Damage.strike(original, with: &generator)
            try damaged.write(to: URL(fileURLWithPath: path))
            let outcome = try Tool.shell("\"$0\" merge clip.mp4.part-*-of-2 --force --output results", in: folder)
            if Self.expectOneLine(outcome, "\(name), round \(round)") { refused += 1 }
            if name != "part.json", damaged != original {
                #expect(outcome.errors.contains("\(name) has changed since it was written"), "\(outcome.errors)")
            }
            try original.write(to: URL(fileURLWithPath: path))
        }
        #expect(refused > 7)
    }
}
