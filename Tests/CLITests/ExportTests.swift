import Foundation
import TestSupport
import Testing

@Suite("vidscan export")
struct ExportTests: BatchTesting {
    /// A folder with the result of a clip, whose samples are all frames.
    private static func folder(of clip: String) throws -> TemporaryFolder {
        try Tool.analyzed(clip, "--every-frame", "--metrics", "none")
    }

    @Test("Every format has its files, in the result or in another folder")
    func files() throws {
        let folder = try Self.folder(of: try Variants.path("still.png"))
        let before = folder.entries
        let all = [
            "still.TextGrid", "still.eaf", "still.metadata.vtt", "still.rttm", "still.vtt", "still_events.json",
            "still_events.tsv",
        ]
        let outcome = try Tool.run(
            "export", "still.png.vidscan", "--to", "elan,vtt", "--to", "textgrid,bids,rttm,vtt", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errorLines.count == all.count)
        #expect(outcome.errorLines.first == "vidscan: still.png.vidscan: -> still.png.vidscan/still.eaf")
        #expect(Set(folder.entries).subtracting(before) == Set(all.map { "still.png.vidscan/\($0)" }))
        let elsewhere = try Tool.run(
            "export", "--quiet", "still.png.vidscan", "--to", "elan,vtt,textgrid,bids,rttm", "--output", "a/b",
            in: folder)
        #expect(elsewhere.status == 0 && elsewhere.errors == "", "\(elsewhere.errors)")
        for name in all where name != "still.eaf" {
            #expect(try folder.bytes("a/b/\(name)") == folder.bytes("still.png.vidscan/\(name)"), "\(name)")
        }
        let document = try folder.text("a/b/still.eaf")
        #expect(document.contains("MIME_TYPE=\"image/png\""))
    }

