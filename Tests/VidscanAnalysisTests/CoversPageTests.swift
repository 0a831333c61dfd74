import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanReport
import VidscanResults

@Suite("The page of covers plays the original, has the boxes of the file, and gives the command that hides them")
struct CoversPageTests {
    private static let name = "a <b> & \"c\" #1.mp4"
    private static let cover =
        #"{"do":"cover","follow":true,"keyframes":[{"box":[10,20,30,40.5],"time":1}],"what":"plate"}"#

    private let folder: TemporaryFolder
    private var result: String { "\(folder.path)/\(Self.name).vidscan" }
    private var video: String { "\(folder.path)/\(Self.name)" }
    private var page: String { "\(folder.path)/\(Self.name).covers.html" }

    init() throws { folder = try TemporaryFolder() }

    /// Writes a result of the sample clip. `render` is what `run.json` says of its settings, and `record` is `anonymized.json`.
    private func make(render: String = #"{"anonymize": "blur"}"#, record: String? = nil, hasTables: Bool = false) throws
    {
        try FileManager.default.copyItem(atPath: Checkout.clip, toPath: video)
        try SyntheticResult.write([], to: result, video: "/moved/\(Self.name)", keepsEmbeddings: false)
        let run = "\(Self.name).vidscan/run.json"
        let text = try folder.text(run).replacing("\"bytes\": 100", with: "\"bytes\": \(try InputFile(video).bytes)")
            .replacing("\"codec\"", with: "\"display_width\": 640, \"display_height\": 360, \"codec\"")
            .replacing("\"detect\"", with: "\"render\": \(render), \"detect\"")
        try folder.write(text, to: run)
        if !hasTables {
            for table in ["faces.csv", "frames.csv", "events.csv", "tracks.csv"] {
                try FileManager.default.removeItem(atPath: "\(result)/\(table)")
            }
        }
        if let record {
            try folder.write(record, to: "\(Self.name).vidscan/anonymized.json")
            try folder.write("", to: "\(Self.name).vidscan/anonymized.mp4")
        }
    }

    private func covers(_ list: String) throws {
        let bytes = try InputFile(video).bytes
        try folder.write(
            #"{"format": "vidscan covers 1", "video": {"name": "</script>", "bytes": \#(bytes)}, "covers": [\#(list)]}"#,
            to: "\(Self.name).covers.json")
    }

    private func write(to path: String? = nil, replaces: Bool = false) throws -> String {
        let path = try CoversPage.write(resultPath: result, input: video, outputPath: path, replaces: replaces)
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private func data(_ page: String) throws -> [String: JSONValue] {
        let json = try #require(page.firstMatch(of: #/<script type="application/json" id="data">(.*?)<\/script>/#)?.1)
        return try JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8))
    }

    private func command() throws -> String {
        let words = try data(write(replaces: true))["again"]
        guard case .list(let list) = words else { return "" }
        return list.map { if case .text(let text) = $0 { text } else { "?" } }.joined(separator: " ")
    }

    @Test("A page needs no tables, and a name that tries to do harm is text")
    func names() throws {
        try make(record: #"{"invert": false}"#)
        try covers(Self.cover)
        let page = try write()
        #expect(page.contains("<h1><bdi>a &lt;b&gt; &amp; &quot;c&quot; #1.mp4</bdi></h1>"))
        #expect(!page.contains("a <b>") && page.components(separatedBy: "</script>").count == 3)
        let address = "a%20%3Cb%3E%20&amp;%20%22c%22%20%231.mp4"
        #expect(page.contains("src=\"\(address)\"") && page.contains("src=\"\(address).vidscan/anonymized.mp4\""))
        #expect(page.contains("default-src 'none'") && page.matches(of: /https?:\/\//).isEmpty)
        let data = try data(page)
        #expect(data["first"] == .integer(0) && data["interval"] == .number(0.04))
        #expect(data["paths"].map { "\($0)" }?.contains("/moved") == false)
    }

    @Test("A page begins with the boxes of the file, and a file that is wrong makes no page")
    func existing() throws {
        try make()
        #expect(try data(write())["covers"] == .list([]))
        try covers(Self.cover)
        let expected = try JSONDecoder().decode(JSONValue.self, from: Data(Self.cover.utf8))
        #expect(try data(write(replaces: true))["covers"] == .list([expected]))
        try FileManager.default.removeItem(atPath: page)
        for wrong in [
            Self.cover.replacing("plate", with: "<script>"), Self.cover.replacing("[10,20", with: "[\"</script>\",20"),
            Self.cover.replacing("10,20", with: "10,360"),
        ] {
            try covers(wrong)
            #expect(throws: VidscanError.self) { try write() }
        }
        #expect(!FileManager.default.fileExists(atPath: page))
    }

    @Test("A page does not begin without the covers of the earlier video")
    func lost() throws {
        try make(record: #"{"invert": false, "covers": {"count": 1, "sha256": ""}}"#)
        #expect(throws: VidscanError.self) { try write() }
    }

    @Test("An existing page is replaced only with --force, and the original never")
    func overwriting() throws {
        try make()
        _ = try write()
        #expect(throws: VidscanError.self) { try write() }
        _ = try write(replaces: true)
        #expect(throws: VidscanError.self) { try write(to: video, replaces: true) }
        #expect(try InputFile(video).bytes == InputFile(Checkout.clip).bytes)
    }

    @Test("Another video than the analysed one makes no page")
    func changed() throws {
        try make()
        try folder.write("short", to: Self.name)
        #expect(throws: VidscanError.self) { try write() }
    }

    @Test("The command repeats the run, or renders with the settings of the last video")
    func commands() throws {
        try make()
        #expect(try command() == "analyze VIDEO --pipeline SETTINGS --output FOLDER --force")
    }

    private static let record = """
        {"invert": false, "method": "pixelate", "shape": "ellipse", "margin": 0.35, "hold_seconds": 0.5, "strength": 0.3,
         "copies_audio": false, "copies_subtitles": false, "visible": {"kept_person_ids": [2, 5], "kept_face_ids": []}}
        """

    @Test(
        "With tables, the command renders again",
        arguments: [
            (#"{"anonymize": "blur", "keep": null}"#, "--pipeline SETTINGS "), (#"{"anonymize": null}"#, ""),
            // Whom the analysis kept visible, the last video may hide.
            (#"{"anonymize": "blur", "keep": "1"}"#, ""), (#"{"anonymize": "blur", "invert": true}"#, ""),
            (#"{"anonymize": "blur", "invert": false, "keep_subtitles": true}"#, ""),
            // The covers that were just drawn are not those of the analysis.
            (#"{"anonymize": "blur", "covers": "/videos/other.json"}"#, "--pipeline SETTINGS --covers COVERS "),
        ])
    func rendering(render: String, settings: String) throws {
        try make(render: render, record: Self.record, hasTables: true)
        #expect(
            try command() == "render RESULT \(settings)--anonymize pixelate --shape ellipse --margin 0.35 --hold 0.5"
                + " --strength 0.3 --keep 2,5 --no-audio --input VIDEO --force")
    }

    @Test("Where faces were not hidden, the command makes another result")
    func unhidden() throws {
        try make(render: #"{"anonymize": null}"#, hasTables: true)
        #expect(try command() == "analyze VIDEO --anonymize blur --covers COVERS --output NEW")
    }
}
