internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase

/// A command as the argument parser describes it.
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

            /// `--rate` or `-o`
            var spelled: String { (kind == "short" ? "-" : "--") + name }
        }

        let kind: String
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let abstract: String?
        let sectionTitle: String?
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
    }

    var listed: [CommandHelp] { (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" } }

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

    /// Without examples and other lists under a heading in capitals.
    var paragraphs: [String] { Array(blocks.prefix { !Self.isHeading($0) }) }

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

/// Prints files that derive from the commands and the settings.
struct GenerateCommand: ParsableCommand {
    enum Artifact: String, CaseIterable, ExpressibleByArgument {
        case man, bash, zsh, fish
        /// `pipelines/default.yaml`
        case pipeline
    }

    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Prints the man page, a shell's completions, or default.yaml.",
        shouldDisplay: false)

    @Argument(help: "What to print.")
    var artifact: Artifact

    func run() throws {
        let text: String
        switch artifact {
        case .man:
            var page = ManPage(try CommandHelp.root())
            text = page.text()
        case .bash: text = VidscanCommand.completionScript(for: .bash)
        case .zsh: text = VidscanCommand.completionScript(for: .zsh)
        case .fish: text = VidscanCommand.completionScript(for: .fish)
        case .pipeline: text = PipelineText.template
        }
        Output.write(text + (text.hasSuffix("\n") ? "" : "\n"))
    }
}
