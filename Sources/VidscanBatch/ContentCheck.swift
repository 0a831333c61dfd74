internal import GRDB

/// Reads files whose dates have changed, to tell whether what was analysed has.
///
/// A file that is as large as it was, but has another date, was copied, restored or touched, or it was edited; its
/// digest says which. So it does for one whose date was set back after an edit: the time of the last change of its
/// attributes, which nobody can set, gives it away where the file system keeps one.
public struct ContentCheck: Sendable {
    public enum Verdict: Sendable, Equatable {
        /// Only the date has changed.
        case same
        /// Whatever the date says.
        case different
    }

    /// Files that have to be read.
    public struct Reading: Sendable, Equatable {
        public var files: Int
        public var bytes: Int64
    }

    /// A file, and what it is to be compared with.
    private struct Doubt {
        var input: BatchInput
        var place: String
        var isDone: Bool
        /// `nil` where it is surely what was analysed, and only its digest is missing.
        var digest: String?
        var hasOtherDate: Bool
    }

    private let journal: BatchJournal
    private let digest: @Sendable (String) -> String?

    /// - Parameter digest: of a file, by its path; `nil` when it cannot be read.
    public init(journal: BatchJournal, digest: @escaping @Sendable (String) -> String?) {
        self.journal = journal
        self.digest = digest
    }

    /// Reads what has to be read, and enters each finding at once, so that nothing is read twice if this is ended.
    ///
    /// - Parameters:
    ///   - configuration, hasResult: as of `BatchJournal.enroll`. What is to be done anyway is not read.
    ///   - isDry: only tells.
    ///   - begins: hears before the first file is read what is to come.
    /// - Returns: what was found out, by the files' paths.
    public func run(
        _ inputs: [BatchInput], configuration: String, isDry: Bool = false, hasResult: (String) -> Bool,
        begins: (Reading) -> Void = { _ in }
    ) throws(BatchError) -> [String: Verdict] {
        let doubts = try doubts(inputs, configuration, hasResult)
        if !doubts.isEmpty {
            let bytes = doubts.reduce(0.0) { $0 + Double($1.input.identity.bytes) }
            begins(Reading(files: doubts.count, bytes: Int64(min(bytes, 1e18))))
        }
        var verdicts: [String: Verdict] = [:]
        for doubt in doubts {
            guard let found = digest(doubt.input.path), isUntouched(doubt.input) else { continue }
            guard found == doubt.digest ?? found else {
                verdicts[doubt.input.path] = .different
                continue
            }
            if doubt.hasOtherDate { verdicts[doubt.input.path] = .same }
            if !isDry { try enter(found, doubt) }
        }
        return verdicts
    }

    private func doubts(
        _ inputs: [BatchInput], _ configuration: String, _ hasResult: (String) -> Bool
    ) throws(BatchError) -> [Doubt] {
        let candidates: [Doubt] = try journal.look { database in
            try inputs.compactMap { input in
                guard
                    let row = try Row.fetchOne(
                        database, sql: "SELECT * FROM item WHERE path = ?", arguments: [input.path]),
                    let status = BatchJournal.Status(rawValue: row["status"]),
                    row["bytes"] == input.identity.bytes
                else { return nil }
                let place: String = row["place"]
                switch status {
                case .pruned: break
                case .done: guard row["configuration"] == configuration else { return nil }
                default: return nil
                }
                let hasOtherDate = row["modified"] != input.identity.modified
                let changed: Int64? = row["changed"]
                guard let digest: String = row["digest"] else {
                    // A journal of before this was kept still knows when the file was analysed.
                    let begin: Double = row["started"] ?? 0
                    let isSure = changed.map { $0 == input.changed } ?? (Double(input.changed ?? .max) / 1e9 < begin)
                    guard !hasOtherDate, isSure else { return nil }
                    return Doubt(input: input, place: place, isDone: status == .done, hasOtherDate: false)
                }
                guard hasOtherDate || changed != input.changed else { return nil }
                return Doubt(
                    input: input, place: place, isDone: status == .done, digest: digest, hasOtherDate: hasOtherDate)
            }
        }
        // Outside of the transaction: file systems take their time.
        return candidates.filter { !$0.isDone || hasResult($0.place) }
    }

    /// Since it was found, so that its digest is of one state.
    private func isUntouched(_ input: BatchInput) -> Bool {
        guard let state = FileState(path: input.path) else { return false }
        return state.identity == input.identity && state.changed == input.changed
    }

    /// Unless another process has begun it anew meanwhile.
    private func enter(_ digest: String, _ doubt: Doubt) throws(BatchError) {
        let input = doubt.input
        try journal.access { database in
            try database.execute(
                sql: """
                    UPDATE item SET digest = ?, modified = ?, changed = ?
                    WHERE place = ? AND status IN ('done', 'pruned') AND digest IS ?
                    """,
                arguments: [digest, input.identity.modified, input.changed, doubt.place, doubt.digest])
        }
    }
}
