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

    /// The path of the input that the result at a place is of; `nil` when there is none, or it does not say.
    func input(at place: String) -> String? {
        struct Record: Decodable {
            struct Input: Decodable { var path: String }
            var input: Input
        }
        guard let data = FileManager.default.contents(atPath: "\(path)/\(place)/run.json") else { return nil }
        return try? JSONDecoder().decode(Record.self, from: data).input.path
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
    /// A result that is younger than its journal says, because somebody has made it by hand, stays.
    ///
    /// - Returns: how many were removed.
    public func prune(olderThanDays days: Double) throws(BatchError) -> Int {
        var removed = 0
        let limit = Date().timeIntervalSince1970 - days * 86400
        for journal in try BatchJournal.all(in: path, writable: true) {
            for place in try journal.prune(before: limit) {
                let result = "\(path)/\(place)"
                // Out of the way in one step; removing takes longer, and may be interrupted.
                let parent = PathText.parent(result)
                let doomed = "\(parent)/.\(PathText.name(result)).pruned"
                let isMoved = try journal.whilePruned(place) {
                    guard let made = FileState(path: "\(result)/run.json")?.identity.modified,
                        Double(made) / 1e9 < limit
                    else { return false }
                    try Self.remove(doomed)
                    guard rename(result, doomed) == 0 else { throw Self.failure(result) }
                    return true
                }
                try Self.remove(doomed)
                guard isMoved == true else { continue }
                removed += 1
                var folder = PathText.parent(place)
                // Fails for the first that is not empty.
                while !folder.isEmpty, rmdir("\(path)/\(folder)") == 0 { folder = PathText.parent(folder) }
            }
        }
        return removed
    }

    /// A folder and all that is in it, if it is there.
    private static func remove(_ folder: String) throws(BatchError) {
        var status = stat()
        guard lstat(folder, &status) == 0 else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            throw BatchError(.journal, "\(folder) cannot be removed: \(error.localizedDescription)")
        }
    }

    private static func failure(_ result: String) -> BatchError {
        BatchError(.journal, "\(result) cannot be removed: \(String(cString: strerror(errno)))")
    }
}
