internal import ArgumentParser
internal import Glibc
internal import VidscanAnalysis

/// Prints files that are derived from the commands and the settings: the man page, the shell completions, and the
/// pipeline with every setting.
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
