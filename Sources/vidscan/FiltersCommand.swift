internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanMedia

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

        @Option(
            help: .value("category", "Only this category: \(FilterCategory.names.joined(separator: ", "))."),
            transform: FilterCategory.init(argument:))
        var category: FilterCategory?

        func run() {
            let filters = FilterCatalog.all
            let width = filters.map(\.name.count).max() ?? 0
            for group in FilterCategory.allCases where category == nil || category == group {
                let members = filters.filter { $0.category == group }
                guard !members.isEmpty else { continue }
                if category == nil { Output.standard("\(group.rawValue):") }
                let indent = category == nil ? "  " : ""
                for filter in members {
                    Output.standard(indent + Columns.line(filter.name, width: width, filter.summary))
                }
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explains a filter: its inputs, outputs and options, with type, range and default.")

        @Argument(help: .value("filter", "The name of a filter.")) var name: String
        @Flag(help: "Print a JSON object.") var json = false

        func run() throws {
            guard let text = FilterText.describe(name, asJSON: json) else {
                Output.error("vidscan: error: \(FilterText.unknown(name))")
                throw ExitStatus.usage
            }
            Output.write(text)
        }
    }
}

extension FilterCategory {
    fileprivate static let names = allCases.map(\.rawValue)

    fileprivate init(argument: String) throws {
        guard let category = FilterCategory(rawValue: argument) else {
            throw ValidationError(
                "allowed: one of \(Self.names.joined(separator: ", "))"
                    + NearestName.suggestion(for: argument, among: Self.names))
        }
        self = category
    }
}

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

    func run() async throws {
        let preview = try ExitStatus.usage.onError {
            let file = try pipeline.map {
                try PipelineLibrary.load($0, filters: .run(allowsFiles: filters.allowFileFilters))
            }
            let settings = try ResolvedSettings(workers: 1, file: file, overrides: filters.overrides()).settings
            let models = markFaces ? try ModelStore() : nil
            return FilterPreview(settings: settings, allowsFileFilters: filters.allowFileFilters, models: models)
        }
        try ExitStatus.someFailed.onError {
            try preview.write(input: input, at: at?.microseconds ?? 0, to: output, replaces: force)
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
