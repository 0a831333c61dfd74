import Foundation
import Testing
import TestSupport

/// Reports that the real binary makes. scripts/check_report.py checks them in a browser.
@Suite("A report shows what the tables hold", .serialized)
struct ReportTests {
    private static func folder(of input: String = Checkout.clip, named name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: input, toPath: "\(folder.path)/\(name)")
        let outcome = try Tool.run("analyze", "--quiet", name, in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return folder
    }

    @Test("A report shows every face, cut and event, and refers to nothing outside it")
    func page() throws {
        let folder = try Self.folder(named: "a <b> & \"c\".mp4")
        let result = "a <b> & \"c\".mp4.vidscan"
        let outcome = try Tool.run("report", result, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "vidscan: \(result): -> \(result)/report.html\n")
        let page = try folder.text("\(result)/report.html")
        #expect(page.contains("<h1>a &lt;b&gt; &amp; &quot;c&quot;.mp4</h1>"))
        #expect(!page.contains("a <b>"))
        #expect(page.matches(of: /src="data:image\/jpeg;base64,/).count == 2)
        let events = try CSVTable(path: "\(folder.path)/\(result)/events.csv")
        #expect(page.matches(of: /<tr data-kind=/).count == events.rows.count)
        let measured = try events.texts("measured")
        try #require(measured.contains("1.00"))
        #expect(page.matches(of: /<td class="number">100 %<\/td>/).count == measured.count { $0 == "1.00" })
        // The namespace of SVG is never requested.
        let addresses = page.matches(of: /https?:\/\/[^"' ]*/).map { String($0.output) }
        #expect(Set(addresses) == ["http://www.w3.org/2000/svg"])
        #expect(page.contains("default-src 'none'"))
    }

    @Test("The curves have the values of faces.csv")
    func curves() throws {
        let folder = try Self.folder(named: "clip.mp4")
        #expect(try Tool.run("report", "--no-thumbnails", "clip.mp4.vidscan", in: folder).status == 0)
        let page = try folder.text("clip.mp4.vidscan/report.html")
        #expect(!page.contains("data:image"))
        let match = try #require(page.firstMatch(of: /<script type="application\/json" id="data">(.*?)<\/script>/))
        struct Curves: Decodable {
            struct Metric: Decodable { var name: String }
            struct Cut: Decodable { var time: Double }
            struct Face: Decodable {
                var id: Int
                var first: Int
                var series: [[Double?]?]
                var spans: [[Double]]
            }
            var start: Double
            var step: Double
            var metrics: [Metric]
            var cuts: [Cut]
            var faces: [Face]
        }
        let curves = try JSONDecoder().decode(Curves.self, from: Data(match.output.1.utf8))
        #expect(curves.cuts.map(\.time) == [3, 6.6, 9.6, 11.6, 14.6, 17])
        #expect(curves.faces.map(\.id) == [1, 2])
        #expect(curves.faces.map(\.spans.count) == [3, 4])
        let metric = try #require(curves.metrics.firstIndex { $0.name == "smile" })
        let faces = try CSVTable(path: "\(folder.path)/clip.mp4.vidscan/faces.csv")
        var compared = 0
        for row in faces.rows.indices {
            let id = try faces.number("face_id", row)
            let face = try #require(curves.faces.first { Double($0.id) == id })
            let time = try #require(try faces.number("time", row))
            let cell = Int(((time - curves.start) / curves.step).rounded()) - face.first
            let drawn = try #require(face.series[metric])[cell]
            let smile = try faces.number("smile", row)
            #expect((drawn == nil) == (smile == nil))
            if let drawn, let smile {
                #expect(abs(drawn - smile) <= 0.0501)
                compared += 1
            }
        }
        #expect(compared > 90)
    }

    @Test("An index links every report, even if another result fails")
    func index() throws {
        let folder = try Self.folder(of: try Variants.path("still.png"), named: "one two.png")
        try FileManager.default.createDirectory(atPath: folder.path + "/empty", withIntermediateDirectories: true)
        let outcome = try Tool.run("report", "one two.png.vidscan", "empty", "--output", "all.html", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errorLines.contains(
                "vidscan: error: empty: is not a vidscan result: it has no run.json"), "\(outcome.errors)")
        let page = try folder.text("all.html")
        #expect(page.contains("href=\"one%20two.png.vidscan/report.html\""))
        #expect(page.contains("is not a vidscan result"))
    }

    @Test("A report is replaced only with --force, and an error names what is missing")
    func refusals() throws {
        let folder = try Self.folder(of: try Variants.path("still.png"), named: "still.png")
        #expect(try Tool.run("report", "still.png.vidscan", in: folder).status == 0)
        let again = try Tool.run("report", "still.png.vidscan", in: folder)
        #expect(again.status == 1)
        #expect(
            again.errors
                == "vidscan: error: still.png.vidscan: still.png.vidscan/report.html exists; --force replaces it\n")
        #expect(try Tool.run("report", "--force", "still.png.vidscan", in: folder).status == 0)
        try FileManager.default.removeItem(atPath: folder.path + "/still.png")
        let gone = try Tool.run("report", "still.png.vidscan", "--output", "b.html", in: folder)
        #expect(gone.status == 1)
        #expect(gone.errors.contains("if it has moved, name it with --input"), "\(gone.errors)")
        #expect(!folder.entries.contains("b.html"))
        #expect(
            try Tool.run("report", "still.png.vidscan", "--no-thumbnails", "--output", "b.html", in: folder).status == 0
        )
        #expect(try Tool.run("report", in: folder).status == 2)
    }
}
