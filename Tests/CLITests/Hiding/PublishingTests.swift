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
        let published = try Self.names(folder, "public")
        #expect(published.count == 2 && published.allSatisfy { $0.wholeMatch(of: /video-\d{10}\.png/) != nil })
        #expect(try folder.bytes("public/\(published[0])") == folder.bytes("out/a.png.vidscan/anonymized.png"))
        let records = try Self.names(folder, "public.private")
        #expect(records.count == 3)
        outcome = try batch(folder, "--anonymize", "solid", "--publish", "public", "--approved-by", "Eve")
        #expect(outcome.status == 0 && !outcome.errors.contains("-> video-"), "\(outcome.errors)")
        #expect(try Self.names(folder, "public") == published && Self.names(folder, "public.private") == records)
        let shown = folder.path + "/out/a.png.vidscan/anonymized.png"
        try FileManager.default.removeItem(atPath: shown)
        try FileManager.default.copyItem(atPath: folder.path + "/in/a.png", toPath: shown)
        outcome = try batch(
            folder, "--anonymize", "solid", "--publish", "checked", "--publish-verified", "--approved-by", "Ada")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("a.png: not published: a face may be visible at"), "\(outcome.errors)")
        #expect(try Self.names(folder, "checked").count == 1)
    }
}
