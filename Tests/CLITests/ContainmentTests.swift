import Foundation
import Testing
import TestSupport

/// Inspects the system calls of a run with strace.
@Suite("A run stays inside its output folder")
struct ContainmentTests {
    static let runs: [[String]] = [
        ["--landmarks", "--report"], ["--anonymize", "solid"], ["--filter", "eq=gamma=1.2", "--overlay"],
    ]

    @Test(
        "A run opens no socket, starts no program, reads no other file and writes only into its output folder",
        arguments: runs)
    func staysInside(options: [String]) throws {
        let folder = try TemporaryFolder()
        try Self.makeClip(in: folder)
        // Files that a player or a demuxer might open beside a video.
        let neighbours = ["clip.srt", "clip.idx", "clip.mp4.json", "secret.txt"]
        for name in neighbours { try folder.write("secret", to: name) }

        let arguments = ["env", Checkout.tool, "analyze", "clip.mp4", "--output", "out"] + options
        let calls = try Self.trace(arguments, in: folder)
        #expect(calls.contains { $0.name == "openat" && $0.text.contains("clip.mp4\"") }, "the trace saw nothing")
        // `env` and vidscan itself.
        #expect(calls.count { $0.name == "execve" } == 2)
        #expect(calls.filter { Self.network.contains($0.name) } == [])
        #expect(calls.filter { call in neighbours.contains { call.text.contains("/\($0)\"") } } == [])

        // FFmpeg opens an input by its file descriptor, through /proc/self/fd.
        let inside = [folder.path + "/out", "/dev/null", "/proc/self/fd"]
        let writes = calls.filter(\.writes)
        let outside = writes.filter { call in
            !call.paths.allSatisfy { path in inside.contains { path == $0 || path.hasPrefix($0 + "/") } }
        }
        #expect(!writes.isEmpty)
        #expect(outside == [])
    }

    // MARK: Tracing

    /// Calls that reach another machine or process. `socketpair` and `pipe` do not.
    private static let network: Set = [
        "socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
    ]

    private struct Call: Equatable, CustomStringConvertible {
        let name: String
        let text: String

        var description: String { text }

        /// The paths among its arguments. strace shows the folder of a descriptor before a name in it.
        var paths: [String] {
            text.matches(of: /(?:<([^>]*)>, )?"([^"]*)"/).map { match in
                let (folder, name) = (match.1.map(String.init), String(match.2))
                return folder.map { name.hasPrefix("/") ? name : $0 + "/" + name } ?? name
            }
        }

        /// Whether it makes, changes, renames or removes a file.
        var writes: Bool {
            switch name {
            case "openat", "open", "openat2":
                ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].contains { text.contains($0) }
            case "execve": false
            default: !ContainmentTests.network.contains(name)
            }
        }
    }

    private static func trace(_ arguments: [String], in folder: TemporaryFolder) throws -> [Call] {
        guard try ChildProcess.run(["strace", "-qq", "-e", "trace=none", "true"]).status == 0 else {
            try skip(missing: .strace)
        }
        let changes = [
            "creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
            "unlink", "unlinkat", "rmdir", "truncate",
        ]
        let outcome = try ChildProcess.run(
            [
                "strace", "-f", "-y", "-qq", "-s", "4096", "-o", "calls.log", "-e", "signal=none", "-e",
                "trace=%network,execve,open,openat,openat2," + changes.joined(separator: ","),
            ] + arguments, in: folder.path)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try folder.text("calls.log").split(separator: "\n").compactMap { line in
            let text = line.drop { $0.isNumber || $0 == " " }
            // The second half of a call that another thread interrupted.
            guard !text.hasPrefix("<..."), !text.hasPrefix("+++"), let end = text.firstIndex(of: "(") else {
                return nil
            }
            return Call(name: String(text[..<end]), text: String(text))
        }
    }

    private static func makeClip(in folder: TemporaryFolder) throws {
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", Checkout.clip, "-t", "1", "-c", "copy",
            folder.path + "/clip.mp4",
        ])
        try #require(made.status == 0, "\(made.errors)")
    }
}
