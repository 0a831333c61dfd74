import Foundation
import Testing
import TestSupport
import VidscanBase

@Suite("A link that somebody has planted is not followed")
struct PlantedFileTests: BatchTesting {
    /// Runs the tool after making links to a file `victim`.
    private func run(_ command: String, planting names: [String], in folder: TemporaryFolder) throws
        -> ChildProcess.Outcome
    {
        let victim = try folder.write("untouched", to: "victim")
        for name in names {
            let path = "\(folder.path)/\(name)"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
        }
        return try Tool.shell("exec \"$0\" \(command)", in: folder)
    }

    @Test("Reports and videos replace a planted link")
    func rendering() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("oneframe.mp4"), toPath: folder.path + "/a.mp4")
        #expect(try Tool.run("analyze", "--quiet", "a.mp4", in: folder).status == 0)
        for (command, made) in [
            ("report a.mp4.vidscan --force", "a.mp4.vidscan/report.html"),
            ("report a.mp4.vidscan a.mp4.vidscan --force", "index.html"),
            ("render a.mp4.vidscan --force", "a.mp4.vidscan/overlay.mp4"),
        ] {
            let outcome = try run(command, planting: [made], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try folder.text("victim") == "untouched", "\(command)")
            let type = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(made)")[.type]
            #expect(type as? FileAttributeType == .typeRegular)
        }
        #expect(!folder.entries.contains { $0.contains("partial") })
    }

    @Test("A batch's tables replace planted links")
    func batch() throws {
        let folder = try makeFolder(["a.png"])
        try FileManager.default.createDirectory(atPath: folder.path + "/out", withIntermediateDirectories: false)
        let records = ["summary.json", "index.csv", "index.html", "status.json", "status.js"].map { "out/\($0)" }
        let ran = try run("batch in --output out --quiet --jobs 1", planting: records, in: folder)
        #expect(ran.status == 0, "\(ran.errors)")
        #expect(try folder.text("victim") == "untouched")
        #expect(try folder.text("out/index.csv").hasPrefix("video,"))
        let merged = try run("batch merge out --output all.csv --force", planting: ["all.csv"], in: folder)
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(try folder.text("victim") == "untouched")
        #expect(try folder.text("all.csv").hasPrefix("video,time,frame,"))
    }

    @Test("An analysis writes nothing through a planted link")
    func analysis() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("still.png"), toPath: folder.path + "/a.png")
        try FileManager.default.createDirectory(atPath: folder.path + "/other", withIntermediateDirectories: false)
        let outcome = try Tool.shell("ln -s other a.png.vidscan; exec \"$0\" analyze --force a.png", in: folder)
        outcome.expectError("a.png.vidscan is a symbolic link; it is not replaced")
        #expect(!folder.entries.contains { $0.hasPrefix("other/") })
    }

    @Test("A result that a killed run had set aside is restored by the next run")
    func aside() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("still.png"), toPath: folder.path + "/a.png")
        #expect(try Tool.run("analyze", "--quiet", "a.png", in: folder).status == 0)
        let before = try folder.bytes("a.png.vidscan/run.json")
        // As left by a run that was killed between the two steps.
        try FileManager.default.moveItem(
            atPath: folder.path + "/a.png.vidscan", toPath: folder.path + "/" + WorkingName("a.png.vidscan", .old).text)
        let outcome = try Tool.run("analyze", "--quiet", "a.png", in: folder)
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
        try folder.write("old", to: "a.png.vidscan/report.html")
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
        #expect(!folder.entries.contains { $0.contains("report.html") || $0.hasPrefix(".a.png") })
    }
}
