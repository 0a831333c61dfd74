import Foundation
import Testing
import TestSupport
import VidscanBatch

@Suite("The page of a batch with hostile or large results")
struct BatchPageTests: JournalTesting {
    /// A folder with finished inputs, each of which has a report page.
    private func folder(reports: [String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let journal = try BatchJournal(folder: folder.path)
        let inputs = reports.indices.map { input("/in/\($0)", resultPath: "\($0).vidscan") }
        _ = try register(inputs, in: journal)
        for (number, report) in reports.enumerated() {
            try finish("\(number).vidscan", in: journal, done)
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(number).vidscan", withIntermediateDirectories: false)
            try folder.write(report, to: "\(number).vidscan/report.html")
        }
        try BatchReport(folder: folder.path).write(folder: folder.path, shard: nil)
        return folder
    }

    private func pictures(_ folder: TemporaryFolder) throws -> [String] {
        try folder.text("index.html").matches(of: /<img src="([^"]*)"/).map { String($0.1) }
    }

    @Test("Of a report, only complete pictures of a usual size get onto the page, and nothing else")
    func hostile() throws {
        let picture = { (text: String) in "data:image/jpeg;base64," + text }
        let folder = try folder(reports: [
            "<img src=\"\(picture("AAAA"))\" onerror=\"alert(1)\"><img src='\(picture(""))'><img src='\(picture("BBBB"))'>",
            "<img src='\(picture(String(repeating: "A", count: 50_000)))'><img src='\(picture("CC=="))'>",
            "data:image/svg+xml;base64,AAAA'", picture("EEEE"),
            String(repeating: " ", count: 600_000) + "<img src='\(picture("DDDD"))'>",
        ])
        #expect(try pictures(folder) == ["AAAA", "BBBB", "CC=="].map(picture))
        #expect(!(try folder.text("index.html").contains("alert(1)")))
    }

    @Test("A picture opens the report at its face, and the report can lead back")
    func links() throws {
        let page = try folder(reports: ["{\"pictures\":{\"12\":\"data:image/jpeg;base64,AAAA\"}}"]).text("index.html")
        #expect(page.contains("<a href=\"0.vidscan/report.html#from=../index.html\">"))
        #expect(page.contains("<a href=\"0.vidscan/report.html#face=12&amp;from=../index.html\"><img "))
    }

    @Test("The pictures of all reports together take 4 MB at most, and those of many results are one each")
    func budget() throws {
        let one = "<img src='data:image/jpeg;base64,\(String(repeating: "A", count: 9_000))'>"
        let folder = try folder(reports: Array(repeating: one + one + one, count: 600))
        let pictures = try pictures(folder)
        #expect(pictures.count == (4 << 20) / (9_000 + 23))
        #expect(try folder.bytes("index.html").count < (4 << 20) + 600 * 500 + 40_000)
    }
}
