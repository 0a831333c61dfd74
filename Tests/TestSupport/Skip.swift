import Foundation
import Glibc
package import Testing

/// What a test needs that not every machine has.
package struct Requirement: Sendable {
    /// One word that CI lists when it may be missing there.
    package let name: String
    /// Why the test is skipped.
    package let reason: String

    package init(_ name: String, reason: String) {
        self.name = name
        self.reason = reason
    }

    /// An encoder of the installed ffmpeg.
    package static func encoder(_ name: String) -> Requirement {
        Requirement("encoder", reason: "this ffmpeg has no encoder \(name)")
    }

    /// A filter of the installed FFmpeg.
    package static func filter(_ name: String) -> Requirement {
        Requirement("filter", reason: "this FFmpeg has no filter \(name)")
    }

    /// An instruction set that the processor may lack.
    package static func instructions(_ name: String) -> Requirement {
        Requirement("instructions", reason: "this processor has no \(name)")
    }

    package static let groff = Requirement("groff", reason: "groff is not installed")
    package static let mount = Requirement("mount", reason: "no file system may be mounted here, even after unshare")
    package static let root = Requirement("root", reason: "only root may give a file to another user")
    package static let seccomp = Requirement("seccomp", reason: "no seccomp filter may be installed here")
    package static let strace = Requirement("strace", reason: "strace is not installed, or may not trace here")
    package static let systemd = Requirement("systemd", reason: "systemd-analyze is not installed")
}

/// Skips the running test, because something is missing that it needs.
///
/// If `VIDSCAN_SKIPPED_TESTS` names a file, it gets a line with the requirement, the test and the reason, separated by tabs.
/// `make test` sums these lines up, and CI fails if it finds one that it does not expect.
package func skip(missing requirement: Requirement, sourceLocation: SourceLocation = #_sourceLocation) throws -> Never {
    let test = Test.current.map { $0.displayName ?? $0.name } ?? sourceLocation.fileID
    try SkipList.append([requirement.name, test, requirement.reason].joined(separator: "\t") + "\n")
    try Test.cancel("\(requirement.reason)", sourceLocation: sourceLocation)
}

/// The file that lists the skipped tests of a run.
enum SkipList {
    /// The environment variable that names it. The programs that tests run do not see it.
    static let variable = "VIDSCAN_SKIPPED_TESTS"

    static func append(_ line: String) throws {
        guard let path = ProcessInfo.processInfo.environment[variable] else { return }
        // Tests run at the same time: one write to the file's end keeps the lines apart.
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        try #require(file >= 0, "cannot write to \(path), which \(variable) names")
        defer { close(file) }
        try #require(write(file, line, line.utf8.count) == line.utf8.count)
    }
}
