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
    let kind: Annotation.Kind
    /// Each begins at the end of the one before, or later.
    let annotations: [Annotation]

    /// `smile@person_1`; `shot`.
    var name: String { subject.name.map { "\(kind.rawValue)@\($0)" } ?? kind.rawValue }

    /// Divides annotations into tiers: one for the shots, then one for each person or face and kind. `byPerson`: the faces
    /// of a person share tiers. A face without a person has tiers of its own.
    static func tiers(of annotations: [Annotation], byPerson: Bool) -> [Tier] {
        var groups: [Subject: [Annotation.Kind: [Annotation]]] = [:]
        for annotation in annotations {
            let subject = annotation.subject(byPerson: byPerson)
            groups[subject, default: [:]][annotation.kind, default: []].append(annotation)
        }
        return groups.sorted { $0.key < $1.key }.flatMap { subject, kinds in
            Annotation.Kind.allCases.compactMap { kind in
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
                result[last].end = max(result[last].end, annotation.end)
            } else {
                result.append(annotation)
            }
        }
        return result
    }
}
