internal import VidscanFaces
internal import VidscanResults

/// The people of all videos of a study, with what decides who may be the same.
struct StudyPeople: Sendable {
    /// In the order of the videos.
    private(set) var people: [VideoPerson]
    let videos: [StudyVideo]
    /// The people of each video.
    let ranges: [Range<Int>]
    /// Who is seen at the same time as whom in each video. They are different people.
    private let simultaneous: [Set<PersonPair>]

    /// - Parameter videos: In an order that does not depend on the user's.
    init(videos: [StudyVideo], people: [[VideoPerson]]) {
        self.videos = videos
        var all = Array(people.joined())
        var ranges: [Range<Int>] = []
        for group in people {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + group.count)
        }
        self.ranges = ranges
        simultaneous = ranges.map { Self.simultaneous(all[$0]) }
        for (range, pairs) in zip(ranges, simultaneous) {
            let distances = pairs.compactMap { pair -> Double? in
                let (one, other) = (all[pair.first], all[pair.second])
                guard let first = one.faces, let second = other.faces else { return nil }
                // A user may have joined a face and its picture in a mirror.
                guard one.studyID == nil || one.studyID != other.studyID else { return nil }
                return first.distance(to: second)
            }
            let limit = IdentityCalibration.limit(distances)
            for index in range { all[index].faces?.videoLimit = limit }
        }
        self.people = all
    }

    /// Whether two people of one video are seen at once, or a user has told them apart.
    func areDifferent(_ one: Int, _ other: Int) -> Bool {
        let (a, b) = (people[one], people[other])
        guard a.video == b.video else { return false }
        return simultaneous[a.video].contains(PersonPair(one, other))
            || a.personID != b.personID && (a.tracks + b.tracks).contains(where: \.isDecided)
    }

    /// The faces of people together; `nil` if nobody has any.
    func faces(of people: [Int]) -> FaceCluster? {
        let faces = people.compactMap { self.people[$0].faces }
        return faces.dropFirst().reduce(into: faces.first) { $0?.add($1) }
    }

    mutating func assign(_ numbers: [Int]) { for index in people.indices { people[index].studyID = numbers[index] } }

    private static func simultaneous(_ people: ArraySlice<VideoPerson>) -> Set<PersonPair> {
        var appearances: [(range: ClosedRange<Int64>, person: Int)] = []
        for (index, person) in zip(people.indices, people) {
            for track in person.tracks { appearances += track.appearances.map { ($0, index) } }
        }
        appearances.sort { ($0.range.lowerBound, $0.person) < ($1.range.lowerBound, $1.person) }
        var pairs: Set<PersonPair> = []
        var visible: [(range: ClosedRange<Int64>, person: Int)] = []
        for appearance in appearances {
            visible.removeAll { $0.range.upperBound < appearance.range.lowerBound }
            for other in visible where other.person != appearance.person {
                pairs.insert(PersonPair(other.person, appearance.person))
            }
            visible.append(appearance)
        }
        return pairs
    }
}

/// Two people or numbers, the lower one first.
struct PersonPair: Hashable, Sendable {
    let first, second: Int

    init(_ one: Int, _ other: Int) { (first, second) = (min(one, other), max(one, other)) }
}
