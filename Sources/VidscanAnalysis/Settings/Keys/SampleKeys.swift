internal import VidscanBase

enum SampleKeys {
    static let all = [
        PipelineKey(
            stage: .sample, name: "rate", kind: .rate, options: ["--rate", "--every-frame"],
            meaning: "Samples a second: any positive number, a fraction such as 30000/1001, or every-frame.",
            absence: nil, belongsToRun: false, value: { .text(text($0.analysis.rate)) }, set: setRate),
        PipelineKey(
            .sample, "start", ["--start"], time: \.analysis.start, "Where to begin: seconds or [hh:]mm:ss.",
            absence: "at the first frame"),
        PipelineKey(
            .sample, "end", ["--end"], time: \.analysis.end, "Where to end (exclusive): seconds or [hh:]mm:ss.",
            absence: "after the last frame"),
        PipelineKey(
            .sample, "stream", ["--stream"], \.analysis.streamIndex, 0...Int.max,
            "Index of the video stream, as ffprobe counts.", absence: "the best video stream"),
        PipelineKey(
            .sample, "max_pixels", ["--max-pixels"], \.analysis.limits.maximumPixels, 1...Int.max,
            "Refuse pictures of more pixels than this."),
        PipelineKey(
            .sample, "max_duration", ["--max-duration"], \.analysis.limits.maximumDurationSeconds,
            SettingKind.positive, unit: "seconds", "Refuse videos that last longer than this many seconds."),
    ]

    private static func text(_ rate: SampleGrid.Rate) -> String {
        switch rate {
        case .everyFrame: SettingKind.everyFrame
        case .perSecond(let rate): rate.description
        }
    }

    @Sendable private static func setRate(_ value: SettingValue, _ configuration: inout Configuration) {
        guard case .text(let text) = value else { return }
        if text == SettingKind.everyFrame {
            configuration.analysis.rate = .everyFrame
        } else if let rate = SampleRate.parse(text) {
            configuration.analysis.rate = .perSecond(rate)
        }
    }
}
