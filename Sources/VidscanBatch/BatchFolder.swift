internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// The folder of a batch, with its results and its journals.
public struct BatchFolder: Sendable {
    public let path: String

    /// - Parameter path: absolute.
    public init(_ path: String) {
        self.path = path
    }

    public func hasResult(at resultPath: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(resultPath)/run.json")
    }

    /// Whether there is a batch in the folder.
    public var hasJournal: Bool { BatchJournal.exists(in: path) }

    /// The input that a result was made from; `nil` if there is no result, or it does not say.
    func inputPath(ofResultAt resultPath: String) -> String? {
        try? RecordFile.decode(RunRecord.self, folder: "\(path)/\(resultPath)", name: "run.json").input.path
    }

    /// For a batch with shards, writes the summary and the indexes of all shards together. Each shard writes only its
    /// own.
    public func writeCombinedReport() throws(BatchError) {
        guard BatchJournal.hasShards(path) else { return }
        try BatchReport(folder: path).write(folder: path, shard: nil)
    }

    /// Removes old results, and the folders that are empty afterwards. The journal is updated first, so that no input is
    /// analysed again if this is interrupted.
    ///
    /// A result that is newer than its row in the journal, because somebody has made it by hand, is kept.
    ///
    /// - Returns: how many results were removed.
    public func prune(olderThanDays days: Double) throws(BatchError) -> Int {
        var removed = 0
        let limit = Date().timeIntervalSince1970 - days * 86400
        let journals = try BatchJournal.all(in: path, writable: true)
        for journal in journals {
            for resultPath in try journal.prune(before: limit) {
                let result = "\(path)/\(resultPath)"
                // Renaming is one step. Removing takes longer, and can be interrupted.
                let trash = FilePath.sibling(of: result, named: ".\(FilePath.name(of: result)).pruned")
                let isMoved = try journal.whilePruned(resultPath) {
                    guard let modified = FileState(path: "\(result)/run.json")?.identity.modified,
                        Double(modified) / 1e9 < limit
                    else { return false }
                    try Self.remove(trash)
                    guard rename(result, trash) == 0 else { throw Self.failure(result) }
                    return true
                }
                try Self.remove(trash)
                guard isMoved == true else { continue }
                removed += 1
                var folder = FilePath.folder(of: resultPath)
                // Fails for the first folder that is not empty.
                while folder != ".", rmdir("\(path)/\(folder)") == 0 { folder = FilePath.folder(of: folder) }
            }
        }
        // The page can show faces from the results that are gone.
        if removed > 0 {
            for journal in journals {
                try BatchReport(try journal.items()).write(folder: path, shard: journal.fileShard)
            }
            if FileManager.default.fileExists(atPath: "\(path)/index.html") { try writeCombinedReport() }
        }
        return removed
    }

    /// Removes a folder and its contents, if it exists.
    private static func remove(_ folder: String) throws(BatchError) {
        var status = stat()
        guard lstat(folder, &status) == 0 else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            throw BatchError(.journal, "cannot remove \(folder): \(error.localizedDescription)")
        }
    }

    private static func failure(_ result: String) -> BatchError {
        BatchError(.journal, "cannot remove \(result): \(SystemError.current)")
    }
}
