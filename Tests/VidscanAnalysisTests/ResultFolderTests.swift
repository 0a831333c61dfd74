import AnalysisSupport
import Foundation
import Glibc
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase
import VidscanResults

@Suite("A result folder appears complete or not at all")
struct ResultFolderTests {
    private static let name = "still.png.vidscan"

    @discardableResult
    private func run(into folder: TemporaryFolder, replaces: Bool) async throws -> RunOutcome {
        try await Analysis(
            settings: Settings(workers: 1), models: try Models.store(concurrency: 1), observer: Recorder()
        ).run(
            input: try Variants.path("still.png"), resultPath: folder.path + "/" + Self.name, replaces: replaces)
    }

    @Test("A result appears complete, in a parent folder that is created for it")
    func appears() async throws {
        let folder = try TemporaryFolder()
        let place = folder.path + "/a/b/" + Self.name
        let summary = try await Analysis(
            settings: Settings(workers: 1), models: try Models.store(concurrency: 1), observer: Recorder()
        ).run(input: try Variants.path("still.png"), resultPath: place, replaces: false)
        #expect(summary.resultPath == place)
        let files = [
            "episodes.csv", "events.csv", "faces.csv", "faces.record", "frames.csv", "quality.csv", "run.json",
            "tracks.csv",
        ]
        .map {
            "a/b/\(Self.name)/\($0)"
        }
        #expect(folder.entries == ["a", "a/b", "a/b/\(Self.name)"] + files)
    }

    @Test("A result is replaced only on request, and nothing of the old one remains")
    func replacing() async throws {
        let folder = try TemporaryFolder()
        try await run(into: folder, replaces: false)
        let before = folder.entries
        let error = await #expect(throws: VidscanError.self) { try await run(into: folder, replaces: false) }
        #expect(error?.code == .exists)
        #expect(error?.reason == "the result \(folder.path)/\(Self.name) exists; --force replaces it")
        #expect(folder.entries == before)
        let page = try folder.write("old", to: Self.name + "/report.html")
        try await run(into: folder, replaces: true)
        #expect(!FileManager.default.fileExists(atPath: page))
        #expect(folder.entries == before)
    }

