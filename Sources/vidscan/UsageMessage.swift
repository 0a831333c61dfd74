internal import VidscanBase

/// The argument parser's message for wrong usage on one line, and the probable intention.
struct UsageMessage {
    let original: String
    private let words: ArraySlice<String>

    init(_ original: String, of commandLine: ArraySlice<String>) {
        self.original = original
        words = commandLine.prefix { $0 != "--" }
    }

    var text: String {
        // The parser explains one word on several lines. The first is about the whole word.
        var line = original[..<(original.firstRange(of: "\n   or: ")?.lowerBound ?? original.endIndex)]
        if let (option, meant) = foreignOption { return "Unknown option '\(option)'; did you mean '\(meant)'?" }
        let subcommand = line.hasPrefix("Unknown option") ? BatchChecks.suggestion(for: words) : ""
        // A similar option would mislead here.
        if !subcommand.isEmpty, let end = line.firstRange(of: ". Did you mean") { line = line[..<end.lowerBound] }
        let hints = command + subcommand + file
        return (hints.isEmpty || line.last != "." ? String(line) : String(line.dropLast())) + hints
    }

    /// Options of other programs, and their equivalents.
    private static let foreignOptions = [
        "--fps": "--rate", "--framerate": "--rate", "--frame-rate": "--rate", "--sample-rate": "--rate",
        "--out": "--output", "--output-dir": "--output", "--outdir": "--output", "--overwrite": "--force",
    ]

    private var foreignOption: (option: String, meant: String)? {
        let found = Self.foreignOptions.first { original.hasPrefix("Unknown option '\($0.key)'") }
        guard let (option, meant) = found, let command = try? CommandHelp.root().command(of: words),
            command.arguments?.contains(where: { $0.names?.contains { $0.spelled == meant } == true }) == true
        else { return nil }
        return (option, meant)
    }

    /// The probable command, or empty.
    private var command: String {
        guard original.lowercased().contains("unexpected argument") else { return "" }
        return (try? CommandHelp.root().suggestion(for: words)) ?? ""
    }

    /// Advice about a file whose name was taken for options, or empty.
    private var file: String {
        for word in words where word.hasPrefix("-") && word.count > 1 && !word.contains("=") {
            let entry = FileSystem.entry(word)
            guard entry != nil || !word.hasPrefix("--") && word.dropFirst().contains(".") && Double(word) == nil else {
                continue
            }
            return "; if \(word) is a \(entry == .folder ? "folder" : "file"), write ./\(word)"
        }
        return ""
    }
}

/// A command as the argument parser describes it.
struct CommandHelp: Decodable {
    let commandName: String
    let shouldDisplay: Bool
    let defaultSubcommand: String?
    let subcommands: [CommandHelp]?
    let arguments: [Argument]?

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind, name: String

            /// `--rate` or `-o`
            var spelled: String { (kind == "short" ? "-" : "--") + name }
        }

        let names: [Name]?
    }

    private var listed: [CommandHelp] { (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" } }

    /// The command that the first words name, and the first word that names none.
    private func descend(_ words: some Sequence<String>) -> (command: CommandHelp, unknown: String?) {
        var command = self
        for word in words {
            guard let next = command.subcommands?.first(where: { $0.commandName == word }) else {
                return (command, word)
            }
            command = next
        }
        return (command, nil)
    }

    func command(of commandLine: some Sequence<String>) -> CommandHelp { descend(commandLine).command }

    /// `; did you mean 'analyze'?`, or empty unless an unknown subcommand resembles an existing one.
    func suggestion(for commandLine: some Sequence<String>) -> String {
        let (command, unknown) = descend(commandLine)
        guard let unknown, command.defaultSubcommand == nil, !unknown.hasPrefix("-") else { return "" }
        return NearestName.suggestion(for: unknown, among: command.listed.map(\.commandName))
    }

    /// For `help metrics`, which asks about an unknown command; otherwise `nil`.
    func unknownTopic(of commandLine: some Sequence<String>) -> String? {
        let words = Array(commandLine)
        guard words.first == "help" else { return nil }
        let (command, unknown) = descend(words.dropFirst().filter { !$0.hasPrefix("-") })
        guard let unknown else { return nil }
        let names = command.listed.map(\.commandName)
        let near = NearestName.suggestion(for: unknown, among: names)
        return "there is no command '\(unknown)'"
            + (!near.isEmpty || names.isEmpty ? near : "; the commands are \(names.joined(separator: ", "))")
    }
}
