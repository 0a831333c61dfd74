internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanMedia
internal import VidscanRender
internal import VidscanResults

// Commands that show what there is, and analyse nothing.

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
        do throws(UnknownColumn) {
            let tables = names.isEmpty ? Schema.tables : try Schema.tables(explaining: names)
            switch format {
            case .text: Output.write(Schema.text(tables))
            case .markdown: Output.write(Schema.markdown(tables))
            case .json: Output.write(Schema.json(tables))
            }
        } catch { throw ValidationError(error.description) }
    }
}

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
            guard let width = names.map(\.count).max() else { throw PipelinesCommand.nothingInstalled }
            for name in names {
                let file = try? PipelineLibrary.load(name, filters: .keep)
                Output.standard("\(name.padded(to: width))  \(file?.summary ?? "cannot be read")")
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
            do {
                Output.write(try settings.resolve(named: name, isOneVideo: true).yaml)
            } catch let error as PipelineFileError {
                for problem in error.problems { Output.error("vidscan: error: \(problem)") }
                throw ExitStatus.usage
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

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

struct FiltersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filters", abstract: "Lists, explains and previews FFmpeg's video filters.",
        discussion: """
            Lists the video filters of the installed libavfilter. 'vidscan analyze --filter' and the section 'filters' of \
            a pipeline take them in FFmpeg's syntax.

            EXAMPLES
              vidscan filters list --category denoise
              vidscan filters show eq
              vidscan filters preview movie.mp4 --at 1:05 --filter yadif -o sheet.png
            """,
        subcommands: [List.self, Show.self, FilterPreviewCommand.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the filters, by category.")

        @Option(help: "Only this category.") var category: FilterCategory?

        func run() {
            let filters = FilterCatalog.all
            let width = filters.map(\.name.count).max() ?? 0
            for group in FilterCategory.allCases where category == nil || category == group {
                let members = filters.filter { $0.category == group }
                if category == nil, !members.isEmpty { Output.standard("\(group.rawValue):") }
                let indent = category == nil ? "  " : ""
                for filter in members {
                    Output.standard("\(indent)\(filter.name.padded(to: width))  \(filter.summary)")
                }
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explains a filter: its inputs, outputs and options, with type, range and default.")

        @Argument(help: .value("filter", "The name of a filter.")) var name: String
        @Flag(help: "Print a JSON object.") var json = false

        func run() throws(VidscanError) {
            guard let text = FilterText.describe(name, asJSON: json) else { throw .input(FilterText.unknown(name)) }
            Output.write(text)
        }
    }
}

extension FilterCategory: ExpressibleByArgument {}

struct FilterPreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Writes a contact sheet: a frame of a video, before and after each filter.",
        discussion: """
            EXAMPLES
              vidscan filters preview movie.mp4 --at 12.5 --filter hqdn3d -o sheet.png
              vidscan filters preview movie.mp4 --pipeline lobby.yaml -o sheet.png
            """)

    @Argument(help: .value("input", "A video or picture.")) var input: String
    @Option("time", "Which frame: seconds or [hh:]mm:ss. Default: the first.") var at: TimeArgument?
    @Option(name: .shortAndLong, help: .value("file", "The PNG file to write.")) var output: String
    @Option("name|file", "Take the filters from a pipeline.") var pipeline: String?
    @OptionGroup var filters: FilterOptions
    @Flag(help: "Mark the faces that are detected after the last filter.") var markFaces = false
    @Flag(help: "Replace an existing file.") var force = false

    func validate() throws {
        try refuse(if: FilePath.fileExtension(of: output) != "png", "--output must name a file that ends in .png.")
    }

    func run() async throws {
        let file = try pipeline.map {
            try PipelineLibrary.load($0, filters: .run(allowsFiles: filters.allowFileFilters))
        }
        let settings = try ResolvedSettings(workers: 1, file: file, overrides: filters.overrides()).settings
        let models = markFaces ? try ModelStore() : nil
        let preview = FilterPreview(settings: settings, allowsFileFilters: filters.allowFileFilters, models: models)
        do { try preview.write(input: input, at: at?.microseconds ?? 0, to: output, replaces: force) } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.someFailed
        }
    }
}

/// Seconds or `[hh:]mm:ss`.
struct TimeArgument: ExpressibleByArgument {
    let microseconds: Int64

    init?(argument: String) {
        guard let microseconds = DecimalNumber.microseconds(argument) else { return nil }
        self.microseconds = microseconds
    }
}

struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample", abstract: "Lists the frames that an analysis would sample, without analysing them.",
        discussion: """
            Prints a CSV with the time and number of each frame and, with --md5, the checksum of its planes after the \
            filters. FFmpeg's framemd5 prints the same checksum, so that you can compare the samples with what other \
            tools decode.

            EXAMPLES
              vidscan sample movie.mp4 --rate 2
              vidscan sample movie.mp4 --md5 --start 10 --end 12
              vidscan sample movie.mp4 --md5 --filter yadif
            """)

    @Argument(help: .value("input", "A video or picture.")) var input: String
    @OptionGroup(title: "Which frames") var video: VideoOptions
    @Flag(name: .customLong("md5"), help: "Print the checksum of each frame's planes.") var printsDigest = false

    func run() async throws {
        _ = try InputFile(input)
        let settings = try ResolvedSettings(workers: 1, overrides: video.overrides()).settings
        do {
            let reader = try FrameReader(path: input, options: FrameReader.Options(settings))
            var writer = ByteWriter()
            writer.write(text: printsDigest ? "time,frame,md5\n" : "time,frame\n")
            while let frame = try reader.next() {
                var row: [Field] = [.microseconds(frame.microseconds), .integer(frame.index)]
                if printsDigest { row.append(.text(try frame.md5())) }
                writer.writeCSV(row: row)
                Output.print(writer.bytes)
                writer.removeAll()
            }
        } catch { throw VidscanError(.media(error.code), error.message, input: input) }
    }
}

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks that everything vidscan needs is installed.",
        discussion: "If something is missing, it says what to do, and exits with status 2.")

    func run() throws {
        let findings = Doctor.examine(cairo: DrawingVersion.cairo)
        for finding in findings {
            Output.standard("\(finding.remedy == nil ? "ok     " : "PROBLEM") \(finding.name): \(finding.value)")
            if let remedy = finding.remedy { Output.standard("        -> \(remedy)") }
        }
        if findings.contains(where: { $0.remedy != nil }) { throw ExitStatus.usage }
    }
}
