import Foundation
import TestSupport
import Testing

@Suite("Finished videos with hidden faces are published")
struct PublishingTests: BatchTesting {
    private static func names(_ folder: TemporaryFolder, _ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(path)").sorted()
    }

    @Test("A later batch publishes what is finished, once, and leaves out what shows a face")
    func batches() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        let made = try batch(folder, "--anonymize", "solid")
        try #require(made.status == 0, "\(made.errors)")
        // Both files have the same warning.
        #expect(made.errors.components(separatedBy: "pass on only the anonymized").count == 2, "\(made.errors)")
        var outcome = try batch(
            folder, "--anonymize", "solid", "--publish", "public", "--approved-by", "Ada")
        #expect(outcome.status == 0 && outcome.errors.contains("0 to analyse"), "\(outcome.errors)")
        #expect(outcome.errors.contains("vidscan: 0 done, 0 failed, 0 skipped, 2 published; "), "\(outcome.errors)")
        let published = try Self.names(folder, "public")
        #expect(published.count == 2 && published.allSatisfy { $0.wholeMatch(of: /video-\d{10}\.png/) != nil })
        #expect(try folder.bytes("public/\(published[0])") == folder.bytes("out/a.png.vidscan/anonymized.png"))
        let records = try Self.names(folder, "public.private")
        #expect(records.count == 3)
        outcome = try batch(folder, "--anonymize", "solid", "--publish", "public", "--approved-by", "Eve")
        #expect(outcome.status == 0 && !outcome.errors.contains("-> video-"), "\(outcome.errors)")
        #expect(try Self.names(folder, "public") == published && Self.names(folder, "public.private") == records)
        // Both videos are the same.
        struct Approval: Decodable { let video, original: String }
        let approvals = try records.filter { $0.hasPrefix("video-") }.map {
            try JSONDecoder().decode(Approval.self, from: folder.bytes("public.private/\($0)"))
        }
        let name = try #require(approvals.first { $0.original.hasSuffix("/a.png") }?.video)
        let (shown, record) = (folder.path + "/out/a.png.vidscan/anonymized.png", "out/a.png.vidscan/anonymized.json")
        let digests = try [shown, folder.path + "/in/a.png"].map {
            String(try ChildProcess.run(["sha256sum", $0]).output.prefix(64))
        }
        try FileManager.default.removeItem(atPath: shown)
        try FileManager.default.copyItem(atPath: folder.path + "/in/a.png", toPath: shown)
        outcome = try batch(folder, "--anonymize", "solid", "--publish", "checked", "--approved-by", "Ada")
        #expect(outcome.status == 1 && outcome.errors.contains(", 1 not published; "), "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "a.png: not published: its anonymized.png is not the video whose SHA-256 anonymized.json has; run 'vidscan"
                    + " analyze in/a.png --pipeline out/a.png.vidscan/run.json --output out --force' again"),
            "\(outcome.errors)")
        #expect(try Self.names(folder, "checked").count == 1)
        // As if a face had been missed, with what was published before.
        try folder.write(try folder.text(record).replacing(digests[0], with: digests[1]), to: record)
        try FileManager.default.removeItem(atPath: "\(folder.path)/public/\(name)")
        try FileManager.default.copyItem(atPath: shown, toPath: "\(folder.path)/public/\(name)")
        outcome = try batch(
            folder, "--anonymize", "solid", "--publish", "public", "--publish-verified", "--approved-by", "Ada")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("a.png: not published: a face may be visible at"), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("; an earlier copy is still published, remove \(folder.path)/public/\(name) to"),
            "\(outcome.errors)")
    }

    @Test("New covers make a batch hide the faces again, also with --invert", arguments: [[], ["--invert"]])
    func covers(inversion: [String]) throws {
        let folder = try makeFolder(["a.png"])
        let run = { (more: [String]) in
            try ChildProcess.run(
                [Checkout.tool, "batch", "in", "--output", "out", "--jobs", "1", "--anonymize", "solid"] + inversion
                    + more,
                in: folder.path)
        }
        try #require(try run([]).status == 0)
        try writeNoCovers(in: folder)
        #expect(try run(["--dry-run"]).output.contains("a.png  (covers changed)"))
        var outcome = try run([])
        #expect(outcome.status == 0 && outcome.errors.contains("1 to analyse"), "\(outcome.errors)")
        let record = inversion.isEmpty ? "anonymized.json" : "inverted.json"
        #expect(try folder.text("out/a.png.vidscan/\(record)").contains("\"covers\""))
        #expect(try run([]).errors.contains("0 to analyse"))
        // Without the file, its covers would be lost.
        try FileManager.default.removeItem(atPath: folder.path + "/out/a.png.covers.json")
        outcome = try run([])
        #expect(outcome.status == 1 && outcome.errors.contains("a.png.covers.json is missing"), "\(outcome.errors)")
        // Nor may an analysis that hides nothing replace the record that says so.
        try Tool.run("analyze", "in/a.png", "--output", "out", "--force", in: folder)
            .expectError("a.png.covers.json is missing")
    }

    @Test("The covers beside a result are found through a link, too")
    func linked() throws {
        let folder = try makeFolder(["a.png"])
        let analyze = ["analyze", "in/a.png", "--anonymize", "solid", "--tables", "-o", "out"]
        try #require(try ChildProcess.run([Checkout.tool] + analyze, in: folder.path).status == 0)
        try writeNoCovers(in: folder)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/current", withDestinationPath: "out/a.png.vidscan")
        let outcome = try Tool.run("render", "current", "--anonymize", "solid", "--force", in: folder)
        #expect(outcome.status == 0 && outcome.errors.contains("0 covers of a.png.covers.json"), "\(outcome.errors)")
    }

    private func writeNoCovers(in folder: TemporaryFolder) throws {
        let bytes = try folder.bytes("in/a.png").count
        try folder.write(
            #"{"format": "vidscan covers 1", "video": {"name": "a.png", "bytes": \#(bytes)}, "covers": []}"#,
            to: "out/a.png.covers.json")
    }

    @Test(
        "Published weaknesses are recorded, times tell nothing, and a folder that cannot be published to is left as it is"
    )
    func weaknesses() throws {
        let folder = try makeFolder(["a.png"])
        try FileManager.default.createDirectory(atPath: folder.path + "/out", withIntermediateDirectories: false)
        try writeNoCovers(in: folder)
        // What is weaker than usual is recorded, and times do not tell which original was published first.
        let outcome = try batch(
            folder, "--force", "--anonymize", "solid", "--margin", "0", "--publish", "public", "--approved-by", "Ada")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let name = try #require(try Self.names(folder, "public").first)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/public/\(name)")
        let time = try #require((attributes[.modificationDate] as? Date)?.timeIntervalSince1970)
        #expect(time.truncatingRemainder(dividingBy: 86_400) == 0)
        let record = try #require(try Self.names(folder, "public.private").first { $0.hasPrefix("video-") })
        #expect(try folder.text("public.private/\(record)").contains("less is hidden than usual (margin 0"))
        for path in ["out", "out/a.png.vidscan"] {
            let refused = try Tool.run(
                "render", "out/a.png.vidscan", "--anonymize", "solid", "--publish", path, "--approved-by", "Ada",
                in: folder)
            #expect(refused.status == 2 && refused.errors.contains("lies in it; name another folder"))
        }
        for _ in 1...2 {
            let inside = try batch(folder, "--anonymize", "solid", "--publish", "in/public", "--approved-by", "Ada")
            #expect(inside.status == 0, "\(inside.errors)")
        }
        #expect(folder.entries.contains { $0.hasPrefix("in/public/video-") })
        #expect(!folder.entries.contains { $0.hasPrefix("out/public") })
        #expect(!folder.entries.contains { $0.contains("out.private") || $0.contains("vidscan.private") })
    }
}
