import VidscanFaces
import VidscanResults
import Foundation
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase
import VidscanMedia

@Suite("A pipeline file changes exactly the settings that it names")
struct PipelineFileTests {
    private func resolve(
        _ text: String, _ overrides: [ResolvedSettings.Override] = []
    ) throws -> ResolvedSettings {
        try ResolvedSettings(
            workers: 3, file: try PipelineFile(text: text, path: "p.yaml", filters: .run(allowsFiles: false)),
            overrides: overrides)
    }

    @Test("The option --style replaces the elements that a file names, and hiding what would leave faces visible")
    func overridden() throws {
        let style = try ResolvedSettings.Override("render.style", .text("plain"), option: "--style")
        let drawn = try resolve("render: {show: [mesh]}", [style]).settings.render
        #expect(drawn.show == nil && drawn.style == .plain)
        #expect(try resolve("render: {show: [mesh]}").settings.render.show == [.mesh])
        let hidden = try resolve("detect: {min_face: 0.1}\ntrack: {max_faces: 2}\nrender: {anonymize: blur}")
        #expect(hidden.settings.track.maximumFaces == nil && hidden.settings.detect.minimumFace == 0)
        #expect(hidden.notices.contains { $0.contains("track.max_faces from 2 to") })
    }

    @Test("Only the named settings differ from the defaults")
    func partial() throws {
        var expected = Settings(workers: 3)
        #expect(try resolve("").settings == expected)
        #expect(try resolve("detect:\n").settings == expected)
        expected.detect.accuracy = .high
        expected.track.maximumFaces = 2
        expected.track.events.smileStartsAbove = 70
        expected.write.formats = [.csv, .jsonl]
        expected.write.messages = .quiet
        let text = """
            description: two people
            detect: {accuracy: high}
            track:
              max_faces: 2
              smile_above: 70
            write:
              formats: [jsonl, csv]
              messages: quiet
            """
        #expect(try resolve(text).settings == expected)
    }

