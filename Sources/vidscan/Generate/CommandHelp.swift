internal import ArgumentParser
internal import Foundation
internal import VidscanBase

/// A command with its arguments and subcommands, as the argument parser describes it.
struct CommandHelp: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool
    let defaultSubcommand: String?
    let subcommands: [CommandHelp]?
    let arguments: [Argument]?

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            /// The name with its dashes, for example `--rate` or `-o`.
            var spelled: String { (kind == "short" ? "-" : "--") + name }
        }

        let kind: String
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let abstract: String?
        /// The heading of the help that lists the argument.
        let sectionTitle: String?
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
    }

    /// Returns the description of the whole program.
    ///
    /// - Throws: `DecodingError` if the parser describes commands in another format.
    static func root() throws -> CommandHelp {
        struct Dump: Decodable { let command: CommandHelp }
        return try JSONDecoder().decode(Dump.self, from: Data(VidscanCommand._dumpHelp().utf8)).command
    }

    /// The subcommands that the help lists.
    var listed: [CommandHelp] { (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" } }

    /// Returns, for example, `; did you mean 'analyze'?` if the command line names a subcommand that does not exist,
    /// but a similar one does.
    func suggestion(for commandLine: some Sequence<String>) -> String {
        var command = self
        for word in commandLine {
            guard command.defaultSubcommand == nil, !command.listed.isEmpty, !word.hasPrefix("-") else { break }
            guard let next = command.subcommands?.first(where: { $0.commandName == word }) else {
                return NearestName.suggestion(for: word, among: command.listed.map(\.commandName))
            }
            command = next
        }
        return ""
    }

    /// Returns the command that the command line names: the program itself if it names none.
    func command(of commandLine: some Sequence<String>) -> CommandHelp {
        var command = self
        for word in commandLine {
            guard let next = command.subcommands?.first(where: { $0.commandName == word }) else { break }
            command = next
        }
        return command
    }

    /// Returns what is wrong with a command line such as `help metrics`, which asks for the help of a command that does not
    /// exist; `nil` if nothing is.
    func unknownTopic(of commandLine: some Sequence<String>) -> String? {
        var words = Array(commandLine)
        guard words.first == "help" else { return nil }
        words.removeFirst()
        words.removeAll { $0.hasPrefix("-") }
        var command = self
        for word in words {
            guard let next = command.subcommands?.first(where: { $0.commandName == word }) else {
                let names = command.listed.map(\.commandName)
                let near = NearestName.suggestion(for: word, among: names)
                return "there is no command '\(word)'"
                    + (!near.isEmpty || names.isEmpty ? near : "; the commands are \(names.joined(separator: ", "))")
            }
            command = next
        }
        return nil
    }

    // MARK: The discussion

    /// The paragraphs of the discussion, without examples and other lists under a heading in capitals.
    var paragraphs: [String] { Array(blocks.prefix { !Self.isHeading($0) }) }

    /// The lines under `EXAMPLES`.
    var examples: [String] {
        guard let block = blocks.first(where: { $0.hasPrefix("EXAMPLES\n") }) else { return [] }
        return block.split(separator: "\n").dropFirst().map { String($0.hasPrefix("  ") ? $0.dropFirst(2) : $0) }
    }

    private var blocks: [String] {
        (discussion ?? "").components(separatedBy: "\n\n").map { $0.trimmingCharacters(in: .newlines) }
            .filter { !$0.isEmpty }
    }

    private static func isHeading(_ block: String) -> Bool {
        block.prefix { $0 != "\n" }.allSatisfy { $0.isUppercase || $0 == " " }
    }
}