    @Test("--output names the file of one format, and the second file is named after it")
    func file() throws {
        let folder = try Self.folder(of: try Variants.path("still.png"))
        #expect(
            try Tool.run(
                "export", "still.png.vidscan", "--to", "bids", "--output", "sub-01_task-a_events.tsv", in: folder
            )
            .status == 0)
        #expect(
            folder.entries.contains("sub-01_task-a_events.tsv") && folder.entries.contains("sub-01_task-a_events.json"))
        let clash = try Tool.run("export", "still.png.vidscan", "--to", "bids", "--output", "a.json", in: folder)
        #expect(clash.status == 1 && clash.errorLines.count == 1)
        #expect(clash.errors.contains("would be the name of two files"), "\(clash.errors)")
        #expect(!folder.entries.contains("a.json"))
    }

    @Test("Nothing is replaced without --force, and then no file of the export is written")
    func replacement() throws {
        let folder = try Self.folder(of: try Variants.path("still.png"))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/out", withIntermediateDirectories: false)
        try folder.write("mine", to: "out/still.metadata.vtt")
        let refused = try Tool.run("export", "still.png.vidscan", "--to", "elan,vtt", "--output", "out", in: folder)
        #expect(refused.status == 1)
        #expect(
            refused.errors
                == "vidscan: error: still.png.vidscan: out/still.metadata.vtt exists; --force replaces it\n")
        #expect(folder.entries.filter { $0.hasPrefix("out/") } == ["out/still.metadata.vtt"])
        #expect(try folder.text("out/still.metadata.vtt") == "mine")
        #expect(
            try Tool.run("export", "still.png.vidscan", "--to", "elan,vtt", "--output", "out", "--force", in: folder)
                .status == 0)
        #expect(try folder.text("out/still.metadata.vtt").hasPrefix("WEBVTT\n"))
    }

    @Test("Of several results, one that cannot be exported does not stop the others")
    func several() throws {
        let folder = try Self.folder(of: try Variants.path("still.png"))
        let outcome = try Tool.run(
            "export", "missing", "still.png.vidscan", "--to", "rttm", "--output", "out", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errorLines.contains("vidscan: error: missing: is not a vidscan result: it has no run.json"),
            "\(outcome.errors)")
        #expect(folder.entries.contains("out/still.rttm"))
    }

    @Test(
        "Wrong usage is refused",
        arguments: [["--to", "srt"], [], ["--to", "elan,"], ["--to", "elan", "--by", "name"]])
    func usage(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let outcome = try ChildProcess.run([Checkout.tool, "export", "a.vidscan"] + arguments, in: folder.path)
        #expect(outcome.status == 2)
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
    }

    @Test(
        "Times count from the start of the container, as players do",
        arguments: [("starttime.mp4", 2), ("starttime.ts", 2), ("audiofirst.mp4", 2), ("editlist.mp4", 1)])
    func time(name: String, shot: Int) throws {
        let clip = try Variants.path(name)
        let folder = try Self.folder(of: clip)
        let result = "\(name).vidscan"
        #expect(try Tool.run("export", result, "--to", "textgrid", "--output", "a.TextGrid", in: folder).status == 0)
        let interval = try #require(
            try folder.text("a.TextGrid").firstMatch(
                of: Regex("xmin = ([0-9.]+)\n +xmax = [0-9.]+\n +text = \"shot \(shot)\"")))
        let begin = try #require(interval.output[1].substring.flatMap { Double($0) })
        // The first frame of the shot, and when ffprobe shows it after the container's start.
        let frames = try CSVTable(path: "\(folder.path)/\(result)/frames.csv")
        let index = try #require(try frames.numbers("shot").firstIndex(of: Double(shot)))
        let probe = try ChildProcess.run([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
            "format=start_time:frame=best_effort_timestamp_time", "-of", "csv=p=0", clip,
        ])
        let numbers = probe.output.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }
        let start = try #require(numbers.last)
        #expect(numbers.count == frames.rows.count + 1)
        #expect(abs(numbers[index] - start - begin) <= 0.0011, "\(numbers[index]), \(start), \(begin)")
        if name.hasPrefix("starttime") { #expect(start > 12 && begin < 1.1) }
    }

    @Test("A file of a result is not replaced, even with --force")
    func ownFiles() throws {
        let folder = try Self.folder(of: try Variants.path("still.png"))
        for (command, name) in [
            (["export", "--to", "rttm"], "faces.csv"), (["export", "--to", "rttm"], "run.json"),
            (["interact"], "tracks.csv"),
        ] {
            let path = "still.png.vidscan/\(name)"
            let before = try folder.bytes(path)
            let arguments = ["still.png.vidscan", "--output", path, "--force"]
            try ChildProcess.run([Checkout.tool] + command + arguments, in: folder.path)
                .expectError("\(path) is a file of a result, and is not replaced; name another file")
            #expect(try folder.bytes(path) == before)
        }
    }

    @Test("Two spellings of one name are two names, and no two results write the same second file")
    func names() throws {
        let folder = try TemporaryFolder()
        for (number, name) in ["\u{E9}.mp4", "e\u{301}.mp4", "a.mp4", "a.metadata.mp4"].enumerated() {
            try SyntheticResult.write(
                [], to: "\(folder.path)/\(number)", video: "/videos/\(name)", keepsEmbeddings: false)
        }
        let spellings = try Tool.run("interact", "0", "1", "--output", "ex", in: folder)
        #expect(spellings.status == 0, "\(spellings.errors)")
        #expect(folder.entries.count { $0.hasPrefix("ex/") } == 2)
        try Tool.run("export", "2", "3", "--to", "vtt", "--output", "ex", in: folder)
            .expectError("2 and 3 would both be written as a.metadata.vtt; export one of them elsewhere")
    }

    @Test("Two results with one name are not exported to one folder")
    func twins() throws {
        let folder = try makeFolder(["x/a.png", "y/a.png"])
        #expect(try Tool.run("analyze", "in/x/a.png", "in/y/a.png", "-q", in: folder).status == 0)
        let results = ["a.png.vidscan", "a.png-2.vidscan"]
        for arguments in [["export", "--to", "vtt"], ["interact"]] {
            let outcome = try ChildProcess.run(
                [Checkout.tool] + arguments + results + ["--output", "ex", "--force"], in: folder.path)
            #expect(outcome.status == 1 && !folder.entries.contains { $0.hasPrefix("ex/") }, "\(outcome.errors)")
            #expect(outcome.errors.contains("\(results[0]) and \(results[1]) would both be written as a."))
        }
    }
}