    @Test("The command line overrides the file, and each value has its origin")
    func origins() throws {
        let text = "sample:\n  rate: 2\ndetect:\n  accuracy: high\n"
        let resolved = try resolve(text, [.init("sample.rate", .text("10"), option: "--rate")])
        let origin = { (path: String) in try resolved.origin(of: #require(Setting.at(path))).description }
        #expect(try origin("sample.rate") == "option --rate")
        #expect(try origin("detect.accuracy") == "p.yaml:4")
        #expect(try origin("detect.faces") == "default")
        #expect(resolved.yaml.contains(/\n  rate: 10 +# option --rate\n/))
        #expect(resolved.yaml.contains(/\n  accuracy: high +# p\.yaml:4\n/))
        #expect(resolved.yaml.contains(/\n  max_faces: null +# default: all\n/))
    }

    @Test("Filters are a list of texts, one text, or names with options")
    func filters() throws {
        let wanted = try FilterChain(steps: ["yadif", "eq=brightness=0.1:gamma=1.2"], allowsFiles: false)
        let listed = "filters:\n  - yadif\n  - {filter: eq, options: {brightness: 0.1, gamma: 1.2}}\n"
        #expect(try resolve(listed).settings.filters == wanted)
        let text = "filters: yadif,eq=brightness=0.1:gamma=1.2\n"
        #expect(try resolve(text).settings.filters?.text == wanted.text)
        #expect(try resolve("filters: []\n").settings.filters == nil)
    }

    @Test("A pipeline file cannot permit its own filters to open files")
    func permission() throws {
        let folder = try TemporaryFolder()
        let cube = try folder.write(
            "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n", to: "a.cube")
        let text = "filters:\n  - {filter: lut3d, options: {file: \(cube)}}\n"
        #expect(throws: PipelineFileError.self) {
            try PipelineFile(text: text, path: "p.yaml", filters: .run(allowsFiles: false))
        }
        #expect(try PipelineFile(text: text, path: "p.yaml", filters: .run(allowsFiles: true)).settings.count == 1)
    }

    /// Any value that the setting takes.
    private func value(for setting: Setting, _ random: inout SeededGenerator) throws -> SettingValue {
        if setting.nullMeaning != nil, setting.path != "detect.workers", Bool.random(using: &random) { return .absent }
        // Values that go together.
        switch setting.path {
        case "render.codec": return .text("h264")
        case "render.crf": return .number(Double(Int.random(in: 0...51, using: &random)))
        case "render.height": return .integer(2 * Int.random(in: 8...2000, using: &random))
        case "render.anonymize", "write.tables", "render.keep", "render.hide", "render.keep_faces", "render.hide_faces",
            "render.covers", "render.publish", "render.approved_by":
            return .absent
        case "render.publish_verified": return .flag(false)
        default: break
        }
        switch setting.kind {
        case .flag: return .flag(.random(using: &random))
        case .integer(let range): return .integer(.random(in: range, using: &random))
        case .number(let range, _):
            let bounds = max(range.lowerBound, 0.001)...min(range.upperBound, 1e6)
            let value = Double.random(in: bounds, using: &random)
            return .number(Bool.random(using: &random) ? value : max(bounds.lowerBound, value.rounded(.down)))
        case .choice(let names): return .text(try #require(names.randomElement(using: &random)))
        case .list(let names):
            guard setting.path == "measure.metrics" else {
                return .list([try #require(names.randomElement(using: &random))])
            }
            return .list(Array(names.dropFirst(2).shuffled(using: &random).prefix(5)))
        case .ids: return .list(["2", "5"])
        case .rate: return .text(["5", "30000/1001", "15/2", "every-frame"].randomElement(using: &random) ?? "5")
        case .time: return .number(Double(Int.random(in: 0...900_000, using: &random)) / 1000)
        case .insets: return .text("1,22,333,0")
        case .text, .file, .folder:
            return .text(
                ["results", "a b: #1", "\"x\" \\ é", "true", "12", "null", "-x"].randomElement(using: &random) ?? "a")
        case .filters:
            let chains = [
                ["hflip"], ["yadif", "eq=gamma=1.2"], [#"drawtext=text='a\:b, "c"'"#], ["crop=10:10:'min(1,2)'"],
            ]
            return .filters(
                try FilterChain(steps: chains.randomElement(using: &random) ?? [], allowsFiles: false))
        }
    }

    @Test("A pipeline file made from any configuration gives the same configuration")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 5)
        var tried = 0
        for _ in 0..<4000 {
            let overrides = try Setting.all.map { setting in
                try ResolvedSettings.Override(setting.path, try value(for: setting, &random), option: "--x")
            }
            // Some go against the rules between keys.
            guard let resolved = try? ResolvedSettings(workers: 3, overrides: overrides) else { continue }
            tried += 1
            let again = try resolve(resolved.yaml)
            #expect(again.settings == resolved.settings)
            #expect(again.settings != Settings(workers: 3))
        }
        #expect(tried > 20)
    }

    /// Returns a value of a setting as YAML, at the edge of what a pipeline file can say.
    private func edge(of setting: Setting, _ random: inout SeededGenerator) -> String {
        let null = setting.nullMeaning == nil ? [] : ["null"]
        let words =
            switch setting.kind {
            case .flag: ["true", "false"]
            case .integer(let range): ["\(range.lowerBound)", "\(min(range.upperBound, 1 << 60))", "+7"]
            case .number: ["0", "-0.0", "1e-12", "5e-324", "1e16", "1.7e308", "0.1", "0.30000000000000004", "2"]
            case .choice(let names): names
            case .list(let names): [names[0], "[\(names.suffix(2).joined(separator: ", "))]"]
            case .ids: ["3", "[007, 1]", "+2"]
            case .rate: ["0.1", "1e-9", "30000/1001", "every-frame", "5.0", "\"5\""]
            case .time: ["0.000001", "1:02:03.5", "0", "99999999999.999999"]
            case .insets: ["1,2,3,4", "001,2,+3,4"]
            case .text, .file, .folder:
                [
                    #""a\x85b""#, #""a\u2028b\u2029""#, #""\ufeffa""#, #""\x7f\x9f""#, #""a\uffff\ufffe""#,
                    #""\u202e\u200b""#,
                    "\"😀\"", "~", "' a '", "NULL.", "-x", "\"a\\nb\"", ".", "/", "é",
                ]
            case .filters: ["hflip", "[hflip, ' vflip ']", "\"drawtext=text='a\\x85b\\u2028'\"", "\"null \""]
            }
        return (words + null).randomElement(using: &random) ?? ""
    }

    @Test("What a pipeline file says at the edge of its values is the same when it is written and read again")
    func edges() throws {
        var random = SeededGenerator(seed: 8)
        var tried: Set<String> = []
        for round in 0..<6000 {
            let paths = Set((0...round % 6).compactMap { _ in Setting.all.randomElement(using: &random)?.path })
            var text = ""
            for section in SettingsSection.all {
                let chosen = section.settings.filter { paths.contains($0.path) }
                if chosen.contains(where: { !$0.name.isEmpty }) { text += section.name + ":\n" }
                for setting in chosen {
                    let key = setting.name.isEmpty ? setting.path : "  " + setting.name
                    text += "\(key): \(edge(of: setting, &random))\n"
                }
            }
            guard let resolved = try? resolve(text) else { continue }
            tried.formUnion(paths)
            let again = try? resolve(resolved.yaml)
            #expect(again?.settings == resolved.settings, "\(text)")
        }
        #expect(tried.count == Setting.all.count, "\(Set(Setting.all.map(\.path)).subtracting(tried))")
    }

    @Test("People to keep visible are numbers, one or several")
    func people() throws {
        for (list, ids) in [("[2, 5]", [2, 5]), ("3", [3]), ("[5, 2, 5]", [2, 5])] {
            let resolved = try resolve("render:\n  anonymize: blur\n  keep: \(list)\n")
            #expect(resolved.settings.render.keptPeople?.ids == Set(ids))
            #expect(try resolve(resolved.yaml).settings == resolved.settings)
        }
        for list in ["[]", "[0]", "[a]", "-1"] {
            #expect(throws: PipelineFileError.self) { try resolve("render:\n  anonymize: blur\n  keep: \(list)\n") }
        }
    }

    @Test(
        "The schema and the default pipeline are checked in as they follow from the settings",
        arguments: [("schema.json", PipelineSchema.json), ("default.yaml", PipelineTemplate.text)])
    func generated(name: String, text: String) throws {
        let path = Checkout.root + "/pipelines/" + name
        if ProcessInfo.processInfo.environment["VIDSCAN_RECORD"] != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == text,
            "VIDSCAN_RECORD=1 scripts/test --filter PipelineFileTests")
    }

    @Test("The default pipeline has every setting, at its default")
    func defaults() throws {
        let file = try PipelineFile(path: Checkout.root + "/pipelines/default.yaml", filters: .run(allowsFiles: false))
        #expect(file.settings.map(\.setting.path) == Setting.all.map(\.path))
        #expect(try ResolvedSettings(workers: 3, file: file).settings == Settings(workers: 3))
    }

    @Test("Every shipped pipeline is valid and has a description")
    func shipped() throws {
        let folder = Checkout.root + "/pipelines"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
        #expect(
            Set(files).isSuperset(of: ["default.yaml", "fast.yaml", "interview.yaml", "nightly.yaml", "thorough.yaml"]))
        for name in files {
            let file = try PipelineFile(path: folder + "/" + name, filters: .run(allowsFiles: false))
            #expect(file.summary?.isEmpty == false, "\(name)")
            _ = try ResolvedSettings(workers: 1, file: file)
        }
    }
}
