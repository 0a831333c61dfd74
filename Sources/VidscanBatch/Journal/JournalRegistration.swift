internal import GRDB
package import VidscanBase

extension BatchJournal {
    /// Registers the inputs, and returns them in their order with their result paths and whether they are due. A known
    /// input keeps its result path. The checks for results run between several transactions, so that other processes
    /// can use the journal meanwhile. `configuration`: a digest of everything that a result depends on besides its
    /// input. `isEquivalent`: whether a finished result of another configuration is what this one would make.
    /// `isMadeAsConfigured`: whether a result says that this configuration made it; a process can be killed between
    /// replacing a result and recording that. `hasCurrentCovers`: whether its hidden video has the covers of today.
    @discardableResult package func register(
        _ inputs: [BatchInput], configuration: String, selection: Selection,
        isEquivalent: (String, String) -> Bool = { _, _ in false }, verdicts: [PathBytes: ContentVerdict] = [:],
        isDryRun: Bool = false, isMadeAsConfigured: (String) -> Bool = { _ in true },
        hasCurrentCovers: (String) -> Bool = { _ in true }, hasResult: (String) -> Bool
    ) throws(VidscanError) -> [PlannedInput] {
        let now = clock()
        var plan: [PlannedInput] = []
        plan.reserveCapacity(inputs.count)
        // A dry run writes no rows that would show which paths are taken.
        var taken: Set<PathBytes> = []
        func decide(_ candidate: inout Candidate) {
            let input = candidate.planned.input
            let relevant = candidate.item?.relevant(to: configuration, input.state, now: now)
            candidate.hasResult = hasResult(input.resultPath)
            var (reason, isDue) = Self.decide(
                candidate.item, relevant, input, configuration, isEquivalent, selection, now: now,
                verdict: verdicts[PathBytes(input.path)], hasResult: candidate.hasResult)
            let isAccepted = !isDue && relevant?.status == .done && reason != .notFailed
            if isAccepted, candidate.item?.hasKept == true, relevant?.configuration == configuration,
                !isMadeAsConfigured(input.resultPath)
            {
                (reason, isDue) = selection.keepsDone ? (.kept, false) : (.interrupted, true)
            }
            if isAccepted, !isDue, !hasCurrentCovers(input.resultPath) { (reason, isDue) = (.coversChanged, true) }
            (candidate.planned.reason, candidate.planned.isDue, candidate.planned.former) = (reason, isDue, relevant)
            if reason == .hasWarnings { candidate.planned.detail = Self.strictReason(relevant?.warnings ?? []) }
            // A failure with other settings no longer matters.
            let isLeft = candidate.item?.isUnfinished == true || relevant == candidate.item
            candidate.restored = isAccepted && !isDue && !isLeft ? relevant : nil
        }
        for start in stride(from: 0, to: inputs.count, by: Self.transactionSize) {
            let slice = inputs[start..<min(start + Self.transactionSize, inputs.count)]
            var candidates = try read { database in try slice.map { try candidate(for: $0, &taken, database) } }
            // Outside a transaction, because file systems can be slow and other processes wait for the journal.
            for index in candidates.indices { decide(&candidates[index]) }
            if !isDryRun, candidates.contains(where: \.hasChange) {
                try write { database in
                    for (index, input) in slice.enumerated() where candidates[index].hasChange {
                        // Another process may have changed the journal meanwhile.
                        if try !isCurrent(candidates[index], database) {
                            candidates[index] = try candidate(for: input, &taken, database)
                            decide(&candidates[index])
                        }
                        if let item = candidates[index].restored { try item.update(database) }
                        guard candidates[index].planned.isDue else { continue }
                        try Self.setPending(candidates[index], configuration, database)
                    }
                }
            }
            plan += candidates.map(\.planned)
        }
        return plan
    }

    /// Inputs per transaction: enough for cheap syncing, few enough that other processes can renew their leases.
    static let transactionSize = 500

    private struct Candidate {
        var planned: PlannedInput
        var item: Item?
        var hasResult = false
        /// The new row, if the earlier result is the one that the run wants.
        var restored: Item?

