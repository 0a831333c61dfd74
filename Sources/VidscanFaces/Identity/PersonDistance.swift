/// How far apart two tracks are, and may be as one person, which depends on the video (`IdentityCalibration`).
struct PersonDistance {
    /// For each track with an embedding, its position among them.
    private let positions: [Int?]
    /// Distance minus threshold of pairs with embeddings; the pairs of a track with all earlier ones are contiguous.
    private let excesses: [Double]

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
        let limit = IdentityCalibration.limit(simultaneous)
        excesses = judged.indices.flatMap { second in
            (0..<second).map { first in
                Self.excess(
                    tracks[judged[first]], tracks[judged[second]], faces: ofFaces[Self.index(first, second)],
                    limit: limit)
            }
        }
    }

    private static func index(_ first: Int, _ second: Int) -> Int { second * (second - 1) / 2 + first }

    /// Distance minus threshold: below 0 if the tracks seem to be one person; `nil` without an embedding of both.
    func excess(_ first: Int, _ second: Int) -> Double? {
        guard let one = positions[first], let other = positions[second], one != other else { return nil }
        return excesses[Self.index(min(one, other), max(one, other))]
    }

    private static func excess(_ a: TrackSummary, _ b: TrackSummary, faces: Double, limit: Double) -> Double {
        let gap = max(a.firstSeconds, b.firstSeconds) - min(a.lastSeconds, b.lastSeconds)
        // Clothes say less the longer ago they were seen.
        let nearness = 1 - min(max((gap - nearSeconds) / (farSeconds - nearSeconds), 0), 1)
        var distance = faces
        let (near, far) = (IdentityCalibration.nearThreshold, IdentityCalibration.farThreshold)
        let threshold = far + nearness * (near - far)
        if let clothes = a.profile.difference(to: b.profile).clothes {
            distance += nearness * IdentityCalibration.clothesWeight * (clothes - 0.5)
        }
        // Similar clothes do not make up for faces as different as those of two people: many wear a uniform.
        return max(distance - threshold, faces - limit)
    }

    private static func ofFaces(_ a: TrackSummary, _ b: TrackSummary) -> Double {
        let sum = a.embeddings.reduce(0) { sum, one in b.embeddings.reduce(sum) { $0 + one.distance(to: $1) } }
        return sum / Double(a.embeddings.count * b.embeddings.count)
    }

    /// Up to this absence, people are assumed to wear the same clothes.
    private static let nearSeconds = 60.0
    /// After this absence, light, hair and clothes may have changed.
    private static let farSeconds = 600.0
}
