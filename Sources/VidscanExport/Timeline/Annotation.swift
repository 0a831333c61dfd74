/// An interval of time. The annotation formats know only its label.
struct Annotation: Sendable, Equatable {
    /// The raw value is its name in every format.
    enum Kind: String, Sendable, CaseIterable {
        /// Belongs to nobody.
        case shot
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
    /// `nil` for a shot.
    var faceID: Int?
    /// `nil` if the result has no people.
    var personID: Int?
    /// For a shot how it begins, for a face how it ends, for a smile its value at the onset.
    var value: String?
    /// How much of the time was measured, as `events.csv` says it.
    var measured: String?
    /// The number of the shot, from 1.
    var shot: Int?

    static func precedes(_ a: Annotation, _ b: Annotation) -> Bool {
        (a.begin, a.kind.order, a.faceID ?? 0, a.end) < (b.begin, b.kind.order, b.faceID ?? 0, b.end)
    }

    var beginMilliseconds: Int64 { ClockText.milliseconds(begin) }
    var endMilliseconds: Int64 { ClockText.milliseconds(end) }
    var durationText: String { ClockText.seconds((endMilliseconds - beginMilliseconds) * 1000) }

    /// The text for people: `smile`, `shot 3`.
    var label: String { shot.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }

    func subject(byPerson: Bool) -> Tier.Subject {
        guard let faceID else { return .video }
        if byPerson, let personID { return .person(personID) }
        return .face(faceID)
    }
}

extension Annotation.Kind {
    fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Times as the formats write them. Microseconds are rounded to the nearest millisecond.
enum ClockText {
    static func milliseconds(_ microseconds: Int64) -> Int64 { (microseconds + 500) / 1000 }

    /// Returns seconds with three decimals: `12.480`.
    static func seconds(_ microseconds: Int64) -> String {
        let milliseconds = milliseconds(microseconds)
        return "\(milliseconds / 1000).\(padded(milliseconds % 1000, 3))"
    }

    /// Returns a timestamp of WebVTT: `00:00:12.480`.
    static func timestamp(_ microseconds: Int64) -> String {
        let seconds = milliseconds(microseconds) / 1000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(clock).\(padded(milliseconds(microseconds) % 1000, 3))"
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
