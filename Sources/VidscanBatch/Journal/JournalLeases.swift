internal import GRDB
public import VidscanBase

extension BatchJournal {
    /// Leases the largest input that is due.
    ///
    /// - Parameters:
    ///   - resultPaths: those of the inputs to choose from.
    ///   - configuration: the one that the inputs were registered with.
    /// - Returns: `nil` if no input is left to lease.
    public func claim(among resultPaths: Set<PathBytes>, configuration: String) throws(BatchError) -> Item? {
        let now = clock()
        return try write { database in
            // Inputs of dead processes come last: only for these do leases have to be checked.
            for status in [Status.pending, .running] {
                let candidates = try ItemRow.filter(status)
                    .filter(ItemRow.Columns.configuration == configuration && ItemRow.Columns.due <= now)
                    .order(ItemRow.Columns.bytes.desc, ItemRow.Columns.resultPath)
                    .select(ItemRow.Columns.resultPath, as: String.self).fetchCursor(database)
                while let resultPath = try candidates.next() {
                    guard resultPaths.contains(PathBytes(resultPath)),
                        var row = try ItemRow.fetchOne(database, key: resultPath)
                    else { continue }
                    if status == .running, row.item.owner == owner || row.item.isLeased(now: now) { continue }
                    try row.updateChanges(database) { $0.item.start(owner: owner, now: now) }
                    return row.item
                }
            }
            return nil
        }
    }

    /// How many inputs other processes have claimed. The parameters are those of `claim`.
    public func countClaimedByOthers(among resultPaths: Set<PathBytes>, configuration: String) throws(BatchError) -> Int
    {
        try read { database in
            try ItemRow.filter(.running)
                .filter(ItemRow.Columns.configuration == configuration && ItemRow.Columns.owner != owner)
                .select(ItemRow.Columns.resultPath, as: String.self).fetchAll(database)
                .count { resultPaths.contains(PathBytes($0)) }
        }
    }

    /// Renews all leases of this process.
    ///
    /// - Parameter progress: the share of each input that is analysed, 0…1, by the paths of the results.
    public func renewLeases(progress: [PathBytes: Double] = [:]) throws(BatchError) {
        let expiry = clock() + Self.leaseSeconds
        try write { database in
            for (resultPath, share) in progress {
                _ = try ItemRow.filter(.running)
                    .filter(ItemRow.Columns.resultPath == resultPath.path && ItemRow.Columns.owner == owner)
                    .updateAll(database, ItemRow.Columns.progress.set(to: min(1, max(0, share))))
            }
            _ = try ItemRow.filter(.running).filter(ItemRow.Columns.owner == owner)
                .updateAll(database, ItemRow.Columns.lease.set(to: expiry))
        }
    }

    /// The failure of each of the inputs that has failed, by the paths of the inputs.
    ///
    /// - Parameter isStrict: whether warnings of a finished result are a failure.
    public func failures(among resultPaths: Set<PathBytes>, isStrict: Bool) throws(BatchError) -> [PathBytes: String] {
        var failures: [PathBytes: String] = [:]
        for item in try items() where resultPaths.contains(PathBytes(item.resultPath)) {
            switch item.status {
            case .failed, .quarantined: failures[PathBytes(item.path)] = item.error ?? ""
            case .done where isStrict && !item.warnings.isEmpty:
                failures[PathBytes(item.path)] = Self.strictReason(item.warnings)
            default: break
            }
        }
        return failures
    }

    /// Records the end of an attempt, unless another process has taken over the input.
    ///
    /// - Parameter retries: how many more attempts a failed input gets.
    public func finish(_ item: Item, _ outcome: Outcome, retries: Int) throws(BatchError) {
        let now = clock()
        try write { database in
            guard var row = try ItemRow.fetchOne(database, key: item.resultPath), row.item.owner == owner
            else { return }
            try row.updateChanges(database) { $0.item.finish(outcome, retries: retries, now: now) }
        }
    }
}
