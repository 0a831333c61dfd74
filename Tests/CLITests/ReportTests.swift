import CZlib
import Foundation
import Testing
import TestSupport

/// Reports that the real binary makes. scripts/check_review.py checks them in a browser.
@Suite("A report shows what the tables hold", .serialized)
struct ReportTests {
    private static func folder(of input: String = Checkout.clip, named name: String) throws -> TemporaryFolder {
        try Tool.analyzed(copy: input, named: name)
    }

    @Test("A page never takes the place of a table")
    func overTable() throws {
        let folder = try TemporaryFolder()
        #expect(try Tool.run("analyze", "--quiet", try Variants.path("still.png"), in: folder).status == 0)
        let table = try folder.bytes("still.png.vidscan/faces.csv")
        let outcome = try Tool.run(
            "report", "still.png.vidscan", "--force", "--output", "still.png.vidscan/faces.csv", in: folder)
        outcome.expectError("--output must name a page: a file that ends in .html", status: 2)
        #expect(try folder.bytes("still.png.vidscan/faces.csv") == table)
    }

    @Test("A report shows every face, cut and event, and refers to nothing but its video")
    func page() throws {
        let folder = try Self.folder(named: "a <b> & \"c\" #1.mp4")
        let result = "a <b> & \"c\" #1.mp4.vidscan"
        let outcome = try Tool.run("report", result, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "vidscan: \(result): -> \(result)/report.html\n")
        let page = try folder.text("\(result)/report.html")
        #expect(page.contains("<h1><bdi>a &lt;b&gt; &amp; &quot;c&quot; #1.mp4</bdi></h1>"))
        #expect(!page.contains("a <b>"))
        #expect(page.contains("src=\"../a%20%3Cb%3E%20&amp;%20%22c%22%20%231.mp4\""))
        let review = try Review(page)
        #expect(review.data.pictures.count == 2)
        #expect(page.contains("\"text\":\"measured 100 % (whole face 100 %), 86 px wide, "))
        let events = try CSVTable(path: "\(folder.path)/\(result)/events.csv")
        #expect(review.lists.events.time.count == events.rows.count)
        #expect(
            review.lists.events.kind.map { review.lists.events.kinds[$0] }
                == (try events.texts("kind").compactMap(\.self)))
        #expect(review.data.cuts.map(\.time) == [3, 6.6, 9.6, 11.6, 14.6, 17])
        #expect(page.matches(of: /https?:\/\/[^"' ]*/).isEmpty)
        #expect(page.contains("default-src 'none'"))
    }

    @Test("A page has the 500 faces that are visible longest, and says how many others there are")
    func manyTracks() throws {
        let folder = try TemporaryFolder()
        let input = try Variants.path("still.png")
        try #require(try Tool.run("analyze", "--quiet", input, "-o", ".", in: folder).status == 0)
        let result = "still.png.vidscan"
        // The face of a picture 800 times; a greater number is visible for longer.
        for (name, time) in [("faces.csv", "time"), ("tracks.csv", "seconds_visible")] {
            let table = try CSVTable(path: "\(folder.path)/\(result)/\(name)")
            let id = try #require(table.columns.firstIndex(of: "face_id"))
            let visible = try #require(table.columns.firstIndex(of: time))
            let rows = (1...800).map { number in
                var row = table.rows[0]
                row[id] = "\(number)"
                if name == "tracks.csv" { row[visible] = "\(number)" }
                return row.joined(separator: ",")
            }
            try folder.write(
                ([table.columns.joined(separator: ",")] + rows).joined(separator: "\n") + "\n", to: "\(result)/\(name)")
        }
        var frames = try CSVTable(path: "\(folder.path)/\(result)/frames.csv")
        try frames.set("faces", 0, to: "800")
        try folder.write(frames.text, to: "\(result)/frames.csv")
        try folder.write(
            "time,kind,face_id,value\n" + (1...800).map { "0.000000,face_started,\($0),\n" }.joined(),
            to: "\(result)/events.csv")
        let text = "the page has the 500 faces that are visible longest; tracks.csv has the other 300"
        for options in [[], ["--no-video"]] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "report", result, "--force"] + options, in: folder.path)
            #expect(
                outcome.status == 0 && outcome.errors.contains("warning: \(result): \(text)\n"), "\(outcome.errors)")
            let page = try folder.text(result + "/report.html")
            #expect(page.contains(text))
            let review = try Review(page)
            #expect(review.data.tracks.map(\.id) == Array(301...800))
            #expect(Set(review.lists.events.face.compactMap(\.self)) == Set(301...800))
        }
    }

    @Test("A page has the box and the metrics of each row of faces.csv", arguments: [[], ["--no-video"]])
    func rows(options: [String]) throws {
        let folder = try Self.folder(named: "clip.mp4")
        #expect(
            try ChildProcess.run(
                [Checkout.tool, "report", "--no-thumbnails", "clip.mp4.vidscan"] + options, in: folder.path
            ).status == 0)
        let page = try folder.text("clip.mp4.vidscan/report.html")
        #expect(!page.contains("data:image"))
        let review = try Review(page)
        let faces = try CSVTable(path: "\(folder.path)/clip.mp4.vidscan/faces.csv")
        #expect(review.data.rows == faces.rows.count && faces.rows.count > 90)
        let order = try faces.rows.indices.sorted {
            let (a, b) = (try faces.number("face_id", $0) ?? 0, try faces.number("face_id", $1) ?? 0)
            return (a, $0) < (b, $1)
        }
        let times = try #require(review.columns["time"]), samples = try #require(review.columns["sample"])
        for (row, index) in order.enumerated() {
            let microseconds = times[Int(samples[row])]
            #expect(Double(microseconds) / 1e6 == (try faces.number("time", index)))
        }
        let frames = try CSVTable(path: "\(folder.path)/clip.mp4.vidscan/frames.csv")
        let numbers = try frames.rows.indices.map { Int64(try frames.number("frame", $0) ?? -1) }
        #expect(review.columns["frame"] == numbers && numbers.count == review.data.samples)
        #expect(review.data.result == "." && review.data.again == ["--no-thumbnails"] + options)
        let names = review.data.columns.map(\.name)
        #expect(names.contains("smile") && names.contains("AU12") && names.contains("chin_y"))
        #expect(review.data.columns.count { $0.quantization != nil } > 50)
        #expect(review.data.columns.count { $0.same != nil } >= 19, "action units are hundredths of expressions")
        for column in review.data.columns {
            guard let quantization = column.quantization else { continue }
            let codes = try #require(review.columns[column.name])
            for (row, index) in order.enumerated() {
                let value = try faces.number(column.name, index)
                #expect((codes[row] == 0) == (value == nil))
                guard let value, codes[row] > 0 else { continue }
                let shown = quantization.low + Double(codes[row] - 1) * quantization.step
                #expect(abs(shown - value) <= quantization.step / 2 + 0.011, "\(column.name), row \(index)")
            }
        }
        let track = try #require(review.data.tracks.first)
        #expect(track.id == 1 && track.person == 1 && track.row == 0)
    }

    @Test("A proxy has the times of the video, and the page plays it")
    func proxy() throws {
        let folder = try Self.folder(of: try Variants.path("hevc.mp4"), named: "clip.mp4")
        let plain = try Tool.run("report", "clip.mp4.vidscan", in: folder)
        #expect(plain.status == 0 && plain.errors.contains("browsers cannot play hevc"), "\(plain.errors)")
        let outcome = try Tool.run("report", "--force", "--proxy", "clip.mp4.vidscan", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.text("clip.mp4.vidscan/report.html").contains("src=\"proxy.mp4\""))
        func times(_ name: String) throws -> [Double] {
            let output = try ChildProcess.run(
                [
                    "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pts_time", "-of",
                    "csv=p=0",
                    name,
                ], in: folder.path
            ).output
            return output.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }
        }
        let (copied, original) = (try times("clip.mp4.vidscan/proxy.mp4"), try times("clip.mp4"))
        #expect(copied.count == original.count && original.count > 50)
        #expect(zip(copied, original).allSatisfy { abs($0 - $1) < 0.0011 })
        // Later pages play it too.
        #expect(try Tool.run("report", "clip.mp4.vidscan", "--output", "b.html", in: folder).status == 0)
        #expect(try folder.text("b.html").contains("src=\"clip.mp4.vidscan/proxy.mp4\""))
    }

    @Test("A page to pass on shows no face, and no folder")
    func hiddenFaces() throws {
        let folder = try Self.folder(named: "clip.mp4")
        #expect(try Tool.run("report", "--hide-faces", "clip.mp4.vidscan", in: folder).status == 0)
        let page = try folder.text("clip.mp4.vidscan/report.html")
        #expect(!page.contains("<video") && !page.contains("data:image/jpeg") && !page.contains(folder.path))
        #expect(page.contains("the page has no video"))
        #expect(try Review(page).data.result == nil)
        for options in [["--hide-faces", "--proxy"], ["--hide-faces", "--thumbnails"], ["--no-video", "--proxy"]] {
            let refused = try Tool.run("report", "clip.mp4.vidscan", options[0], options[1], in: folder)
            #expect(refused.status == 2 && refused.errors.contains("cannot be used together"), "\(refused.errors)")
        }
        let absent = try Tool.run(
            "report", "clip.mp4.vidscan", "--force", "--video", "missing.mp4", in: folder)
        #expect(absent.status == 1 && absent.errors.contains("missing.mp4"), "\(absent.errors)")
    }

    @Test("A page without the video shows every face, cut and event")
    func pageWithoutVideo() throws {
        let folder = try Self.folder(named: "clip.mp4")
        #expect(try Tool.run("report", "--no-video", "clip.mp4.vidscan", in: folder).status == 0)
        let page = try folder.text("clip.mp4.vidscan/report.html")
        #expect(!page.contains("<video"))
        #expect(page.contains("img-src data:\"") && !page.contains("media-src"))
        let review = try Review(page)
        #expect(review.data.pictures.count == 2 && review.data.tracks.map(\.id) == [1, 2])
        #expect(review.data.cuts.map(\.time) == [3, 6.6, 9.6, 11.6, 14.6, 17])
        #expect(page.matches(of: /<tr><td class="number">/).count == 2)
        let events = try CSVTable(path: "\(folder.path)/clip.mp4.vidscan/events.csv")
        #expect(review.lists.events.time.count == events.rows.count)
        let measured = try events.texts("measured")
        try #require(measured.contains("1.00"))
        #expect(review.lists.events.measured.count { $0 == 100 } == measured.count { $0 == "1.00" })
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
        #expect(page.contains("href=\"one%20two.png.vidscan/report.html#from=../all.html\""))
        #expect(page.contains("is not a vidscan result"))
    }

    @Test("An index to pass on does not name a result that fails")
    func indexToPassOn() throws {
        let folder = try Self.folder(of: try Variants.path("still.png"), named: "still.png")
        try FileManager.default.createDirectory(atPath: folder.path + "/secret", withIntermediateDirectories: true)
        let outcome = try Tool.run(
            "report", "--hide-faces", "still.png.vidscan", "secret", "--output", "all.html", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("secret: is not a vidscan result"), "\(outcome.errors)")
        let page = try folder.text("all.html")
        #expect(page.contains("<bdi>could not be shown</bdi>"))
        #expect(!page.contains("secret") && !page.contains("is not a vidscan result"))
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
            try Tool.run(
                "report", "still.png.vidscan", "--no-video", "--no-thumbnails", "--output", "b.html", in: folder
            ).status == 0)
        #expect(try Tool.run("report", in: folder).status == 2)
    }
}

