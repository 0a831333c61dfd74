import Foundation
import Glibc
import Testing
import TestSupport
import VidscanMedia

@Suite("The HTML index of a batch")
struct BatchPageTests: BatchTesting {
    /// The rows of the page.
    private func rows(_ page: String) -> [String] {
        page.split(separator: "\n").filter { $0.hasPrefix("<tr data-groups=") }.map(String.init)
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
        #expect(
            rows[0].hasPrefix("<tr data-groups=\"failed\"><td title=\"\(folder.path)/in/z.mp4\"><bdi>z.mp4</bdi><br>"))
        #expect(rows[0].contains("not a video or picture in a format that FFmpeg supports"))
        #expect(rows[1].contains("&lt;script&gt;alert(1)&lt;script&gt; &amp; &quot;1:2&quot; #3?%41.png</bdi></a>"))
        #expect(
            rows[1].contains(
                "href=\"%3Cscript%3Ealert(1)%3Cscript%3E%20&amp;%20%221%3A2%22%20%233%3F%2541.png.vidscan/\""),
            "\(rows[1])")
        #expect(
            rows[2].contains(
                "<a href=\"b/a.png.vidscan/report.html#from=../../index.html\"><bdi>b/a.png</bdi></a>"))
        #expect(rows[3].contains("<a href=\"c.png.vidscan/\"><bdi>c.png</bdi></a>"))
        #expect(rows[3].hasSuffix("<td class=\"number\">1</td></tr>"))
        #expect(page.contains("<p class=\"lead\">4 files: 1 failed, 3 done</p>"))
        #expect(page.contains("<option value=\"failed\">1 failed</option>"))
        // The page loads nothing from elsewhere.
        #expect(page.contains("default-src 'none'"))
        #expect(page.firstMatch(of: /(src|href)="?(https?:)?\/\//) == nil)
        #expect(!folder.entries.contains { $0.contains("partial") })
    }

    @Test("The page shows people, events, warnings and the pictures of reports, until the results are pruned")
    func figures() throws {
        let folder = try makeFolder(["שלום \u{1F600}.png"])
        try add("cut.mkv", from: "truncated.mkv", to: folder)
        let outcome = try Tool.run("batch", "in", "--output", "out", "--report", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let page = try folder.text("out/index.html")
        let rows = rows(page)
        try #require(rows.count == 2)
        #expect(rows[0].hasPrefix("<tr data-groups=\"done warnings\">"), "\(rows[0])")
        let warning = "the video ends at 1.920 s, although its duration is 3.000 s; the file may be truncated"
        #expect(rows[0].contains("<span class=\"warning inline\"><bdi>\(warning)</bdi></span>"))
        #expect(rows[1].contains("<bdi>שלום \u{1F600}.png</bdi>"))
        for row in rows { #expect(row.contains("<img src=\"data:image/jpeg;base64,")) }
        let row = try #require(try index(folder)["cut.mkv"])
        let record = try #require(
            try JSONSerialization.jsonObject(with: folder.bytes("out/cut.mkv.vidscan/run.json")) as? [String: Any])
        let counts = try #require(record["counts"] as? [String: Any])
        #expect(row["people"] == "\(counts["person_ids"] ?? "")")
        #expect(row["events"] == "\(counts["events"] ?? "")")
        #expect(row["warnings"] == "1")
        #expect(row["warning_text"] == warning)
        #expect(row["status"] == "done" && row["error"] == "")
        let cells = rows[0].matches(of: /<td class="number">([^<]*)<\/td>/).map { String($0.1) }
        let columns = ["frames", "faces", "people", "events", "warnings"]
        #expect(Array(cells[1...5]) == columns.map { row[$0] ?? "" })
        #expect(page.contains("<p class=\"lead\">2 files: 2 done; 1 with warnings</p>"))
        #expect(page.contains("<option value=\"warnings\">1 with warnings</option>"))

        #expect(try Tool.run("batch", "prune", "out", "--older-than", "0", in: folder).status == 0)
        #expect(!(try folder.text("out/index.html").contains("data:image")))
    }

    /// `status.json`
    private func status(_ folder: TemporaryFolder) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: folder.bytes("out/status.json")) as? [String: Any])
    }

    @Test("While a batch runs, its state is in status.json, and in a script that the page loads")
    func live() throws {
        let folder = try makeFolder(["a.png"])
        let clip = try Tool.makeLongClip(times: 3, in: folder)
        let process = try ChildProcess(
            [Checkout.tool, "batch", "in", clip, "--output", "out", "--jobs", "1", "--every-frame", "-v"],
            in: folder.path)
        var running: [String: Any] = [:]
        for _ in 0..<600 where running.isEmpty {
            usleep(100_000)
            guard let status = try? status(folder), let files = status["files"] as? [[String: Any]] else { continue }
            // Earlier, too little is known to say how long it takes.
            running = files.first { ($0["fraction"] as? Double ?? 0) > 0.01 } ?? [:]
            guard !running.isEmpty else { continue }
            #expect(status["state"] as? String == "running")
            #expect(status["counts"] as? [String: Int] == ["running": 1, "pending": 1])
            let run = try #require(status["run"] as? [String: Any])
            #expect(run["left"] as? Int == 2)
            #expect((run["seconds_left"] as? Double ?? 0) > 0)
        }
        #expect(running["result"] as? String == "long.mp4.vidscan")
        #expect(running["length_seconds"] as? Double == 60)
        let page = try folder.text("out/index.html")
        #expect(page.contains("data-status=\"status.js\""))
        #expect(page.contains("script-src 'unsafe-inline' 'self';"))
        process.send(SIGINT)
        #expect(try process.finish(within: 10).status == 130)
        #expect(try status(folder)["state"] as? String == "interrupted")
        let json = try folder.text("out/status.json").trimmingCharacters(in: .newlines)
        #expect(try folder.text("out/status.js") == "vidscanStatus(\(json));\n")

        #expect(try Tool.run("batch", "in", "--output", "out", in: folder).status == 0)
        #expect(try status(folder)["state"] as? String == "finished")
        let made = try #require(try folder.text("out/index.html").firstMatch(of: /data-page="(\d+)"/))
        #expect(try status(folder)["page"] as? Int == Int(made.1))
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
        #expect(folder.entries.contains("out/status-1-of-2.js"))
        let merged = try Tool.run("batch", "merge", "out", "--output", "all.csv", in: folder)
        #expect(merged.status == 0)
        #expect(merged.errors == "")
        #expect(rows(try folder.text("out/index.html")).count == 8)
        // Nothing writes the state of all shards together.
        #expect(!(try folder.text("out/index.html").contains("data-status")))
        #expect(try index(folder).count == 8)
        #expect(try folder.text("out/summary.json").contains("\"done\" : 8"))
    }
}
