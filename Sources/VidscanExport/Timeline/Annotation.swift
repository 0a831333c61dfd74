/// An interval of time. The annotation formats know only its label.
struct Annotation: Sendable, Equatable {
    /// The kind; the raw value is its name in every format.
    enum Kind: String, Sendable, CaseIterable {
        /// A shot, which belongs to nobody.
        case shot
        /// A face is in sight.
        case face
        case smile
        case eyesClosed = "eyes_closed"
        case blink
        case lookAway = "look_away"
    }

    var kind: Kind
    /// In microseconds; `end` is after `begin`.
    var begin: Int64
    var end: Int64
    /// The face; `nil` for a shot.
    var faceID: Int?
    /// The face's person, if the result has people.
    var personID: Int?
    /// For a shot how it begins, for a face how it ends, for a smile its value at the onset.
    var value: String?
    /// How much of the time was measured, as `events.csv` says it.
    var measured: String?
    /// The number of the shot, from 1.
    var shot: Int?

    /// In order of time. Whatever begins at the same time is in the order of the kinds and faces.
    static func precedes(_ a: Annotation, _ b: Annotation) -> Bool {
        (a.begin, a.kind.order, a.faceID ?? 0, a.end) < (b.begin, b.kind.order, b.faceID ?? 0, b.end)
    }
}

extension Annotation.Kind {
    fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
