/// The people of all videos of a study, with what decides who may be the same.
struct StudyPeople: Sendable {
    /// In the order of the videos.
    private(set) var people: [VideoPerson]
    let videos: [StudyVideo]
    /// For each video, the range of its people.
    private let ranges: [Range<Int>]
    /// For each video.
    private let simultaneous: [SimultaneousPeople]
    /// For each video, the maximum distance of two clusters of one person.
    let limits: [Double]

    /// - Parameters:
    ///   - videos: In an order that does not depend on that of the user's.
    ///   - people: The people of each video.
    init(videos: [StudyVideo], people: [[VideoPerson]]) {
        self.videos = videos
        let all = Array(people.joined())
        self.people = all
        var ranges: [Range<Int>] = []
        for group in people {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + group.count)
        }
        self.ranges = ranges
        let simultaneous = zip(ranges, videos).map { SimultaneousPeople(all[$0], of: $1) }
        self.simultaneous = simultaneous
        limits = simultaneous.map { video in
            LinkingLimits.limit(
                video.pairs.compactMap { pair in
                    let (one, other) = (all[pair.first], all[pair.second])
                    guard let first = one.faces, let second = other.faces else { return nil }
                    // A user may have joined a face and its picture in a mirror.
                    guard one.studyID == nil || one.studyID != other.studyID else { return nil }
                    return first.distance(to: second)
                })
        }
    }

    /// The maximum distance of a person to others.
    func limit(of person: Int) -> Double { limits[people[person].video] }

    func areSimultaneous(_ one: Int, _ other: Int) -> Bool {
        people[one].video == people[other].video && simultaneous[people[one].video].contains(one, other)
    }

    func range(ofVideo video: Int) -> Range<Int> { ranges[video] }

    /// Gives the people their numbers.
    mutating func assign(_ numbers: [Int]) {
        for index in people.indices { people[index].studyID = numbers[index] }
    }
}
