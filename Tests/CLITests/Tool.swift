import Foundation
import Testing
import TestSupport

/// The real binary, which is built beside the tests.
enum Tool {
    static func run(_ arguments: String..., in folder: TemporaryFolder) throws -> ChildProcess.Outcome {
        try ChildProcess.run([Checkout.tool] + arguments, in: folder.path)
    }

    /// Runs the tool so that file permissions apply, even if the tests run as root.
    static func runUnprivileged(_ arguments: String..., in folder: TemporaryFolder) throws -> ChildProcess.Outcome {
        let prefix = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        return try ChildProcess.run(prefix + [Checkout.tool] + arguments, in: folder.path)
    }

    /// Returns a folder with the result of a video, which is analysed once for all tests that ask for the same.
    static func analyzed(_ input: String = Checkout.clip, _ options: String...) throws -> TemporaryFolder {
        try analyzed(input, options: options)
    }

    static func analyzed(_ input: String = Checkout.clip, options: [String]) throws -> TemporaryFolder {
        try PreparedFolder.copy("analyze \(input) \(options)") { folder in
            let outcome = try ChildProcess.run([Checkout.tool, "analyze", "--quiet", input] + options, in: folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    /// Returns a folder with a copy of a video and its result, which is made once for all tests that ask for the same.
    static func analyzed(copy input: String, named name: String, _ options: [String] = []) throws -> TemporaryFolder {
        try PreparedFolder.copy("copy \(input) as \(name), analyze \(options)") { folder in
            try FileManager.default.copyItem(atPath: input, toPath: "\(folder.path)/\(name)")
            let outcome = try ChildProcess.run([Checkout.tool, "analyze", "--quiet", name] + options, in: folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    /// Runs a line of shell, in which `$0` is the tool.
    static func shell(_ line: String, in folder: TemporaryFolder) throws -> ChildProcess.Outcome {
        try ChildProcess.run(["bash", "-o", "pipefail", "-c", line, Checkout.tool], in: folder.path)
    }

    /// Analyses a video in segments, each of which becomes a folder `NAME.part-K-of-N`.
    static func analyzeSegments(
        _ count: Int, of input: String, _ options: String..., in folder: TemporaryFolder
    ) throws {
        for index in 0..<count {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "analyze", input, "--segment", "\(index)/\(count)"] + options, in: folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    /// Makes a video that repeats the sample clip, which lasts 20 s.
    static func makeLongClip(times: Int = 6, in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/long.mp4"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "\(times - 1)", "-i", Checkout.clip, "-an", "-c",
            "copy", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }
}

extension ChildProcess.Outcome {
    /// Expects the tool to have failed with one line of error that contains this text.
    func expectError(_ text: String, status: Int32 = 1, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self.status == status, "\(errors)", sourceLocation: sourceLocation)
        #expect(errorLines.count == 1, "\(errors)", sourceLocation: sourceLocation)
        #expect(errors.hasPrefix("vidscan: error: "), "\(errors)", sourceLocation: sourceLocation)
        #expect(errors.contains(text), "\(errors)", sourceLocation: sourceLocation)
    }
}

extension TemporaryFolder {
    /// Expects two result folders in this one to have the same tables, byte for byte.
    func expectSameTables(
        _ one: String, _ other: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try #require(try CSVTable(bytes: bytes(one + "/faces.csv")).rows.count > 0, sourceLocation: sourceLocation)
        for file in ["faces.csv", "frames.csv", "tracks.csv", "events.csv", "episodes.csv"] {
            #expect(try bytes(one + "/" + file) == bytes(other + "/" + file), "\(file)", sourceLocation: sourceLocation)
        }
    }
}
