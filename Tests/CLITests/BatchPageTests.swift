import Foundation
import Testing
import TestSupport
import VidscanMedia

@Suite("The HTML index of a batch")
struct BatchPageTests: BatchTesting {
    /// The rows of the page.
    private func rows(_ page: String) -> [String] {
        page.split(separator: "\n").filter { $0.hasPrefix("<tr data-group=") }.map(String.init)
    }

    @Test("Failed files come first, each file links to its report or result, and names are escaped")
    func page() throws {
        let evil = "<script>alert(1)</script> & \"1:2\" #3?%41.png"
        let folder = try makeFolder(["b/a.png", "c.png"])
        try add("z.mp4", from: "text.mp4", to: folder)
        try add(evil.replacingOccurrences(of: "/", with: ""), to: folder)
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 1)
        #expect(try Tool.run("report", "--quiet", "out/b/a.png.vidscan", in: folder).status == 0)
        // The second run analyses nothing, and finds the report.
        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 1)
        let page = try folder.text("out/index.html")
        let rows = rows(page)
        #expect(rows.count == 4)
        #expect(rows[0].hasPrefix("<tr data-group=\"failed\"><td title=\"\(folder.path)/in/z.mp4\">z.mp4<br>"))
        #expect(rows[0].contains("not a video or picture in a format that FFmpeg supports"))
        #expect(rows[1].contains("&lt;script&gt;alert(1)&lt;script&gt; &amp; &quot;1:2&quot; #3?%41.png</a>"))
        #expect(
            rows[1].contains(
                "href=\"%3Cscript%3Ealert(1)%3Cscript%3E%20&amp;%20%221%3A2%22%20%233%3F%2541.png.vidscan/\""),
            "\(rows[1])")
        #expect(rows[2].contains("<a href=\"b/a.png.vidscan/report.html\">b/a.png</a>"))
        #expect(rows[3].contains("<a href=\"c.png.vidscan/\">c.png</a>"))
        #expect(rows[3].hasSuffix("<td class=\"number\">1</td></tr>"))
        #expect(page.contains("<p class=\"lead\">4 files: 1 failed, 3 done</p>"))
        #expect(page.contains("<option value=\"failed\">1 failed</option>"))
        // The page loads nothing from elsewhere.
        #expect(page.contains("default-src 'none'"))
        #expect(page.firstMatch(of: /(src|href)="?(https?:)?\/\//) == nil)
        #expect(!folder.entries.contains { $0.contains("partial") })
    }

    @Test("Each shard has its own page, and a merge writes the page of all of them")
    func shards() throws {
        let folder = try makeFolder((10..<18).map { "\($0).png" })
        for index in 0..<2 {
            #expect(try Tool.run("batch", "in", "--output", "out", "--shard", "\(index)/2", in: folder).status == 0)
        }
        let counts = try (0..<2).map { rows(try folder.text("out/index-\($0)-of-2.html")).count }
        #expect(counts.reduce(0, +) == 8)
        #expect(!folder.entries.contains("out/index.html"))
        let merged = try Tool.run("batch", "merge", "out", "--output", "all.csv", in: folder)
        #expect(merged.status == 0)
        #expect(merged.errors == "")
        #expect(rows(try folder.text("out/index.html")).count == 8)
        #expect(try index(folder).count == 8)
        #expect(try folder.text("out/summary.json").contains("\"done\" : 8"))
    }
}
