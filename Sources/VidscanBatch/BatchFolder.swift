internal import Foundation

/// The folder of a batch: its results, and its journals.
public struct BatchFolder: Sendable {
    public let path: String

    /// - Parameter path: absolute.
    public init(_ path: String) {
        self.path = path
    }

    public static func absolute(_ path: String) -> String {
        PathText.absolute(path, in: FileManager.default.currentDirectoryPath)
    }

    public func hasResult(at place: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(place)/run.json")
    }

    /// Of a batch that is divided into shards, writes the summary, index and page of all of them together: each shard
    /// has only its own.
    public func writeWholeRecord() throws(BatchError) {
        guard BatchJournal.isDivided(path) else { return }
        try BatchRecord(folder: path).write(folder: path, shard: nil)
    }

    /// Removes results that were made long ago, and the folders that are empty then. The journal knows it first, so
    /// that nothing is done again if this is interrupted.
    ///
    /// - Returns: how many were removed.
    public func prune(olderThanDays days: Double) throws(BatchError) -> Int {
        var removed = 0
        for journal in try BatchJournal.all(in: path, writable: true) {
            for place in try journal.prune(before: Date().timeIntervalSince1970 - days * 86400) {
                guard hasResult(at: place) else { continue }
                do {
                    try FileManager.default.removeItem(atPath: "\(path)/\(place)")
                } catch {
                    throw BatchError(.journal, "\(path)/\(place) cannot be removed: \(error.localizedDescription)")
                }
                removed += 1
                var parent = PathText.parent(place)
                // Fails for the first that is not empty.
                while !parent.isEmpty, rmdir("\(path)/\(parent)") == 0 {
                    parent = PathText.parent(parent)
                }
            }
        }
        return removed
    }
}
