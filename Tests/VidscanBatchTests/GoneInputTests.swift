import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanBatch

@Suite("Inputs that do not exist any more")
struct GoneInputTests: JournalTesting {
    /// A journal of `/there`, which exists, and of inputs that do not exist in these states.
    private func journal(_ folder: TemporaryFolder) throws -> (BatchJournal, String) {
        let journal = try BatchJournal(folder: folder.path)
        let there = try folder.write("", to: "there")
        _ = try register([input("/none/a"), input("/none/b"), input("/none/c"), input(there)], in: journal)
        try finish("a.vidscan", in: journal, .failed("no"))
        try finish("b.vidscan", in: journal, done)
        try FileManager.default.createDirectory(atPath: folder.path + "/b.vidscan", withIntermediateDirectories: false)
        try folder.write("{}", to: "b.vidscan/run.json")
        try finish("there.vidscan", in: journal, .failed("no"))
        return (journal, there)
    }

    private func states(_ journal: BatchJournal) throws -> [String: BatchJournal.Status] {
        Dictionary(uniqueKeysWithValues: try journal.items().map { ($0.resultPath, $0.status) })
    }

    @Test("A failed or pending input whose file is gone is neither failed nor pending; a finished one stays done")
    func marked() throws {
        let folder = try TemporaryFolder()
        let (journal, there) = try journal(folder)
        #expect(try journal.markGone() == 2)
        #expect(
            try states(journal) == [
                "a.vidscan": .gone, "b.vidscan": .done, "c.vidscan": .gone, "there.vidscan": .failed,
            ])
        #expect(try journal.markGone() == 0)
        let report = BatchReport(try journal.items())
        #expect(report.text.contains(": 0 pending, 0 running, 1 done, 1 failed, 0 quarantined, 2 gone, "))
        #expect(report.text.contains("\ngone  /none/a: the file does not exist any more"))
        #expect(there.hasPrefix(folder.path))
    }

    @Test("A file that comes back is analysed, with its failures counted")
    func returned() throws {
        let (journal, _) = try journal(try TemporaryFolder())
        _ = try journal.markGone()
        #expect(try reasons([input("/none/a")], in: journal) == [.returned])
        try finish("a.vidscan", in: journal, .failed("no"), retries: 1)
        #expect(try states(journal)["a.vidscan"] == .quarantined)
    }

    @Test("An earlier result of a file that is gone stays done, whatever became of its replacement")
    func keptResult() throws {
        let folder = try TemporaryFolder()
        let (journal, _) = try journal(folder)
        #expect(try reasons([input("/none/b", bytes: 11)], in: journal, hasResult: true) == [.changed])
        try finish("b.vidscan", in: journal, .failed("no"))
        #expect(try journal.markGone() == 2)
        #expect(try states(journal)["b.vidscan"] == .done)
        #expect(try BatchFolder(folder.path).forgetGone().count == 2)
    }

    @Test("A finished input is gone when both its file and its result are, so that nothing looks for its tables")
    func withdrawn() throws {
        let folder = try TemporaryFolder()
        let (journal, _) = try journal(folder)
        try FileManager.default.removeItem(atPath: folder.path + "/b.vidscan")
        #expect(try journal.markGone() == 3)
        #expect(try states(journal)["b.vidscan"] == .gone)
        #expect(try BatchFolder(folder.path).forgetGone() == ["/none/a", "/none/b", "/none/c"])
    }

    @Test("A result that cannot be reached now is not gone")
    func unreachable() throws {
        let folder = try TemporaryFolder()
        let (journal, _) = try journal(folder)
        let result = folder.path + "/b.vidscan"
        try FileManager.default.removeItem(atPath: result)
        // Permissions would not stop an administrator; a link to itself stops everybody.
        try FileManager.default.createSymbolicLink(atPath: result, withDestinationPath: result)
        _ = try journal.markGone()
        #expect(try states(journal)["b.vidscan"] == .done)
    }

    @Test("If a file vanishes before other settings replace its result, no other batch has taken it over")
    func vanished() throws {
        let folder = try TemporaryFolder()
        let (journal, _) = try journal(folder)
        let file = input("/none/b")
        #expect(try reasons([file], in: journal, configuration: "new", hasResult: true) == [.settingsChanged])
        let paths: Set = [PathBytes("b.vidscan")]
        let item = try #require(try journal.claim(among: paths, configuration: "new"))
        try journal.finish(item, .gone, retries: 2)
        #expect(try states(journal)["b.vidscan"] == .done)
        #expect(try journal.countOvertaken(among: paths, configuration: "new") == 0)
    }

    @Test("Forgetting removes the rows of files that are gone, and a dry run none")
    func forgotten() throws {
        let folder = try TemporaryFolder()
        let (journal, there) = try journal(folder)
        let batch = BatchFolder(folder.path)
        #expect(try batch.forgetGone(isDryRun: true) == ["/none/a", "/none/c"])
        #expect(try journal.items().count == 4)
        #expect(try batch.forgetGone() == ["/none/a", "/none/c"])
        #expect(try states(journal) == ["b.vidscan": .done, "there.vidscan": .failed])
        try FileManager.default.removeItem(atPath: there)
        _ = try journal.markGone()
        try folder.write("", to: "there")
        #expect(try batch.forgetGone() == [])
    }
}
