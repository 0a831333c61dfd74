internal import Foundation
internal import GRDB
package import VidscanBase

extension BatchJournal {
    /// Leases the largest due input among those with these results; `nil` if none is left.
    package func claim(among resultPaths: Set<PathBytes>, configuration: String) throws(VidscanError) -> Item? {
        let now = clock()
        return try write { database in
            // Inputs of dead processes come last, because only for these must leases be checked.
            for status in [Status.pending, .running] {
                let candidates = try Item.filter(status)
                    .filter(Item.Columns.configuration == configuration && Item.Columns.due <= now)
                    .order(Item.Columns.bytes.desc, Item.Columns.resultPath)
                    .select(Item.Columns.resultPath, as: String.self).fetchCursor(database)
                while let resultPath = try candidates.next() {
                    guard resultPaths.contains(PathBytes(resultPath)),
                        var row = try Item.fetchOne(database, key: resultPath)
                    else { continue }
                    if status == .running, row.owner == owner || row.isLeased(now: now) { continue }
                    try row.updateChanges(database) { $0.start(owner: owner, now: now) }
                    return row
                }
            }
            return nil
        }
    }

    package func countClaimedByOthers(among paths: Set<PathBytes>, configuration: String) throws(VidscanError) -> Int {
        try count(
            Item.filter(.running).filter(Item.Columns.configuration == configuration && Item.Columns.owner != owner),
            among: paths)
    }

    /// How many inputs another batch has registered since, with other settings. A restored result has no start.
    package func countOvertaken(among paths: Set<PathBytes>, configuration: String) throws(VidscanError) -> Int {
        let others = "configuration <> ? AND (status <> 'done' OR started IS NOT NULL)"
        return try count(Item.filter(sql: others, arguments: [configuration]), among: paths)
    }

    private func count(_ items: QueryInterfaceRequest<Item>, among paths: Set<PathBytes>) throws(VidscanError) -> Int {
        try read(items.select(Item.Columns.resultPath, as: String.self).fetchAll)
            .count { paths.contains(PathBytes($0)) }
    }

    /// - Parameter progress: the analysed fraction of each input, 0…1, by the path of its result.
    package func renewLeases(progress: [PathBytes: Double] = [:]) throws(VidscanError) {
        let expiry = clock() + Self.leaseSeconds
        try write { database in
            let own = Item.filter(.running).filter(Item.Columns.owner == owner)
            for (resultPath, fraction) in progress {
                try own.filter(Item.Columns.resultPath == resultPath.path)
                    .updateAll(database, Item.Columns.progress.set(to: min(1, max(0, fraction))))
            }
            try own.updateAll(database, Item.Columns.lease.set(to: expiry))
        }
    }

    /// Reasons by the paths of the inputs. With `isStrict`, warnings of a finished result are a failure.
    package func failures(among paths: Set<PathBytes>, isStrict: Bool) throws(VidscanError) -> [PathBytes: String] {
        var failures: [PathBytes: String] = [:]
        for item in try items() where paths.contains(PathBytes(item.resultPath)) {
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
    package func finish(_ item: Item, _ outcome: Outcome, retries: Int) throws(VidscanError) {
        let now = clock()
        try write { database in
            guard var row = try Item.fetchOne(database, key: item.resultPath), row.owner == owner else { return }
            try row.updateChanges(database) { $0.finish(outcome, retries: retries, now: now) }
        }
    }

    /// Records which inputs do not exist any more, and returns how many of them have no result.
    package func markGone() throws(VidscanError) -> Int {
        let rows = try missing().filter { $0.status != .gone }
        guard !rows.isEmpty else { return 0 }
        return try write { database in
            var count = 0
            for var item in rows where try Item.fetchOne(database, key: item.resultPath) == item {
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
            try rows.filter { try Item.fetchOne(database, key: $0.resultPath) == $0 && $0.delete(database) }
        }.map(\.path)
    }

    /// The inputs without a result that nobody is working on, if their files do not exist.
    private func missing() throws(VidscanError) -> [Item] {
        let (now, folder) = (clock(), FilePath.folder(of: path))
        let request = Item.filter(.pending, .running, .failed, .quarantined, .gone, .done).order(Item.Columns.path)
        // Files are not examined in the transaction, because file systems can be slow.
        return try read(request.fetchAll).filter {
            !$0.isLeased(now: now) && FileState.isGone($0.path)
                && ($0.status != .done || FileState.isGone("\(folder)/\($0.resultPath)/run.json"))
        }
    }
}

/// Names of processes, by which other processes on the same machine can see whether they still run.
package enum LeaseOwner {
    package static let current = name(of: getpid())

    package static func name(of process: Int32) -> String {
        "\(host):\(process):\(ProcessIdentity(number: process)?.startTicks ?? 0)"
    }

    /// The scope of a process number: the machine, its boot, and the PID namespace, as each container numbers its own.
    private static let host: String = {
        let names = ["hostname", "random/boot_id"].map { FileSystem.text("/proc/sys/kernel/" + $0) ?? "" }
        let space = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? ""
        return (names + [space]).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.joined(separator: "/")
            .replacingOccurrences(of: ":", with: "_")
    }()

    /// `nil` if the process belongs to another machine, boot or container, so that nobody here can tell.
    static func isRunning(_ owner: String) -> Bool? {
        let fields = owner.split(separator: ":")
        guard fields.count == 3, fields[0] == host, let number = Int32(fields[1]), number > 0 else { return nil }
        guard let startTicks = UInt64(fields[2]) else { return false }
        return ProcessIdentity(number: number, startTicks: startTicks).isRunning
    }
}
