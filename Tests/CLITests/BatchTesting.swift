import Foundation
import TestSupport

/// Helpers of the tests of batches.
protocol BatchTesting {}

extension BatchTesting {
    /// A folder with a subfolder `in` of pictures of one face, an hour old.
    func makeFolder(_ names: [String], from source: String = "still.png") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in names { try add(name, from: source, to: folder) }
        return folder
    }

    /// Runs a batch of the pictures in `in`, one after another, with the results in `out`.
    func batch(_ folder: TemporaryFolder, _ options: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            [Checkout.tool, "batch", "in", "--output", "out", "--jobs", "1"] + options, in: folder.path)
    }

    func add(_ name: String, from source: String = "still.png", to folder: TemporaryFolder) throws {
        let path = "\(folder.path)/in/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: try Variants.path(source), toPath: path)
        try age(path)
    }

    /// A batch would wait for a file that was modified just now.
    func age(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
    }

    /// The columns of the index, by the names of the inputs.
    func index(_ folder: TemporaryFolder) throws -> [String: [String: String]] {
        let table = try CSVTable(path: folder.path + "/out/index.csv")
        let names = try table.texts("video").map { ($0 as NSString).lastPathComponent }
        let rows = table.rows.map { Dictionary(uniqueKeysWithValues: zip(table.columns, $0)) }
        return Dictionary(uniqueKeysWithValues: zip(names, rows))
    }

    func results(_ folder: TemporaryFolder) -> [String] {
        folder.entries.filter { $0.hasSuffix(".vidscan/run.json") }
    }
}
