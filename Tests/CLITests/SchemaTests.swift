import Foundation
import Testing
import TestSupport

@Suite("The schema and the sample list agree with an analysis")
struct SchemaTests {
    private struct Table: Decodable {
        struct Column: Decodable {
            var name: String
            var unit: String
            var range: String
            var status: String
            var meaning: String
        }
        var file: String
        var columns: [Column]
    }

    @Test("The schema lists exactly the columns that are written, in order")
    func schema() throws {
        let folder = try TemporaryFolder()
        #expect(try Tool.run("analyze", try Variants.path("still.png"), in: folder).status == 0)
        let json = try Tool.run("schema", "--format", "json", in: folder)
        let tables = try JSONDecoder().decode([Table].self, from: Data(json.outputBytes))
        let text = try Tool.run("schema", in: folder).output
        let markdown = try Tool.run("schema", "--format", "markdown", in: folder).output
        #expect(tables.map(\.file).prefix(2) == ["faces.csv", "frames.csv"])
        for table in tables.prefix(2) {
            let written = try CSVTable(path: folder.path + "/still.png.vidscan/" + table.file).columns
            #expect(table.columns.map(\.name) == written)
            for column in table.columns {
                #expect(!column.meaning.isEmpty && !column.range.isEmpty, "\(column.name)")
                // Action units have the names that the field knows them by.
                #expect(
                    column.name.wholeMatch(of: /(AU\d\d|[a-z])[a-z0-9_]*/) != nil, "\(column.name) is no snake_case")
            }
        }
        let faces = try #require(tables.first?.columns)
        #expect(faces.first { $0.name == "flushed" }?.status == "experimental")
        #expect(faces.first { $0.name == "joy" }?.status == "validated")
        #expect(faces.first { $0.name == "frame" }?.status == "")
        #expect(text.contains("[0 to 100, experimental]") && markdown.contains("| 0 to 100 | experimental |"))
        let names = tables.flatMap(\.columns).map(\.name)
        #expect(text.matches(of: #/(?m)^  ([a-zA-Z0-9_]+)  /#).map { String($0.1) } == names)
        #expect(markdown.matches(of: #/(?m)^\| `([a-zA-Z0-9_]+)` \|/#).map { String($0.1) } == names)
    }

    @Test("A group of metrics is explained as its columns")
    func groups() throws {
        let folder = try TemporaryFolder()
        let eyes = try Tool.run("schema", "eyes", "--format", "json", in: folder)
        let tables = try JSONDecoder().decode([Table].self, from: Data(eyes.outputBytes))
        #expect(tables.map(\.file) == ["faces.csv"])
        #expect(
            tables.first?.columns.map(\.name) == [
                "left_eye_openness", "right_eye_openness", "left_eye_closed", "right_eye_closed", "gaze_yaw",
                "gaze_pitch",
            ])
        for (group, column) in [("expressions", "has_smile"), ("emotions", "joy"), ("emojis", "wink"), ("aus", "AU12")]
        {
            let text = try Tool.run("schema", group, in: folder)
            #expect(text.status == 0 && text.output.contains("\n  \(column) "), "\(group)")
        }
    }

    @Test("The header of a table says what the figures in its columns are, if they have some")
    func legend() throws {
        let folder = try TemporaryFolder()
        let (r, area) = ("r is the correlation with MediaPipe", "AUC is the area under")
        for (name, hasR, hasArea) in [("brow_raise", true, false), ("joy", false, true), ("time", false, false)] {
            for format in ["text", "markdown"] {
                let text = try Tool.run("schema", name, "--format", format, in: folder).output
                #expect(text.contains(r) == hasR && text.contains(area) == hasArea, "\(name), \(format)")
            }
        }
    }

    @Test("A name explains one column, in every table that has it, and a file all of its columns")
    func columns() throws {
        let folder = try TemporaryFolder()
        let one = try Tool.run("schema", "gaze_yaw", in: folder)
        #expect(one.status == 0 && one.errors == "")
        #expect(one.output.hasPrefix("faces.csv: One row per face and sampled frame"))
        #expect(one.output.contains("\n  gaze_yaw  "))
        #expect(one.output.split(separator: "\n").count == 2)
        let quality = try Tool.run("schema", "quality", in: folder)
        #expect(quality.output == (try Tool.run("schema", "quality.csv", in: folder).output))
        #expect(quality.output.hasPrefix("quality.csv: One row per person"))
        let json = try Tool.run("schema", "face_id", "events.csv", "--format", "json", in: folder)
        let tables = try JSONDecoder().decode([Table].self, from: Data(json.outputBytes))
        #expect(tables.map(\.file).contains("tracks.csv"))
        for table in tables where table.file != "events.csv" { #expect(table.columns.map(\.name) == ["face_id"]) }
        #expect(tables.first { $0.file == "events.csv" }?.columns.first?.name == "time")
        let file = try Tool.run("schema", "episodes.csv", in: folder)
        #expect(file.status == 0 && file.output.hasPrefix("episodes.csv: ") && file.output.contains("\n  start_seen "))
        #expect(try Tool.run("schema", "episodes", in: folder).output == file.output)
    }

    @Test("A table is named with or without its extension, and an event by its kind")
    func shortNames() throws {
        let folder = try TemporaryFolder()
        for name in ["tracks", "events"] {
            let whole = try Tool.run("schema", name + ".csv", in: folder).output
            #expect(try Tool.run("schema", name, in: folder).output.contains(whole))
        }
        let event = try Tool.run("schema", "look_away", in: folder)
        #expect(event.status == 0)
        #expect(event.output.hasPrefix("events.csv: "))
        #expect(event.output.contains("\n    look_away: The head turned more than 35 degrees"))
        // It is an episode, too.
        #expect(event.output.contains("\n\nepisodes.csv: "))
        #expect(event.output.split(separator: "\n").count == 6)
        #expect(event.output.contains("\n    look_away: The head turned more than "))
        let json = try Tool.run("schema", "events", "--format", "json", in: folder)
        let tables = try #require(try JSONSerialization.jsonObject(with: Data(json.outputBytes)) as? [[String: Any]])
        let table = try #require(tables.first { $0["file"] as? String == "events.csv" })
        let kind = try #require((table["columns"] as? [[String: Any]])?.first { $0["name"] as? String == "kind" })
        let values = try #require(kind["values"] as? [[String: String]])
        #expect(values.map { $0["name"] }.contains("blink"))
        #expect(values.compactMap { $0["name"] }.joined(separator: ", ") == kind["range"] as? String)
        let markdown = try Tool.run("schema", "events", "--format", "markdown", in: folder).output
        #expect(markdown.contains("\n| value of `kind` | meaning |\n|---|---|\n| shot_cut | "))
        let dyads = try Tool.run("schema", "dyads", in: folder)
        #expect(dyads.output.hasPrefix("dyads.csv: ") && dyads.output.contains("\n  baseline_95 "))
        #expect(try Tool.run("schema", "dyads", "dyad", in: folder).errors.contains("no column or file 'dyad'"))
    }

    @Test("A list is given with commas, or by repeating the option")
    func lists() throws {
        let folder = try TemporaryFolder()
        let picture = try Variants.path("still.png")
        for (name, options) in [
            ("a", ["--metrics", "smile,joy", "--format", "csv,json"]),
            ("b", ["--metrics", "smile", "--metrics", "joy", "--format", "csv", "--format", "json"]),
        ] {
            let outcome = try ChildProcess.run(
                [Checkout.tool, "analyze", picture, "-q", "-o", name] + options, in: folder.path)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(folder.entries.contains("b/still.png.vidscan/faces.json"))
        try folder.expectSameTables("a/still.png.vidscan", "b/still.png.vidscan")
    }

    @Test("vidscan sample lists the frames that an analysis reads")
    func sample() throws {
        let folder = try TemporaryFolder()
        let outcome = try Tool.run("sample", Checkout.clip, "--rate", "0.5", in: folder)
        let rows = (0..<10).map { "\($0 * 2).000000,\($0 * 50)\n" }
        #expect(outcome.output == "time,frame\n" + rows.joined())
        #expect(outcome.errors == "")
        #expect(outcome.status == 0)
        let digests = try Tool.run(
            "sample", Checkout.clip, "--rate", "1", "--start", "0:01", "--end", "3.5", "--md5", in: folder)
        let table = try CSVTable(digests.output)
        #expect(table.columns == ["time", "frame", "md5"])
        #expect(try table.texts("time") == ["1.000000", "2.000000", "3.000000"])
        #expect(try table.texts("frame") == ["25", "50", "75"])
        for digest in try table.texts("md5") { #expect(digest.wholeMatch(of: /[0-9a-f]{32}/) != nil) }
    }

    @Test("vidscan sample fails with one line and status 1")
    func sampleFails() throws {
        let folder = try TemporaryFolder()
        let outcome = try Tool.run("sample", "missing.mp4", in: folder)
        #expect(outcome.errors == "vidscan: error: missing.mp4: cannot open: No such file or directory\n")
        #expect(outcome.status == 1)
    }
}
