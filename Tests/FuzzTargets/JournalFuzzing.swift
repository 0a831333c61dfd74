import Foundation
import GRDB
import VidscanBase
import VidscanBatch

/// A batch's journal that an attacker wrote. An input is a letter and what follows: after `d` the bytes of the database,
/// after `k` rows for the journal's own table, after `u` rows for a table without types and constraints. A row is a line
/// with fields separated by tabs, each a letter for the type (`n`, `i`, `f`, `t`, `x`) and a value.
enum JournalFuzzing {
    private static let secret = "this stands outside the batch's folder"

    static func feed(_ bytes: ArraySlice<UInt8>, scratch: FuzzScratch) {
        guard let kind = bytes.first, "dku".utf8.contains(kind) else { return }
        let parent = scratch.emptyFolder()
        let folder = parent + "/batch"
        for place in ["batch", "batch/a.vidscan", "outside.vidscan"] {
            try? FileManager.default.createDirectory(atPath: "\(parent)/\(place)", withIntermediateDirectories: true)
        }
        for place in ["batch/a.vidscan", "outside.vidscan"] {
            scratch.write("{}".utf8, to: "\(parent)/\(place)/run.json")
            let row = place == "outside.vidscan" ? secret : "1,2"
            scratch.write("time,frame\n\(row)\n".utf8, to: "\(parent)/\(place)/faces.csv")
        }
        let content = bytes.dropFirst()
        if kind == UInt8(ascii: "d") {
            scratch.write(content, to: folder + "/batch.sqlite")
        } else {
            guard let template = template(scratch) else { return }
            try? FileManager.default.copyItem(atPath: template, toPath: folder + "/batch.sqlite")
            try? fill(folder + "/batch.sqlite", rows: content, isUntyped: kind == UInt8(ascii: "u"))
        }
        use(folder)
        let outside = FileManager.default.contents(atPath: parent + "/outside.vidscan/faces.csv")
        demand(outside != nil, "something outside the batch's folder was removed")
        let table = FileManager.default.contents(atPath: folder + "/table.csv") ?? Data()
        demand(!String(decoding: table, as: UTF8.self).contains(secret), "something outside the folder was read")
    }

    /// Every use that a batch makes of its journal. A step runs even if the one before it failed.
    private static func use(_ folder: String) {
        let inputs = ["a", "b"].map { name in
            BatchInput(
                path: "/videos/\(name)", resultPath: "\(name).vidscan", state: FileState(bytes: 10, modified: 1),
                isNamed: true)
        }
        do {
            let journal = try BatchJournal(folder: folder, owner: "fuzz:1:1", clock: { 1_000_000 })
            _ = try? journal.register(inputs, configuration: "c", selection: BatchJournal.Selection()) { _ in true }
            let places = Set(((try? journal.items()) ?? []).map { PathBytes($0.resultPath) })
            _ = try? journal.countClaimedByOthers(among: places, configuration: "c")
            var report = WorkerReport()
            (report.frames, report.faces, report.videoSeconds, report.wallSeconds) = (5, 3, 1, 0.5)
            for outcome in [.done(report), .failed("no"), .skipped("no"), .gone, .released] as [BatchJournal.Outcome] {
                guard let item = try? journal.claim(among: places, configuration: "c") else { break }
                try? journal.renewLeases()
                try? journal.finish(item, outcome, retries: 2)
            }
        } catch {
            demand(!error.reason.isEmpty, "an error without a reason")
        }
        if let record = try? BatchReport(folder: folder) {
            demand(!record.text.isEmpty, "no summary")
            _ = try? record.write(folder: folder, shard: nil)
        }
        try? BatchMetrics(path: folder + "/metrics", folder: folder, shard: nil).finish(exitStatus: 0)
        try? MergedTable(folder: folder, table: "faces").write(to: folder + "/table.csv", replaces: true)
        _ = try? BatchFolder(folder).prunable(olderThanDays: -100_000)
        _ = try? BatchFolder(folder).prune(olderThanDays: -100_000)
        _ = try? BatchFolder(folder).forgetGone()
    }

