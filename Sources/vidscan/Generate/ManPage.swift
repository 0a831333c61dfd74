internal import VidscanAnalysis
internal import VidscanBase

/// Generated from the help of the commands and the settings.
struct ManPage {
    private let root: CommandHelp
    private var roff = Roff()
    /// Options that override settings; each has a heading.
    private let settingOptions: [CommandHelp.Argument]

    init(_ root: CommandHelp) {
        self.root = root
        let analyze = root.listed.first { $0.commandName == "analyze" }
        settingOptions = (analyze?.arguments ?? []).filter { $0.sectionTitle != nil && $0.shouldDisplay }
    }

    mutating func text() -> String {
        roff = Roff()
        roff.macro("TH", "VIDSCAN", "1", "", "vidscan \(Vidscan.version)", "User Commands")
        roff.section("NAME")
        let abstract = root.abstract ?? ""
        let sentence = abstract.hasSuffix(".") ? abstract.dropLast() : abstract[...]
        roff.line("vidscan - " + sentence.prefix(1).lowercased() + sentence.dropFirst())
        writeSynopsis()
        roff.section("DESCRIPTION")
        for paragraph in Self.description { roff.paragraph(paragraph) }
        roff.section("COMMANDS")
        for command in root.listed { write(command, below: "vidscan") }
        writeOptions()
        writeSettings()
        writeFiles()
        roff.section("EXIT STATUS")
        for (status, meaning) in ExitStatus.meanings { roff.item([("\(status.code)", "")], meaning) }
        roff.section("EXAMPLES")
        roff.example(root.examples + root.listed.flatMap(\.examples))
        roff.section("SEE ALSO")
        roff.line("ffmpeg(1), ffprobe(1), ffmpeg-filters(1)")
        return roff.text
    }

    private static let description = [
        "vidscan samples the frames of a video on an exact time grid, detects the faces in each of them, tracks them"
            + " through the video, and measures them. It writes tables: one row per face and sampled frame, with the"
            + " frame's presentation timestamp, and one row per frame, per person and per event.",
        "From a finished result it makes a video with the faces marked, decorated or hidden, and a report page.",
        "Everything runs on this machine; nothing is sent anywhere.",
    ]

    private mutating func writeSynopsis() {
        roff.section("SYNOPSIS")
        for command in root.listed {
            roff.macro("SY", "vidscan \(command.commandName)")
            if !command.listed.isEmpty { roff.line(command.defaultSubcommand == nil ? "COMMAND" : "[COMMAND]") }
            roff.line("[OPTIONS]")
            for argument in command.arguments ?? [] where argument.kind == "positional" {
                roff.line(Self.placeholder(argument))
            }
            roff.macro("YS")
        }
    }

