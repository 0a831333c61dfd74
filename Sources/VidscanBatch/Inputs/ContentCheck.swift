internal import GRDB
package import VidscanBase

extension BatchJournal {
    package enum ContentVerdict: Sendable, Equatable {
        /// Only the modification time differs.
        case same
        /// Even if the modification time is the same.
        case different
    }

    private struct DigestCandidate {
        var input: BatchInput
        var row: Item
        /// As it describes the result; see `Item.hasKept`.
        var item: Item

        var hasOtherDate: Bool { item.modified != input.state.modified }
    }

    /// Detects changed files by a digest of their content. A new modification time alone may mean an edit, or only a copy.
    /// An edit whose modification time was set back differs in the time of change, which users cannot set.
    ///
    /// Records each digest immediately, so that an interrupted check does not read a file twice.
    ///
    /// - Parameters:
    ///   - configuration, hasResult: as in `register`. Inputs that are due anyway are not read.
    ///   - willRead: called before the first file is read.
    package func compareContent(
        of inputs: [BatchInput], configuration: String, isDryRun: Bool = false, digest: (String) -> String?,
        willRead: (_ files: Int, _ bytes: Int) -> Void = { _, _ in }, hasResult: (String) -> Bool
    ) throws(VidscanError) -> [PathBytes: ContentVerdict] {
        let candidates = try candidates(inputs, configuration, hasResult)
        if !candidates.isEmpty {
            let bytes = candidates.reduce(0.0) { $0 + Double($1.input.state.bytes) }
            willRead(candidates.count, Int(min(bytes, 1e18)))
        }
        var verdicts: [PathBytes: ContentVerdict] = [:]
        for candidate in candidates {
            let input = candidate.input
            // Otherwise the digest does not describe the file as it was found.
            guard let digest = digest(input.path), FileState(path: input.path) == input.state else { continue }
            guard digest == candidate.item.digest ?? digest else {
                verdicts[PathBytes(input.path)] = .different
                continue
            }
            if candidate.hasOtherDate { verdicts[PathBytes(input.path)] = .same }
            if !isDryRun { try record(digest, of: candidate) }
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
                    item.bytes == input.state.bytes
                else { return nil }
                let candidate = DigestCandidate(input: input, row: row, item: item)
                if item.digest != nil {
                    return candidate.hasOtherDate || item.changed != input.state.changed ? candidate : nil
                }
                // Without a digest, this must be certain. Journals of versions that did not record the time of change
                // still know when the analysis started.
                let isCertain =
                    item.changed.map { $0 == input.state.changed }
                    ?? (Double(input.state.changed ?? .max) / 1e9 < item.started ?? 0)
                return !candidate.hasOtherDate && isCertain ? candidate : nil
            }
        }
        // Not in the transaction, because file systems can be slow.
        return candidates.filter { $0.item.status == .pruned || hasResult($0.item.resultPath) }
    }

    /// Does nothing if another process has started the input again meanwhile.
    private func record(_ digest: String, of candidate: DigestCandidate) throws(VidscanError) {
        try write { database in
            guard var row = try Item.fetchOne(database, key: candidate.row.resultPath), row == candidate.row
            else { return }
            row.setSource(candidate.input.state, digest: digest)
            try row.update(database)
        }
    }
}
