import Foundation
import Testing
import TestSupport
import VidscanRender

@Suite("A file cannot permit its own filters")
struct HostileFilterTests {
    /// A folder with targets for filters, each of which leaves a file if a filter reaches it.
    private struct Trap {
        let folder: TemporaryFolder
        /// A library that writes `loaded` when it is loaded.
        var library: String { folder.path + "/trap.so" }
        var loaded: String { folder.path + "/loaded" }
        /// The log file of the speech recognition filter.
        var log: String { folder.path + "/log" }

        init() throws {
            folder = try TemporaryFolder()
            let source = """
                #include <stdio.h>
                __attribute__((constructor)) static void spring(void) {
                    FILE *mark = fopen("\(folder.path)/loaded", "w");
                    if (mark) fclose(mark);
                }
                """
            try folder.write(source, to: "trap.c")
            let made = try ChildProcess.run(
                ["cc", "-shared", "-fPIC", "-o", "trap.so", "trap.c"], in: folder.path)
            try #require(made.status == 0, "\(made.errors)")
            for (name, text) in texts { try folder.write("filters: \"\(text)\"\n", to: name + ".yaml") }
        }

        /// Names of pipeline files, and their filters.
        var texts: [(name: String, text: String)] {
            [
                ("library", "null;anullsrc,ladspa=file=\(library),anullsink"),
                ("log", "null;anullsrc,asr=logfn=\(log),anullsink"),
            ]
        }

        var hasSprung: Bool {
            FileManager.default.fileExists(atPath: loaded) || FileManager.default.fileExists(atPath: log)
        }
    }

    private static let reason = "filter 'anullsrc' is not only for video; --allow-file-filters permits it"

    @Test("A permitted filter loads its library, so that the other tests would notice")
    func permitted() throws {
        let trap = try Trap()
        let outcome = try Tool.run("pipelines", "check", "library.yaml", "--allow-file-filters", in: trap.folder)
        #expect(outcome.status == 1)
        #expect(FileManager.default.fileExists(atPath: trap.loaded))
    }

    @Test("No command runs a forbidden filter, and the error names the file, line, column and filter")
    func refused() throws {
        let trap = try Trap()
        for name in trap.texts.map(\.name) {
            let line = "\(name).yaml:1:10: \(Self.reason)"
            let checked = try Tool.run("pipelines", "check", "\(name).yaml", in: trap.folder)
            #expect(checked.status == 1 && checked.output == line + "\n" && checked.errors == "")
            for command in [
                ["analyze", Checkout.clip], ["sample", Checkout.clip],
                ["filters", "preview", Checkout.clip, "-o", "a.png"],
                ["batch", Checkout.clip, "--output", "batch"], ["pipelines", "show"],
            ] {
                var words = command
                switch command[0] {
                case "sample": words += ["--filter", trap.texts.first { $0.name == name }?.text ?? ""]
                case "pipelines": words.append("\(name).yaml")
                default: words += ["--pipeline", "\(name).yaml"]
                }
                let outcome = try ChildProcess.run([Checkout.tool] + words, in: trap.folder.path)
                #expect(outcome.status == 2, "\(words)")
                #expect(outcome.errorLines.count == 1, "\(words): \(outcome.errors)")
                #expect(outcome.errors.contains(Self.reason), "\(words): \(outcome.errors)")
            }
        }
        #expect(!trap.hasSprung)
        #expect(Set(trap.folder.entries) == ["library.yaml", "log.yaml", "trap.c", "trap.so"])
    }

    @Test("Filters with options and filters in run.json are checked too")
    func steps() throws {
        let trap = try Trap()
        try trap.folder.write(
            "filters:\n  - hflip\n  - {filter: ladspa, options: {file: \(trap.library)}}\n", to: "steps.yaml")
        try trap.folder.write(
            #"{"vidscan_version": "0", "pipeline": {"filters": ["ladspa=file=\#(trap.library)"]}}"#, to: "run.json")
        for (file, place) in [("steps.yaml", "3:14: unknown filter"), ("run.json", "1:")] {
            let outcome = try Tool.run("analyze", Checkout.clip, "--pipeline", file, in: trap.folder)
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix("vidscan: error: \(file):\(place)"), "\(outcome.errors)")
            #expect(outcome.errors.contains("filter 'ladspa'"), "\(outcome.errors)")
        }
        #expect(!trap.hasSprung)
    }

    /// Copies the first three seconds of the sample clip.
    private static func makeShortClip(in folder: TemporaryFolder) throws {
        let made = try ChildProcess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-t", "3", "-i", Checkout.clip, "-an", "-c", "copy", "faces.mp4"],
            in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test("Rendering and merging do not build the filters of an analysis")
    func readBack() throws {
        let trap = try Trap()
        let folder = trap.folder
        try Self.makeShortClip(in: folder)
        try Tool.analyzeSegments(2, of: "faces.mp4", "--rate", "1", "--filter", "null", in: folder)
        for (name, text) in trap.texts {
            for part in 0..<2 {
                let record = "faces.mp4.part-\(part)-of-2/part.json"
                let edited = try folder.text(record).replacing(
                    /"filters" : \[\s*"[^"]*"\s*\]/, with: "\"filters\" : [\"\(text)\"]")
                #expect(edited.contains(text))
                try folder.write(edited, to: record)
            }
            let merged = try Tool.shell("\"$0\" merge *-of-2 --force", in: folder)
            #expect(merged.status == 0, "\(merged.errors)")
            let result = "faces.mp4.vidscan"
            for arguments in [
                ["render", result, "--pipeline", "\(name).yaml", "--force"],
                ["render", result, "--pipeline", "\(result)/run.json", "--force"], ["report", result, "--force"],
                ["pipelines", "list"],
            ] {
                let outcome = try ChildProcess.run([Checkout.tool] + arguments, in: folder.path)
                #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            }
            // Filters in a record need permission like those in any file.
            let again = try Tool.run(
                "analyze", "faces.mp4", "--pipeline", "\(result)/run.json", "--output", "again", in: folder)
            #expect(again.status == 2 && again.errors.contains(Self.reason), "\(again.errors)")
        }
        #expect(!trap.hasSprung)
    }

    @Test("Merging and rendering need no permission for the filters of an analysis")
    func permittedOnce() throws {
        let folder = try TemporaryFolder()
        try folder.write("LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n", to: "same.cube")
        let filter = "lut3d=file=\(folder.path)/same.cube"
        try Self.makeShortClip(in: folder)
        try Tool.analyzeSegments(
            2, of: "faces.mp4", "--rate", "1", "--filter", filter, "--allow-file-filters", "--overlay", in: folder)
        let whole = try Tool.run(
            "analyze", "faces.mp4", "--rate", "1", "--filter", filter, "--allow-file-filters", "--output", "whole",
            in: folder)
        try #require(whole.status == 0, "\(whole.errors)")
        try FileManager.default.removeItem(atPath: folder.path + "/same.cube")
        let merged = try Tool.shell("\"$0\" merge *-of-2", in: folder)
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(folder.entries.contains("faces.mp4.vidscan/overlay.mp4"))
        #expect(
            try folder.bytes("faces.mp4.vidscan/faces.csv") == folder.bytes("whole/faces.mp4.vidscan/faces.csv"))
        for result in ["faces.mp4.vidscan", "whole/faces.mp4.vidscan"] {
            let record = try JSONSerialization.jsonObject(with: folder.bytes(result + "/run.json")) as? [String: Any]
            let filters = try #require(record?["filters"] as? [String: Any])
            #expect(filters["chain"] as? String == filter)
            #expect(filters["every_frame"] as? Bool == false)
        }
    }
}
