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
    private func run(into folder: TemporaryFolder, replaces: Bool) async throws -> Analysis.Summary {
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
        let files = ["events.csv", "faces.csv", "frames.csv", "run.json", "tracks.csv"].map { "a/b/\(Self.name)/\($0)" }
        #expect(folder.entries == ["a", "a/b", "a/b/\(Self.name)"] + files)
    }

    @Test("A result is replaced only on request, and nothing of the old one remains")
    func replacing() async throws {
        let folder = try TemporaryFolder()
        try await run(into: folder, replaces: false)
        try folder.write("mine", to: Self.name + "/note.txt")
        let before = folder.entries
        let error = await #expect(throws: VidscanError.self) { try await run(into: folder, replaces: false) }
        #expect(error?.code == .exists)
        #expect(error?.reason == "the result \(folder.path)/\(Self.name) exists; --force replaces it")
        #expect(folder.entries == before)
        try await run(into: folder, replaces: true)
        #expect(folder.entries == before.filter { !$0.hasSuffix("note.txt") })
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

    @Test("Unfinished folders are removed unless their process is alive")
    func leftovers() async throws {
        let folder = try TemporaryFolder()
        // The ID of a process that has ended.
        let gone = try ChildProcess.run(["sh", "-c", "echo $$"]).output.trimmingCharacters(in: .newlines)
        let alive = "\(getppid())"
        for process in [gone, alive] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/.\(Self.name).partial-\(process)", withIntermediateDirectories: false)
        }
        try await run(into: folder, replaces: false)
        let partial = folder.entries.filter { $0.contains("partial") }
        #expect(partial == [".\(Self.name).partial-\(alive)"])
    }

    @Test("Each input gets its own result folder, even if names are equal")
    func places() {
        let places = ResultPaths.plan(inputs: ["a.mp4", "x/a.mp4", "a.mov", "y/a.mp4"], folder: "/results/")
        #expect(
            places == ["a.mp4.vidscan", "a.mp4-2.vidscan", "a.mov.vidscan", "a.mp4-3.vidscan"].map { "/results/\($0)" })
    }
}
