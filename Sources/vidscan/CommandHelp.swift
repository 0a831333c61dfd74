internal import VidscanBase

/// A command as the argument parser describes it.
struct CommandHelp: Decodable {
    let commandName: String
    let shouldDisplay: Bool
    let defaultSubcommand: String?
    let subcommands: [CommandHelp]?
    let arguments: [Argument]?

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

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
