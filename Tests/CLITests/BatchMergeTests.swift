import Foundation
import Testing
import TestSupport

@Suite("Batches merge into one table")
struct BatchMergeTests: BatchTesting {
    /// - Returns: the error of a merge that fails without writing anything.
    private func refusal(in folder: TemporaryFolder, table: String = "faces") throws -> String {
        // SQLite creates and removes its own files.
        let entries = { folder.entries.filter { !$0.hasPrefix("out/batch.sqlite-") } }
        let before = entries()
        let file = try Tool.run("batch", "merge", "out", "--table", table, "--output", "all.csv", in: folder)
        #expect(file.status == 2)
        #expect(entries() == before)
        let stream = try Tool.run("batch", "merge", "out", "--table", table, in: folder)
        #expect(stream.status == 2)
        #expect(stream.output == "")
        #expect(stream.errors == file.errors)
        #expect(file.errorLines.count == 1)
        return file.errors
    }

    @Test("A batch without results has nothing to merge, and leaves the table of an earlier merge as it is")
    func nothing() throws {
        let folder = try makeFolder(["broken.mp4"], from: "text.mp4")
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 1)
        try folder.write("video,earlier", to: "out/faces.csv")
        #expect(try Tool.run("batch", "in", "--output", "out", "--merge", in: folder).status == 1)
        #expect(try folder.text("out/faces.csv") == "video,earlier")
        let merged = try Tool.run("batch", "merge", "out", "--output", "all.csv", in: folder)
        #expect(merged.status == 1 && !folder.entries.contains("all.csv"))
        #expect(merged.errors == "vidscan: error: \(folder.path)/out has no finished results to merge\n")
    }

    @Test("A run whose merge is refused says first what it has done")
    func refusedAtTheEnd() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        #expect(try batch(folder, "--quiet").status == 0)
        let table = "out/b.png.vidscan/faces.csv"
        try folder.write(folder.text(table).replacing("time,frame,", with: "time,picture,"), to: table)
        let outcome = try batch(folder, "--merge")
        #expect(outcome.status == 2)
        let lines = outcome.errorLines.suffix(2)
        #expect(lines.first?.hasPrefix("vidscan: 0 done, 0 failed, 0 skipped; ") == true, "\(outcome.errors)")
        #expect(lines.last?.contains(" have different columns ") == true, "\(outcome.errors)")
    }

    @Test("An input in two journals is an error that names both")
    func twins() throws {
        let folder = try makeFolder(["a.png"])
        #expect(try Tool.run("batch", "in", "--output", "out", "--shard", "0/1", in: folder).status == 0)
        // As somebody who renumbers shards might do.
        try FileManager.default.copyItem(
            atPath: folder.path + "/out/batch-0-of-1.sqlite", toPath: folder.path + "/out/batch-1-of-1.sqlite")
        #expect(
            try refusal(in: folder) == """
                vidscan: error: \(folder.path)/in/a.png is in the batch twice: as a.png.vidscan in batch-0-of-1.sqlite, and \
                as a.png.vidscan in batch-1-of-1.sqlite; remove one of them, or run the batch again in another folder

                """)
    }

    @Test("Tables with different columns are an error that names both")
    func columns() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        let (one, other) = (
            folder.path + "/out/a.png.vidscan/frames.csv", folder.path + "/out/b.png.vidscan/frames.csv"
        )
        let text = try String(contentsOfFile: other, encoding: .utf8)
        let why = "; they were made by different versions of vidscan, so run the batch again\n"
        try text.replacingOccurrences(of: "time,frame,", with: "time,picture,").write(
            toFile: other, atomically: true, encoding: .utf8)
        #expect(
            try refusal(in: folder, table: "frames") == "vidscan: error: \(one) and \(other) have different columns"
                + " (only \(one) has frame; only \(other) has picture)" + why)
        try text.replacingOccurrences(of: "time,frame,", with: "frame,time,").write(
            toFile: other, atomically: true, encoding: .utf8)
        #expect(
            try refusal(in: folder, table: "frames") == "vidscan: error: \(one) and \(other) have different columns"
                + " (the same ones in another order)" + why)
        try String(text.dropLast(3)).write(toFile: other, atomically: true, encoding: .utf8)
        #expect(
            try refusal(in: folder, table: "frames")
                == "vidscan: error: \(other) ends in the middle of a row; remove its folder and run the batch again\n")
        try FileManager.default.removeItem(atPath: other)
        #expect(
            try refusal(in: folder, table: "frames")
                == "vidscan: error: cannot read \(other): No such file or directory; remove its folder and run the batch again\n"
        )
        // A pipe without a writer must not be waited for.
        mkfifo(other, 0o600)
        #expect(
            try refusal(in: folder, table: "frames")
                == "vidscan: error: cannot read \(other): it is not a regular file; remove its folder and run the batch again\n"
        )
        // The other tables are intact.
        #expect(try Tool.run("batch", "merge", "out", "--output", "all.csv", in: folder).status == 0)
    }

    @Test("Each file occurs once if a second folder is added later, with the same number of shards")
    func secondFolder() throws {
        let folder = try makeFolder((10..<18).map { "\($0).png" })
        let add = { (name: String) in
            try self.add("../more/\(name).png", to: folder)
        }
        try add("18")
        for index in 0..<3 {
            #expect(try Tool.run("batch", "in", "--output", "out", "--shard", "\(index)/3", in: folder).status == 0)
        }
        var messages: [String] = []
        for index in 0..<3 {
            let outcome = try Tool.run(
                "batch", "in", "more", "--output", "out", "--shard", "\(index)/3", "-v", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            messages += outcome.errorLines.filter { $0.contains(" in 1 frame") }
        }
        #expect(messages.count == 1 && messages[0].contains("/more/18.png: "), "\(messages)")
        let merged = try Tool.run("batch", "merge", "out", in: folder)
        #expect(merged.status == 0, "\(merged.errors)")
        let videos = try CSVTable(merged.output).texts("video")
        #expect(videos.count == 9)
        #expect(Set(videos).count == 9)
    }

    @Test("A shard that has not run is named, and the others are merged")
    func missingShard() throws {
        let folder = try makeFolder((0..<8).map { "\($0).png" })
        #expect(try Tool.run("batch", "in", "--output", "out", "--shard", "1/2", in: folder).status == 0)
        let merged = try Tool.run("batch", "merge", "out", in: folder)
        merged.expectError("has no journal of 1 shard of 2, such as 0/2; the others were merged")
        #expect(!merged.output.isEmpty)
        let status = try Tool.run("batch", "status", "out", in: folder)
        #expect(status.status == 0 && status.errors.contains("has no journal of 1 shard of 2"), "\(status.errors)")
        #expect(try Tool.run("batch", "status", "out", "--strict", in: folder).status == 1)
        #expect(try Tool.run("batch", "in", "--output", "out", "--shard", "0/2", in: folder).status == 0)
        #expect(try Tool.run("batch", "merge", "out", in: folder).status == 0)
    }

    @Test("A shard does not replace the result of another shard")
    func resultOfAnotherShard() throws {
        let folder = try makeFolder((0..<5).map { "\($0)/a.png" })
        // Named one at a time, each input asks for a.png.vidscan, and no journal knows the others.
        var owner: String?
        for number in 0..<5 {
            let path = "in/\(number)/a.png"
            for shard in 0..<3 {
                let outcome = try Tool.run("batch", path, "--output", "out", "--shard", "\(shard)/3", in: folder)
                #expect([0, 1].contains(outcome.status))
            }
            let record = try folder.text("out/a.png.vidscan/run.json")
            owner = owner ?? path
            #expect(record.contains("/\(owner ?? "")\""), "\(path)")
        }
    }
}
