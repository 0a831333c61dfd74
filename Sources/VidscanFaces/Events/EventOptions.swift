/// The thresholds for events. Each state has one threshold to start and another to end, so that a value that fluctuates
/// around one threshold causes one event instead of many.
public struct EventOptions: Sendable, Equatable {
    /// The minimum number of samples per second for detecting blinks, because most blinks last 0.1 to 0.4 s.
    public var blinkMinimumRate = 12.0
    /// The openness of the eyes, 0…100, below which they are closed and above which they are open again. It is that of
    /// `EyeClosureFilter`.
    public var eyesClosedBelow = 30.0
    public var eyesOpenAbove = 45.0
    /// The maximum duration of a blink in seconds. A longer closure is an `eyes_closed` event.
    public var blinkLongestSeconds = 0.5
    /// The thresholds of the smile metric, 0…100.
    public var smileStartsAbove = 60.0
    public var smileStopsBelow = 40.0
    /// The time in seconds for which a smile, or its absence, must last.
    public var smileHoldSeconds = 0.3
    /// The thresholds of the angle between the head's direction and the camera, in degrees.
    public var lookAwayAboveDegrees = 35.0
    public var lookBackBelowDegrees = 25.0
    /// The time in seconds for which looking away must last.
    public var lookAwayHoldSeconds = 0.5

    public init() {}
}
