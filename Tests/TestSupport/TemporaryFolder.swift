package import Foundation

/// A new folder that is removed with its last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = (NSTemporaryDirectory() as NSString).appendingPathComponent("vidscan-tests-" + UUID().uuidString)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
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
