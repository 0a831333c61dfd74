internal import GRDB
internal import VidscanBase

enum JournalSchema {
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first") { database in
            try database.execute(
                sql: """
                    CREATE TABLE item (
                        place TEXT PRIMARY KEY NOT NULL, path TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL,
                        modified INTEGER NOT NULL, configuration TEXT NOT NULL, status TEXT NOT NULL,
                        attempts INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
                        named BOOLEAN NOT NULL, due DOUBLE NOT NULL DEFAULT 0, owner TEXT, lease DOUBLE, started DOUBLE,
                        finished DOUBLE, error TEXT, wall DOUBLE, video DOUBLE, frames INTEGER, faces INTEGER);
                    CREATE INDEX item_by_status ON item (status, bytes DESC, place);
                    """)
        }
        for (name, columns) in additions {
            migrator.registerMigration(name) { database in
                for column in columns { try database.execute(sql: "ALTER TABLE item ADD COLUMN \(column)") }
            }
        }
        return migrator
    }()

    /// The columns that later versions added.
    private static let additions = [
        ("content", ["digest TEXT", "changed INTEGER"]),
        ("outcome", ["people INTEGER", "events INTEGER", "warnings TEXT", "progress DOUBLE"]),
        (
            "kept",
            [
                "kept_configuration TEXT", "kept_bytes INTEGER", "kept_modified INTEGER", "kept_changed INTEGER",
                "kept_digest TEXT", "kept_finished DOUBLE",
            ]
        ),
    ]

    /// Checks the file first, then creates its tables or migrates those of an earlier version.
    static func prepare(_ database: any DatabaseWriter, path: String) throws {
        _ = try database.read { try check($0, path: path) }
        // Fails if another process migrates at the same moment, and finds the work done in the next round.
        for _ in migrator.migrations where (try? migrator.migrate(database)) != nil { return }
        try migrator.migrate(database)
    }

    /// Refuses a file that no version of vidscan has written: vidscan writes to and removes the paths in it, and a
    /// trigger or a view could run statements of its own. Returns whether it has its table already.
    static func check(_ database: Database, path: String) throws -> Bool {
        let found = try objects(in: database)
        let hasItems = found.contains { $0.name == "item" }
        // A journal that is being created has only the table of migrations.
        let isBegun =
            try !hasItems && database.tableExists(migrationsTable)
            && Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT * FROM \(migrationsTable))") == true
        try require(
            known.get().contains(found) && !isBegun, .input,
            "\(path) is not the journal of a batch, or it was made by a later version of vidscan; move it away, or use"
                + " another folder")
        guard hasItems else { return false }
        let columns = try database.columns(in: "item")
        let applicable = rules.filter { rule in columns.contains { $0.name == rule.column } }.map(\.rule)
        let valid = (columns.map(type) + applicable).map { "(\($0))" }.joined(separator: " AND ")
        if let row = try Row.fetchOne(database, sql: "SELECT place FROM item WHERE (\(valid)) IS NOT TRUE LIMIT 1") {
            // A damaged row need not hold text here.
            let value: DatabaseValue = row[0]
            throw VidscanError.input(
                "\(path): the row of \(value) is not valid; the journal is damaged or was tampered with, so move it away,"
                    + " or use another folder")
        }
        return true
    }

    private struct Object: Hashable {
        var kind, name, table: String
        /// With single spaces.
        var definition: String?
    }

    /// Nothing yet, or the objects of each version.
    private static let known = Result {
        let database = try DatabaseQueue()
        var states = [try database.read(objects)]
        for migration in migrator.migrations {
            try migrator.migrate(database, upTo: migration)
            states.append(try database.read(objects))
        }
        // Before the first migration there is only the table of migrations.
        states.append(states[1].filter { $0.table == migrationsTable })
        return Set(states)
    }

    /// GRDB records the migrations in it.
    private static let migrationsTable = "grdb_migrations"

    private static func objects(in database: Database) throws -> Set<Object> {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'")
        return Set(
            rows.map { row in
                let values = (0..<4).map { String.fromDatabaseValue(row[$0]) }
                let isMigrations = values[0] == "table" && values[1] == migrationsTable
                return Object(
                    kind: values[0] ?? "", name: values[1] ?? "", table: values[2] ?? "",
                    definition: isMigrations ? nil : values[3].map { $0.split(separator: /\s+/).joined(separator: " ") }
                )
            })
    }

    /// SQLite accepts values of other types than that of the column.
    private static func type(of column: ColumnInfo) -> String {
        let types = ["TEXT": "'text'", "DOUBLE": "'real', 'integer'"][column.type] ?? "'integer'"
        return "typeof(\(column.name)) IN (\(types)\(column.isNotNull ? "" : ", 'null'"))"
    }

    /// Sums cannot overflow, and no path leaves the batch's folder.
    private static let rules: [(column: String, rule: String)] =
        ranges.flatMap { columns, range in columns.map { ($0, "coalesce(\($0) BETWEEN \(range), 1)") } } + [
            ("path", "instr(path, char(0)) = 0 AND path LIKE '/%'"),
            (
                "place",
                """
                instr(place, char(0)) = 0 AND place LIKE '_%.vidscan' AND '/' || place || '/' NOT LIKE '%//%'
                AND '/' || place || '/' NOT LIKE '%/./%' AND '/' || place || '/' NOT LIKE '%/../%'
                """
            ),
            ("named", "named IN (0, 1)"),
            ("status", "status IN (\(BatchJournal.Status.stored.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"),
            ("owner", "status <> 'running' OR owner IS NOT NULL"),
            // Either all of an earlier result, or nothing, as in a row whose result is finished.
            (
                "kept_configuration",
                """
                coalesce(kept_configuration, kept_bytes, kept_modified, kept_changed, kept_digest, kept_finished) IS NULL
                OR kept_configuration IS NOT NULL AND kept_bytes IS NOT NULL AND kept_modified IS NOT NULL
                    AND status NOT IN ('done', 'pruned')
                """
            ),
        ]

    private static let ranges: [(columns: [String], range: String)] = [
        (["bytes", "kept_bytes"], "0 AND 9223372036854775807"),
        (["attempts", "failures"], "0 AND 1000000000"),
        (["frames", "faces", "people", "events"], "0 AND 1000000000000"),
        (["due", "lease", "started", "finished", "kept_finished"], "-1e12 AND 1e12"),
        (["wall", "video"], "0 AND 1e10"),
        (["progress"], "0 AND 1"),
    ]
}
