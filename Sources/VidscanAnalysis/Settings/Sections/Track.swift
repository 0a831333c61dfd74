public import VidscanFaces

extension Settings {
    /// How faces are tracked from frame to frame, and what counts as an event.
    public struct Track: Sendable, Equatable {
        /// The maximum number of people to keep, the most prominent by size and time on screen; `nil` keeps all.
        public var maximumFaces: Int?
        /// The time in seconds that a face may be out of sight and keep its `face_id`.
        public var maximumGapSeconds = 1.0
        /// The minimum number of samples of a track; shorter tracks are dropped, unless they last for the whole shot.
        public var minimumSamples = 2
        /// Whether to smooth boxes and landmarks over time.
        public var smoothing = true
        /// Whether tracks are linked to people by face embeddings. Otherwise by hair, clothes and the face's shape alone.
        public var person = true
        /// Whether the embeddings by which tracks are linked are written to `embeddings.npy`, so that people can be
        /// joined across videos. They are biometric data.
        public var keepsEmbeddings = false
        public var events = EventOptions()
    }

    static let trackSection = SettingsSection(
        "track", "How faces are tracked from frame to frame, and what counts as an event.", group: .faces,
        [
            Setting(
                "max_faces", \.track.maximumFaces, .integer(1...10_000), value: "count", null: "all",
                follows: "detect.faces"
            ).help("Keep this many people, the most prominent ones: size times time on screen."),
            Setting(
                "max_gap", \.track.maximumGapSeconds, .number(0...60, unit: "seconds"), value: "seconds",
                follows: "detect.min_confidence"
            ).help("How long a face may be out of sight and keep its face_id."),
            Setting(
                "min_track", \.track.minimumSamples, .integer(1...10_000), value: "samples", follows: "track.max_gap"
            ).help("Drop faces seen in fewer samples than this. In shorter shots, a face must be in every sample."),
            Setting("smoothing", \.track.smoothing, options: [.onOff("smoothing")], follows: "track.min_track").help(
                "Smooth boxes and landmarks over time, at about 7 or more samples per second."),
            Setting("person", \.track.person, options: [.onOff("person")], follows: "track.smoothing").help(
                "Tell people apart by face embeddings; otherwise by hair and clothes only."),
            Setting("keep_embeddings", \.track.keepsEmbeddings, options: [.onOff("people")], follows: "track.person")
                .help(
                    "Keep the face embeddings, which are biometric data, in embeddings.npy, so that people can be"
                        + " joined across videos; otherwise they are discarded."),
        ] + eventSettings)

    private static let eventSettings = [
        Setting("blink_min_rate", \.track.events.blinkMinimumRate, .number(1...1000, unit: "samples per second")).help(
            "Minimum sampling rate at which blinks are reported."),
        Setting("blink_longest", \.track.events.blinkLongestSeconds, .number(0...10, unit: "seconds")).help(
            "Longest closure of the eyes that is a blink. A longer one is eyes_closed."),
        Setting("eyes_closed_below", \.track.events.eyesClosedBelow, .number(0...100)).help(
            "The eyes close when their openness, relative to the person's open eyes, falls below this."),
        Setting("eyes_open_above", \.track.events.eyesOpenAbove, .number(0...100)).help(
            "The eyes open again when it rises above this."),
        Setting("smile_above", \.track.events.smileStartsAbove, .number(0...100)).help(
            "A smile starts, and has_smile is 1, when the smile score is above this."),
        Setting("smile_until_below", \.track.events.smileStopsBelow, .number(0...100)).help(
            "A smile stops when the smile score falls below this."),
        Setting("smile_hold", \.track.events.smileHoldSeconds, .number(0...60, unit: "seconds")).help(
            "How long a smile, or its absence, must last."),
        Setting("look_away_above", \.track.events.lookAwayAboveDegrees, .number(0...180, unit: "degrees")).help(
            "A face looks away when the angle between head and camera rises above this."),
        Setting("look_back_below", \.track.events.lookBackBelowDegrees, .number(0...180, unit: "degrees")).help(
            "A face looks back when the angle between head and camera falls below this."),
        Setting("look_away_hold", \.track.events.lookAwayHoldSeconds, .number(0...60, unit: "seconds")).help(
            "How long a face must look away."),
    ]
}
