import Foundation

/// A fresh folder that goes when its last reference does.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = (NSTemporaryDirectory() as NSString).appendingPathComponent("vidscan-tests-" + UUID().uuidString)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Everything in it, hidden files too, at any depth, sorted.
    var entries: [String] {
        (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? []
    }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }

    func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }

    /// Makes a file.
    ///
    /// - Returns: its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
        return path + "/" + name
    }
}
