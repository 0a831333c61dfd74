internal import VidscanBase
public import VidscanFaces

extension Settings {
    /// What is measured for each face.
    public struct Measure: Sendable, Equatable {
        /// The metrics besides landmarks, head pose and light. The columns of other metrics stay blank.
        public var metrics = Set(Metric.allCases)
        /// Whose resting levels emotions, emojis and events are relative to.
        public var baseline = BaselineScope.person
    }

    static let measureSection = SettingsSection(
        "measure", "What is measured for each face.", group: .faces,
        [
            Setting(
                name: "metrics", kind: .list(MetricChoice.names), options: [.value("metrics", "list")],
                help:
                    "Metrics besides landmarks and head pose: column names, or the groups eyes, expressions, emotions,"
                    + " emojis, aus, all, none.",
                get: { .list(MetricChoice.names(of: $0.measure.metrics)) },
                set: { value, settings in
                    guard let metrics = value.list.flatMap(MetricChoice.metrics(named:)) else { return }
                    settings.measure.metrics = metrics
                }),
            Setting("baseline", \.measure.baseline, value: "whose").help(
                "Judge emotions, emojis and events relative to the resting face of the person, of each face_id"
                    + " (track), or not at all (none). It needs five seconds of a video that show the face well."),
        ])
}

extension BaselineScope: SettingChoice {}

/// Selects metrics by name or by the name of their group.
public enum MetricChoice {
    public static let names = groups + Metric.allCases.map(\.rawValue)

    /// The names that select several metrics.
    static let groups = ["all", "none"] + Metric.Group.allCases.map(\.rawValue)

    /// Returns what to do about a name that is not a metric but means something known, such as `; did you mean 'joy'?`.
    static func hint(for name: String) -> String? {
        let name = name.lowercased()
        if let metric = synonyms[name] { return "; did you mean '\(metric)'?" }
        if ["blink", "blinks", "eye_blink", "blink_rate"].contains(name) {
            let rate = NumberText.plain(EventOptions().blinkMinimumRate)
            return "; blinks are events, which come with any metrics and need --rate \(rate)"
        }
        if ["yaw", "pitch", "roll", "pose", "head_pose", "brightness", "sharpness"].contains(name) {
            return "; \(name) is always measured"
        }
        return nil
    }

    private static let synonyms: [String: Metric.RawValue] = [
        "happiness": "joy", "happy": "joy", "angry": "anger", "scared": "fear", "afraid": "fear",
        "eye_contact": "attention", "action_units": "aus", "facs": "aus",
    ]

    /// - Returns: `nil` if a name is neither a metric nor a group.
    public static func metrics(named names: [String]) -> Set<Metric>? {
        guard names.allSatisfy(Self.names.contains) else { return nil }
        return Set(Metric.allCases.filter { $0.isChosen(by: names) })
    }

    /// Returns the shortest list of names that selects the metrics.
    static func names(of metrics: Set<Metric>) -> [String] {
        if metrics.isEmpty { return ["none"] }
        if metrics.count == Metric.allCases.count { return ["all"] }
        return Metric.Group.allCases.flatMap { group in
            let members = Metric.allCases.filter { $0.group == group }
            let chosen = members.filter(metrics.contains)
            return chosen.count == members.count ? [group.rawValue] : chosen.map(\.rawValue)
        }
    }
}
