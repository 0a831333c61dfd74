internal import GRDB

extension BatchJournal {
    /// Registers the inputs, and decides which of them are due.
    ///
    /// An input that the journal knows keeps the path of its result. A new one gets the path that it asks for, or a
    /// numbered one if that is taken.
    ///
    /// The inputs are registered in several transactions, with the checks for results between them, so that other
    /// processes can use the journal meanwhile.
    ///
    /// - Parameters:
    ///   - configuration: a digest of everything that a result depends on besides its input.
    ///   - isEquivalent: whether a finished result of another configuration, given with the path of the result, is what this
    ///     one would make.
    ///   - verdicts: those of a `ContentCheck`, by the paths of the inputs.
    ///   - isDryRun: decides, but registers nothing.
    ///   - hasResult: whether there is a result at a path.
    /// - Returns: the decisions, in the order of the inputs, with the paths of their results.
    @discardableResult
    public func register(
        _ inputs: [BatchInput], configuration: String, selection: Selection,
        isEquivalent: (String, String) -> Bool = { _, _ in false },
        verdicts: [String: ContentCheck.Verdict] = [:], isDryRun: Bool = false, hasResult: (String) -> Bool
    ) throws(BatchError) -> [PlannedInput] {
        let now = clock()
        var plan: [PlannedInput] = []
        plan.reserveCapacity(inputs.count)
        // A dry run has no rows that would show which paths are taken.
        var taken: Set<String> = []
        func decide(_ candidate: inout Candidate) {
            let input = candidate.planned.input
            (candidate.planned.reason, candidate.planned.isDue) = Self.decide(
                candidate.item, input, configuration, isEquivalent, selection, now: now, verdict: verdicts[input.path],
                hasResult: hasResult(input.resultPath))
            candidate.planned.former = candidate.item.map {
                Former(status: $0.status, configuration: $0.configuration)
            }
            if candidate.planned.reason == .hasWarnings {
                candidate.planned.detail = Self.strictReason(candidate.item?.warnings ?? [])
            }
        }
        for start in stride(from: 0, to: inputs.count, by: Self.transactionSize) {
            let slice = inputs[start..<min(start + Self.transactionSize, inputs.count)]
            var candidates = try read { database in try slice.map { try candidate(for: $0, &taken, database) } }
            // Not in a transaction, because file systems can be slow and other processes wait for the journal.
            for index in candidates.indices { decide(&candidates[index]) }
            if !isDryRun, candidates.contains(where: \.planned.isDue) {
                try write { database in
                    for (index, input) in slice.enumerated() where candidates[index].planned.isDue {
                        // Another process may have changed the journal since it was read.
                        if try !isCurrent(candidates[index], database) {
                            candidates[index] = try candidate(for: input, &taken, database)
                            decide(&candidates[index])
                        }
                        guard candidates[index].planned.isDue else { continue }
                        try Self.setPending(candidates[index], configuration, database)
                    }
                }
            }
            plan += candidates.map(\.planned)
        }
        return plan
    }

    /// Inputs in one transaction: enough to make the cost of syncing small, and few enough that other processes, which
    /// have leases to renew, get their turn.
    static let transactionSize = 500

    /// An input that is being registered, and its row, if it has one.
    private struct Candidate {
        var planned: PlannedInput
        var item: Item?
    }

    // MARK: Paths of results

    private func candidate(
        for input: BatchInput, _ taken: inout Set<String>, _ database: Database
    ) throws -> Candidate {
        var input = input
        let item = try ItemRow.fetchOne(database, path: input.path)
        input.resultPath = try item?.resultPath ?? freeResultPath(for: input, taken, database)
        taken.insert(input.resultPath)
        return Candidate(planned: PlannedInput(input: input, reason: .new, isDue: false), item: item)
    }

    /// Whether the input's row has not changed, and a new path is still free.
    private func isCurrent(_ candidate: Candidate, _ database: Database) throws -> Bool {
        let input = candidate.planned.input
        guard try ItemRow.fetchOne(database, path: input.path) == candidate.item else { return false }
        return try candidate.item != nil || isFree(input.resultPath, database)
    }

