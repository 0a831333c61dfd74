import Foundation
import Testing
import TestSupport

@Suite("Batches by content")
struct BatchContentTests: BatchTesting {
    private func setDate(_ name: String, _ date: Date, in folder: TemporaryFolder) throws {
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(folder.path)/in/\(name)")
    }

    @Test("A file with only a new date is not analysed again; without --by-content it is")
    func touched() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        #expect(try batch(folder, "--by-content").status == 0)
        let before = try folder.bytes("out/a.png.vidscan/run.json")
        try setDate("a.png", Date(timeIntervalSinceNow: -7200), in: folder)
        #expect(try batch(folder, "--dry-run").output.contains("run   \(folder.path)/in/a.png  (changed)\n"))
        let dry = try batch(folder, "--by-content", "--dry-run")
        #expect(
            dry.output == """
                skip  \(folder.path)/in/a.png  (only the date changed)
                skip  \(folder.path)/in/b.png  (already done)
                0 of 2 files would be analysed

                """)
        #expect(
            dry.errorLines == ["vidscan: reading 1 file, 0 MB, to compare the content with what was analysed"])
        #expect(try batch(folder, "--by-content").errorLines.last?.contains("0 done, 0 failed") == true)
        #expect(try folder.bytes("out/a.png.vidscan/run.json") == before)
        // The new date is recorded, also for runs without --by-content.
        #expect(try batch(folder, "--dry-run").output.hasSuffix("0 of 2 files would be analysed\n"))
        try setDate("a.png", Date(timeIntervalSinceNow: -9000), in: folder)
        #expect(try batch(folder).status == 0)
        #expect(try folder.bytes("out/a.png.vidscan/run.json") != before)
        #expect(try index(folder).mapValues { $0["attempts"] } == ["a.png": "2", "b.png": "1"])
    }

    @Test("A file that was edited and dated back is analysed again; without --by-content it is not")
    func setBack() throws {
        let folder = try makeFolder(["a.png"])
        let path = folder.path + "/in/a.png"
        // Whole seconds, so that the test can restore it to the nanosecond.
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        try setDate("a.png", date, in: folder)
        #expect(try batch(folder, "--by-content").status == 0)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // The last byte of a PNG belongs to a checksum that decoders ignore.
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        try setDate("a.png", date, in: folder)
        #expect(try batch(folder, "--dry-run").output.contains("(already done)"))
        #expect(try batch(folder, "--by-content", "--dry-run").output.contains("run   \(path)  (changed)\n"))
        #expect(try batch(folder, "--by-content").status == 0)
        #expect(try index(folder)["a.png"]?["attempts"] == "2")
        #expect(try batch(folder, "--by-content", "--dry-run").output.contains("(already done)"))
    }
}