    private mutating func write(_ command: CommandHelp, below parent: String) {
        let name = "\(parent) \(command.commandName)"
        roff.subsection(name)
        roff.line(command.abstract ?? "")
        for paragraph in command.paragraphs {
            // Indented lines are a list, which may follow a sentence.
            let lines = paragraph.split(separator: "\n")
            let sentence = lines.prefix { !$0.hasPrefix("  ") }
            if !sentence.isEmpty { roff.paragraph(sentence.joined(separator: "\n")) }
            let list = lines.dropFirst(sentence.count)
            if !list.isEmpty { roff.example(list.map { String($0.hasPrefix("  ") ? $0.dropFirst(2) : $0) }) }
        }
        let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
        // A command may explain an option differently.
        let own = arguments.filter { argument in
            let isShared = settingOptions.contains {
                Self.longName($0) == Self.longName(argument) && $0.abstract == argument.abstract
            }
            let isHelp = ["help", "version"].contains(Self.longName(argument))
            return !isHelp && !(isShared && argument.sectionTitle != nil)
        }
        for option in Self.merged(own) { write(option) }
        let headings = settingOptions.compactMap(\.sectionTitle).uniqued()
        let taken = headings.filter(Set(arguments.compactMap(\.sectionTitle)).contains)
        if taken.count == headings.count {
            roff.paragraph("It takes all of the OPTIONS below.")
        } else if !taken.isEmpty {
            roff.paragraph(
                "It also takes the OPTIONS below under \(taken.map { "\"\($0)\"" }.joined(separator: ", ")).")
        }
        for subcommand in command.listed { write(subcommand, below: name) }
    }

    private mutating func writeOptions() {
        roff.section("OPTIONS")
        roff.line("Each option overrides the pipeline setting in parentheses.")
        for title in settingOptions.compactMap(\.sectionTitle).uniqued() {
            roff.subsection(title)
            for option in Self.merged(settingOptions.filter { $0.sectionTitle == title }) { write(option) }
        }
    }

    private mutating func writeSettings() {
        roff.section("PIPELINE FILES")
        roff.line(
            "A pipeline is a YAML file of settings, for --pipeline. \"vidscan pipelines show default\" prints one with every"
                + " setting; a pipeline needs only those that it changes. These settings have no option:")
        for setting in Setting.all where setting.options.isEmpty {
            roff.item([(setting.path, "")], setting.helpWithDefault)
        }
    }

    private mutating func writeFiles() {
        roff.section("FILES")
        let files = [
            ("INPUT.vidscan/faces.csv", "One row per face and sampled frame."),
            ("INPUT.vidscan/frames.csv", "One row per sampled frame."),
            ("INPUT.vidscan/tracks.csv", "One row per face."),
            ("INPUT.vidscan/events.csv", "Cuts, blinks, smiles, and faces that appear and disappear."),
            (
                "INPUT.vidscan/run.json",
                "The input, the settings and the software of the run. It is also a pipeline file."
            ),
            ("PREFIX/share/vidscan/pipelines/", "The pipelines that come with vidscan."),
            ("PREFIX/share/vidscan/models/", "The models."),
        ]
        for (path, words) in files { roff.item([("", path)], words) }
    }

    private mutating func write(_ arguments: [CommandHelp.Argument]) {
        guard let first = arguments.first else { return }
        let names = arguments.flatMap { $0.names ?? [] }.map(\.spelled).sorted { $0.count == 2 && $1.count > 2 }
        let value = first.kind == "flag" ? "" : first.valueName ?? ""
        let terms =
            first.kind == "positional"
            ? [(name: "", value: Self.placeholder(first))] : names.map { (name: $0, value: value) }
        let setting = Setting.all.first { setting in
            first.sectionTitle != nil && names.contains { setting.optionNames.contains($0) }
        }
        let preset = first.kind == "option" ? first.defaultValue.map { " Default: \($0)." } ?? "" : ""
        roff.item(terms, (first.abstract ?? "") + preset + (setting.map { " (\($0.path))" } ?? ""))
    }

    /// A flag precedes its inverse, which has the same description.
    private static func merged(_ arguments: [CommandHelp.Argument]) -> [[CommandHelp.Argument]] {
        arguments.reduce(into: []) { lists, argument in
            if argument.kind == "flag", let name = longName(argument), let last = lists.last?.first.flatMap(longName),
                name == "no-" + last
            {
                lists[lists.count - 1].append(argument)
            } else {
                lists.append([argument])
            }
        }
    }

    private static func longName(_ argument: CommandHelp.Argument) -> String? {
        argument.names?.first { $0.kind == "long" }?.name
    }

    /// `INPUT...`
    private static func placeholder(_ argument: CommandHelp.Argument) -> String {
        let name = (argument.valueName ?? "") + (argument.isRepeating ? "..." : "")
        return argument.isOptional ? "[\(name)]" : name
    }
}

extension Array where Element: Hashable {
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

/// In the macros of man(7).
struct Roff {
    private(set) var text = ""

    mutating func macro(_ name: String, _ arguments: String...) {
        text += ([".\(name)"] + arguments.map { "\"\(Self.escaped($0))\"" }).joined(separator: " ") + "\n"
    }

    mutating func section(_ title: String) { macro("SH", title) }

    mutating func subsection(_ title: String) { macro("SS", title) }

    mutating func paragraph(_ words: String) {
        macro("PP")
        line(words)
    }

    /// Bold terms with values in italics, and their description.
    mutating func item(_ terms: [(name: String, value: String)], _ words: String) {
        macro("TP")
        text +=
            terms.map { term in
                let name = term.name.isEmpty ? "" : "\\fB\(Self.escaped(term.name))\\fR"
                let value = term.value.isEmpty ? "" : "\\fI\(Self.escaped(term.value))\\fR"
                return [name, value].filter { !$0.isEmpty }.joined(separator: " ")
            }.joined(separator: ", ") + "\n"
        line(words)
    }

    /// `man` does not fill these lines.
    mutating func example(_ lines: [String]) {
        macro("PP")
        macro("EX")
        for line in lines { self.line("  " + line) }
        macro("EE")
    }

    /// May start with any character.
    mutating func line(_ words: String) {
        let escaped = Self.escaped(words.replacing("\n", with: " "))
        text += (escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" : "") + escaped + "\n"
    }

    private static func escaped(_ words: String) -> String {
        words.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "\"": "\\(dq"
            case "'": "\\(aq"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "`": "\\(ga"
            default:
                scalar.isASCII
                    ? "\(scalar)" : "\\[u\(NumberText.hexadecimal(scalar.value, digits: 4, uppercase: true))]"
            }
        }.joined()
    }
}
