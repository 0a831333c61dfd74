import Foundation
import TestSupport
import Testing

@Suite("A batch can identify files by content")
struct BatchContentTests: BatchTesting {
    private func setDate(_ name: String, _ date: Date, in folder: TemporaryFolder) throws {
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(folder.path)/in/\(name)")
    }

    private func batch(_ options: String..., in folder: TemporaryFolder) throws -> ChildProcess.Outcome {
        try ChildProcess.run([Checkout.tool, "batch", "in", "--output", "out"] + options, in: folder.path)
    }

    @Test("By content, a touched file is not analysed again; by date, it is")
    func touched() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        #expect(try batch("--by-content", in: folder).status == 0)
        let before = try folder.bytes("out/a.png.vidscan/run.json")
        try setDate("a.png", Date(timeIntervalSinceNow: -7200), in: folder)
        #expect(try batch("--dry-run", in: folder).output.contains("do    \(folder.path)/in/a.png  (changed)\n"))
        let dry = try batch("--by-content", "--dry-run", in: folder)
        #expect(
            dry.output == """
                pass  \(folder.path)/in/a.png  (date changed, content did not)
                pass  \(folder.path)/in/b.png  (done already)
                0 of 2 files would be done

                """)
        #expect(
            dry.errorLines == ["vidscan: reading 1 file, 0 MB, to compare their content with what was analysed"])
        #expect(try batch("--by-content", in: folder).errorLines.last?.contains("0 done, 0 failed") == true)
        #expect(try folder.bytes("out/a.png.vidscan/run.json") == before)
        // The new date was recorded, so identification by date accepts it too.
        #expect(try batch("--dry-run", in: folder).output.hasSuffix("0 of 2 files would be done\n"))
        try setDate("a.png", Date(timeIntervalSinceNow: -9000), in: folder)
        #expect(try batch(in: folder).status == 0)
        #expect(try folder.bytes("out/a.png.vidscan/run.json") != before)
        #expect(try index(folder).mapValues { $0["attempts"] } == ["a.png": "2", "b.png": "1"])
    }

    @Test("By content, an edited file with its old date is analysed again; by date, it is not")
    func setBack() throws {
        let folder = try makeFolder(["a.png"])
        let path = folder.path + "/in/a.png"
        // Whole seconds, so that the date can be restored exactly.
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        try setDate("a.png", date, in: folder)
        #expect(try batch("--by-content", in: folder).status == 0)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // The last byte of a PNG belongs to a checksum that decoders ignore.
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        try setDate("a.png", date, in: folder)
        #expect(try batch("--dry-run", in: folder).output.contains("(done already)"))
        #expect(try batch("--by-content", "--dry-run", in: folder).output.contains("do    \(path)  (changed)\n"))
        #expect(try batch("--by-content", in: folder).status == 0)
        #expect(try index(folder)["a.png"]?["attempts"] == "2")
        #expect(try batch("--by-content", "--dry-run", in: folder).output.contains("(done already)"))
    }
}
