internal import VidscanBase

/// Links the tracks of one person that are separated by a gap or a cut.
///
/// Clusters tracks by their face embeddings. A track without one, such as a profile or a tiny face, joins the person of
/// its shot whose hair, clothes and position it shares if nobody else comes close. Never joins tracks that are visible at
/// the same time, or with a timestamp jump between them. A face keeps its number across a cut only with more certainty.
package struct TrackletLinker: Sendable {
    package struct Person: Sendable, Equatable {
        /// Index of the person's first track.
        package var group: Int
        /// How certain the person is, 0…1: at 0.5, another one is as likely; below that, the track could not be judged.
        package var confidence: Double
    }

    /// One element for each track. A group is identified by the index of its first track.
    package struct Result: Sendable, Equatable {
        /// Tracks that are one face across cuts.
        package var faces: [Int]
        package var people: [Person]
    }

    /// Small because there may be a million of them: the indices are below `maximumTracks`.
    private typealias Pair = (certainty: Double, first: UInt16, second: UInt16)

    /// The cost of comparing tracks grows quadratically.
    private static let maximumTracks = 1500
    /// Films usually cut back within this time. After a longer absence, only the person's number links the tracks.
    private static let maximumAbsenceSeconds = 60.0
    private let shapeVariances: [Double]

    package init(shapeVariances: [Double] = []) { self.shapeVariances = shapeVariances }

    /// Groups tracks, which are in order of first appearance, by face and by person.
    package func link(_ tracks: [TrackSummary]) -> Result {
        let compared = Array(tracks.prefix(Self.maximumTracks))
        let distance = PersonDistance(compared)
        var groups = TrackGroups(compared)
        joinByEmbeddings(&groups, compared, distance)
        let certainties = joinByAppearance(&groups, compared)
        let confidences = confidences(compared, groups, distance, certainties)
        let rest = compared.count..<tracks.count
        return Result(
            faces: faces(compared, groups, distance) + rest,
            people: compared.indices.map { Person(group: groups.owner[$0], confidence: confidences[$0]) }
                + rest.map { Person(group: $0, confidence: IdentityCalibration.unjudged) })
    }

    private func joinByEmbeddings(_ groups: inout TrackGroups, _ tracks: [TrackSummary], _ distance: PersonDistance) {
        let judged = tracks.indices.filter { !tracks[$0].embeddings.isEmpty }
        var matrix = DistanceMatrix(weights: judged.map { Double(tracks[$0].embeddings.count) }) { first, second in
            let (first, second) = (judged[first], judged[second])
            guard tracks[first].mayBeSamePerson(as: tracks[second]) else { return .infinity }
            return distance.excess(first, second) ?? .infinity
        }
        matrix.linkAll(judged.indices)
        for (item, group) in matrix.groups.enumerated() where item != group { groups.join(judged[group], judged[item]) }
    }

    /// Joins tracks without embeddings to others that look alike. Returns the certainty of each track that it joined.
    private func joinByAppearance(_ groups: inout TrackGroups, _ tracks: [TrackSummary]) -> [Int: Double] {
        var certainties: [Int: Double] = [:]
        for pair in pairs(of: tracks) {
            let (one, other) = (Int(pair.first), Int(pair.second))
            let (first, second) = (groups.owner[one], groups.owner[other])
            guard first != second, !(groups.isJudged(first) && groups.isJudged(second)),
                groups.mayBeSamePerson(first, second),
                groups.isJudged(first) || groups.isJudged(second)
                    || groups.profile(first).difference(to: groups.profile(second), betweenVariances: shapeVariances)
                        .certainty >= IdentityProfile.Difference.certain
            else { continue }
            for track in [one, other] where tracks[track].embeddings.isEmpty {
                certainties[track] = certainties[track] ?? pair.certainty
            }
            groups.join(first, second)
        }
        return certainties
    }

    /// The most certain first.
    private func pairs(of tracks: [TrackSummary]) -> [Pair] {
        var pairs: [Pair] = []
        for second in tracks.indices {
            for first in 0..<second
            where (tracks[first].embeddings.isEmpty || tracks[second].embeddings.isEmpty)
                && tracks[first].shot == tracks[second].shot && tracks[first].mayBeSamePerson(as: tracks[second])
            {
                let certainty = certainty(tracks[first], tracks[second])
                if certainty >= IdentityProfile.Difference.certain {
                    pairs.append((certainty, UInt16(first), UInt16(second)))
                }
            }
        }
        return pairs.sorted { ($1.certainty, $0.first, $0.second) < ($0.certainty, $1.first, $1.second) }
    }

    /// The tracks are in the same shot.
    private func certainty(_ earlier: TrackSummary, _ later: TrackSummary) -> Double {
        let difference = earlier.profile.difference(to: later.profile, betweenVariances: shapeVariances)
        let overlap = earlier.lastBox.intersectionOverUnion(with: later.firstBox)
        guard later.firstSeconds - earlier.lastSeconds <= Self.maximumGapSeconds, overlap >= Self.minimumOverlap,
            difference.isPossible
        else { return difference.certainty }
        // Nobody else takes the same position so soon. A profile differs from a frontal face; hair and clothes do not.
        return max(difference.certainty, IdentityProfile.Difference.certain) + overlap
    }

    private static let maximumGapSeconds = 3.0
    /// Intersection over union of the boxes at the two ends of the gap.
    private static let minimumOverlap = 0.3

    private func faces(_ tracks: [TrackSummary], _ groups: TrackGroups, _ distance: PersonDistance) -> [Int] {
        var faces = TrackGroups(tracks)
        for second in tracks.indices {
            for first in groups.members[groups.owner[second]] where first < second {
                let (a, b) = (tracks[first], tracks[second])
                guard a.shot != b.shot,
                    max(a.firstSeconds, b.firstSeconds) - min(a.lastSeconds, b.lastSeconds)
                        <= Self.maximumAbsenceSeconds,
                    let excess = distance.excess(first, second), excess <= IdentityCalibration.excessAcrossCut
                else { continue }
                faces.join(faces.owner[first], faces.owner[second])
            }
        }
        return faces.owner
    }

    /// Certainty that a track belongs to its person and to no other.
    ///
    /// With embeddings, a logistic function of the smaller margin: how far the person's other tracks are below the
    /// threshold, and half of how far the next person is beyond them; for a single track, how far that one is above it.
    private func confidences(
        _ tracks: [TrackSummary], _ groups: TrackGroups, _ distance: PersonDistance, _ certainties: [Int: Double]
    ) -> [Double] {
        let people = groups.members.indices.filter { !groups.members[$0].isEmpty }
        return tracks.indices.map { track in
            let own = groups.owner[track]
            let rivals = people.filter { person in
                person != own && groups.members[person].allSatisfy { tracks[$0].mayBeSamePerson(as: tracks[track]) }
            }
            if tracks[track].embeddings.isEmpty {
                if let certainty = certainties[track] {
                    let confidence = 0.5 + 0.05 * (certainty - IdentityProfile.Difference.certain)
                    return min(confidence, IdentityCalibration.maximumByAppearance)
                }
                return rivals.isEmpty && groups.members[own].count == 1
                    ? IdentityCalibration.confidence(margin: nil) : IdentityCalibration.unjudged
            }
            func excess(_ person: Int) -> Double? {
                let values = groups.members[person].filter { $0 != track }.compactMap { distance.excess(track, $0) }
                return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
            }
            let (near, rival) = (excess(own), rivals.compactMap(excess).min())
            // A threshold between the two would separate them by half their difference.
            let beyond = rival.map { rival in near.map { (rival - $0) / 2 } ?? rival }
            return IdentityCalibration.confidence(margin: [near.map(-), beyond].compactMap(\.self).min())
        }
    }
}

/// Identifies each group by the index of its first track.
struct TrackGroups {
    private(set) var owner: [Int]
    /// Tracks of each group, ascending; empty for an index that identifies no group.
    private(set) var members: [[Int]]
    private let tracks: [TrackSummary]

    init(_ tracks: [TrackSummary]) {
        (self.tracks, owner, members) = (tracks, Array(tracks.indices), tracks.indices.map { [$0] })
    }

    mutating func join(_ first: Int, _ second: Int) {
        guard first != second else { return }
        let (low, high) = (min(first, second), max(first, second))
        for track in members[high] { owner[track] = low }
        members[low] = (members[low] + members[high]).sorted()
        members[high] = []
    }

    func isJudged(_ group: Int) -> Bool { members[group].contains { !tracks[$0].embeddings.isEmpty } }

    func mayBeSamePerson(_ first: Int, _ second: Int) -> Bool {
        members[first].allSatisfy { a in members[second].allSatisfy { tracks[a].mayBeSamePerson(as: tracks[$0]) } }
    }

    func profile(_ group: Int) -> IdentityProfile {
        members[group].dropFirst().reduce(into: tracks[group].profile) { $0.merge(tracks[$1].profile) }
    }
}
