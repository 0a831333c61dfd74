import Foundation
import Testing
import TestSupport
import VidscanBatch

@Suite("PruneOutcome of results")
struct PruningTests: JournalTesting {
    @Test("A pruned input is due again only if it changes")
    func due() throws {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        _ = try register([input("/a")], in: journal)
        try finish("a.vidscan", in: journal, done)
        #expect(try journal.prune(before: 0) == [])
        #expect(try journal.prune(before: Date().timeIntervalSince1970 + 1) == ["a.vidscan"])
        #expect(try reasons([input("/a")], in: journal, configuration: "other") == [.pruned])
        #expect(try reasons([input("/a", bytes: 11)], in: journal) == [.changed])
    }

    @Test("Results that are new, made by hand, or being replaced are kept")
    func kept() throws {
        let folder = try TemporaryFolder()
        let tenDaysAgo = Date(timeIntervalSinceNow: -10 * 86_400)
        let journal = try BatchJournal(folder: folder.path) { tenDaysAgo.timeIntervalSince1970 }
        for name in ["old", "made-by-hand", "again"] {
            _ = try register([input("/\(name)")], in: journal)
            try finish("\(name).vidscan", in: journal, done)
            let result = "\(folder.path)/\(name).vidscan"
            try FileManager.default.createDirectory(atPath: result, withIntermediateDirectories: false)
            try folder.write("{}", to: "\(name).vidscan/run.json")
            guard name != "made-by-hand" else { continue }
            try FileManager.default.setAttributes([.modificationDate: tenDaysAgo], ofItemAtPath: result + "/run.json")
        }
        #expect(try reasons([input("/again", bytes: 11)], in: journal, hasResult: true) == [.changed])
        _ = try #require(try claim("again.vidscan", in: journal))
        let old = folder.path + "/old.vidscan"
        #expect(try BatchFolder(folder.path).prunable(olderThanDays: 11).removed == [])
        #expect(try BatchFolder(folder.path).prunable(olderThanDays: 9).removed == [old])
        #expect(try BatchFolder(folder.path).prune(olderThanDays: 11).removed == [])
        #expect(try BatchFolder(folder.path).prune(olderThanDays: 9).removed == [old])
        #expect(
            folder.entries.filter { $0.contains(".vidscan") && !$0.contains("/") }
                == ["again.vidscan", "made-by-hand.vidscan"])
        // What stays on the disk stays in the tables of the batch.
        #expect(try journal.items().first { $0.path == "/made-by-hand" }?.status == .done)
        #expect(try BatchFolder(folder.path).prune(olderThanDays: 9).removed == [])
    }
}
