import AnalysisSupport
import Foundation
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase
import VidscanMedia

@Suite("A setting is declared once, and everything else follows from it")
struct DeclarationTests {
    /// Made once for all tests, because it runs the tool once for each command.
    private static let madeManPage = Result {
        try ChildProcess.run([Checkout.root + "/scripts/man_page", Checkout.tool])
    }

    private static func manPage() throws -> String {
        let page = try madeManPage.get()
        try #require(page.status == 0, "\(page.errors)")
        return page.output
    }

    private static func tool(_ arguments: String...) throws -> String {
        let outcome = try ChildProcess.run([Checkout.tool] + arguments)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    /// Whether a text has the word, and not only as a part of another one.
    private static func has(_ text: String, _ word: String) -> Bool {
        var rest = text[...]
        while let range = rest.firstRange(of: word) {
            let before = text[..<range.lowerBound].last
            if before?.isLetter != true, before != "-", rest[range.upperBound...].first?.isPartOfName != true {
                return true
            }
            rest = rest[range.upperBound...]
        }
        return false
    }

    @Test("Settings have the same digest only if results do not differ")
    func digest() throws {
        let models = try Models.store(concurrency: 1)
        var settings = Settings(workers: 1)
        #expect(try Configuration(settings, models: models).digest.count == 64)
        let other = try Configuration(settings, models: models).digest
        (settings.sample.limits.maximumPixels, settings.sample.limits.maximumDurationSeconds) = (1, 1)
        #expect(try Configuration(settings, models: models).digest == other, "a finished result kept the limits")
        settings.detect.minimumFace = .nan
        #expect(try Configuration(settings, models: models).digest != other)
    }

    @Test("Help, man page, completions, schema and default pipeline have every setting")
    func everywhere() throws {
        let help = try Self.tool("analyze", "--help")
        let man = try Self.manPage().replacing("\\-", with: "-").replacing(/\\f[BIR]/, with: "")
        let completions = try ["bash", "zsh", "fish"].map { ($0, try Self.tool("--generate-completion-script", $0)) }
        let schema = try JSONDecoder().decode(Schema.self, from: Data(PipelineSchema.json.utf8))
        let template = try PipelineFile(
            text: PipelineTemplate.text, path: "default.yaml", filters: .run(allowsFiles: false))
        let record = try ChildProcess.run([Checkout.tool, "pipelines", "show", "default"]).output
        try #require(Setting.all.count > 50)
        for setting in Setting.all {
            #expect(Self.has(man, setting.path), "man: \(setting.path)")
            #expect(template.settings.contains { $0.setting.path == setting.path }, "default.yaml: \(setting.path)")
            #expect(Self.has(record, setting.name.isEmpty ? setting.path : setting.name), "show: \(setting.path)")
            let section = try #require(schema.properties[setting.section])
            let property = setting.name.isEmpty ? section : try #require(section.properties?[setting.name])
            #expect(property.description?.hasPrefix(setting.help) == true, "schema: \(setting.path)")
            #expect(property.options ?? [] == setting.optionNames)
            for name in setting.optionNames {
                #expect(Self.has(help, name), "help: \(name)")
                #expect(Self.has(man, name), "man: \(name)")
                for (shell, script) in completions {
                    // fish names options without their hyphens.
                    let word = shell == "fish" ? "-l '\(name.dropFirst(2))'" : name
                    #expect(script.contains(word), "\(shell): \(name)")
                }
            }
            // A sentence or several.
            #expect(setting.help.hasSuffix("."), "\(setting.path)")
        }
    }

    @Test("Every setting has its own name and options")
    func unique() {
        let paths = Setting.all.map(\.path)
        #expect(Set(paths).count == paths.count)
        let options = Setting.all.flatMap(\.optionNames)
        #expect(Set(options).count == options.count)
        #expect(Set(SettingGroup.allCases.flatMap(\.settings).map(\.path)) == Set(paths))
    }

    @Test("A file and an option accept the same values and refuse the same values")
    func parser() throws {
        let words = [
            "true", "yes", "5", "0", "-1", "0.5", "1e9", "nan", "12:34", "medium", "small", "csv", "csv,json",
            "every-frame",
            "30000/1001", "1,2,3,4", "blur", "null0", "é",
        ]
        var accepted = 0
        for setting in Setting.all where setting.kind != .filters {
            for word in words {
                let parsed = try? setting.kind.parse(word)
                let quoted = word.contains(",") || word.contains(":") ? "'\(word)'" : word
                let key = setting.name.isEmpty ? "" : "\n  \(setting.name):"
                let text = "\(setting.section):\(key) \(quoted)\n"
                let file = try? PipelineFile(text: text, path: "p.yaml", filters: .run(allowsFiles: false))
                #expect(file?.settings.first?.value == parsed, "\(setting.path): \(word)")
                if parsed != nil { accepted += 1 }
            }
        }
        #expect(accepted > 50)
    }

    @Test("The man page keeps the lines of a list that follows a sentence")
    func manPageLists() throws {
        let page = try Self.manPage()
        let list = try #require(page.components(separatedBy: "give pseudonyms:").dropFirst().first)
        let lines = list.split(separator: "\n").prefix(3).map { $0.prefix(8) }
        #expect(lines == [".PP", ".EX", #"  {\(dqd"#])
    }

    @Test("groff formats the man page without a warning")
    func manPage() throws {
        let found = try ChildProcess.run(["bash", "-c", "command -v groff"])
        guard found.status == 0 else { try skip(missing: .groff) }
        let folder = try TemporaryFolder()
        try folder.write(try Self.manPage(), to: "vidscan.1")
        let shown = try ChildProcess.run(["groff", "-man", "-Tutf8", "-ww", folder.path + "/vidscan.1"])
        #expect(shown.status == 0)
        #expect(shown.errors == "")
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "FILES", "EXIT STATUS", "EXAMPLES"] {
            #expect(try Self.manPage().contains(".SH \"\(section)\"\n"))
        }
    }

    private struct Schema: Decodable {
        struct Property: Decodable {
            let description: String?
            let properties: [String: Property]?
            let options: [String]?

            enum CodingKeys: String, CodingKey {
                case description, properties
                case options = "x-options"
            }
        }

        let properties: [String: Property]
    }
}

extension Character {
    fileprivate var isPartOfName: Bool { isLetter || isNumber || self == "-" || self == "_" }
}