    private func isFree(_ resultPath: String, _ database: Database) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM item WHERE place = ?")
        return try Bool.fetchOne(statement, arguments: [resultPath]) == nil
    }

    /// The path that the input asks for, or else the first free one with a number. In a shard, a digest of the input's
    /// path comes before the number, so that two journals never choose the same path.
    private func freeResultPath(for input: BatchInput, _ taken: Set<String>, _ database: Database) throws -> String {
        var candidate = input.resultPath
        var stem = candidate.dropLast(".vidscan".count)
        var number = 2
        while try taken.contains(candidate) || !isFree(candidate, database) {
            if shard != nil && candidate == input.resultPath {
                candidate = BatchShard.uniqueResultPath(for: input)
                stem = candidate.dropLast(".vidscan".count)
            } else {
                candidate = "\(stem)-\(number).vidscan"
                number += 1
            }
        }
        return candidate
    }

    // MARK: Later decisions

    /// Makes failures of finished inputs whose results have warnings.
    public func reject(_ resultPaths: [String], retries: Int) throws(BatchError) {
        let now = clock()
        try write { database in
            for resultPath in resultPaths {
                guard var row = try ItemRow.fetchOne(database, key: resultPath), row.item.status == .done else {
                    continue
                }
                let reason = Self.strictReason(row.item.warnings)
                try row.updateChanges(database) { $0.item.finish(.failed(reason), retries: retries, now: now) }
            }
        }
    }

    // MARK: Decisions

    private static func setPending(
        _ candidate: Candidate, _ configuration: String, _ database: Database
    ) throws {
        let (input, reason) = (candidate.planned.input, candidate.planned.reason)
        var item =
            candidate.item
            ?? Item(
                resultPath: input.resultPath, path: input.path, bytes: input.identity.bytes,
                modified: input.identity.modified, configuration: configuration, isNamed: input.isNamed)
        item.bytes = input.identity.bytes
        item.modified = input.identity.modified
        item.changed = input.changed
        item.digest = nil
        item.configuration = configuration
        item.status = .pending
        item.isNamed = input.isNamed
        item.due = 0
        item.owner = nil
        item.lease = nil
        if reason != .failed && reason != .unfinished { item.failures = 0 }
        if candidate.item == nil { try ItemRow(item).insert(database) } else { try ItemRow(item).update(database) }
    }

    private static func decide(
        _ item: Item?, _ input: BatchInput, _ configuration: String, _ isEquivalent: (String, String) -> Bool,
        _ selection: Selection, now: Double, verdict: ContentCheck.Verdict?, hasResult: Bool
    ) -> (Reason, isDue: Bool) {
        guard let item else {
            if selection.isOnlyFailed { return (.notFailed, false) }
            if selection.isForced { return (.forced, true) }
            return hasResult ? (.foreignResult, false) : (.new, true)
        }
        if item.status == .running, item.isLeased(now: now) { return (.running, false) }
        if selection.isOnlyFailed {
            return [.failed, .quarantined].contains(item.status) ? (.retryRequested, true) : (.notFailed, false)
        }
        if selection.isForced { return (.forced, true) }
        let isSame =
            switch verdict {
            case .same: true
            case .different: false
            case nil: item.identity == input.identity
            }
        if !isSame { return (.changed, true) }
        if item.status == .pruned { return (.pruned, false) }
        if item.configuration != configuration,
            item.status != .done || !isEquivalent(item.configuration, item.resultPath)
        {
            guard selection.keepsDone else { return (.settingsChanged, true) }
            if item.status == .done, hasResult { return (.kept, false) }
            if item.status != .skipped { return (.settingsChanged, true) }
        }
        return switch item.status {
        case .pending, .running: (.unfinished, true)
        case .done where !hasResult: (.resultMissing, true)
        case .done where selection.isStrict && !item.warnings.isEmpty: (.hasWarnings, false)
        case .done: (verdict == .same ? .dateChanged : .done, false)
        case .skipped: (.skipped, false)
        case .pruned: (.pruned, false)
        case .quarantined: (.quarantined, false)
        case .failed: item.due <= now ? (.failed, true) : (.waiting, false)
        }
    }
}
