internal import ArgumentParser
internal import VidscanResults

struct SchemaCommand: ParsableCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument { case text, markdown, json }

    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Explains the columns of the result tables.",
        discussion: """
            EXAMPLES
              vidscan schema
              vidscan schema gaze_yaw
              vidscan schema emotions
              vidscan schema tracks
              vidscan schema look_away
              vidscan schema --format markdown > columns.md
              vidscan schema --format json | jq '.[] | .columns[].name'
            """)

    @Argument(
        help: .value(
            "column",
            "Columns, groups of metrics (eyes, expressions, emotions, emojis, aus), files or events to explain. Default:"
                + " all."))
    var names: [String] = []

    @Option(help: "text, markdown or json.") var format: Format = .text

    func run() throws {
        let tables: [Schema.Table]
        do throws(UnknownColumn) {
            tables = names.isEmpty ? Schema.tables : try Schema.tables(explaining: names)
        } catch {
            throw ValidationError(error.description)
        }
        switch format {
        case .text: Output.write(Schema.text(tables))
        case .markdown: Output.write(Schema.markdown(tables))
        case .json: Output.write(Schema.json(tables))
        }
    }
}
