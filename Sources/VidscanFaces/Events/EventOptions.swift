/// When something that a face does counts as an event. Each has two thresholds, so that a value that trembles around one
/// of them is one event and not many.
public struct EventOptions: Sendable, Equatable {
    /// Samples a second below which blinks cannot be told: most last 0.1 to 0.4 s.
    public var blinkMinimumRate = 12.0
    /// Mean openness of both eyes, 0…100, below which they close and above which they are open again.
    public var eyesClosedBelow = 30.0
    public var eyesOpenAbove = 45.0
    /// Seconds; a longer closure is no blink, but eyes_closed.
    public var blinkLongestSeconds = 0.5
    /// The smile metric, 0…100.
    public var smileStartsAbove = 60.0
    public var smileStopsBelow = 40.0
    /// Seconds for which a smile, or its absence, must hold.
    public var smileHoldSeconds = 0.3
    /// Degrees between the head's direction and the camera.
    public var lookAwayAboveDegrees = 35.0
    public var lookBackBelowDegrees = 25.0
    /// Seconds for which looking away must hold.
    public var lookAwayHoldSeconds = 0.5

    public init() {}
}
