package import Foundation
import Glibc
import Synchronization

/// A new folder that is removed with its last reference.
package final class TemporaryFolder: Sendable {
    /// The paths that are removed when the process ends, because the references of tests to them are static.
    private static let kept = Mutex<[String]>([])
    private static let registration: Void = {
        atexit {
            TemporaryFolder.kept.withLock { for path in $0 { try? FileManager.default.removeItem(atPath: path) } }
        }
    }()

    package let path: String

    package init() throws {
        path = (NSTemporaryDirectory() as NSString).appendingPathComponent("vidscan-tests-" + UUID().uuidString)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Removes the folder when the process ends, which does not free what is static.
    package func removeAtExit() {
        _ = Self.registration
        Self.kept.withLock { $0.append(path) }
    }

    /// The paths of all files and folders in it, sorted, hidden ones too.
    package var entries: [String] {
        (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? []
    }

    package func text(_ name: String) throws -> String {
        try String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }

    package func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }

    /// Makes a file.
    ///
    /// - Returns: its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
        return path + "/" + name
    }
}
