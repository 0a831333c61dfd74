internal import VidscanFaces

/// How certain the numbers of a study are, and which decisions were the closest.
///
/// For a person joined to others, the margin is the smaller of two distances: how far the others are below the limit,
/// and half of how far the next number is beyond them. Otherwise, it is how far the next number is above the limit.
struct StudyConfidence {
    struct Doubt: Sendable, Equatable {
        var one: Int
        /// The person whose number is in doubt: the same as that of the first one if the two were joined.
        var other: Int
        var confidence: Double
    }

    /// From this confidence on, nobody needs to check a decision.
    private static let certain = 0.95

    /// For each person; `nil` for those who cannot be compared, or about whom a correction has decided.
    private(set) var values: [Double?]
    private(set) var doubts: [Doubt] = []

    private let study: StudyPeople
    private var groups: [Group] = []
    private var table = FaceClusterTable()
    /// Position in `groups` of each person with embeddings.
    private var owner: [Int: Int] = [:]

    private struct Group {
        let studyID: Int
        let faces: FaceCluster
        let members: [Int]
    }

    /// `looks` are those of `StudyLinker.link`; the user declared `separated` numbers to be different people.
    init(_ study: StudyPeople, looks: [[Int]], separated: Set<PersonPair>) {
        self.study = study
        values = Array(repeating: nil, count: study.people.count)
        for look in looks {
            guard let faces = study.faces(of: look), let studyID = look.first.flatMap({ study.people[$0].studyID })
            else { continue }
            for person in look { owner[person] = groups.count }
            groups.append(Group(studyID: studyID, faces: faces, members: look))
            table.append(faces)
        }
        judgePeople(separated)
        judgeNumbers(separated)
        doubts.sort { ($0.confidence, $0.one, $0.other) < ($1.confidence, $1.one, $1.other) }
        // Of two people who were joined, both may have found the other.
        var seen: Set<PersonPair> = []
        doubts = doubts.filter { seen.insert(PersonPair($0.one, $0.other)).inserted }
    }

    private mutating func judgePeople(_ separated: Set<PersonPair>) {
        for (index, person) in study.people.enumerated() {
            guard !person.isCorrected, let faces = person.faces, let own = owner[index] else { continue }
            let rival = rival(of: [index], faces, groups[own].studyID, separated)
            guard let others = groups[own].faces.removing(faces) else {
                values[index] = IdentityCalibration.confidence(
                    margin: rival.map { Double($0.distance) - faces.limit(with: groups[$0.index].faces) })
                continue
            }
            let near = faces.distance(to: others)
            let toRival = rival.map { (Double($0.distance) - near) / 2 } ?? .infinity
            let value = IdentityCalibration.confidence(margin: min(faces.limit(with: others) - near, toRival))
            values[index] = value
            if value < Self.certain, let other = nearest(groups[own].members.filter({ $0 != index }), to: faces) {
                doubts.append(Doubt(one: other, other: index, confidence: value))
            }
        }
    }

    /// Finds the numbers that nearly became one.
    private mutating func judgeNumbers(_ separated: Set<PersonPair>) {
        var seen: Set<PersonPair> = []
        for group in groups {
            guard let nearest = rival(of: group.members, group.faces, group.studyID, separated) else { continue }
            let limit = group.faces.limit(with: groups[nearest.index].faces)
            let value = IdentityCalibration.confidence(margin: Double(nearest.distance) - limit)
            guard value < Self.certain, let one = self.nearest(group.members, to: groups[nearest.index].faces),
                let other = self.nearest(groups[nearest.index].members, to: group.faces),
                seen.insert(PersonPair(group.studyID, groups[nearest.index].studyID)).inserted
            else { continue }
            doubts.append(Doubt(one: one, other: other, confidence: value))
        }
    }

    /// Finds the nearest group with another number that may be these people: none was seen at the same time as they were.
    private func rival(
        of people: [Int], _ faces: FaceCluster, _ studyID: Int, _ separated: Set<PersonPair>
    ) -> (index: Int, distance: Float)? {
        table.nearest(to: faces, among: Array(groups.indices)) { other, _ in
            groups[other].studyID != studyID && !separated.contains(PersonPair(studyID, groups[other].studyID))
                && !people.contains { one in groups[other].members.contains { study.areDifferent(one, $0) } }
        }
    }

    private func nearest(_ members: [Int], to faces: FaceCluster) -> Int? {
        members.min {
            let (one, other) = (study.people[$0].faces, study.people[$1].faces)
            return (one?.distance(to: faces) ?? .infinity) < (other?.distance(to: faces) ?? .infinity)
        }
    }
}
