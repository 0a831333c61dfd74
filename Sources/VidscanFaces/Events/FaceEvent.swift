/// An event at one point in time.
public struct FaceEvent: Sendable, Equatable {
    /// The raw value is the name in the results.
    public enum Kind: String, Sendable, CaseIterable {
        // Events at the same time are sorted in this order.
        case shotCut = "shot_cut", faceStarted = "face_started", blink, eyesClosed = "eyes_closed"
        case smileStarted = "smile_started", smileStopped = "smile_stopped", lookAway = "look_away"
        case faceStopped = "face_stopped"

        var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// Its meaning depends on the kind: often a duration in seconds.
    public enum Value: Sendable, Equatable { case none, text(String), number(Double) }

    public var microseconds: Int64
    public var kind: Kind
    /// `nil` if the event concerns the whole video.
    public var faceID: Int?
    public var value: Value
    /// Fraction of the samples in which the measure is known, 0…1; `nil` for an event without a duration.
    public var measuredFraction: Double?
    /// Whether samples show the beginning and end; otherwise it may have lasted longer. `nil` without a duration.
    public var isComplete: Bool?
    /// Fraction of the samples in which only one eye was measured, 0…1; `nil` unless the event is about the eyes.
    public var oneEyeFraction: Double?
    /// The `id` of the episode that it begins or ends; `nil` until all episodes of the video are known.
    public var episode: Int?

    public init(
        microseconds: Int64, kind: Kind, faceID: Int? = nil, value: Value = .none, measuredFraction: Double? = nil,
        isComplete: Bool? = nil, oneEyeFraction: Double? = nil
    ) {
        (self.microseconds, self.kind, self.faceID, self.value) = (microseconds, kind, faceID, value)
        (self.measuredFraction, self.isComplete, self.oneEyeFraction) = (measuredFraction, isComplete, oneEyeFraction)
    }

    /// Orders events by time, kind and face.
    public static func precedes(_ a: FaceEvent, _ b: FaceEvent) -> Bool {
        (a.microseconds, a.kind.order, a.faceID ?? 0) < (b.microseconds, b.kind.order, b.faceID ?? 0)
    }
}

/// Thresholds for events. Each state starts and ends at different ones, so that a fluctuating value causes one event.
public struct EventOptions: Sendable, Equatable, Codable {
    /// Samples per second for detecting blinks, because most blinks last 0.1 to 0.4 s.
    public var blinkMinimumRate = 12.0
    /// The openness of `EyeClosureFilter`, 0…100, below which eyes are closed and above which they are open again.
    public var eyesClosedBelow = 30.0, eyesOpenAbove = 45.0
    /// In seconds. A longer closure is an `eyes_closed` event.
    public var blinkLongestSeconds = 0.5
    /// 0…100. The first one is also that of `has_smile`.
    public var smileStartsAbove = Metric.smileThreshold, smileStopsBelow = 20.0
    /// How long a smile, or its absence, must last.
    public var smileHoldSeconds = 0.3
    /// Between the head's direction and the camera.
    public var lookAwayAboveDegrees = 35.0, lookBackBelowDegrees = 25.0
    public var lookAwayHoldSeconds = 0.5

    /// Lowers the threshold if only one eye is measured, because half-closed eyes that look down reach 20 to 40 there.
    public static let oneEyeMargin = 10.0
    /// A gap in a measure is bridged if it has at most this many samples…
    public static let bridgedSamples = 2
    /// …or if at most this many seconds lie between the measured samples before and after it.
    public static let bridgedSeconds = 0.2

    public init() {}

    /// How far eyes are closed, 0…1: closed from ½ on. `openness`: that of `EyeClosureFilter`, which may be negative.
    public func closure(ofOpenness openness: Double) -> Double {
        guard openness >= eyesClosedBelow else { return min(1 - openness / eyesClosedBelow / 2, 1) }
        let open = max(Self.fullyOpen, eyesClosedBelow + 1)
        return max(open - openness, 0) / (open - eyesClosedBelow) / 2
    }

    /// Steady eyes have at least this openness: in a clear face, 70 less some noise.
    private static let fullyOpen = 65.0
}
