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
    /// - Returns: why each input is to be done, or why not, in the order of the inputs; with the places that they get.
    @discardableResult
    public func enroll(
        _ inputs: [BatchInput], configuration: String, selection: Selection,
        contents: [String: ContentCheck.Verdict] = [:], isDry: Bool = false, hasResult: (String) -> Bool
    ) throws(BatchError) -> [Entry] {
        let now = clock()
        let work = { [self] (database: Database) in
            var plan: [Entry] = []
            // Of a dry run, as nothing is entered then.
            var taken: Set<String> = []
            for var input in inputs {
                let row = try Row.fetchOne(database, sql: "SELECT * FROM item WHERE path = ?", arguments: [input.path])
                input.place = try row?["place"] ?? vacantPlace(for: input.place, taken, database)
                taken.insert(input.place)
                let (reason, isDue) = Self.judge(
                    row, input, configuration, selection, now: now, content: contents[input.path],
                    hasResult: hasResult(input.place))
                plan.append(Entry(input: input, reason: reason, isDue: isDue))
                guard isDue, !isDry else { continue }
                try Self.enter(input, configuration, startsAnew: reason != .failed && reason != .unfinished, database)
            }
            return plan
        }
        return isDry ? try look(work) : try access(work)
    }

    /// The place, or the first numbered one that is nobody's. Only places of the own shard are taken, so that no two
    /// journals come to the same one.
    private func vacantPlace(for wanted: String, _ taken: Set<String>, _ database: Database) throws -> String {
        let stem = wanted.dropLast(".vidscan".count)
        var place = wanted
        var number = 2
        while try taken.contains(place) || !(shard?.holds(place) ?? true)
            || Bool.fetchOne(database, sql: "SELECT 1 FROM item WHERE place = ?", arguments: [place]) != nil
        {
            place = "\(stem)-\(number).vidscan"
            number += 1
        }
        return place
    }

    private static func enter(
        _ input: BatchInput, _ configuration: String, startsAnew: Bool, _ database: Database
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO item (place, path, bytes, modified, changed, configuration, status, named, due)
                VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, 0)
                ON CONFLICT (place) DO UPDATE SET bytes = excluded.bytes, modified = excluded.modified,
                    changed = excluded.changed, digest = NULL, configuration = excluded.configuration, status = 'pending',
                    named = excluded.named, due = 0, owner = NULL, lease = NULL,
                    failures = CASE WHEN ? THEN 0 ELSE failures END
                """,
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
