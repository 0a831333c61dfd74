internal import VidscanFaces

/// Annotations of one kind and one person, face or video, in order and without overlaps.
struct Tier: Sendable, Equatable {
    /// Whose annotations share a tier.
    enum Subject: Sendable, Hashable, Comparable {
        case video
        case person(Int)
        case face(Int)

        /// `person_1`; `nil` for the video.
        var name: String? {
            switch self {
            case .video: nil
            case .person(let number): "person_\(number)"
            case .face(let number): "face_\(number)"
            }
        }
    }

    let subject: Subject
    let kind: Episode.Kind
    /// Each begins at the end of the one before, or later.
    let annotations: [Annotation]

    /// `smile@person_1`; `shot`.
    var name: String { subject.name.map { "\(kind.rawValue)@\($0)" } ?? kind.rawValue }

    /// Divides annotations into tiers: one for the shots, then one for each person or face and kind. `byPerson`: the faces
    /// of a person share tiers. A face without a person has tiers of its own.
    static func tiers(of annotations: [Annotation], byPerson: Bool) -> [Tier] {
        var groups: [Subject: [Episode.Kind: [Annotation]]] = [:]
        for annotation in annotations {
            let subject = annotation.subject(byPerson: byPerson)
            groups[subject, default: [:]][annotation.kind, default: []].append(annotation)
        }
        return groups.sorted { $0.key < $1.key }.flatMap { subject, kinds in
            Episode.Kind.allCases.compactMap { kind in
                kinds[kind].map { Tier(subject: subject, kind: kind, annotations: joined($0)) }
            }
        }
    }

    /// Sorts annotations and joins those that overlap: two faces of one person may be in sight at the same time, in a mirror
    /// or by mistake.
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
