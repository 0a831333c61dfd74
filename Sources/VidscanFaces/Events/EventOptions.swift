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
    /// The thresholds of the smile metric, 0…100. The first one is also that of `has_smile`.
    public var smileStartsAbove = Metric.smileThreshold
    public var smileStopsBelow = 20.0
    /// The time in seconds for which a smile, or its absence, must last.
    public var smileHoldSeconds = 0.3
    /// The thresholds of the angle between the head's direction and the camera, in degrees.
    public var lookAwayAboveDegrees = 35.0
    public var lookBackBelowDegrees = 25.0
    /// The time in seconds for which looking away must last.
    public var lookAwayHoldSeconds = 0.5

    /// How much lower the openness must be if only one eye is measured, because the head is turned: half-closed eyes that
    /// look down reach 20 to 40 there.
    public static let oneEyeMargin = 10.0

    /// A gap in a measure is bridged if it has at most this many samples…
    public static let bridgedSamples = 2
    /// …or if at most this many seconds lie between the measured samples before and after it.
    public static let bridgedSeconds = 0.2

    public init() {}
}
