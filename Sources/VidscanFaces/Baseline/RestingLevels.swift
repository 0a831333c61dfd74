/// What a person's face looks like at rest: the level of each expression, and how far open each eye is, 0…100.
///
/// A person's own level turns heavy brows back into neutral ones. It only ever takes away: a level that is lower than that of
/// most people changes nothing, and no more is taken away than what some people's neutral faces show, so that somebody who
/// smiles all the time keeps the smile.
public struct RestingLevels: Sendable, Equatable {
    /// The metrics that have a resting level. Gaze, the head's direction, flags, emotions and emojis have none.
    public static let metrics = Metric.allCases.filter { NeutralFaces.levels[$0] != nil || openEyes.contains($0) }

    /// The metrics whose level is that of the open eye.
    static let openEyes: [Metric] = [.leftEyeOpenness, .rightEyeOpenness]

    private let levels: [Metric: Double]

    public init(_ levels: [Metric: Double]) { self.levels = levels }

    /// The level as measured; `nil` if the metric has none.
    public subscript(metric: Metric) -> Double? { levels[metric] }

    /// Returns a value, 0…100, as it would be if the person's face were a typical one at rest: 0…100, and higher for a
    /// higher value.
    ///
    /// An expression at its resting level becomes that of a typical neutral face. 0 and 100 stay, and there is a straight
    /// line between them on both sides. An eye's openness becomes a percentage of its open level.
    public func relative(_ value: Double, of metric: Metric) -> Double {
        guard let level = levels[metric] else { return value }
        if Self.openEyes.contains(metric) { return min(100 * value / max(level, Self.lowestOpenLevel), 100) }
        guard let neutral = NeutralFaces.levels[metric] else { return value }
        let rest = min(max(level, neutral.typical), neutral.highest)
        guard rest > neutral.typical else { return value }
        return value <= rest
            ? value * neutral.typical / rest
            : neutral.typical + (value - rest) / (100 - rest) * (100 - neutral.typical)
    }

    /// Eyes that are never further open than this are not open: of 223 people with five pictures or more, nobody's are this
    /// narrow.
    static let lowestOpenLevel = 50.0
}