        var hasChange: Bool { planned.isDue || restored != nil }
    }

    private func candidate(
        for input: BatchInput, _ taken: inout Set<PathBytes>, _ database: Database
    ) throws -> Candidate {
        var input = input
        let item = try Item.fetchOne(database, path: input.path)
        input.resultPath = try item?.resultPath ?? freeResultPath(for: input, taken, database)
        taken.insert(PathBytes(input.resultPath.lowercased()))
        return Candidate(planned: PlannedInput(input: input, reason: .new, isDue: false), item: item)
    }

    private func isCurrent(_ candidate: Candidate, _ database: Database) throws -> Bool {
        let input = candidate.planned.input
        guard try Item.fetchOne(database, path: input.path) == candidate.item else { return false }
        return try candidate.item != nil || isFree(input.resultPath, database)
    }

    private func isFree(_ resultPath: String, _ database: Database) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM item WHERE place = ?")
        return try Bool.fetchOne(statement, arguments: [resultPath]) == nil
    }

    /// The requested path, or the first free one with a number. In a shard, a digest of the input's path precedes the
    /// number, so that two journals never choose the same path.
    private func freeResultPath(for input: BatchInput, _ taken: Set<PathBytes>, _ database: Database) throws -> String {
        var candidate = input.resultPath
        var stem = candidate.dropLast(".vidscan".count)
        var number = 2
        // A disk may not distinguish upper case from lower case.
        while try taken.contains(PathBytes(candidate.lowercased())) || !isFree(candidate, database) {
            if shard != nil && PathBytes(candidate) == PathBytes(input.resultPath) {
                candidate = BatchShard.uniqueResultPath(for: input)
                stem = candidate.dropLast(".vidscan".count)
            } else {
                candidate = "\(stem)-\(number).vidscan"
                number += 1
            }
        }
        return candidate
    }

    private static func setPending(_ candidate: Candidate, _ configuration: String, _ database: Database) throws {
        let (input, reason) = (candidate.planned.input, candidate.planned.reason)
        var item =
            candidate.item
            ?? Item(
                resultPath: input.resultPath, path: input.path, bytes: input.state.bytes,
                modified: input.state.modified, configuration: configuration, isNamed: input.isNamed)
        let isContinued =
            [.failed, .retryRequested, .returned, .notStarted, .interrupted].contains(reason)
            || reason != .forced && item.isUnfinished && item.configuration == configuration
                && item.state.looksLike(input.state)
        if !isContinued { item.failures = 0 }
        if !candidate.hasResult { item.dropKept() } else if item.status == .done { item.keepResult() }
        (item.state, item.digest, item.configuration) = (input.state, nil, configuration)
        (item.status, item.isNamed, item.due) = (.pending, input.isNamed, 0)
        (item.owner, item.lease) = (nil, nil)
        if candidate.item == nil { try item.insert(database) } else { try item.update(database) }
    }

    private static func decide(
        _ row: Item?, _ relevant: Item?, _ input: BatchInput, _ configuration: String,
        _ isEquivalent: (String, String) -> Bool, _ selection: Selection, now: Double, verdict: ContentVerdict?,
        hasResult: Bool
    ) -> (Reason, isDue: Bool) {
        guard let row, let item = relevant else {
            if selection.isOnlyFailed { return (.notFailed, false) }
            return selection.isForced ? (.forced, true) : hasResult ? (.foreignResult, false) : (.new, true)
        }
        if row.status == .running, row.isLeased(now: now) { return (.running, false) }
        if selection.isOnlyFailed {
            return [.failed, .quarantined].contains(row.status) ? (.retryRequested, true) : (.notFailed, false)
        }
        if selection.isForced { return (.forced, true) }
        let isSame = verdict.map { $0 == .same } ?? item.state.looksLike(input.state)
        if !isSame { return (.changed, true) }
        if item.status == .pruned { return (.pruned, false) }
        if item.configuration != configuration,
            item.status != .done || !isEquivalent(item.configuration, item.resultPath)
        {
            guard selection.keepsDone else { return (.settingsChanged, true) }
            if item.status == .done, hasResult { return (.kept, false) }
            if item.status != .skipped { return (.settingsChanged, true) }
        }
        // An analysis with these settings was requested with --force, but did not end.
        let isLeft =
            row.isUnfinished && row.configuration == configuration && row.state.looksLike(input.state)
            && !selection.keepsDone
        return switch isLeft ? row.status : item.status {
        case .pending: (.notStarted, true)
        case .running, .interrupted: (.interrupted, true)
        case .done where !hasResult: (.resultMissing, true)
        case .done where selection.isStrict && !item.warnings.isEmpty: (.hasWarnings, false)
        case .done: (verdict == .same ? .dateChanged : .done, false)
        case .skipped: (.skipped, false)
        case .pruned: (.pruned, false)
        case .quarantined: (.quarantined, false)
        case .gone: (.returned, true)
        // No wait is so long, unless the clock was ahead.
        case .failed: item.due <= now || item.due > now + 86_400 ? (.failed, true) : (.waiting, false)
        }
    }

    package enum ContentVerdict: Sendable, Equatable {
        /// Only the modification time differs.
        case same
        /// Even if the modification time is the same.
        case different
    }

    /// `item` is the row as it describes the result; see `Item.hasKept`.
    private typealias DigestCandidate = (input: BatchInput, row: Item, item: Item)

    /// Detects changed files by a digest of their content. A new modification time alone may mean an edit, or only a
    /// copy. An edit whose modification time was set back differs in the time of change, which users cannot set.
    /// Records each digest immediately, so that an interrupted check does not read a file twice. `configuration`,
    /// `hasResult`: as in `register`. Inputs that are due anyway are not read. `willRead`: called before the first one.
    package func compareContent(
        of inputs: [BatchInput], configuration: String, isDryRun: Bool = false, digest: (String) -> String?,
        willRead: (_ files: Int, _ bytes: Int) -> Void = { _, _ in }, hasResult: (String) -> Bool
    ) throws(VidscanError) -> [PathBytes: ContentVerdict] {
        let candidates = try candidates(inputs, configuration, hasResult)
        if !candidates.isEmpty {
            willRead(candidates.count, Int(min(candidates.reduce(0.0) { $0 + Double($1.input.state.bytes) }, 1e18)))
        }
        var verdicts: [PathBytes: ContentVerdict] = [:]
        for (input, row, item) in candidates {
            // Otherwise the digest does not describe the file as it was found.
            guard let digest = digest(input.path), FileState(path: input.path) == input.state else { continue }
            guard digest == item.digest ?? digest else {
                verdicts[PathBytes(input.path)] = .different
                continue
            }
            if item.modified != input.state.modified { verdicts[PathBytes(input.path)] = .same }
            guard !isDryRun else { continue }
            try write { database in
                var row = row
                // Another process may have started the input again meanwhile.
                guard try Item.fetchOne(database, key: row.resultPath) == row else { return }
                row.setSource(input.state, digest: digest)
                try row.update(database)
            }
        }
        return verdicts
    }

    private func candidates(
        _ inputs: [BatchInput], _ configuration: String, _ hasResult: (String) -> Bool
    ) throws(VidscanError) -> [DigestCandidate] {
        let now = clock()
        let candidates: [DigestCandidate] = try read { database in
            try inputs.compactMap { input in
                guard let row = try Item.fetchOne(database, path: input.path) else { return nil }
                let item = row.relevant(to: configuration, input.state, now: now)
                guard item.status == .pruned || item.status == .done && item.configuration == configuration,
                    item.bytes == input.state.bytes,
                    // A missing digest can still be recorded if nothing has changed the file.
                    (item.state == input.state) == (item.digest == nil)
                else { return nil }
                return (input, row, item)
            }
        }
        // Not in the transaction, because file systems can be slow.
        return candidates.filter { $0.item.status == .pruned || hasResult($0.item.resultPath) }
    }
}
