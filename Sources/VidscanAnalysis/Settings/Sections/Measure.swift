public import VidscanFaces

extension Settings {
    /// What is measured for each face.
    public struct Measure: Sendable, Equatable {
        /// The metrics besides landmarks, head pose and light. The columns of other metrics stay blank.
        public var metrics = Set(Metric.allCases)
        /// Whose resting levels emotions, emojis and events are relative to.
        public var baseline = BaselineScope.person
    }
}

extension BaselineScope: SettingChoice {}

extension Settings.Measure {
    static let declarations = [
        Setting(
            .measure, "metrics", .list(MetricChoice.names), [.value("metrics", "list")],
            "Metrics besides landmarks and head pose: column names, or the groups eyes, expressions, emotions, emojis, aus,"
                + " all, none.",
            get: { .list(MetricChoice.names(of: $0.measure.metrics)) },
            set: { value, settings in
                guard case .list(let names) = value, let metrics = MetricChoice.metrics(named: names) else { return }
                settings.measure.metrics = metrics
            }),
        Setting(
            .measure, "baseline", \.measure.baseline, options: [.value("baseline", "whose")],
            "Judge emotions, emojis and events by what the face looks like at rest: that of the person, of each face_id"
                + " (track), or none. It needs five seconds of a video that show the face well."),
    ]
}

/// Selects metrics by name or by the name of their group.
public enum MetricChoice {
    public static let names =
        ["all", "none"] + Metric.Group.allCases.map(\.rawValue) + Metric.allCases.map(\.rawValue)

    /// - Returns: `nil` if a name is neither a metric nor a group.
    public static func metrics(named names: [String]) -> Set<Metric>? {
        var metrics: Set<Metric> = []
        for name in names {
            if name == "all" {
                metrics.formUnion(Metric.allCases)
            } else if let group = Metric.Group(rawValue: name) {
                metrics.formUnion(Metric.allCases.filter { $0.group == group })
            } else if let metric = Metric(rawValue: name) {
                metrics.insert(metric)
            } else if name != "none" {
                return nil
            }
        }
        return metrics
    }

    /// Returns the shortest list of names that selects the metrics.
    static func names(of metrics: Set<Metric>) -> [String] {
        if metrics.isEmpty { return ["none"] }
        if metrics.count == Metric.allCases.count { return ["all"] }
        var names: [String] = []
        for group in Metric.Group.allCases {
            let members = Metric.allCases.filter { $0.group == group }
            let chosen = members.filter(metrics.contains)
            names += chosen.count == members.count ? [group.rawValue] : chosen.map(\.rawValue)
        }
        return names
    }
}
