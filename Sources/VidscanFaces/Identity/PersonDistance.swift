/// How far apart two tracks are, and how far apart one person's may be in this video (`IdentityCalibration`).
struct PersonDistance {
    /// For each track with an embedding, its position among them.
    private let positions: [Int?]
    /// Distance minus threshold of pairs with embeddings; the pairs of a track with all earlier ones are contiguous.
    private let excesses: [Double]

    init(_ tracks: [TrackSummary]) {
        let judged = tracks.indices.filter { !tracks[$0].embeddings.isEmpty }
        positions = tracks.indices.map { judged.firstIndex(of: $0) }
        let pairs = judged.indices.lazy.flatMap { second in judged[..<second].lazy.map { ($0, judged[second]) } }
        let ofFaces = Array(pairs.map { Self.ofFaces(tracks[$0.0], tracks[$0.1]) })
        let simultaneous = zip(pairs, ofFaces).filter { pair, _ in tracks[pair.0].overlaps(tracks[pair.1]) }.map(\.1)
        let limit = IdentityCalibration.limit(simultaneous)
        excesses = zip(pairs, ofFaces).map { Self.excess(tracks[$0.0], tracks[$0.1], faces: $1, limit: limit) }
    }

    /// Distance minus threshold: below 0 if the tracks seem to be one person; `nil` without an embedding of both.
    func excess(_ first: Int, _ second: Int) -> Double? {
        guard let one = positions[first], let other = positions[second], one != other else { return nil }
        let second = max(one, other)
        return excesses[second * (second - 1) / 2 + min(one, other)]
    }

    private static func excess(_ a: TrackSummary, _ b: TrackSummary, faces: Double, limit: Double) -> Double {
        let gap = max(a.firstSeconds, b.firstSeconds) - min(a.lastSeconds, b.lastSeconds)
        // Clothes say less the longer ago they were seen.
        let nearness = 1 - ramp(gap, nearSeconds, farSeconds)
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
