internal import ArgumentParser
internal import VidscanCore
internal import VidscanMedia

/// Which frames of a video are looked at.
struct VideoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Samples a second: any positive number, or a fraction such as 30000/1001.", valueName: "number"))
    var rate: SampleRateArgument = .standard

    @Flag(help: "Look at every frame instead.")
    var everyFrame = false

    @Option(help: ArgumentHelp("Where to begin: seconds or [hh:]mm:ss.", valueName: "time"))
    var start: TimeArgument?

    @Option(help: ArgumentHelp("Where to end (exclusive): seconds or [hh:]mm:ss.", valueName: "time"))
    var end: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Index of the video stream, as ffprobe counts. Default: the best video stream.", valueName: "index"))
    var stream: Int?

    @Option(help: ArgumentHelp("Refuse pictures of more pixels than this.", valueName: "count"))
    var maxPixels = MediaLimits().maximumPixels

    @Option(help: ArgumentHelp("Refuse videos that last longer than this many seconds.", valueName: "seconds"))
    var maxDuration = MediaLimits().maximumDurationSeconds

    var samplingRate: SampleGrid.Rate { everyFrame ? .everyFrame : .perSecond(rate.value) }
    var limits: MediaLimits { MediaLimits(maximumPixels: maxPixels, maximumDurationSeconds: maxDuration) }

    func validate() throws {
        if let start, let end, end.microseconds <= start.microseconds {
            throw ValidationError("--end must come after --start.")
        }
        if let stream, stream < 0 { throw ValidationError("--stream must be 0 or more.") }
        if maxPixels < 1 { throw ValidationError("--max-pixels must be 1 or more.") }
        if !(maxDuration > 0) { throw ValidationError("--max-duration must be positive.") }
    }
}

/// A positive number of samples a second.
struct SampleRateArgument: ExpressibleByArgument {
    let value: Rational

    static let standard = SampleRateArgument(value: Rational(5, 1) ?? .one)

    private init(value: Rational) {
        self.value = value
    }

    init?(argument: String) {
        guard let value = DecimalNumber.rational(argument), value.numerator > 0 else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { value.description }
}

/// A position in a video.
struct TimeArgument: ExpressibleByArgument {
    let microseconds: Int64

    init?(argument: String) {
        guard let microseconds = DecimalNumber.microseconds(argument) else { return nil }
        self.microseconds = microseconds
    }
}