/// The data in a page, read as its script reads it.
private struct Review {
    struct Data: Decodable {
        struct Column: Decodable {
            struct Quantization: Decodable { var low, step: Double }
            var name: String
            /// An earlier column with the same codes.
            var same: String?
            var width: Int?
            var quantization: Quantization?
        }
        struct Track: Decodable { var id: Int; var person: Int?; var row: Int }
        struct Cut: Decodable { var time: Double }
        struct Events: Decodable {
            var time: [Double]
            var kind: [Int]
            var kinds: [String]
            var face: [Int?]
            var measured: [Int?]
        }
        var columns: [Column]
        var rows, samples: Int
        var result: String?
        var again: [String]?
        var tracks: [Track]
        var pictures: [String: String]
        var cuts: [Cut]
    }
    /// What follows the columns.
    struct Lists: Decodable { var events: Data.Events }

    private typealias Bytes = Foundation.Data

    let data: Data
    let lists: Lists
    private(set) var columns: [String: [Int64]] = [:]

    init(_ page: String) throws {
        let json = try #require(page.firstMatch(of: /<script type="application\/json" id="data">(.*?)<\/script>/))
        data = try JSONDecoder().decode(Data.self, from: Bytes(json.output.1.utf8))
        let packed = try #require(page.firstMatch(of: /<script type="text\/plain" id="rows">(.*?)<\/script>/))
        let compressed = [UInt8](try #require(Bytes(base64Encoded: String(packed.output.1))))
        let count = { [data] (column: Data.Column) in
            ["time", "frame"].contains(column.name) ? data.samples : data.rows
        }
        let size = data.columns.reduce(0) { $0 + ($1.width ?? 0) * count($1) }
        var bytes = [UInt8](repeating: 0, count: size + 100_000)
        var length = uLong(bytes.count)
        try #require(uncompress(&bytes, &length, compressed, uLong(compressed.count)) == Z_OK && Int(length) > size)
        lists = try JSONDecoder().decode(Lists.self, from: Bytes(bytes[size..<Int(length)]))
        var start = 0
        for column in data.columns {
            guard let width = column.width else {
                columns[column.name] = columns[column.same ?? ""]
                continue
            }
            let count = count(column)
            var previous: Int64 = 0
            columns[column.name] = (0..<count).map { index in
                var folded: UInt64 = 0
                for byte in 0..<width {
                    folded |= UInt64(bytes[start + byte * count + index]) << (8 * UInt64(byte))
                }
                previous &+= Int64(bitPattern: folded >> 1) ^ -Int64(folded & 1)
                if width < 8 { previous &= (1 << (8 * Int64(width))) - 1 }
                return previous
            }
            start += count * width
        }
    }
}