    // MARK: Databases

    /// An empty journal, made once per process.
    private static func template(_ scratch: FuzzScratch) -> String? {
        let folder = scratch.path + "/template"
        let path = folder + "/batch.sqlite"
        if FileManager.default.fileExists(atPath: path) { return path }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try? BatchJournal(folder: folder)
        // Closing the last connection moves the write-ahead log into the database.
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    private static func fill(_ path: String, rows: ArraySlice<UInt8>, isUntyped: Bool) throws {
        try DatabaseQueue(path: path).write { database in
            let columns = try database.columns(in: "item").map(\.name)
            if isUntyped {
                try database.execute(sql: "DROP TABLE item; CREATE TABLE item (\(columns.joined(separator: ", ")))")
            }
            let places = columns.map { _ in "?" }.joined(separator: ", ")
            for line in rows.split(separator: UInt8(ascii: "\n")).prefix(16) {
                var values = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                    .prefix(columns.count).map(value)
                while values.count < columns.count { values.append(.null) }
                try? database.execute(
                    sql: "INSERT OR IGNORE INTO item VALUES (\(places))", arguments: StatementArguments(values))
            }
        }
    }

    private static func value(_ field: ArraySlice<UInt8>) -> DatabaseValue {
        let text = String(decoding: field.dropFirst(), as: UTF8.self)
        switch field.first {
        case UInt8(ascii: "i")?: return (Int64(text) ?? 0).databaseValue
        case UInt8(ascii: "f")?: return (Double(text) ?? 0).databaseValue
        case UInt8(ascii: "t")?: return text.databaseValue
        case UInt8(ascii: "x")?: return Data(field.dropFirst()).databaseValue
        default: return .null
        }
    }

    /// The initial corpus.
    static func seeds(_ scratch: FuzzScratch) -> [(name: String, bytes: [UInt8])] {
        // place, path, bytes, modified, configuration, status, attempts, failures, named, due, owner, lease, started,
        // finished, error, wall, video, frames, faces
        func row(_ place: String, _ path: String, _ status: String, _ owner: String = "n\tn") -> String {
            "\(place)\t\(path)\ti10\ti1\ttc\t\(status)\ti1\ti0\ti1\tf0\t\(owner)\tf1\tf2\tn\tf0.5\tf1.5\ti5\ti3\tn\tn"
        }
        let statuses = ["pending", "running", "done", "failed", "quarantined", "gone", "skipped", "pruned"]
        let good = statuses.map { row("t\($0).vidscan", "t/videos/\($0)", "t\($0)") }.joined(separator: "\n")
        var seeds: [(String, [UInt8])] = [
            ("rows", Array("k\(good)".utf8)), ("untyped", Array("u\(good)".utf8)),
            ("outside", Array("k\(row("t../outside.vidscan", "t/videos/a", "tdone"))".utf8)),
            ("absolute", Array("k\(row("t/dev/shm/x.vidscan", "t/videos/a", "tdone"))".utf8)),
            ("null", Array("u\(row("n", "n", "tdone"))".utf8)),
            ("held", Array("k\(row("ta.vidscan", "t/videos/a", "trunning", "tx:1:1\tf2000000"))".utf8)),
        ]
        if let template = template(scratch), let data = FileManager.default.contents(atPath: template) {
            seeds.append(("empty", Array("d".utf8) + data))
            let copy = scratch.emptyFolder() + "/batch.sqlite"
            try? FileManager.default.copyItem(atPath: template, toPath: copy)
            try? fill(copy, rows: Array(good.utf8)[...], isUntyped: false)
            seeds.append(("full", Array("d".utf8) + (FileManager.default.contents(atPath: copy) ?? Data())))
        }
        return seeds
    }
}
