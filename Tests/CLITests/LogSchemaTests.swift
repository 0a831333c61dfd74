import Foundation
import Testing
import TestSupport

/// docs/log.schema.json describes every line, and every line is as it says.
@Suite("The JSON log keeps to its schema")
struct LogSchemaTests: BatchTesting {
    private let schema: [String: Any]
    private let properties: [String: [String: Any]]

    init() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Checkout.root + "/docs/log.schema.json"))
        schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        properties = try #require(schema["properties"] as? [String: [String: Any]])
    }

    /// The fields that lines of an event must have.
    private func required(_ event: String) throws -> Set<String> {
        var names = Set(try #require(schema["required"] as? [String]))
        for rule in try #require(schema["allOf"] as? [[String: Any]]) {
            let condition = (rule["if"] as? [String: Any])?["properties"] as? [String: [String: String]]
            guard condition?["event"]?["const"] == event else { continue }
            names.formUnion(try #require((rule["then"] as? [String: Any])?["required"] as? [String]))
        }
        return names
    }

    /// Checks each line, and returns the events with their lines.
    private func check(_ outcome: ChildProcess.Outcome) throws -> [String: [String: Any]] {
        var found: [String: [String: Any]] = [:]
        #expect(outcome.errorLines.count > 0)
        for text in outcome.errorLines {
            let line = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
            let event = try #require(line["event"] as? String)
            #expect(try required(event).subtracting(line.keys) == [], "\(text)")
            for (name, value) in line {
                let property = try #require(properties[name], "\(name) is not in the schema")
                if let words = property["enum"] as? [String] {
                    #expect(words.contains(value as? String ?? ""), "\(text)")
                    continue
                }
                // As it is written, because a decoder does not distinguish 1 from true.
                let isText = value is String
                let isFlag = text.contains("\"\(name)\":true") || text.contains("\"\(name)\":false")
                let isWhole = text.firstMatch(of: try Regex("\"\(name)\":-?[0-9]+[,}]")) != nil
                switch property["type"] as? String {
                case "string": #expect(isText, "\(name): \(text)")
                case "boolean": #expect(isFlag, "\(name): \(text)")
                case "integer": #expect(!isText && !isFlag && isWhole, "\(name): \(text)")
                case "number": #expect(!isText && !isFlag && value is Double, "\(name): \(text)")
                default: Issue.record("\(name) has no type in the schema")
                }
            }
            found[event] = line
        }
        return found
    }

    @Test("The schema names all events")
    func events() throws {
        let source = try String(contentsOfFile: Checkout.root + "/Sources/vidscan/ConsoleLog.swift", encoding: .utf8)
        let cases = source.split(separator: "\n").filter { $0.hasPrefix("    case ") }.flatMap { line in
            line.dropFirst("    case ".count).split(separator: ", ").map { name in
                // `fileDone = "file_done"`
                name.split(separator: "\"").count > 1 ? name.split(separator: "\"")[1] : name
            }
        }
        #expect(cases.count > 10)
        #expect(Set(properties["event"]?["enum"] as? [String] ?? []) == Set(cases.map(String.init)))
    }

    @Test("A batch writes a line per finished file, with numbers, and lines for what was skipped and what failed")
    func batch() throws {
        let folder = try makeFolder(["a \"1\".png"])
        try add("cut.mkv", from: "truncated.mkv", to: folder)
        try add("broken.mp4", from: "text.mp4", to: folder)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/in/gone.mp4", withDestinationPath: "nowhere")
        let first = try Tool.run(
            "batch", "in", "--output", "out", "--log-format", "json", "--exclude", "cut*", in: folder)
        let lines = try check(first)
        #expect(Set(lines.keys).isSuperset(of: ["skipped", "started", "file_done", "failed", "finished"]))
        #expect(lines["file_done"]?["input"] as? String == folder.path + "/in/a \"1\".png")
        #expect(lines["file_done"]?["result"] as? String == folder.path + "/out/a \"1\".png.vidscan")
        #expect(lines["file_done"]?["faces"] as? Int == 1)
        #expect(lines["file_done"]?["attempt"] as? Int == 1)
        #expect(lines["failed"]?["attempt"] as? Int == 1)
        let runs = try [first, batch(folder, "--shard", "0/1", "--log-format", "json", "--output", "sharded")].map {
            let lines = try check($0)
            #expect(Set(lines.values.map { $0["shard"] as? String }) == [lines["started"]?["shard"] as? String])
            return (Set(lines.values.map { $0["run"] as? String }), lines["started"]?["shard"] as? String)
        }
        #expect(runs.map(\.0.count) == [1, 1] && runs[0].0 != runs[1].0)
        #expect(runs.map(\.1) == [nil, "0/1"])
        #expect(lines["finished"]?["failed"] as? Int == 1)
        let second = try check(
            try Tool.run("batch", "in", "--output", "out", "--log-format", "json", "--verbose", in: folder))
        #expect(second["file_done"]?["warnings"] as? Int == 1)
        #expect(second["finished"]?["with_warnings"] as? Int == 1)
        #expect(second["retry_later"]?["files"] as? Int == 1)
        #expect(Set(first.errors.matches(of: /"host":"([^"]+)"/).map(\.1)).count == 1)
        let third = try check(
            try Tool.run(
                "batch", "in", "--output", "out", "--log-format", "json", "--only-missing", "report", in: folder))
        #expect(third["reported"] != nil)
        for _ in 0..<2 {
            _ = try Tool.run(
                "batch", "in", "--output", "out", "--quiet", "--only-failed", "--retries", "0", in: folder)
        }
        let fourth = try check(
            try Tool.run("batch", "in", "--output", "out", "--log-format", "json", "--retries", "0", in: folder))
        #expect(fourth["quarantined"]?["level"] as? String == "warning")
        #expect(fourth["finished"]?["quarantined"] as? Int == 1)
        #expect(fourth["finished"]?["failed"] as? Int == 0)
        for (days, count) in [("1", 0), ("0", 2)] {
            let pruned = try Tool.run(
                "batch", "prune", "out", "--older-than", days, "--log-format", "json", in: folder)
            #expect(try check(pruned)["pruned"]?["results"] as? Int == count)
        }
        #expect(
            try Tool.run("batch", "prune", "out", "--older-than", "0", "--quiet", in: folder).errors == "")
    }

    @Test("So do analyses, reports, exports, videos, corrections, searches and studies of people")
    func others() throws {
        let folder = try makeFolder(["a.png"])
        let corrections = """
            {"format": "vidscan corrections 1", "video": {"name": "a.png", "bytes": \(try folder.bytes("in/a.png").count)},
             "corrections": [{"do": "note", "time": 0, "text": "looks up"}]}
            """
        try Data(corrections.utf8).write(to: URL(fileURLWithPath: folder.path + "/corrections.json"))
        for (command, event) in [
            ("analyze in/a.png none.mp4 --verbose --people", "file_done"), ("report a.png.vidscan", "reported"),
            ("export a.png.vidscan --to vtt", "exported"), ("render a.png.vidscan", "rendered"),
            ("people a.png.vidscan", "people"), ("apply a.png.vidscan corrections.json", "corrected"),
            ("apply a.png.vidscan --undo", "corrected"), ("verify in/a.png", "verified"),
        ] {
            let words = command.split(separator: " ").map(String.init)
            let outcome = try ChildProcess.run([Checkout.tool] + words + ["--log-format", "json"], in: folder.path)
            #expect(try check(outcome)[event] != nil, "\(command): \(outcome.errors)")
        }
    }
}
