public import VidscanBase
public import VidscanMedia

extension Settings {
    /// Which frames of a video are analysed.
    public struct Sample: Sendable, Equatable {
        public var rate = SampleGrid.Rate.perSecond(5)
        /// The start in microseconds on the video's clock; `nil` is the first frame.
        public var start: Int64?
        /// The end in microseconds on the video's clock, exclusive; `nil` is after the last frame.
        public var end: Int64?
        public var stream: Int?
        /// The index of the audio stream; `nil` is the one that belongs to the video.
        public var audioStream: Int?
        public var limits = MediaLimits()
    }

    static let sampleSection = SettingsSection(
        "sample", "Which frames of a video are analysed.", group: .frames,
        [
            Setting(
                "rate", \.sample.rate, value: "number",
                options: [.flag("every-frame", sets: SampleGrid.Rate.everyFrame.description, "Analyse every frame.")]
            ).help("Frames sampled per second: any positive number, a fraction such as 30000/1001, or every-frame."),
            Setting("start", \.sample.start, value: "time", null: "the first frame").help(
                "Where to start: seconds or [hh:]mm:ss."),
            Setting("end", \.sample.end, value: "time", null: "after the last frame").help(
                "Where to end (exclusive): seconds or [hh:]mm:ss."),
            Setting("stream", \.sample.stream, value: "index", null: "the best video stream").help(
                "Index of the video stream, as ffprobe reports it."),
            Setting(
                "audio_stream", \.sample.audioStream, value: "index", null: "the best audio stream", group: .faces,
                follows: "speech"
            ).help("Index of the audio stream for --speech, as ffprobe reports it."),
            Setting("max_pixels", \.sample.limits.maximumPixels, .integer(1...Int.max), value: "count").help(
                "Refuse videos whose frames have more pixels than this."),
            Setting(
                "max_duration", \.sample.limits.maximumDurationSeconds, .number(SettingKind.positive, unit: "seconds"),
                value: "seconds"
            ).help("Refuse videos that last longer than this many seconds."),
        ])

    static let speechSection = SettingsSection(
        "speech", "Who speaks.", group: .faces,
        [
            Setting("", \.speech, options: [.onOff("speech")]).help(
                "Find out who speaks, from the sound and the movements of each mouth. Reads the video a second time.")
        ])

    static let filtersSection = SettingsSection(
        "filters", "FFmpeg filters that every sampled frame passes before detection.", group: .filters,
        [
            Setting("", \.filters, options: [.value("filter", "filter")], null: "none").help(
                "FFmpeg filters that each frame passes before detection, such as eq=brightness=0.1. Repeat the"
                    + " option to chain filters; they replace those of a pipeline.")
        ])
}
