internal import VidscanFaces

/// How certain it is that the people of a study are who their numbers say, and which decisions were the closest.
///
/// The margins are distances between faces. For a person whom the study has joined to others, the margin is the smaller of
/// two: how far the others are below the limit, and how far the nearest other number is beyond them, halved. For a person
/// with a number of their own, it is how far the nearest other number is above the limit.
struct StudyConfidence {
    /// A decision that could have been another.
    struct Doubt: Sendable, Equatable {
        enum Kind: Sendable, Equatable {
            /// Two people have one number.
            case joined
            /// Two people have two numbers.
            case separate
        }

        var kind: Kind
        /// The index of a person.
        var one: Int
        /// The index of the person whose number is in doubt.
        var other: Int
        /// How certain the decision is, 0…1.
        var confidence: Double
    }

    /// Doubts from this confidence on are not worth a look.
    private static let certain = 0.95

    /// For each person; `nil` for those who cannot be compared.
    private(set) var values: [Double?]
    /// The least certain first.
    private(set) var doubts: [Doubt] = []

    private let study: StudyPeople
    /// The looks of all people.
    private var groups: [Group] = []
    private var table = FaceClusterTable()
    /// The position in `groups` of each person with embeddings.
    private var owner: [Int: Int] = [:]

    private struct Group {
        let studyID: Int
        var faces: FaceCluster
        var members: [Int]
        var limit: Double
    }

    /// - Parameters:
    ///   - study: People with numbers.
    ///   - looks: As in `StudyLinker.Result`. A number may have several.
    ///   - separated: Pairs of numbers of which the user has said that they are different people.
    init(_ study: StudyPeople, looks: [[Int]], separated: Set<SimultaneousPeople.Pair>) {
        self.study = study
        values = Array(repeating: nil, count: study.people.count)
        for look in looks {
            let people = look.compactMap { person in study.people[person].faces.map { (person, $0) } }
            guard var faces = people.first?.1, let studyID = look.first.flatMap({ study.people[$0].studyID }) else {
                continue
            }
            for (_, more) in people.dropFirst() { faces.add(more) }
            for person in look { owner[person] = groups.count }
            groups.append(
                Group(
                    studyID: studyID, faces: faces, members: look,
                    limit: look.map(study.limit).min() ?? LinkingLimits.maximum))
        }
        for group in groups { table.append(group.faces) }
        judgePeople()
        judgeNumbers(separated)
        doubts.sort { ($0.confidence, $0.one, $0.other) < ($1.confidence, $1.one, $1.other) }
    }

    private mutating func judgePeople() {
        let all = Array(groups.indices)
        for (index, person) in study.people.enumerated() {
            guard let faces = person.faces, let own = owner[index] else { continue }
            if person.isCorrected {
                values[index] = 1
                continue
            }
            let rival = table.nearest(to: faces, among: all) { group, _ in
                groups[group].studyID != groups[own].studyID
                    && !groups[group].members.contains { study.areSimultaneous(index, $0) }
            }
            let distance = rival.map { Double($0.squaredDistance.squareRoot()) }
            guard let others = groups[own].faces.removing(faces) else {
                values[index] = PersonConfidence.confidence(
                    margin: distance.map { $0 - min(groups[own].limit, limit(of: rival?.index)) })
                continue
            }
            let near = faces.distance(to: others)
            let margin = min(groups[own].limit - near, distance.map { ($0 - near) / 2 } ?? .infinity)
            let value = PersonConfidence.confidence(margin: margin)
            values[index] = value
            if value < Self.certain, let other = nearestMember(of: groups[own], to: index) {
                doubts.append(Doubt(kind: .joined, one: other, other: index, confidence: value))
            }
        }
        // Of two people who were joined, both may have found the other.
        var seen: Set<SimultaneousPeople.Pair> = []
        doubts.sort { ($0.confidence, $0.one, $0.other) < ($1.confidence, $1.one, $1.other) }
        doubts = doubts.filter { seen.insert(SimultaneousPeople.Pair($0.one, $0.other)).inserted }
    }

    /// Finds the numbers that nearly became one.
    private mutating func judgeNumbers(_ separated: Set<SimultaneousPeople.Pair>) {
        let all = Array(groups.indices)
        var seen: Set<SimultaneousPeople.Pair> = []
        for (position, group) in groups.enumerated() {
            let nearest = table.nearest(to: group.faces, among: all) { other, _ in
                groups[other].studyID != group.studyID
                    && !separated.contains(SimultaneousPeople.Pair(group.studyID, groups[other].studyID))
                    && !group.members.contains { member in
                        groups[other].members.contains { study.areSimultaneous(member, $0) }
                    }
            }
            guard let nearest,
                seen.insert(SimultaneousPeople.Pair(group.studyID, groups[nearest.index].studyID)).inserted
            else { continue }
            let limit = min(group.limit, groups[nearest.index].limit)
            let value = PersonConfidence.confidence(margin: Double(nearest.squaredDistance.squareRoot()) - limit)
            guard value < Self.certain, let one = nearestMember(of: group, toGroup: nearest.index),
                let other = nearestMember(of: groups[nearest.index], toGroup: position)
            else { continue }
            doubts.append(Doubt(kind: .separate, one: one, other: other, confidence: value))
        }
    }

    private func limit(of group: Int?) -> Double { group.map { groups[$0].limit } ?? LinkingLimits.maximum }

    private func nearestMember(of group: Group, to person: Int) -> Int? {
        study.people[person].faces.flatMap { faces in nearest(group.members.filter { $0 != person }, to: faces) }
    }

    private func nearestMember(of group: Group, toGroup other: Int) -> Int? {
        nearest(group.members, to: groups[other].faces)
    }

    private func nearest(_ members: [Int], to faces: FaceCluster) -> Int? {
        members.min {
            let (one, other) = (study.people[$0].faces, study.people[$1].faces)
            return (one?.distance(to: faces) ?? .infinity) < (other?.distance(to: faces) ?? .infinity)
        }
    }
}
