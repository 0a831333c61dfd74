/// How far apart two tracks are, and how far apart they may be as tracks of one person.
///
/// Both depend on the video. No threshold serves everybody, because the network knows some groups of people less well
/// than others: people who are seen at the same time are different people, and their distances show how far apart the
/// people of this video are.
struct PersonDistance {
    /// The maximum distance of the faces of a person, as far as the other people of the video say.
    let limit: Double
    /// For each track with an embedding, its position among them.
    private let positions: [Int?]
    /// The distance minus the threshold of each pair of tracks with embeddings: those of the second one with all earlier
    /// ones follow each other.
    private let excesses: [Double]

    /// - Parameter tracks: All tracks of the video.
    init(_ tracks: [TrackSummary]) {
        let judged = tracks.indices.filter { !tracks[$0].embeddings.isEmpty }
        var positions = [Int?](repeating: nil, count: tracks.count)
        for (position, track) in judged.enumerated() { positions[track] = position }
        self.positions = positions
        let ofFaces = judged.indices.flatMap { second in
            judged[..<second].map { Self.ofFaces(tracks[$0], tracks[judged[second]]) }
        }
        var simultaneous: [Double] = []
        for second in judged.indices {
            for first in 0..<second where tracks[judged[first]].overlaps(tracks[judged[second]]) {
                simultaneous.append(ofFaces[Self.index(first, second)])
            }
        }
        simultaneous.sort()
        let limit =
            simultaneous.isEmpty
            ? Self.uncalibratedLimit : max(Self.minimumLimit, 0.95 * simultaneous[simultaneous.count / 10])
        self.limit = limit
        excesses = judged.indices.flatMap { second in
            (0..<second).map { first in
                Self.excess(
                    tracks[judged[first]], tracks[judged[second]], faces: ofFaces[Self.index(first, second)],
                    limit: limit)
            }
        }
    }

    private static func index(_ first: Int, _ second: Int) -> Int { second * (second - 1) / 2 + first }

    /// Returns the distance of two tracks minus the largest one at which they may be one person.
    ///
    /// - Returns: Below 0 for tracks that seem to be one person; `nil` without an embedding of both.
    func excess(_ first: Int, _ second: Int) -> Double? {
        guard let one = positions[first], let other = positions[second], one != other else { return nil }
        return excesses[Self.index(min(one, other), max(one, other))]
    }

    private static func excess(_ a: TrackSummary, _ b: TrackSummary, faces: Double, limit: Double) -> Double {
        let gap = max(a.firstSeconds, b.firstSeconds) - min(a.lastSeconds, b.lastSeconds)
        // Clothes say less the longer ago they were seen.
        let nearness = 1 - min(max((gap - nearSeconds) / (farSeconds - nearSeconds), 0), 1)
        var distance = faces
        var threshold = farThreshold + nearness * (nearThreshold - farThreshold)
        if let clothes = a.profile.difference(to: b.profile, betweenVariances: []).clothes {
            distance += nearness * clothesWeight * (clothes - 0.5)
            threshold += nearness * clothesAllowance
        }
        // Similar clothes do not make up for faces that differ as much as those of two people: many wear a uniform.
        return max(distance - threshold, faces - limit)
    }

    /// Returns the mean Euclidean distance between the embeddings of two tracks, which both have some.
    private static func ofFaces(_ a: TrackSummary, _ b: TrackSummary) -> Double {
        let sum = a.embeddings.reduce(0) { sum, one in
            b.embeddings.reduce(sum) { $0 + one.distance(to: $1) }
        }
        return sum / Double(a.embeddings.count * b.embeddings.count)
    }

    /// Up to this absence, people wear what they wore.
    private static let nearSeconds = 60.0
    /// After this absence, light, hair and clothes may have changed.
    private static let farSeconds = 600.0
    private static let nearThreshold = 0.57
    private static let farThreshold = 0.5
    /// What similar clothes take off the distance, and different ones add: at most half of it.
    private static let clothesWeight = 0.2
    /// What the threshold is higher by where clothes are compared too.
    private static let clothesAllowance = 0.05
    /// The limit of a video in which no two people are seen at the same time.
    private static let uncalibratedLimit = 0.55
    /// The limit is not lowered further, because a face that is found twice in a frame looks like two people.
    private static let minimumLimit = 0.35
}

extension TrackSummary {
    /// Whether two tracks are visible at the same time, so that they are different people.
    func overlaps(_ other: TrackSummary) -> Bool {
        epoch == other.epoch && firstSample <= other.lastSample && other.firstSample <= lastSample
    }

    /// Whether two tracks are never visible at the same time and have no timestamp jump between them.
    public func mayBeSamePerson(as other: TrackSummary) -> Bool {
        epoch == other.epoch && !overlaps(other)
    }
}
