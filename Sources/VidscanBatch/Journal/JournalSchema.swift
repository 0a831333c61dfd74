internal import GRDB

/// The tables of a journal, their migrations, and the check that a file is a journal.
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
        migrator.registerMigration("content") { database in
            try database.execute(
                sql: """
                    ALTER TABLE item ADD COLUMN digest TEXT;
                    ALTER TABLE item ADD COLUMN changed INTEGER;
                    """)
        }
        migrator.registerMigration("outcome") { database in
            try database.execute(
                sql: """
                    ALTER TABLE item ADD COLUMN people INTEGER;
                    ALTER TABLE item ADD COLUMN events INTEGER;
                    ALTER TABLE item ADD COLUMN warnings TEXT;
                    ALTER TABLE item ADD COLUMN progress DOUBLE;
                    """)
        }
        migrator.registerMigration("kept") { database in
            try database.execute(
                sql: """
                    ALTER TABLE item ADD COLUMN kept_configuration TEXT;
                    ALTER TABLE item ADD COLUMN kept_bytes INTEGER;
                    ALTER TABLE item ADD COLUMN kept_modified INTEGER;
                    ALTER TABLE item ADD COLUMN kept_changed INTEGER;
                    ALTER TABLE item ADD COLUMN kept_digest TEXT;
                    ALTER TABLE item ADD COLUMN kept_finished DOUBLE;
                    """)
        }
        return migrator
    }()

    /// Creates the tables of a journal, or migrates those of an earlier version, after checking the file.
    static func prepare(_ database: any DatabaseWriter, path: String) throws {
        try database.read { try check($0, path: path) }
        // If another process runs a migration at the same moment, this one fails, and finds it done in the next round.
        for _ in migrator.migrations {
            do {
                return try migrator.migrate(database)
            } catch {
                continue
            }
        }
        try migrator.migrate(database)
    }

    // MARK: Check

    /// Refuses a file that no version of vidscan has written: it contains paths that vidscan writes to and removes, and a
    /// trigger or a view could run statements of its own.
    ///
    /// - Throws: `BatchError` with the code `input`.
    static func check(_ database: Database, path: String) throws {
        let found = try objects(in: database)
        let hasItems = found.contains { $0.name == "item" }
        // The table of migrations alone is a journal that is being created, as long as no migration is done.
        let isBegun =
            try !hasItems && database.tableExists(migrationsTable)
            && Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT * FROM \(migrationsTable))") == true
        guard try known.get().contains(found), !isBegun else {
            throw BatchError(
                .input,
                "\(path) is not the journal of a batch, or it was made by a later version of vidscan; move it away, or use"
                    + " another folder"
            )
        }
        guard hasItems else { return }
        let columns = Set(try database.columns(in: "item").map(\.name))
        let valid =
            validRow + (columns.contains("digest") ? validContentColumns : "")
            + (columns.contains("people") ? validOutcomeColumns : "")
            + (columns.contains("kept_configuration") ? validKeptColumns : "")
        if let row = try Row.fetchOne(
            database,
            sql: "SELECT place FROM item WHERE (\(valid)) IS NOT TRUE LIMIT 1"
        ) {
            // In a damaged row this need not be text.
            let value: DatabaseValue = row[0]
            throw BatchError(
                .input,
                "\(path): the row of \(value) is not valid; the journal is damaged or was tampered with, so move it away,"
                    + " or use another folder")
        }
    }

    /// A table, index, view or trigger.
    private struct Object: Hashable {
        var kind: String
        var name: String
        var table: String
        /// The SQL, with single spaces.
        var definition: String?
    }

    /// What a journal may contain: nothing yet, or the objects that each version has created.
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

    /// Values have the types of their columns, sums of them cannot overflow, and a path does not leave the batch's folder.
    private static let validRow = """
        typeof(place) = 'text' AND typeof(path) = 'text' AND instr(place, char(0)) = 0 AND instr(path, char(0)) = 0
        AND path LIKE '/%' AND place LIKE '_%.vidscan' AND '/' || place || '/' NOT LIKE '%//%'
        AND '/' || place || '/' NOT LIKE '%/./%' AND '/' || place || '/' NOT LIKE '%/../%'
        AND typeof(bytes) = 'integer' AND bytes >= 0 AND typeof(modified) = 'integer'
        AND typeof(configuration) = 'text'
        AND status IN (\(BatchJournal.Status.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")))
        AND typeof(attempts) = 'integer' AND attempts BETWEEN 0 AND 1000000000
        AND typeof(failures) = 'integer' AND failures BETWEEN 0 AND 1000000000 AND named IN (0, 1)
        AND typeof(due) IN ('real', 'integer') AND due BETWEEN -1e12 AND 1e12
        AND typeof(owner) IN ('text', 'null') AND (status <> 'running' OR owner IS NOT NULL)
        AND (lease IS NULL OR typeof(lease) IN ('real', 'integer') AND lease BETWEEN -1e12 AND 1e12)
        AND (started IS NULL OR typeof(started) IN ('real', 'integer') AND started BETWEEN -1e12 AND 1e12)
        AND (finished IS NULL OR typeof(finished) IN ('real', 'integer') AND finished BETWEEN -1e12 AND 1e12)
        AND typeof(error) IN ('text', 'null')
        AND (wall IS NULL OR typeof(wall) IN ('real', 'integer') AND wall BETWEEN 0 AND 1e10)
        AND (video IS NULL OR typeof(video) IN ('real', 'integer') AND video BETWEEN 0 AND 1e10)
        AND (frames IS NULL OR typeof(frames) = 'integer' AND frames BETWEEN 0 AND 1000000000000)
        AND (faces IS NULL OR typeof(faces) = 'integer' AND faces BETWEEN 0 AND 1000000000000)
        """

    private static let validContentColumns = """
         AND typeof(digest) IN ('text', 'null') AND typeof(changed) IN ('integer', 'null')
        """

    private static let validOutcomeColumns = """
         AND (people IS NULL OR typeof(people) = 'integer' AND people BETWEEN 0 AND 1000000000000)
        AND (events IS NULL OR typeof(events) = 'integer' AND events BETWEEN 0 AND 1000000000000)
        AND typeof(warnings) IN ('text', 'null')
        AND (progress IS NULL OR typeof(progress) IN ('real', 'integer') AND progress BETWEEN 0 AND 1)
        """

    /// Either all of an earlier result, or nothing. A finished result has replaced it.
    private static let validKeptColumns = """
         AND (coalesce(kept_configuration, kept_bytes, kept_modified, kept_changed, kept_digest, kept_finished) IS NULL
            OR typeof(kept_configuration) = 'text' AND typeof(kept_bytes) = 'integer' AND kept_bytes >= 0
            AND typeof(kept_modified) = 'integer' AND typeof(kept_changed) IN ('integer', 'null')
            AND typeof(kept_digest) IN ('text', 'null') AND (kept_finished IS NULL
                OR typeof(kept_finished) IN ('real', 'integer') AND kept_finished BETWEEN -1e12 AND 1e12)
            AND status NOT IN ('done', 'pruned'))
        """
}
