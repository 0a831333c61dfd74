internal import VidscanFaces

/// An episode as the formats show it. Most of them know only its label.
struct Annotation: Sendable, Equatable {
    /// Its end is after its start.
    var episode: Episode
    /// For a shot how it begins, for a face how it ends, for a smile its value at the onset.
    var value: String?
    /// How much of the time was measured, as `events.csv` says it.
    var measured: String?
    /// The number of the shot, from 1.
    var shot: Int?

    var kind: Episode.Kind { episode.kind }
    /// In microseconds.
    var begin: Int64 { episode.startMicroseconds }
    var end: Int64 { episode.endMicroseconds }

    static func precedes(_ a: Annotation, _ b: Annotation) -> Bool { Episode.precedes(a.episode, b.episode) }

    var beginMilliseconds: Int64 { ClockText.milliseconds(begin) }
    var endMilliseconds: Int64 { ClockText.milliseconds(end) }
    var durationText: String { ClockText.seconds((endMilliseconds - beginMilliseconds) * 1000) }

    /// The text for people: `smile`, `shot 3`, `smile (cut off at the end)`. Every video cuts off its first and last shot, so
    /// shots have no mark.
    var label: String {
        if let shot { return "\(kind.rawValue) \(shot)" }
        let others = episode.otherPersonIDs.map { "person_\($0)" }.joined(separator: ", ")
        let mark =
            switch (episode.isStartSeen, episode.isEndSeen) {
            case (true, true): ""
            case (false, true): " (cut off at the start)"
            case (true, false): " (cut off at the end)"
            case (false, false): " (cut off at both ends)"
            }
        return kind.rawValue + (others.isEmpty ? "" : " with \(others)") + mark
    }

    func subject(byPerson: Bool) -> Tier.Subject {
        if let personID = episode.personID, byPerson || episode.faceID == nil { return .person(personID) }
        return episode.faceID.map { .face($0) } ?? .video
    }
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
