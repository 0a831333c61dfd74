import Foundation
import Testing
import TestSupport

/// Symbolic links at the names of temporary files, which contain the process ID.
@Suite("A link at the name of a temporary file is not followed")
struct PlantedFileTests: BatchTesting {
    /// Runs the tool in a process whose ID is known before it starts.
    ///
    /// - Parameters:
    ///   - names: names of links to `victim`; `PID` stands for the process ID.
    private func run(_ command: String, planting names: [String], in folder: TemporaryFolder) throws
        -> ChildProcess.Outcome
    {
        try folder.write("untouched", to: "victim")
        let plant = names.map { "ln -s \"$PWD/victim\" \"\($0.replacing("PID", with: "$$"))\"" }
        return try Tool.shell((plant + ["exec \"$0\" \(command)"]).joined(separator: "\n"), in: folder)
    }

    @Test("Reports and videos do not follow a planted link")
    func rendering() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("oneframe.mp4"), toPath: folder.path + "/a.mp4")
        #expect(try Tool.run("analyze", "--quiet", "a.mp4", in: folder).status == 0)
        for (command, names, made) in [
            ("report a.mp4.vidscan", ["a.mp4.vidscan/.report.html.partial-PID"], "a.mp4.vidscan/report.html"),
            ("report a.mp4.vidscan a.mp4.vidscan --force", [".index.html.partial-PID"], "index.html"),
            ("render a.mp4.vidscan", ["a.mp4.vidscan/.overlay.mp4.partial-PID"], "a.mp4.vidscan/overlay.mp4"),
        ] {
            let outcome = try run(command, planting: names, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try folder.text("victim") == "untouched", "\(command)")
            let type = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(made)")[.type]
            #expect(type as? FileAttributeType == .typeRegular)
        }
        #expect(!folder.entries.contains { $0.contains("partial") })
    }

    @Test("A batch's tables do not follow a planted link")
    func batch() throws {
        let folder = try makeFolder(["a.png"])
        try FileManager.default.createDirectory(atPath: folder.path + "/out", withIntermediateDirectories: false)
        let records = ["summary.json", "index.csv", "index.html", "status.json", "status.js"].map {
            "out/.\($0).partial-PID"
        }
        let ran = try run("batch in --output out --quiet --jobs 1", planting: records, in: folder)
        #expect(ran.status == 0, "\(ran.errors)")
        #expect(try folder.text("victim") == "untouched")
        #expect(try folder.text("out/index.csv").hasPrefix("video,"))
        let merged = try run(
            "batch merge out --output all.csv", planting: ["all.csv.partial-PID", ".all.csv.partial-PID"], in: folder)
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(try folder.text("victim") == "untouched")
        #expect(try folder.text("all.csv").hasPrefix("video,time,frame,"))
    }

    @Test("An analysis does not follow a planted link")
    func analysis() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("still.png"), toPath: folder.path + "/a.png")
        try FileManager.default.createDirectory(atPath: folder.path + "/other", withIntermediateDirectories: false)
        let outcome = try Tool.shell(
            "ln -s \"$PWD/other\" \".a.png.vidscan.partial-$$\"; exec \"$0\" analyze --quiet a.png", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!folder.entries.contains { $0.hasPrefix("other/") })
    }

    @Test("A result that a killed run had set aside is restored by the next run")
    func aside() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("still.png"), toPath: folder.path + "/a.png")
        #expect(try Tool.run("analyze", "--quiet", "a.png", in: folder).status == 0)
        let before = try folder.bytes("a.png.vidscan/run.json")
        // The ID of a process that has ended, like the one that was killed between the two steps.
        let outcome = try Tool.shell(
            """
            gone=$(sh -c 'echo $$')
            mv a.png.vidscan .a.png.vidscan.old-$gone
            exec "$0" analyze --quiet a.png
            """, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasSuffix("a.png.vidscan exists; --force replaces it\n"), "\(outcome.errors)")
        #expect(try folder.bytes("a.png.vidscan/run.json") == before)
        #expect(!folder.entries.contains { $0.contains(".old-") })
    }

    @Test("On a file system that cannot exchange names, a result is replaced in two steps")
    func twoSteps() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("still.png"), toPath: folder.path + "/a.png")
        #expect(try Tool.run("analyze", "--quiet", "a.png", in: folder).status == 0)
        try folder.write("old", to: "a.png.vidscan/note.txt")
        // A seccomp filter makes renameat2 with flags fail as on NFS and FAT.
        let filter = try folder.write(
            """
            import ctypes, os, platform, struct, sys
            call = {"x86_64": 316, "aarch64": 276}[platform.machine()]
            rules = [(0x20, 0, 0, 0), (0x15, 0, 3, call), (0x20, 0, 0, 48), (0x15, 1, 0, 0),
                     (0x06, 0, 0, 0x00050000 | 22), (0x06, 0, 0, 0x7FFF0000)]
            code = b"".join(struct.pack("HBBI", *rule) for rule in rules)
            memory = ctypes.create_string_buffer(code, len(code))
            program = struct.pack("HxxxxxxP", len(rules), ctypes.addressof(memory))
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0): sys.exit(99)
            os.execv(sys.argv[1], sys.argv[1:])
            """, to: "filter.py")
        let outcome = try ChildProcess.run(
            ["python3", filter, Checkout.tool, "analyze", "--quiet", "--force", "a.png"], in: folder.path)
        guard outcome.status != 99 else { try skip(missing: .seccomp) }
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(folder.entries.contains("a.png.vidscan/faces.csv"))
        #expect(!folder.entries.contains { $0.contains("note.txt") || $0.hasPrefix(".a.png") })
    }
}
