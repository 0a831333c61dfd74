internal import GRDB

extension BatchJournal {
    /// Enters the inputs, and decides which of them are to be done.
    ///
    /// An input that the journal knows keeps its place, whatever else is asked for; a new one takes the place that it
    /// asks for unless that is another's, and a numbered one then.
    ///
    /// - Parameters:
    ///   - configuration: a digest of all that a result depends on besides its input.
    ///   - contents: what reading inputs has told of them, by their paths.
    ///   - isDry: only tells.
    ///   - hasResult: whether a result is there, by its place.
    /// It goes in steps, and looks for results between them, so that other processes can use the journal meanwhile.
    ///
    /// - Returns: why each input is to be done, or why not, in the order of the inputs; with the places that they get.
    @discardableResult
    public func enroll(
        _ inputs: [BatchInput], configuration: String, selection: Selection,
        contents: [String: ContentCheck.Verdict] = [:], isDry: Bool = false, hasResult: (String) -> Bool
    ) throws(BatchError) -> [Entry] {
        let now = clock()
        var plan: [Entry] = []
        plan.reserveCapacity(inputs.count)
        // Of a dry run, as nothing is entered then.
        var taken: Set<String> = []
        for start in stride(from: 0, to: inputs.count, by: Self.stepSize) {
            let step = inputs[start..<min(start + Self.stepSize, inputs.count)]
            var drafts = try look { database in try step.map { try draft($0, &taken, database) } }
            // Outside of any transaction: file systems take their time, and other processes wait for the journal.
            for index in drafts.indices {
                let place = drafts[index].entry.input.place
                drafts[index].judge(configuration, selection, now, contents, hasResult: hasResult(place))
            }
            if !isDry, drafts.contains(where: \.entry.isDue) {
                try access { database in
                    for (index, input) in step.enumerated() where drafts[index].entry.isDue {
                        // Another process may have come between.
                        if try !isCurrent(drafts[index], database) {
                            drafts[index] = try draft(input, &taken, database)
                            let place = drafts[index].entry.input.place
                            drafts[index].judge(configuration, selection, now, contents, hasResult: hasResult(place))
                        }
                        guard drafts[index].entry.isDue else { continue }
                        try Self.enter(drafts[index].entry, configuration, database)
                    }
                }
            }
            plan += drafts.map(\.entry)
        }
        return plan
    }

    /// Inputs in one transaction: enough that syncing to the disk does not count, and few enough that other processes,
    /// which have leases to renew, get a turn.
    static let stepSize = 500

    /// An input, and what the journal says of it.
    private struct Draft {
        var entry: Entry
        var row: Row?

        mutating func judge(
            _ configuration: String, _ selection: Selection, _ now: Double, _ contents: [String: ContentCheck.Verdict],
            hasResult: Bool
        ) {
            (entry.reason, entry.isDue) = BatchJournal.judge(
                row, entry.input, configuration, selection, now: now, content: contents[entry.input.path],
                hasResult: hasResult)
        }
    }

    private static func row(of path: String, _ database: Database) throws -> Row? {
        try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM item WHERE path = ?"), arguments: [path])
    }

    /// Whether the journal says the same as before, and a new place is still nobody's.
    private func isCurrent(_ draft: Draft, _ database: Database) throws -> Bool {
        let input = draft.entry.input
        guard try Self.row(of: input.path, database) == draft.row else { return false }
        return try draft.row != nil || isVacant(input.place, database)
    }

    private func isVacant(_ place: String, _ database: Database) throws -> Bool {
        let query = try database.cachedStatement(sql: "SELECT 1 FROM item WHERE place = ?")
        return try Bool.fetchOne(query, arguments: [place]) == nil
    }

    private func draft(_ input: BatchInput, _ taken: inout Set<String>, _ database: Database) throws -> Draft {
        var input = input
        let row = try Self.row(of: input.path, database)
        input.place = try row?["place"] ?? vacantPlace(for: input, taken, database)
        taken.insert(input.place)
        return Draft(entry: Entry(input: input, reason: .new, isDue: false), row: row)
    }

    /// The place, or the first numbered one that is nobody's. In a shard it gets a digest of the path first, so that no
    /// two journals come to the same one.
    private func vacantPlace(for input: BatchInput, _ taken: Set<String>, _ database: Database) throws -> String {
        var place = input.place
        var stem = place.dropLast(".vidscan".count)
        var number = 2
        while try taken.contains(place) || !isVacant(place, database) {
            if shard != nil && place == input.place {
                place = BatchShard.distinctPlace(for: input)
                stem = place.dropLast(".vidscan".count)
            } else {
                place = "\(stem)-\(number).vidscan"
                number += 1
            }
        }
        return place
    }

    private static func enter(_ entry: Entry, _ configuration: String, _ database: Database) throws {
        let input = entry.input
        let startsAnew = entry.reason != .failed && entry.reason != .unfinished
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO item (place, path, bytes, modified, changed, configuration, status, named, due)
                VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, 0)
                ON CONFLICT (place) DO UPDATE SET bytes = excluded.bytes, modified = excluded.modified,
                    changed = excluded.changed, digest = NULL, configuration = excluded.configuration, status = 'pending',
                    named = excluded.named, due = 0, owner = NULL, lease = NULL,
                    failures = CASE WHEN ? THEN 0 ELSE failures END
                """)
        try statement.execute(
            arguments: [
                input.place, input.path, input.identity.bytes, input.identity.modified, input.changed,
                configuration, input.isNamed, startsAnew,
            ])
    }

    private static func judge(
        _ row: Row?, _ input: BatchInput, _ configuration: String, _ selection: Selection, now: Double,
        content: ContentCheck.Verdict?, hasResult: Bool
    ) -> (Reason, Bool) {
        guard let row, let status = Status(rawValue: row["status"]) else {
            if selection.isOnlyFailed { return (.notFailed, false) }
            if selection.isForced { return (.forced, true) }
            return hasResult ? (.occupied, false) : (.new, true)
        }
        if status == .running, isHeld(row, now: now) { return (.running, false) }
        if selection.isOnlyFailed {
            return status == .failed || status == .quarantined ? (.retried, true) : (.notFailed, false)
        }
        if selection.isForced { return (.forced, true) }
        let isSame =
            switch content {
            case .same: true
            case .different: false
            case nil: row["bytes"] == input.identity.bytes && row["modified"] == input.identity.modified
            }
        if !isSame { return (.changed, true) }
        if status == .pruned { return (.pruned, false) }
        if row["configuration"] != configuration { return (.configured, true) }
        switch status {
        case .pending, .running: return (.unfinished, true)
        case .done: return hasResult ? (content == .same ? .touched : .done, false) : (.missing, true)
        case .skipped: return (.skipped, false)
        case .pruned: return (.pruned, false)
        case .quarantined: return (.quarantined, false)
        case .failed:
            let due: Double = row["due"]
            return due <= now ? (.failed, true) : (.waiting, false)
        }
    }
}
