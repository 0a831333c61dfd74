internal import VidscanBase
internal import VidscanFaces

enum TrackKeys {
    static let all = [
        PipelineKey(
            .track, "max_faces", ["--max-faces"], \.analysis.maximumFaces, 1...10_000,
            "Keep this many people of the video, the most prominent: size times time in sight.", absence: "all"),
        PipelineKey(
            .track, "max_gap", ["--max-gap"], \.analysis.maximumGapSeconds, 0...60, unit: "seconds",
            "How long a face may be hidden and keep its face_id."),
        PipelineKey(
            .track, "min_track", ["--min-track"], \.analysis.minimumTrackSamples, 1...10_000,
            "Leave out faces seen in fewer samples than this: they only flicker. Shots that are shorter keep theirs."),
        PipelineKey(
            stage: .track, name: "smoothing", kind: .flag, options: ["--smoothing", "--no-smoothing"],
            meaning: "Smooth boxes and points over time, from 8 samples a second on, or write them as found.",
            absence: nil, belongsToRun: false,
            value: { .flag($0.analysis.smoothing != nil) },
            set: { if case .flag(let smooths) = $0 { $1.analysis.smoothing = smooths ? LocalRegression() : nil } }),
        PipelineKey(
            .track, "blink_min_rate", [], \.analysis.events.blinkMinimumRate, 1...1000, unit: "samples a second",
            "Below this sampling rate blinks cannot be told, and are not written."),
        PipelineKey(
            .track, "blink_longest", [], \.analysis.events.blinkLongestSeconds, 0...10, unit: "seconds",
            "A longer closure of the eyes is no blink, but eyes_closed."),
        PipelineKey(
            .track, "eyes_closed_below", [], \.analysis.events.eyesClosedBelow, 0...100,
            "Mean openness of both eyes below which they close."),
        PipelineKey(
            .track, "eyes_open_above", [], \.analysis.events.eyesOpenAbove, 0...100,
            "Mean openness of both eyes above which they are open again."),
        PipelineKey(
            .track, "smile_above", [], \.analysis.events.smileStartsAbove, 0...100,
            "The smile score above which a smile starts."),
        PipelineKey(
            .track, "smile_until_below", [], \.analysis.events.smileStopsBelow, 0...100,
            "The smile score below which a smile stops."),
        PipelineKey(
            .track, "smile_hold", [], \.analysis.events.smileHoldSeconds, 0...60, unit: "seconds",
            "How long a smile, or its absence, must hold."),
        PipelineKey(
            .track, "look_away_above", [], \.analysis.events.lookAwayAboveDegrees, 0...180, unit: "degrees",
            "The angle between head and camera above which a face looks away."),
        PipelineKey(
            .track, "look_back_below", [], \.analysis.events.lookBackBelowDegrees, 0...180, unit: "degrees",
            "The angle between head and camera below which a face looks back."),
        PipelineKey(
            .track, "look_away_hold", [], \.analysis.events.lookAwayHoldSeconds, 0...60, unit: "seconds",
            "How long looking away must hold."),
    ]
}
