internal import ArgumentParser
internal import VidscanPipeline

struct PipelinesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipelines",
        abstract: "Lists, shows and checks pipelines: the settings of a run, as files.",
        discussion: """
            A pipeline is a YAML file whose sections are the stages of an analysis. 'vidscan analyze --pipeline' takes a \
            shipped one by its name, or any file.

            EXAMPLES
              vidscan pipelines list
              vidscan pipelines show thorough --rate 10
              vidscan pipelines check nightly.yaml
              vidscan pipelines schema > pipeline.schema.json
            """,
        subcommands: [List.self, Show.self, Check.self, SchemaText.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the pipelines that come with vidscan.")

        func run() throws {
            let names = PipelineLibrary.names
            guard !names.isEmpty else {
                Output.error("vidscan: error: no pipelines are installed; 'make install' puts them beside the models")
                throw ExitStatus.usage
            }
            let width = names.map(\.count).max() ?? 0
            for name in names {
                let file = try? PipelineLibrary.load(name, filters: .keep)
                Output.standard(Columns.line(name, width: width, file?.summary ?? "cannot be read"))
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the whole configuration of a pipeline, and where each value comes from.",
            discussion: """
                What it prints is a pipeline file itself. Options of 'vidscan analyze' can be given too, to see what they \
                come to.

                EXAMPLES
                  vidscan pipelines show default
                  vidscan pipelines show movie.mp4.vidscan/run.json > repeat.yaml
                """)

        @Argument(help: ArgumentHelp("A shipped pipeline, a YAML file, or a run.json.", valueName: "name|file"))
        var name: String

        @OptionGroup
        var settings: SettingOptions

        func validate() throws {
            if settings.pipeline != nil { throw ValidationError("name the pipeline without --pipeline.") }
        }

        func run() throws {
            do {
                Output.write(try settings.resolve(named: name).yaml, to: 1)
            } catch let error as PipelineFileError {
                for problem in error.problems { Output.error("vidscan: error: \(problem)") }
                throw ExitStatus.usage
            } catch {
                Output.error("vidscan: error: \(error)")
                throw ExitStatus.usage
            }
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks pipeline files and tells everything that is wrong.")

        @Argument(help: ArgumentHelp("Shipped pipelines or YAML files.", valueName: "name|file"))
        var names: [String]

        @Flag(help: "Let filters reach files, the network and devices.")
        var allowFileFilters = false

        func run() throws {
            var failures = 0
            for name in names {
                do {
                    let file = try PipelineLibrary.load(name, allowsFileFilters: allowFileFilters)
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

        func run() {
            Output.write(PipelineSchema.json, to: 1)
        }
    }
}

/// Two columns of text.
enum Columns {
    static func line(_ first: String, width: Int, _ second: String) -> String {
        first + String(repeating: " ", count: max(0, width - first.count) + 2) + second
    }
}
