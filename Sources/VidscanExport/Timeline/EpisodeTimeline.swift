internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The annotations of a result: the episodes of `episodes.csv`, with what `events.csv` says of their moments.
struct EpisodeTimeline: Sendable, Equatable {
    /// In order of time, none before 0.
    private(set) var annotations: [Annotation] = []
    /// The end of the video, or of its analysed part, in microseconds; no annotation ends later.
    private(set) var end: Int64

    /// Both are in order of time. `duration`: the end of the analysed part in microseconds, if known. `names`: by person_id.
    init(
        episodes: [Episode], events: [StoredEvent], samples: SampleTimes, duration: Int64?, names: [Int: String] = [:]
    ) {
        // A sample stands for the time until the next one.
        let interval = max(samples.wholeInterval, Self.shortest)
        let lastSample = samples.microseconds.last ?? 0
        let lastEnd = episodes.map(\.endMicroseconds).max() ?? 0
        end = max(duration ?? lastSample + interval, lastSample, lastEnd, Self.shortest)
        let facts = Dictionary(grouping: events.filter { $0.episode != nil }) { $0.episode ?? 0 }
        let shots = episodes.filter { $0.kind == .shot }
        let numbers = Dictionary(shots.enumerated().map { ($1.id, $0 + 1) }) { first, _ in first }
        for var episode in episodes {
            if episode.id == shots.last?.id {
                episode.endMicroseconds = end
            } else if episode.endMicroseconds == episode.startMicroseconds, episode.kind != .shot {
                // A face seen in only one sample lasts until the next sample.
                episode.endMicroseconds = min(episode.endMicroseconds + interval, end)
            }
            if episode.startMicroseconds < 0 { (episode.startMicroseconds, episode.isStartSeen) = (0, false) }
            guard episode.endMicroseconds > episode.startMicroseconds else { continue }
            let own = facts[episode.id] ?? []
            annotations.append(
                Annotation(
                    episode: episode, value: own.first { Self.tellingKinds.contains($0.kind) }?.value,
                    measured: own.compactMap(\.measured).first, shot: numbers[episode.id], names: names))
        }
        annotations.sort(by: Annotation.precedes)
    }

    /// One millisecond, the unit of ELAN and WebVTT.
    private static let shortest: Int64 = 1000
    /// The events whose value says more than how long the episode lasted.
    private static let tellingKinds: Set<FaceEvent.Kind> = [.shotCut, .faceStopped, .smileStarted]
}

extension SampleTimes {
    /// In whole microseconds.
    var wholeInterval: Int64 { Int64((interval * 1e6).rounded()) }
}

/// An episode as the formats show it. Most of them know only its label.
struct Annotation: Sendable, Equatable {
    /// Its end is after its start.
    var episode: Episode
    /// For a shot how it begins, for a face how it ends, for a smile its value at the onset.
    var value: String?
    /// How much of the time was measured, as `events.csv` says it.
    var measured: String?
    var shot: Int?
    var names: [Int: String] = [:]

    var personName: String? { episode.personID.flatMap { names[$0] } }
    var kind: Episode.Kind { episode.kind }
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
        let others = episode.otherPersonIDs.map { names[$0] ?? "person_\($0)" }.joined(separator: ", ")
        let mark =
            switch (episode.isStartSeen, episode.isEndSeen) {
            case (true, true): ""
            case (false, true): " (cut off at the start)"
            case (true, false): " (cut off at the end)"
            case (false, false): " (cut off at both ends)"
            }
        return kind.rawValue + (others.isEmpty ? "" : " with \(others)") + mark
    }
}

/// Times as the formats write them. Microseconds are rounded to the nearest millisecond.
enum ClockText {
    static func milliseconds(_ microseconds: Int64) -> Int64 { (microseconds + 500) / 1000 }

    /// Returns seconds with three decimals: `12.480`.
    static func seconds(_ microseconds: Int64) -> String { TimeText.seconds(milliseconds(microseconds) * 1000) }

    /// Returns a timestamp of WebVTT: `00:00:12.480`.
    static func timestamp(_ microseconds: Int64) -> String {
        let (seconds, rest) = milliseconds(microseconds).quotientAndRemainder(dividingBy: 1000)
        return String(format: "%02lld:%02lld:%02lld.%03lld", seconds / 3600, seconds / 60 % 60, seconds % 60, rest)
    }
}

/// Annotations of one kind and one person, face or video, in order and without overlaps.
struct Tier: Sendable, Equatable {
    /// Whose annotations share a tier.
    enum Subject: Sendable, Hashable, Comparable {
        case video
        case person(Int)
        case face(Int)

        var name: String? {
            switch self {
            case .video: nil
            case .person(let number): "person_\(number)"
            case .face(let number): "face_\(number)"
            }
        }
    }

    let kind: Episode.Kind
    /// Each begins at the end of the one before, or later.
    let annotations: [Annotation]
    /// The name that a person was given, or `person_1`; `nil` for the video.
    let speaker: String?

    /// `smile@person_1`; `shot`.
    var name: String { speaker.map { "\(kind.rawValue)@\($0)" } ?? kind.rawValue }

    /// Divides annotations into tiers: one for the shots, then one for each person or face and kind. `byPerson`: the faces
    /// of a person share tiers. A face without a person has tiers of its own.
    static func tiers(of annotations: [Annotation], byPerson: Bool) -> [Tier] {
        var groups: [Subject: [Episode.Kind: [Annotation]]] = [:]
        for annotation in annotations {
            let face = annotation.episode.faceID.map(Subject.face)
            let person = annotation.episode.personID.map(Subject.person)
            let subject = (byPerson ? person ?? face : face ?? person) ?? .video
            groups[subject, default: [:]][annotation.kind, default: []].append(annotation)
        }
        return groups.sorted { $0.key < $1.key }.flatMap { subject, kinds in
            let given: String? = if case .person = subject { kinds.values.first?.first?.personName } else { nil }
            let speaker = given ?? subject.name
            return Episode.Kind.allCases.compactMap { kind in
                kinds[kind].map { Tier(kind: kind, annotations: joined($0), speaker: speaker) }
            }
        }
    }

    /// Sorts annotations, and joins those that overlap: one person may have two faces, in a mirror or by mistake.
    private static func joined(_ annotations: [Annotation]) -> [Annotation] {
        var result: [Annotation] = []
        for annotation in annotations.sorted(by: Annotation.precedes) {
            if let last = result.indices.last, annotation.begin < result[last].end {
                result[last].episode.extend(to: annotation.episode)
            } else {
                result.append(annotation)
            }
        }
        return result
    }
}

extension Episode {
    /// Joins it with an episode that begins no earlier and overlaps it.
    fileprivate mutating func extend(to other: Episode) {
        if other.startMicroseconds == startMicroseconds { isStartSeen = isStartSeen || other.isStartSeen }
        guard other.endMicroseconds >= endMicroseconds else { return }
        isEndSeen = other.isEndSeen || (isEndSeen && other.endMicroseconds == endMicroseconds)
        endMicroseconds = other.endMicroseconds
    }
}
