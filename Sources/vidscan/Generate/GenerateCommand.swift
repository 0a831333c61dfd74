internal import ArgumentParser
internal import Glibc

/// Prints what belongs to an installation and is derived from the commands: the man page and the shells' completions.
struct GenerateCommand: ParsableCommand {
    enum Artifact: String, CaseIterable, ExpressibleByArgument {
        case man, bash, zsh, fish
    }

    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Prints the man page, or the completions for a shell.",
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
        }
        Output.write(text + (text.hasSuffix("\n") ? "" : "\n"), to: STDOUT_FILENO)
    }
}
