/// An event at one point in time.
public struct FaceEvent: Sendable, Equatable {
    /// The kind of event; the raw value is its name in the results.
    public enum Kind: String, Sendable, CaseIterable {
        // Events at the same time are sorted in this order.
        case shotCut = "shot_cut"
        case faceStarted = "face_started"
        case blink
        case eyesClosed = "eyes_closed"
        case smileStarted = "smile_started"
        case smileStopped = "smile_stopped"
        case lookAway = "look_away"
        case faceStopped = "face_stopped"

        var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// An additional value, whose meaning depends on the kind: often a duration in seconds.
    public enum Value: Sendable, Equatable {
        case none
        case text(String)
        case number(Double)
    }

    public var microseconds: Int64
    public var kind: Kind
    /// The number of the face; `nil` for an event that concerns the whole video.
    public var faceID: Int?
    public var value: Value
    /// The share of the event's samples in which its measure is known, 0…1; `nil` for an event without a duration.
    public var measuredShare: Double?
    /// Whether samples show how the event began and how it ended; otherwise it may have lasted longer. `nil` for an event
    /// without a duration.
    public var isComplete: Bool?
    /// The share of the event's samples in which only one eye was measured, 0…1; `nil` for an event that is not about the
    /// eyes.
    public var oneEyeShare: Double?

    public init(
        microseconds: Int64, kind: Kind, faceID: Int? = nil, value: Value = .none, measuredShare: Double? = nil,
        isComplete: Bool? = nil, oneEyeShare: Double? = nil
    ) {
        self.microseconds = microseconds
        self.kind = kind
        self.faceID = faceID
        self.value = value
        self.measuredShare = measuredShare
        self.isComplete = isComplete
        self.oneEyeShare = oneEyeShare
    }

    /// Sorts events by time, kind and face.
    public static func precedes(_ a: FaceEvent, _ b: FaceEvent) -> Bool {
        (a.microseconds, a.kind.order, a.faceID ?? 0) < (b.microseconds, b.kind.order, b.faceID ?? 0)
    }
}
