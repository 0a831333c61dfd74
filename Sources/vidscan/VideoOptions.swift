internal import ArgumentParser
internal import VidscanCore
internal import VidscanMedia
internal import VidscanPipeline

/// Which frames of a video are looked at, and through which filters.
struct VideoOptions: ParsableArguments {
    @Option(help: .of("sample.rate", valueName: "number"), transform: SampleRateArgument.init(text:))
    var rate: SampleRateArgument?

    @Flag(help: "Look at every frame instead.")
    var everyFrame = false

    @Option(help: .of("sample.start", valueName: "time"))
    var start: TimeArgument?

    @Option(help: .of("sample.end", valueName: "time"))
    var end: TimeArgument?

    @Option(help: .of("sample.stream", valueName: "index"))
    var stream: Int?

    @Option(help: .of("sample.max_pixels", valueName: "count"))
    var maxPixels: Int?

    @Option(help: .of("sample.max_duration", valueName: "seconds"))
    var maxDuration: Double?

    @OptionGroup
    var filtering: FilterOptions

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        try list.add("sample.rate", rate.map { .text($0.value.description) }, "--rate")
        if everyFrame { try list.add("sample.rate", .text("every-frame"), "--every-frame") }
        try list.add("sample.start", start.map { .number(Double($0.microseconds) / 1e6) }, "--start")
        try list.add("sample.end", end.map { .number(Double($0.microseconds) / 1e6) }, "--end")
        try list.add("sample.stream", stream.map { .integer($0) }, "--stream")
        try list.add("sample.max_pixels", maxPixels.map { .integer($0) }, "--max-pixels")
        try list.add("sample.max_duration", maxDuration.map { .number($0) }, "--max-duration")
        return list.overrides + (try filtering.overrides())
    }

    func validate() throws {
        _ = try overrides()
        if let start, let end, end.microseconds <= start.microseconds {
            throw ValidationError("--end must come after --start.")
        }
    }
}

/// What pictures go through.
struct FilterOptions: ParsableArguments {
    @Option(
        name: .customLong("filter"),
        help: ArgumentHelp(
            "A filter of FFmpeg's, or several, that each picture goes through first: eq=brightness=0.1. Can be given"
                + " again; they take the place of a pipeline's.", valueName: "filter"))
    var filters: [String] = []

    @Flag(help: "Let filters reach files, the network and devices.")
    var allowFileFilters = false

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        if !filters.isEmpty {
            do {
                let chain = try FilterChain(steps: filters, allowsFiles: allowFileFilters)
                try list.add("filters", .filters(chain), "--filter")
            } catch let error as MediaError {
                throw ValidationError("--filter: \(error.message)")
            }
        }
        return list.overrides
    }

    func validate() throws { _ = try overrides() }
}

/// What the options of a command line set.
struct OverrideList {
    private(set) var overrides: [ResolvedConfiguration.Override] = []

    /// - Throws: `ValidationError` for a value that the key does not take.
    mutating func add(_ path: String, _ value: SettingValue?, _ option: String) throws {
        guard let value else { return }
        do {
            overrides.append(try ResolvedConfiguration.Override(path, value, option: option))
        } catch {
            throw ValidationError("\(error)")
        }
    }
}

extension ArgumentHelp {
    /// What a key means, with its default.
    static func of(_ path: String, valueName: String? = nil) -> ArgumentHelp {
        let key = PipelineKey.at(path)
        return ArgumentHelp(
            text: (key?.meaning ?? "") + (key?.presetText.map { " Default: \($0)." } ?? ""),
            valueName: valueName)
    }

    private init(text: String, valueName: String?) {
        self.init(text, valueName: valueName)
    }
}

/// A positive number of samples a second.
struct SampleRateArgument {
    let value: Rational

    init(text: String) throws {
        guard let value = DecimalNumber.rational(text) else {
            throw ValidationError("it is a number of samples a second: 5, 0.5 or 30000/1001.")
        }
        guard value.numerator > 0 else {
            throw ValidationError("it must be above 0; --every-frame looks at all of them.")
        }
        self.value = value
    }
}

/// A position in a video.
struct TimeArgument: ExpressibleByArgument {
    let microseconds: Int64

    init?(argument: String) {
        guard let microseconds = DecimalNumber.microseconds(argument) else { return nil }
        self.microseconds = microseconds
    }
}
