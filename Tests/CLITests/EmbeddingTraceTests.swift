import Foundation
import TestSupport
import Testing

/// Searches everything that a run leaves behind for the bytes of the embeddings that it computed.
@Suite("Embeddings are stored only where and when the user asks for them")
struct EmbeddingTraceTests: BatchTesting {
    /// Runs the tool with a home and a folder for temporary files of its own, which a search then covers.
    private func run(_ arguments: String..., in folder: TemporaryFolder) throws {
        for name in ["tmp", "home"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name, withIntermediateDirectories: true)
        }
        let variables = ["TMPDIR=\(folder.path)/tmp", "HOME=\(folder.path)/home", "XDG_CACHE_HOME=\(folder.path)/home"]
        let outcome = try ChildProcess.run(["env"] + variables + [Checkout.tool] + arguments, in: folder.path)
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    /// Four values from each stored embedding of the sample clip, as bytes.
    private static func traces(in data: Data) throws -> [Data] {
        let count = try EmbeddingArray(data).rows.count
        try #require(count > 4)
        return (0..<count).flatMap { row in
            [0, 60, 124].map { value in
                let start = EmbeddingArray.headerBytes + row * EmbeddingArray.rowBytes + 20 + 4 * value
                return Data(data[start..<start + 16])
            }
        }
    }

    /// The files of a folder that have a trace of an embedding.
    private func files(with traces: [Data], in folder: TemporaryFolder) throws -> [String] {
        try folder.entries.filter { name in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.path + "/" + name, isDirectory: &isFolder),
                !isFolder.boolValue
            else { return false }
            let bytes = try folder.bytes(name)
            return traces.contains { bytes.range(of: $0) != nil }
        }
    }

    @Test("After a run without --people, no file has an embedding, whatever else was asked for")
    func ordinary() throws {
        let kept = try TemporaryFolder()
        try run("analyze", Checkout.clip, "--people", "--end", "9.6", in: kept)
        let traces = try Self.traces(in: kept.bytes("faces.mp4.vidscan/embeddings.npy"))
        #expect(try files(with: traces, in: kept) == ["faces.mp4.vidscan/embeddings.npy"])

        let folder = try TemporaryFolder()
        try run(
            "analyze", Checkout.clip, "--end", "9.6", "--landmarks", "--blendshapes", "--format", "csv,json,jsonl",
            "--report", "--overlay", "--verbose", in: folder)
        try #require(folder.entries.contains("faces.mp4.vidscan/report.html"))
        #expect(try files(with: traces, in: folder) == [])
    }

    @Test("Neither a batch without --people nor a segment has any")
    func batchAndSegments() throws {
        let kept = try Tool.analyzed(Checkout.clip, "--people", "--end", "9.6")
        let traces = try Self.traces(in: kept.bytes("faces.mp4.vidscan/embeddings.npy"))

        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/in", withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: Checkout.clip, toPath: folder.path + "/in/faces.mp4")
        try age(folder.path + "/in/faces.mp4")
        try run("batch", "in", "--output", "out", "--merge", "--end", "9.6", in: folder)
        try #require(folder.entries.contains("out/faces.mp4.vidscan/run.json"))
        #expect(try files(with: traces, in: folder) == [])

        for segment in ["0/2", "1/2"] {
            try run(
                "analyze", Checkout.clip, "--end", "9.6", "--segment", segment, "--output", "segments", in: folder)
        }
        try run(
            "merge", "segments/faces.mp4.part-0-of-2", "segments/faces.mp4.part-1-of-2", "--output", "merged",
            in: folder)
        #expect(try files(with: traces, in: folder) == [])
    }

    @Test("A report of a result with embeddings has none of them")
    func report() throws {
        let folder = try Tool.analyzed(Checkout.clip, "--people")
        try run("report", "faces.mp4.vidscan", in: folder)
        let traces = try Self.traces(in: folder.bytes("faces.mp4.vidscan/embeddings.npy"))
        #expect(try files(with: traces, in: folder) == ["faces.mp4.vidscan/embeddings.npy"])
        #expect(try !folder.text("faces.mp4.vidscan/report.html").contains("embeddings.npy"))
    }

    @Test("A batch with --people keeps those of each file, and says which command joins them")
    func batch() throws {
        let folder = try makeFolder(["a.png", "b.png"])
        let outcome = try Tool.run("batch", "in", "--output", "out", "--people", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errorLines.last == "vidscan: 1 person in 2 videos -> out/people.csv")
        #expect(try CSVTable(path: folder.path + "/out/people.csv").numbers("study_person_id") == [1, 1])
        #expect(try folder.text("out/index.html").contains("<a href=\"people.html\">"))
        let files = try ["a", "b"].map { try folder.bytes("out/\($0).png.vidscan/embeddings.npy") }
        #expect(try EmbeddingArray(files[0]).rows.count == 1)
        #expect(files[0] == files[1])
        #expect(try Tool.run("analyze", "in/a.png", "--people", "--output", "alone", in: folder).status == 0)
        #expect(try folder.bytes("alone/a.png.vidscan/embeddings.npy") == files[0])
        #expect(try folder.text("out/a.png.vidscan/run.json").contains("\"keep_embeddings\" : true"))
        // Without the option, the settings have changed, and the embeddings go with the old results.
        let without = try Tool.run("batch", "in", "--output", "out", in: folder)
        #expect(without.status == 0 && !without.errors.contains("people.csv"), "\(without.errors)")
        #expect(!folder.entries.contains { $0.hasPrefix("out/") && $0.hasSuffix(".npy") })
    }

    @Test("A pipeline cannot keep embeddings that it does not compute")
    func pipeline() throws {
        let folder = try TemporaryFolder()
        try folder.write("track:\n  person: false\n  keep_embeddings: true\n", to: "p.yaml")
        for (arguments, message) in [
            ([], "'track.keep_embeddings' keeps face embeddings, which 'track.person: false' turns off."),
            (["--people"], "--people keeps face embeddings, which 'track.person: false' turns off."),
        ] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "analyze", "x.mp4", "--pipeline", "p.yaml"] + arguments, in: folder.path)
            #expect(outcome.status == 2)
            #expect(outcome.errorLines.count == 1)
            #expect(outcome.errors.hasSuffix(message + "\n"), "\(outcome.errors)")
        }
    }
}
