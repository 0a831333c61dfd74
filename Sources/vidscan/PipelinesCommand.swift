internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase

struct PipelinesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipelines", abstract: "Lists, shows and checks pipelines: files with the settings of a run.",
        discussion: """
            A pipeline is a YAML file of settings. 'vidscan analyze --pipeline' takes the name of a shipped pipeline, or \
            the path of a file.

            EXAMPLES
              vidscan pipelines list
              vidscan pipelines show thorough --rate 10
              vidscan pipelines check nightly.yaml
              vidscan pipelines schema > pipeline.schema.json
            """,
        subcommands: [List.self, Show.self, Check.self, SchemaText.self])

    private static let nothingInstalled = VidscanError(
        .setup, "no pipelines are installed; 'make install' installs them")

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the pipelines that come with vidscan.")

        func run() throws {
            let names = PipelineLibrary.names
            guard !names.isEmpty else { throw PipelinesCommand.nothingInstalled }
            let width = names.map(\.count).max() ?? 0
            for name in names {
                let file = try? PipelineLibrary.load(name, filters: .keep)
                Output.standard(Columns.line(name, width: width, file?.summary ?? "cannot be read"))
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows all settings of a pipeline, and where each value comes from.",
            discussion: """
                The output is a pipeline file. Add options of 'vidscan analyze' to see their effect.

                EXAMPLES
                  vidscan pipelines show default
                  vidscan pipelines show movie.mp4.vidscan/run.json > repeat.yaml
                """)

        @Argument(help: .value("name|file", "A shipped pipeline, a YAML file, or a run.json.")) var name: String
        @OptionGroup var settings: SettingOptions

        func validate() throws { try refuse(if: settings.pipeline != nil, "name the pipeline without --pipeline.") }

        func run() throws {
            try ExitStatus.usage.onError {
                do {
                    Output.write(try settings.resolve(named: name, isOneVideo: true).yaml)
                } catch let error as PipelineFileError {
                    for problem in error.problems { Output.error("vidscan: error: \(problem)") }
                    throw ExitStatus.usage
                }
            }
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Checks pipeline files and reports every error.")

        @Argument(help: .value("name|file", "Shipped pipelines or YAML files.")) var names: [String]
        @Flag(help: "Allow filters to access files, the network and devices.") var allowFileFilters = false

        func run() throws {
            var failures = 0
            for name in names {
                do {
                    let file = try PipelineLibrary.load(name, filters: .run(allowsFiles: allowFileFilters))
                    _ = try ResolvedSettings(workers: 1, file: file)
                    Output.standard("\(name): ok")
                } catch {
                    failures += 1
                    let problems = (error as? PipelineFileError)?.problems.map(\.description) ?? ["\(name): \(error)"]
                    for problem in problems { Output.standard(problem) }
                }
            }
            if failures > 0 { throw ExitStatus.someFailed }
        }
    }

    struct SchemaText: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Prints the JSON Schema of pipeline files, for editors.")

        func run() throws {
            guard let schema = try PipelineLibrary.schema() else { throw PipelinesCommand.nothingInstalled }
            Output.write(schema)
        }
    }
}

enum Columns {
    static func line(_ first: String, width: Int, _ second: String) -> String {
        first + String(repeating: " ", count: max(0, width - first.count) + 2) + second
    }
}
