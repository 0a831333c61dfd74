/// The face at rest to which emotions, emojis and events are relative.
public enum BaselineScope: String, Sendable, CaseIterable, Codable {
    /// From all of the person's tracks.
    case person
    /// From the face_id alone.
    case track
    /// Every sample is judged by itself.
    case none
}

/// A person's face at rest: the level of each expression, and how far open each eye is, 0…100. It takes away no more
/// than some people's neutral faces show: heavy brows become neutral, but a constant smile stays.
package struct RestingLevels: Sendable, Equatable {
    /// Gaze, the head's direction, flags, emotions and emojis have no resting level.
    package static let metrics = Metric.allCases.filter { NeutralFaces.levels[$0] != nil || openEyes.contains($0) }
    static let openEyes: [Metric] = [.leftEyeOpenness, .rightEyeOpenness]

    private let levels: [Metric: Double]

    package init(_ levels: [Metric: Double]) { self.levels = levels }

    /// As measured; `nil` if the metric has no level.
    package subscript(metric: Metric) -> Double? { levels[metric] }

    /// Returns what the value would be if the person's face at rest were a typical one: 0…100, higher for a higher
    /// value. An expression's resting level becomes that of a typical neutral face, with straight lines to 0 and 100;
    /// an eye's openness becomes a percentage of its open level.
    package func relative(_ value: Double, of metric: Metric) -> Double {
        guard let level = levels[metric] else { return value }
        if Self.openEyes.contains(metric) { return min(100 * value / max(level, Self.lowestOpenLevel), 100) }
        guard let neutral = NeutralFaces.levels[metric] else { return value }
        let rest = min(max(level, neutral.typical), neutral.highest)
        guard rest > neutral.typical else { return value }
        return value <= rest
            ? value * neutral.typical / rest : neutral.typical + (value - rest) / (100 - rest) * (100 - neutral.typical)
    }

    /// Narrower eyes are not open: of 223 people with five pictures or more, nobody's are this narrow.
    static let lowestOpenLevel = 50.0
}

/// Estimates a person's resting levels from the samples that show the face well, in any order and constant memory.
///
/// An expression's level is a low quantile, because muscles at rest do not pull: the face must rest at least a quarter
/// of the time. An eye's is a high one, because blinks and a lowered gaze make it smaller. Others use the median
/// (Baltrušaitis et al., "Cross-dataset learning and person-specific normalisation for automatic AU detection", 2015).
package struct RestingLevelEstimate: Sendable {
    /// Time of samples that a level needs.
    package static let minimumSeconds = 5.0
    /// Maximum time in seconds that a sample counts for: at a low sampling rate, a few samples are not enough.
    package static let longestSample = 0.2
    static let restingQuantile = 0.25, openQuantile = 0.9

    private var histograms = RestingLevels.metrics.map { _ in StreamingHistogram(range: 0...100) }
    private var seconds = 0.0

    package init() {}

    /// Adds a sample: the time between samples in seconds, and the values of metrics, 0…100.
    package mutating func add(seconds: Double, _ value: (Metric) -> Double?) {
        self.seconds += min(seconds, Self.longestSample)
        for (index, metric) in RestingLevels.metrics.enumerated() {
            if let value = value(metric) { histograms[index].add(value) }
        }
    }

    package var levels: RestingLevels? {
        guard Self.suffices(seconds) else { return nil }
        var levels: [Metric: Double] = [:]
        for (metric, histogram) in zip(RestingLevels.metrics, histograms) {
            levels[metric] = histogram.quantile(
                RestingLevels.openEyes.contains(metric) ? Self.openQuantile : Self.restingQuantile)
        }
        return RestingLevels(levels)
    }

    /// Whether so many samples, at this interval, suffice for levels.
    package static func suffices(samples: Int, seconds: Double) -> Bool {
        suffices(Double(samples) * min(seconds, longestSample))
    }

    /// A sum of many times is not exact.
    private static func suffices(_ seconds: Double) -> Bool { seconds > minimumSeconds - 1e-6 }
}
