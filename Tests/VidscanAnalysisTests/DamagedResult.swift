import Foundation
import Testing
import TestSupport

/// A short clip's result, or its segments, in which files are damaged one at a time.
struct DamagedResult {
    let folder: TemporaryFolder
    /// Paths of the folders whose files are damaged.
    let places: [String]
    private let originals: [String: Data]

    /// Two seconds of two faces, in a small size, so that rendering hundreds of videos is fast.
    static func makeClip(in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/clip.mp4"
        let made = try ChildProcess.run([
            "ffmpeg", "-nostdin", "-v", "error", "-ss", "9", "-t", "2", "-i", Checkout.clip, "-an", "-vf",
            "scale=320:-2,fps=10", "-c:v", "libx264", "-bf", "0", path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    /// - Parameter places: paths of folders in `folder`.
    init(folder: TemporaryFolder, places: [String]) throws {
        self.folder = folder
        self.places = places
        var originals: [String: Data] = [:]
        for place in places {
            for name in try FileManager.default.contentsOfDirectory(atPath: place) {
                originals[place + "/" + name] = try Data(contentsOf: URL(fileURLWithPath: place + "/" + name))
            }
        }
        self.originals = originals
    }

    /// Paths of all files, sorted.
    var files: [String] { originals.keys.sorted() }

    func bytes(_ path: String) throws -> Data { try #require(originals[path]) }

    func replace(_ path: String, by bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: path)) }

    /// Restores the original file.
    func restore(_ path: String) throws { try replace(path, by: bytes(path)) }

    /// Replaces one field of a table.
    ///
    /// - Parameters:
    ///   - line: 1 is the header.
    ///   - again: changes the current table instead of the original one.
    func set(_ column: String, line: Int, to value: String, in path: String, again: Bool = false) throws {
        var table = again ? try CSVTable(path: path) : try CSVTable(bytes: bytes(path))
        try table.set(column, line - 2, to: value)
        try replace(path, by: Data(table.text.utf8))
    }
}
