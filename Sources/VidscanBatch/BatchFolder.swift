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
        guard let folder = try? Folder(path) else { return }
        let isNew = !hasJournal && BatchStatus.read(folder: path, shard: shard) == nil
        let suffixes = isNew ? Set([BatchShard.suffix(shard), ""]) : []
        var names = suffixes.sorted().flatMap { suffix in
            ["index\(suffix).csv", "index\(suffix).html", "summary\(suffix).json"]
                + ["status\(suffix).json", "status\(suffix).js"]
        }
        if merges, FileSystem.text("\(path)/faces.csv")?.hasPrefix("video,") != true { names.append("faces.csv") }
        for name in names where folder.entry(name) == .file {
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

    /// With absolute paths.
    package struct PruneOutcome: Sendable {
        package fileprivate(set) var removed: [String] = []
        package fileprivate(set) var kept: [(path: String, reason: String, isFailure: Bool)] = []

        fileprivate mutating func add(_ path: String, _ removal: Removal) {
            if case .removed = removal { removed.append(path) }
            if case .kept(let reason, let isFailure) = removal { kept.append((path, reason, isFailure)) }
        }
    }

    /// Removes old results and the folders that this empties. The journal comes first, so that an interruption causes
    /// no repeated analysis. Keeps a result that is newer than its row, because somebody made it by hand, and one that
    /// has corrections or a file that the analysis did not write. `shard`: removes only its results; `nil` for all.
    package func prune(olderThanDays days: Double, shard: BatchShard? = nil) throws(VidscanError) -> PruneOutcome {
        var pruning = PruneOutcome()
        let limit = BatchJournal.systemClock() - days * 86400
        let journals = try BatchJournal.all(in: path, shard: shard, writable: true)
        for journal in journals {
            let items = Dictionary(try journal.items().map { (PathBytes($0.resultPath), $0) }) { $1 }
            for resultPath in try journal.prune(before: limit) {
                let item = items[PathBytes(resultPath)]
                let (wasPruned, isForeign) = (item?.status == .pruned, item.flatMap(otherInput) != nil)
                let removal = try isForeign ? Self.foreign : remove(resultPath, before: limit, journal)
                switch removal {
                case .newer where wasPruned: break
                // Its result may already be gone.
                case .kept(_, let isFailure) where wasPruned && (isFailure || isForeign): break
                case .newer, .kept: try journal.restorePruned(resultPath)
                case .removed, .gone: break
                }
                pruning.add("\(path)/\(resultPath)", removal)
            }
        }
        try removeLeftovers()
        // The page can show faces from the results that are gone.
        if !pruning.removed.isEmpty { try writeReports(journals) }
        return pruning
    }

    /// What `prune` would do.
    package func prunable(olderThanDays days: Double, shard: BatchShard? = nil) throws(VidscanError) -> PruneOutcome {
        let limit = BatchJournal.systemClock() - days * 86400
        var pruning = PruneOutcome()
        for journal in try BatchJournal.all(in: path, shard: shard) {
            for item in try journal.items()
            where item.status == .pruned || item.status == .done && (item.finished ?? limit) < limit {
                let removal = otherInput(of: item) == nil ? judge(item.resultPath, before: limit) : Self.foreign
                pruning.add("\(path)/\(item.resultPath)", removal)
            }
        }
        return pruning
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

    fileprivate enum Removal {
        case removed, gone
        /// Than its row.
        case newer
        case kept(String, isFailure: Bool = false)
    }

    private static let foreign = Removal.kept("it is the result of another video")

    /// - Parameter remove: is called with the name of a result that is to be removed, and the folder that has it.
    private func judge(
        _ resultPath: String, before limit: Double, remove: (String, Folder) throws(SystemError) -> Void = { _, _ in }
    ) -> Removal {
        do throws(SystemError) {
            let (name, parent) = (FilePath.name(of: resultPath), FilePath.folder(of: resultPath))
            let folder = try Folder(path).folder(parent)
            let result = try folder.folder(name)
            guard let modified = result.modified(ResultFolder.Kind.result.record) else { return .gone }
            guard Double(modified) / 1e9 < limit else { return .newer }
            if let contents = ResultContents(result) { return .kept(contents.words) }
            try remove(name, folder)
            return .removed
        } catch {
            if error.number == ENOENT { return .gone }
            guard [ELOOP, ENOTDIR].contains(error.number) else { return .kept("\(error)", isFailure: true) }
            return .kept("a symbolic link leads to it, and links are not followed")
        }
    }

    private func remove(
        _ resultPath: String, before limit: Double, _ journal: BatchJournal
    ) throws(VidscanError) -> Removal {
        // Renaming is atomic; removing takes longer and can be interrupted.
        let trash = WorkingName(FilePath.name(of: resultPath), .partial).text
        let removal = try journal.whilePruned(resultPath) {
            judge(resultPath, before: limit) { name, folder throws(SystemError) in
                // A folder can be renamed even if nothing in it can be removed.
                try SystemError.check(faccessat(folder.descriptor, name, W_OK | X_OK, 0))
                try folder.rename(name, to: trash)
            }
        }
        guard let removal, case .removed = removal else { return removal ?? .gone }
        var emptied = FilePath.folder(of: resultPath)
        // If this fails, it is one of the leftovers.
        try? folder(emptied)?.remove(trash)
        // Stops at the first folder that is not empty.
        while emptied != ".", folder(FilePath.folder(of: emptied))?.removeIfEmpty(FilePath.name(of: emptied)) == true {
            emptied = FilePath.folder(of: emptied)
        }
        return .removed
    }
}
