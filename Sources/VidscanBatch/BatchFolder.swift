internal import Foundation
package import VidscanBase
internal import VidscanResults

/// The folder of a batch, with its results and its journals. No link below it is followed.
package struct BatchFolder: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    package func hasResult(at resultPath: String) -> Bool {
        folder(resultPath)?.entry(ResultFolder.Kind.result.record) == .file
    }

    package var hasJournal: Bool { BatchJournal.exists(in: path) }

    /// The input that the item's result names, if it is not the item's.
    func otherInput(of item: BatchJournal.Item) -> String? {
        let record = folder(item.resultPath).flatMap {
            try? RecordFile.decode(RunRecord.self, folder: $0.path, name: ResultFolder.Kind.result.record)
        }
        return (record?.input.path).flatMap {
            FilePath.isAbsolute($0) && PathBytes($0) != PathBytes(item.path) ? $0 : nil
        }
    }

    /// Throws if a new batch would replace files that no batch has written.
    package func protectFiles(shard: BatchShard?, merges: Bool) throws(VidscanError) {
        guard !hasJournal, BatchStatus.read(folder: path, shard: shard) == nil, let folder = try? Folder(path)
        else { return }
        let suffix = BatchShard.suffix(shard)
        let names = [
            "index\(suffix).csv", "index\(suffix).html", "summary\(suffix).json", BatchStatus.name(shard, "json"),
        ]
        for name in names + (merges ? ["faces.csv"] : []) where folder.entry(name) == .file {
            throw .input("\(path)/\(name) exists, but no batch has written it; --force replaces it")
        }
    }

    private func folder(_ relativePath: String) -> Folder? { try? Folder(path).folder(relativePath) }

    package func writeCombinedReport() throws(VidscanError) {
        guard BatchJournal.hasShards(path) else { return }
        try BatchReport(folder: path).write(folder: path, shard: nil)
    }

    /// Removes what killed processes left beside the results: it describes faces, even of videos that hide them.
    package func removeLeftovers() throws(VidscanError) {
        for journal in try BatchJournal.all(in: path) { removeLeftovers(beside: try journal.items().map(\.resultPath)) }
    }

    func removeLeftovers(beside resultPaths: [String]) {
        for parent in Set(resultPaths.map { PathBytes(FilePath.folder(of: $0)) }) {
            if let folder = folder(parent.path) { WorkingItem.removeLeftovers(in: folder) }
        }
    }

    package struct PruneOutcome: Sendable {
        package var removed = 0
        package var kept: [(path: String, reason: String)] = []
    }

    /// Removes old results and the folders that this empties. The journal comes first, so that an interruption causes
    /// no repeated analysis. Keeps a result that is newer than its row, because somebody made it by hand, and one that
    /// has corrections or a file that vidscan did not write. `shard`: removes only its results; `nil` for all.
    package func prune(olderThanDays days: Double, shard: BatchShard? = nil) throws(VidscanError) -> PruneOutcome {
        var pruning = PruneOutcome()
        let limit = Self.limit(days)
        let journals = try BatchJournal.all(in: path, shard: shard, writable: true)
        for journal in journals {
            let items = Dictionary(try journal.items().map { (PathBytes($0.resultPath), $0) }) { $1 }
            for resultPath in try journal.prune(before: limit) {
                let item = items[PathBytes(resultPath)]
                let (wasPruned, isForeign) = (item?.status == .pruned, item.flatMap(otherInput) != nil)
                switch isForeign
                    ? .kept("it is the result of another video") : try remove(resultPath, before: limit, journal)
                {
                case .removed: pruning.removed += 1
                case .gone: break
                case .newer where wasPruned: break
                case .newer: try journal.restorePruned(resultPath)
                case .kept(let reason):
                    if !wasPruned || !isForeign { try journal.restorePruned(resultPath) }
                    pruning.kept.append((resultPath, reason))
                }
            }
        }
        try removeLeftovers()
        // The page can show faces from the results that are gone.
        if pruning.removed > 0 { try writeReports(journals) }
        return pruning
    }

    /// The paths of the results that `prune` would remove.
    package func prunable(olderThanDays days: Double, shard: BatchShard? = nil) throws(VidscanError) -> [String] {
        let limit = Self.limit(days)
        var paths: [String] = []
        for journal in try BatchJournal.all(in: path, shard: shard) {
            for item in try journal.items()
            where item.status == .pruned || item.status == .done && (item.finished ?? limit) < limit {
                if otherInput(of: item) == nil, let result = folder(item.resultPath),
                    case .removed = Self.judge(result, before: limit)
                {
                    paths.append(item.resultPath)
                }
            }
        }
        return paths
    }

    /// Removes inputs from the journal that do not exist any more and have no result. Returns their paths.
    package func forgetGone(shard: BatchShard? = nil, isDryRun: Bool = false) throws(VidscanError) -> [String] {
        let journals = try BatchJournal.all(in: path, shard: shard, writable: !isDryRun)
        var paths: [String] = []
        for journal in journals { paths += try journal.forgetGone(isDryRun: isDryRun) }
        if !isDryRun, !paths.isEmpty { try writeReports(journals) }
        return paths
    }

    private func writeReports(_ journals: [BatchJournal]) throws(VidscanError) {
        for journal in journals { try BatchReport(try journal.items()).write(folder: path, shard: journal.fileShard) }
        if FileManager.default.fileExists(atPath: "\(path)/index.html") { try writeCombinedReport() }
    }

    /// In seconds since 1970.
    private static func limit(_ days: Double) -> Double { Date().timeIntervalSince1970 - days * 86400 }

    private enum Removal {
        case removed, gone
        /// Than its row.
        case newer
        case kept(String)
    }

    private static func judge(_ result: Folder, before limit: Double) -> Removal {
        guard let modified = result.modified(ResultFolder.Kind.result.record) else { return .gone }
        guard Double(modified) / 1e9 < limit else { return .newer }
        return ResultContents(result).map { .kept($0.words) } ?? .removed
    }

    private func remove(
        _ resultPath: String, before limit: Double, _ journal: BatchJournal
    ) throws(VidscanError) -> Removal {
        let name = FilePath.name(of: resultPath)
        do {
            let root = try Folder(path)
            let parent = try root.folder(FilePath.folder(of: resultPath))
            // Renaming is atomic; removing takes longer and can be interrupted.
            let trash = WorkingName(name, .partial).text
            let removal = try journal.whilePruned(resultPath) {
                Result { () throws(SystemError) in
                    let removal = Self.judge(try parent.folder(name), before: limit)
                    if case .removed = removal { try parent.rename(name, to: trash) }
                    return removal
                }
            }
            guard let removal = try removal?.get(), case .removed = removal else { return try removal?.get() ?? .gone }
            try parent.remove(trash)
            var folder = FilePath.folder(of: resultPath)
            // Stops at the first folder that is not empty.
            while folder != ".", try root.folder(FilePath.folder(of: folder)).removeIfEmpty(FilePath.name(of: folder)) {
                folder = FilePath.folder(of: folder)
            }
            return .removed
        } catch {
            if let error = error as? VidscanError { throw error }
            switch (error as? SystemError)?.number {
            case ENOENT: return .gone
            case ELOOP, ENOTDIR: return .kept("a symbolic link leads to it, and links are not followed")
            default: throw VidscanError(.output, "cannot remove \(path)/\(resultPath): \(error)")
            }
        }
    }
}