    @Test("A result with a file of the user's, an edited table or corrections gets another name", arguments: 0..<5)
    func previous(kind: Int) async throws {
        let folder = try TemporaryFolder()
        try await run(into: folder, replaces: false)
        let (file, words) = [
            ("notes.txt", "a file that the analysis did not write (notes.txt)"),
            ("faces.csv", "a file that somebody has edited (faces.csv)"),
            ("quality.csv", "a file that somebody has edited (quality.csv)"),
            ("corrections.json", "corrections"),
            ("report.html/mine", "a file that the analysis did not write (report.html)"),
        ][kind]
        let path = "\(folder.path)/\(Self.name)/\(file)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try folder.write("mine", to: "\(Self.name)/\(file)")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: path)
        for number in 1...2 {
            let recorder = Recorder()
            _ = try await Analysis(
                settings: Settings(workers: 1), models: try Models.store(concurrency: 1), observer: recorder
            ).run(
                input: try Variants.path("still.png"), resultPath: folder.path + "/" + Self.name, replaces: true)
            let set = "\(Self.name).previous-1"
            #expect(try folder.text("\(set)/\(file)") == "mine")
            #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(set)/run.json"))
            #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(Self.name).previous-2"))
            let said = recorder.warnings.filter { $0.contains("previous") }
            #expect(
                number == 1
                    ? said.first?.hasPrefix("the result that was there is now \(set), because it has \(words)") == true
                    : said.isEmpty, "\(said)")
        }
    }

    @Test("A link at the path of a result is neither followed nor replaced")
    func link() async throws {
        let folder = try TemporaryFolder()
        try await run(into: folder, replaces: false)
        rename(folder.path + "/" + Self.name, folder.path + "/elsewhere")
        symlink("elsewhere", folder.path + "/" + Self.name)
        let before = folder.entries
        let error = await #expect(throws: VidscanError.self) { try await run(into: folder, replaces: true) }
        #expect(error?.reason == "\(folder.path)/\(Self.name) is a symbolic link; it is not replaced")
        #expect(folder.entries == before)
    }

    @Test("Below a batch's folder, no link is followed")
    func linkOnTheWay() async throws {
        let folder = try TemporaryFolder()
        for name in ["out", "elsewhere"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
        symlink("../elsewhere", folder.path + "/out/sub")
        let analysis = Analysis(
            settings: Settings(workers: 1), models: try Models.store(concurrency: 1), observer: Recorder())
        let error = await #expect(throws: VidscanError.self) {
            try await analysis.run(
                input: try Variants.path("still.png"), resultPath: folder.path + "/out/sub/" + Self.name,
                below: folder.path + "/out", replaces: true)
        }
        #expect(error?.reason == "cannot create the folder \(folder.path)/out/sub: Not a directory")
        #expect(folder.entries == ["elsewhere", "out", "out/sub"])
    }

    @Test("A file or folder that is not a result is never replaced", arguments: ["folder", "file"])
    func notAResult(kind: String) async throws {
        let folder = try TemporaryFolder()
        if kind == "folder" {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + Self.name, withIntermediateDirectories: false)
            try folder.write("mine", to: Self.name + "/thesis.txt")
        } else {
            try folder.write("mine", to: Self.name)
        }
        let before = folder.entries
        let error = await #expect(throws: VidscanError.self) { try await run(into: folder, replaces: true) }
        #expect(error?.code == .exists)
        #expect(error?.reason.hasSuffix("exists and is not a vidscan result; it is not replaced") == true)
        #expect(folder.entries == before)
    }

    @Test("A name that is too long for a result is an error before the work, and a refused run removes leftovers too")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let analysis = Analysis(
            settings: Settings(workers: 1), models: try Models.store(concurrency: 1), observer: Recorder())
        let path = "\(folder.path)/\(String(repeating: "x", count: 250)).vidscan"
        let error = await #expect(throws: VidscanError.self) {
            try await analysis.run(input: try Variants.path("still.png"), resultPath: path, replaces: false)
        }
        #expect(error?.reason == "cannot create \(path): File name too long")
        try await run(into: folder, replaces: false)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(WorkingName(Self.name, .partial).text)", withIntermediateDirectories: false)
        await #expect(throws: VidscanError.self) { try await run(into: folder, replaces: false) }
        #expect(!folder.entries.contains { $0.contains("partial") })
    }

    @Test("Unfinished folders are removed unless a run holds them")
    func leftovers() async throws {
        let folder = try TemporaryFolder()
        let open = try Folder(folder.path)
        let held = try WorkingItem.folder(for: Self.name, in: open)
        let gone = WorkingName("other.mp4.vidscan", .partial).text
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(gone)", withIntermediateDirectories: false)
        try folder.write("faces", to: "\(gone)/.frames")
        try await run(into: folder, replaces: false)
        #expect(folder.entries.filter { $0.contains("partial") } == [held.name])
    }

    @Test(
        "Of two runs into one folder at once, each delivers a whole result or says why not", arguments: [false, true])
    func staggeredPairs(replaces: Bool) async throws {
        let folder = try TemporaryFolder()
        let analysis = Analysis(
            settings: Settings(workers: 1), models: try Models.store(concurrency: 2), observer: Recorder())
        let input = try Variants.path("still.png")
        try await run(into: folder, replaces: false)
        let expected = try folder.bytes(Self.name + "/faces.csv")
        #expect(expected.split(separator: 10).count > 1)
        for pair in 0..<25 {
            let path = "\(folder.path)/\(pair).vidscan"
            let reasons = await withTaskGroup(of: String?.self) { group in
                for number in 0..<2 {
                    group.addTask {
                        for _ in 0..<(number * pair * 80) { await Task.yield() }
                        do {
                            _ = try await analysis.run(input: input, resultPath: path, replaces: replaces)
                            return nil
                        } catch {
                            return (error as? VidscanError)?.reason ?? "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [String]()) { reasons, reason in
                    if let reason { reasons.append(reason) }
                }
            }
            #expect(reasons == (replaces ? [] : ["the result \(path) exists; --force replaces it"]))
            #expect(try folder.bytes("\(pair).vidscan/faces.csv") == expected)
        }
        #expect(folder.entries.allSatisfy { !$0.contains("partial") && !$0.contains("previous") })
    }

    @Test("Each input gets its own result folder, even if names are equal")
    func places() {
        let places = ResultPaths.plan(inputs: ["a.mp4", "x/a.mp4", "a.mov", "y/a.mp4"], folder: "/results/")
        #expect(
            places == ["a.mp4.vidscan", "a.mp4-2.vidscan", "a.mov.vidscan", "a.mp4-3.vidscan"].map { "/results/\($0)" })
    }
}
