import Foundation
import Testing
import TestSupport

@Suite("A result is complete, in its place and never overwritten")
struct ResultTests {
    @Test("The README's example shows what vidscan writes")
    func example() throws {
        let readme = try String(contentsOfFile: Checkout.root + "/README.md", encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let header = try #require(readme.firstIndex { $0.hasPrefix("time,frame,face_id,") })
        let lines = [readme[header]] + readme[(header + 1)...].prefix { $0.first?.isNumber == true }
        let shown = try CSVTable(lines.joined(separator: "\n"))
        try #require(shown.rows.count == 3)
        let folder = try Tool.analyzed()
        let faces = try CSVTable(path: folder.path + "/faces.mp4.vidscan/faces.csv")
        for column in shown.columns {
            for (row, number) in try shown.numbers(column).enumerated() {
                // Another processor may differ in the last digits.
                #expect(abs(try #require(try faces.number(column, row)) - number) < 0.05, "\(column) of row \(row)")
            }
        }
    }

    @Test("A result is in the current folder, and the last line says where")
    func place() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("still.png")
        let outcome = try Tool.run("analyze", path, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.output == "")
        let line = /vidscan: .*still\.png: 1 face in 1 sample, \d+\.\d s -> still\.png\.vidscan\//
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errorLines.last?.wholeMatch(of: line) != nil, "\(outcome.errors)")
        #expect(
            folder.entries
                == ["still.png.vidscan"]
                + [
                    "episodes.csv", "events.csv", "faces.csv", "faces.record", "frames.csv", "quality.csv", "run.json",
                    "tracks.csv",
                ].map {
                    "still.png.vidscan/\($0)"
                })
        let header = try folder.text("still.png.vidscan/faces.csv").prefix { $0 != "\n" }
        #expect(header.hasPrefix("time,frame,face_id,confidence,x,y,width,height,"))
        #expect(
            try folder.text("still.png.vidscan/frames.csv")
                .hasPrefix("time,frame,faces,luma,sharpness,damaged,voice,shot\n0.000000,0,1,"))
    }

    @Test("A result holds the requested formats")
    func formats() throws {
        let folder = try TemporaryFolder()
        let outcome = try Tool.run(
            "analyze", try Variants.path("still.png"), "--format", "json,jsonl", "-o", "out", in: folder)
        #expect(outcome.status == 0)
        let files = ["faces.json", "faces.jsonl", "faces.record", "run.json"].map { "out/still.png.vidscan/\($0)" }
        #expect(folder.entries == ["out", "out/still.png.vidscan"] + files)
    }

    @Test("An existing result is replaced only with --force")
    func force() throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("still.png")
        #expect(try Tool.run("analyze", path, in: folder).status == 0)
        let first = try folder.bytes("still.png.vidscan/run.json")
        let refused = try Tool.run("analyze", path, in: folder)
        #expect(refused.status == 1)
        #expect(
            refused.errors
                == "vidscan: error: \(path): the result \(folder.path)/still.png.vidscan exists; --force replaces it\n")
        #expect(try folder.bytes("still.png.vidscan/run.json") == first)
        let entries = folder.entries
        #expect(try Tool.run("analyze", path, "--force", in: folder).status == 0)
        #expect(try folder.bytes("still.png.vidscan/run.json") != first)
        #expect(folder.entries == entries)
    }

    @Test("Two inputs with the same name get two folders")
    func sameName() throws {
        let folder = try TemporaryFolder()
        for side in ["left", "right"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + side, withIntermediateDirectories: false)
            try FileManager.default.copyItem(
                atPath: try Variants.path("still.png"), toPath: folder.path + "/\(side)/face.png")
        }
        let outcome = try Tool.run("analyze", "left/face.png", "right/face.png", "-o", "out", in: folder)
        #expect(outcome.status == 0)
        #expect(
            outcome.errorLines.map { $0.split(separator: " ").last } == [
                "out/face.png.vidscan/", "out/face.png-2.vidscan/",
            ])
        #expect(
            try folder.bytes("out/face.png.vidscan/faces.csv") == folder.bytes("out/face.png-2.vidscan/faces.csv"))
    }

    @Test("An unwritable output folder is an error before any work", arguments: ["file/out", "/proc/out"])
    func unwritable(place: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("in the way", to: "file")
        let outcome = try Tool.run("analyze", Checkout.clip, "-o", place, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("vidscan: error: \(Checkout.clip): cannot create the folder "))
        #expect(folder.entries == ["file"])
    }

    @Test("A file whose name is one letter is analysed")
    func shortName() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("still.png"), toPath: folder.path + "/a")
        let outcome = try Tool.run("analyze", "--quiet", "--report", "a", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(folder.entries.contains("a.vidscan/report.html"))
    }

    @Test("A file size limit ends the run with that reason and leaves nothing behind")
    func fileSizeLimit() throws {
        let folder = try TemporaryFolder()
        // Blocks of 1 KiB. The signal SIGXFSZ is ignored, so that the write itself fails.
        let outcome = try Tool.shell(
            "trap '' XFSZ; ulimit -f 40; exec \"$0\" analyze '\(Checkout.clip)' --every-frame --format jsonl",
            in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("vidscan: error: \(Checkout.clip): "))
        #expect(outcome.errors.hasSuffix("cannot write its temporary file .frames: File too large\n"))
        #expect(folder.entries == [])
    }

    @Test("A full disk ends the run with that reason and leaves nothing behind")
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        // In a mount namespace of its own, so that the disk is unmounted when the process ends.
        let outcome = try Tool.shell(
            """
            unshare --mount bash -c '
                mount -t tmpfs -o size=64k tmpfs . && cd "$PWD" || exit
                "$0" analyze "$1" --every-frame --format jsonl
                echo "status $?"
                ls -A' "$0" '\(Checkout.clip)'
            """, in: folder)
        guard outcome.output.contains("status") else { try skip(missing: .mount) }
        #expect(outcome.output == "status 1\n")
        #expect(outcome.errorLines.count == 1)
        #expect(
            outcome.errors.hasSuffix("cannot write its temporary file .frames: No space left on device\n"),
            "\(outcome.errors)")
    }
}
