internal import Glibc

/// How certain it is that a track belongs to its person and to no other.
///
/// By embeddings, it is a logistic function of the smaller of two margins: how far the person's other tracks are below
/// the threshold, and how far the nearest other person is beyond them, halved. Of a person with a single track, it is
/// how far the nearest other person is above the threshold.
package struct PersonConfidence {
    /// The confidence of a track that cannot be compared with others.
    package static let unjudged = 0.3
    /// The margin at which the odds are e to 1.
    private static let scale = 0.03
    /// The margin of a track that nothing limits: there is nobody else whom it could be.
    private static let widestMargin = 0.15
    /// The highest confidence without an embedding.
    private static let maximumByAppearance = 0.7

    private let values: [Double]

    /// - Parameter certainties: The certainty of each track that was joined to others by its appearance.
    init(
        _ tracks: [TrackSummary], _ groups: TrackGroups, _ distance: PersonDistance, certainties: [Int: Double]
    ) {
        let people = groups.members.indices.filter { !groups.members[$0].isEmpty }
        values = tracks.indices.map { track in
            let own = groups.owner[track]
            let rivals = people.filter { person in
                person != own && groups.members[person].allSatisfy { tracks[$0].mayBeSamePerson(as: tracks[track]) }
            }
            if tracks[track].embeddings.isEmpty {
                if let certainty = certainties[track] {
                    return min(Self.maximumByAppearance, 0.5 + 0.05 * (certainty - IdentityDecision.certain))
                }
                return rivals.isEmpty && groups.members[own].count == 1
                    ? Self.logistic(Self.widestMargin) : Self.unjudged
            }
            func excess(_ person: Int) -> Double? {
                let values = groups.members[person].filter { $0 != track }.compactMap { distance.excess(track, $0) }
                return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
            }
            let margins: [Double]
            switch (excess(own), rivals.compactMap(excess).min()) {
            // A threshold between the two would separate them by half their difference.
            case (let near?, let rival?): margins = [-near, (rival - near) / 2]
            case (let near?, nil): margins = [-near]
            case (nil, let rival?): margins = [rival]
            case (nil, nil): margins = []
            }
            return Self.confidence(margin: margins.min())
        }
    }

    func of(_ track: Int) -> Double { values[track] }

    /// Returns the confidence for a margin between distances.
    ///
    /// - Parameter margin: `nil` if nothing limits it, because there is nobody else.
    package static func confidence(margin: Double?) -> Double {
        logistic(min(margin ?? widestMargin, widestMargin))
    }

    private static func logistic(_ margin: Double) -> Double { 1 / (1 + exp(-margin / scale)) }
}
