internal import GRDB

extension BatchJournal {
    /// Refuses a journal that no batch has written. It lies among the results, where others may be able to write: places are
    /// removed when results grow old, so that none may lead out of the folder, and a view or a trigger runs when a table is
    /// used.
    ///
    /// - Throws: `BatchError` that says what is wrong.
    static func check(_ database: any DatabaseReader, path: String) throws {
        let hint = "restore it from a copy, or remove it to begin the batch anew"
        try database.read { database in
            let foreign = try String.fetchOne(
                database,
                sql: """
                    SELECT type || ' ' || name FROM sqlite_schema
                    WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1
                    """)
            if let foreign {
                throw BatchError(.journal, "\(path) is no journal of a batch: it has a \(foreign); \(hint)")
            }
            guard try database.tableExists("item") else { return }
            let columns = Set(try database.columns(in: "item").map(\.name))
            // The journal of an earlier version gets these when it is opened to be written.
            let conditions = conditions.filter { !laterColumns.contains($0.column) || columns.contains($0.column) }
                .map { "(\($0.holds))" }
            // A comparison with NULL is neither true nor false.
            let damaged = try Int.fetchOne(
                database,
                sql: "SELECT rowid FROM item WHERE (\(conditions.joined(separator: " AND "))) IS NOT TRUE LIMIT 1")
            if let damaged {
                throw BatchError(
                    .journal, "\(path) is damaged: row \(damaged) holds what no batch writes; \(hint)")
            }
        }
    }

    private static let laterColumns: Set = ["digest", "changed"]

    /// What holds for columns of a row. No sum of such numbers runs over.
    private static let conditions: [(column: String, holds: String)] = [
        ("place", text("place")),
        // A result's folder, below the batch's.
        (
            "place",
            "place GLOB '?*.vidscan' AND place NOT GLOB '/*' AND '/' || place || '/' NOT GLOB '*/../*'"
                + " AND instr(place, char(0)) = 0"
        ),
        ("path", text("path")), ("configuration", text("configuration")), ("status", text("status")),
        ("bytes", "typeof(bytes) = 'integer' AND bytes >= 0"), ("modified", "typeof(modified) = 'integer'"),
        ("changed", "changed IS NULL OR typeof(changed) = 'integer'"),
        ("attempts", count("attempts")), ("failures", count("failures")), ("named", "named IN (0, 1)"),
        ("due", number("due")), ("lease", orNone("lease", number)), ("owner", orNone("owner", text)),
        ("owner", "status <> 'running' OR owner IS NOT NULL"), ("started", orNone("started", number)),
        ("finished", orNone("finished", number)), ("error", orNone("error", text)), ("digest", orNone("digest", text)),
        ("wall", orNone("wall", number)), ("video", orNone("video", number)), ("frames", orNone("frames", count)),
        ("faces", orNone("faces", count)),
    ]

    private static func text(_ column: String) -> String { "typeof(\(column)) = 'text'" }

    private static func count(_ column: String) -> String {
        "typeof(\(column)) = 'integer' AND \(column) BETWEEN 0 AND 1000000000000"
    }

    private static func number(_ column: String) -> String {
        "typeof(\(column)) IN ('integer', 'real') AND \(column) BETWEEN -1e12 AND 1e12"
    }

    private static func orNone(_ column: String, _ holds: (String) -> String) -> String {
        "\(column) IS NULL OR \(holds(column))"
    }
}
