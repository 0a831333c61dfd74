import Foundation
import Testing
import TestSupport

/// The real binary, as it lies beside the tests.
enum Tool {
    static func run(_ arguments: String..., in folder: TemporaryFolder) throws -> ChildProcess.Outcome {
        try ChildProcess.run([Checkout.tool] + arguments, in: folder.path)
    }

    /// Runs the tool bound by the permissions of files, also where the tests run as root.
    static func runUnprivileged(_ arguments: String..., in folder: TemporaryFolder) throws -> ChildProcess.Outcome {
        let prefix = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        return try ChildProcess.run(prefix + [Checkout.tool] + arguments, in: folder.path)
    }

    /// Runs a line of shell, in which `$0` is the tool.
    static func shell(_ line: String, in folder: TemporaryFolder) throws -> ChildProcess.Outcome {
        try ChildProcess.run(["bash", "-o", "pipefail", "-c", line, Checkout.tool], in: folder.path)
    }

    /// A long video of faces: the sample clip over and over, 120 s of it.
    static func makeLongClip(in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/long.mp4"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "5", "-i", Checkout.clip, "-an", "-c", "copy", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }
}
