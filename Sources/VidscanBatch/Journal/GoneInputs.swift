internal import GRDB
package import VidscanBase

extension BatchJournal {
    /// Records which inputs do not exist any more, and returns how many of them have no result.
    package func markGone() throws(VidscanError) -> Int {
        let rows = try missing().filter { $0.status != .gone }
        guard !rows.isEmpty else { return 0 }
        return try write { database in
            var count = 0
            for row in rows where try Item.fetchOne(database, key: row.resultPath) == row {
                var item = row
                item.lose()
                try item.update(database)
                if item.status == .gone { count += 1 }
            }
            return count
        }
    }

    /// Removes the rows of inputs that do not exist any more and have no result. Returns the paths of the inputs.
    package func forgetGone(isDryRun: Bool = false) throws(VidscanError) -> [String] {
        let rows = try missing().filter { !$0.hasKept }
        guard !isDryRun, !rows.isEmpty else { return rows.map(\.path) }
        return try write { database in
            try rows.filter { row in
                try Item.fetchOne(database, key: row.resultPath) == row && row.delete(database)
            }.map(\.path)
        }
    }

    /// The inputs that are not done and that nobody is working on, if their files do not exist.
    private func missing() throws(VidscanError) -> [Item] {
        let now = clock()
        let rows = try read { database in
            try Item.filter(.pending, .running, .failed, .quarantined, .gone).order(Item.Columns.path)
                .fetchAll(database)
        }
        // Not in the transaction, because file systems can be slow.
        return rows.filter { !$0.isLeased(now: now) && FileState.isGone($0.path) }
    }
}
