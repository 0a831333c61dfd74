/// Estimates a person's resting levels from the samples that show the face well, in constant memory. The order of the
/// samples makes no difference.
///
/// The level of an expression is a low quantile, because muscles at rest do not pull: it holds as long as the face is at
/// rest for a quarter of the time. That of an eye is a high quantile, because blinks and a lowered gaze make it smaller.
/// Baltrušaitis et al., "Cross-dataset learning and person-specific normalisation for automatic Action Unit detection",
/// FG 2015, use the median.
public struct RestingLevelEstimate: Sendable {
    /// The minimum time of samples that a level needs, in seconds.
    public static let minimumSeconds = 5.0
    /// The maximum time in seconds that one sample counts for. At a low sampling rate, a few samples are not enough.
    public static let longestSample = 0.2
    static let restingQuantile = 0.25
    static let openQuantile = 0.9

    private var histograms = RestingLevels.metrics.map { _ in StreamingHistogram(range: 0...100) }
    private var seconds = 0.0

    public init() {}

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - seconds: The time between samples.
    ///   - value: Returns the value of a metric, 0…100.
    public mutating func add(seconds: Double, _ value: (Metric) -> Double?) {
        self.seconds += min(seconds, Self.longestSample)
        for (index, metric) in RestingLevels.metrics.enumerated() {
            if let value = value(metric) { histograms[index].add(value) }
        }
    }

    /// The levels; `nil` if the samples are too few.
    public var levels: RestingLevels? {
        guard Self.suffices(seconds) else { return nil }
        var levels: [Metric: Double] = [:]
        for (metric, histogram) in zip(RestingLevels.metrics, histograms) {
            levels[metric] = histogram.quantile(
                RestingLevels.openEyes.contains(metric) ? Self.openQuantile : Self.restingQuantile)
        }
        return RestingLevels(levels)
    }

    /// Whether so many samples suffice for levels.
    ///
    /// - Parameter seconds: The time between samples.
    public static func suffices(samples: Int, seconds: Double) -> Bool {
        suffices(Double(samples) * min(seconds, longestSample))
    }

    private static func suffices(_ seconds: Double) -> Bool {
        // The sum of many times is not exact.
        seconds > minimumSeconds - 1e-6
    }
}
