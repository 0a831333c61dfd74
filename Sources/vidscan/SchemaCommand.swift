internal import ArgumentParser
internal import VidscanResults

struct SchemaCommand: ParsableCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, markdown, json
    }

    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Explains the columns of the result tables.",
        discussion: """
            EXAMPLES
              vidscan schema
              vidscan schema --format markdown > columns.md
              vidscan schema --format json | jq '.[] | .columns[].name'
            """)

    @Option(help: "text, markdown or json.")
    var format: Format = .text

    func run() throws {
        switch format {
        case .text: Output.write(Schema.text, to: 1)
        case .markdown: Output.write(Schema.markdown, to: 1)
        case .json: Output.write(Schema.json, to: 1)
        }
    }
}
