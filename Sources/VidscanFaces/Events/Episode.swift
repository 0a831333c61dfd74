/// An interval in which something can be seen: a smile, a face in sight, a shot. Events mark its beginning and end.
public struct Episode: Sendable, Equatable {
    /// The raw value is the name in the results.
    public enum Kind: String, Sendable, CaseIterable {
        // Episodes that begin at the same time are sorted in this order.
        case shot, visible, blink
        case eyesClosed = "eyes_closed", smile, lookAway = "look_away"
        case speaks, voiceOffScreen = "voice_off_screen"
        case nod, shake, mutualGaze = "mutual_gaze"

        /// Describes the kind in one sentence.
        public var meaning: String {
            switch self {
            case .shot: "The time between two cuts."
            case .visible: "A face is in sight."
            case .blink: "The eyes close and open again."
            case .eyesClosed: "The eyes are closed for longer than a blink."
            case .smile: "The person smiles visibly."
            case .lookAway: "The head is turned away from the camera."
            case .speaks: "The face speaks; with names people who speak at the same time. With --speech."
            case .nod: "The head goes up and down in a rhythm: weak evidence of a nod. Needs 12 samples per second."
            case .shake:
                "The head goes from side to side in a rhythm: weak evidence of a shake. Needs 12 samples per second."
            case .mutualGaze: "The person and the one in with look at each other."
            case .voiceOffScreen: "Somebody speaks, and no face of the tables does. With --speech."
            }
        }

        /// The measure of `peak` and `mean`; `nil` for a kind without one.
        public var measure: String? {
            switch self {
            case .shot, .visible, .mutualGaze: nil
            case .nod, .shake: "the mean of the half-cycles, in degrees"
            case .blink, .eyesClosed: "how far the eyes are closed, 0 to 100"
            case .smile: "the smile relative to the face at rest, 0 to 100"
            case .lookAway: "√(yaw² + pitch²), in degrees"
            case .speaks: "how likely the face speaks, 0 to 100"
            case .voiceOffScreen: "how likely somebody speaks, 0 to 100"
            }
        }

        var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// From 1, in the order of ``precedes(_:_:)``; 0 until all episodes of the video are known.
    public var id = 0
    public var kind: Kind
    /// `nil` if the episode concerns nobody, or if the result has no people.
    public var personID: Int?
    /// `nil` if the episode concerns no face.
    public var faceID: Int?
    /// On the video's clock.
    public var startMicroseconds, endMicroseconds: Int64
    /// Whether samples show the beginning and the end; otherwise, it may have begun earlier or lasted longer.
    public var isStartSeen, isEndSeen: Bool
    /// The highest value of the kind's measure.
    public var peak: Double?
    /// When it is reached first.
    public var peakMicroseconds: Int64?
    /// The mean over the samples that know the measure.
    public var mean: Double?
    /// The seconds for which these samples stand; without a measure, all samples of the shot, or those that show the face.
    public var measuredSeconds: Double
    /// The ids of other people who take part, ascending.
    public var otherPersonIDs: [Int]

    public init(
        kind: Kind, personID: Int? = nil, faceID: Int? = nil, startMicroseconds: Int64, endMicroseconds: Int64,
        isStartSeen: Bool, isEndSeen: Bool, peak: Double? = nil, peakMicroseconds: Int64? = nil, mean: Double? = nil,
        measuredSeconds: Double, otherPersonIDs: [Int] = []
    ) {
        (self.kind, self.personID, self.faceID) = (kind, personID, faceID)
        (self.startMicroseconds, self.endMicroseconds) = (startMicroseconds, endMicroseconds)
        (self.isStartSeen, self.isEndSeen) = (isStartSeen, isEndSeen)
        (self.peak, self.peakMicroseconds, self.mean) = (peak, peakMicroseconds, mean)
        (self.measuredSeconds, self.otherPersonIDs) = (measuredSeconds, otherPersonIDs)
    }

    /// Orders episodes by start, kind, person, face and end.
    public static func precedes(_ a: Episode, _ b: Episode) -> Bool {
        (a.startMicroseconds, a.kind.order, a.personID ?? 0, a.faceID ?? 0, a.endMicroseconds)
            < (b.startMicroseconds, b.kind.order, b.personID ?? 0, b.faceID ?? 0, b.endMicroseconds)
    }
}

/// An episode, and the events that say when it begins and ends.
package struct ObservedEpisode: Sendable, Equatable {
    package var episode: Episode
    package var events: [FaceEvent]

    package init(_ episode: Episode, events: [FaceEvent] = []) { (self.episode, self.events) = (episode, events) }
}
