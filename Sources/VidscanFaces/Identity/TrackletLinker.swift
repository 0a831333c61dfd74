internal import VidscanBase

/// Links the tracks of one person that are separated by a gap or a cut.
///
/// Tracks with face embeddings are clustered by them. A track without one, such as a profile or a tiny face, joins the
/// person whose hair, clothes and position it shares, if nobody else comes close; otherwise it is a person of its own.
/// Tracks that are visible at the same time are different people, and tracks with a timestamp jump between them are
/// never joined.
///
/// Of one person's tracks, those that a cut interrupted keep one face number; this requires more certainty and a short
/// absence.
public struct TrackletLinker: Sendable {
    /// The person of a track.
    public struct Person: Sendable, Equatable {
        /// The index of the person's first track.
        public var group: Int
        /// How certain it is that the track belongs to this person and no other, 0…1; 0.5 if it could as well be
        /// another person, below that if the track could not be judged.
        public var confidence: Double
    }

    /// The group of each track. A group is identified by the index of its first track.
    public struct Result: Sendable, Equatable {
        /// For each track, the group of tracks that are one face across cuts.
        public var faces: [Int]
        public var people: [Person]
    }

    /// A candidate pair of tracks. It is small because there may be a million of them.
    private struct Pair {
        var certainty: Double
        /// Indices below `maximumTracks`.
        var firstIndex: UInt16
        var secondIndex: UInt16

        var first: Int { Int(firstIndex) }
        var second: Int { Int(secondIndex) }
    }

    /// The maximum number of tracks that are compared with each other, because the cost grows quadratically.
    private static let maximumTracks = 1500
    /// The maximum absence after which a face keeps its number across a cut. Films usually cut back within this time;
    /// after a longer absence, only the person's number links the tracks.
    private static let maximumAbsenceSeconds = 60.0
    private let shapeVariances: [Double]

    /// - Parameter shapeVariances: As in `FaceTracker.Options`.
    public init(shapeVariances: [Double] = []) {
        self.shapeVariances = shapeVariances
    }

    /// Groups tracks by face and by person.
    ///
    /// - Parameter tracks: The tracks, in order of first appearance.
    /// - Returns: The groups, with one element for each track.
    public func link(_ tracks: [TrackSummary]) -> Result {
        let compared = Array(tracks.prefix(Self.maximumTracks))
        let distance = PersonDistance(compared)
        var groups = TrackGroups(compared)
        joinByEmbeddings(&groups, compared, distance)
        let certainties = joinByAppearance(&groups, compared)
        let confidence = PersonConfidence(compared, groups, distance, certainties: certainties)
        let faces = faces(compared, groups, distance)
        let rest = compared.count..<tracks.count
        return Result(
            faces: faces + rest,
            people: compared.indices.map { Person(group: groups.owner[$0], confidence: confidence.of($0)) }
                + rest.map { Person(group: $0, confidence: PersonConfidence.unjudged) })
    }

    private func joinByEmbeddings(_ groups: inout TrackGroups, _ tracks: [TrackSummary], _ distance: PersonDistance) {
        let judged = tracks.indices.filter { !tracks[$0].embeddings.isEmpty }
        var linkage = AverageLinkage(weights: judged.map { Double(tracks[$0].embeddings.count) }) { first, second in
            let (first, second) = (judged[first], judged[second])
            guard tracks[first].mayBeSamePerson(as: tracks[second]) else { return .infinity }
            return distance.excess(first, second) ?? .infinity
        }
        linkage.join(below: 0)
        for (item, group) in linkage.groups.enumerated() where item != group {
            groups.join(judged[group], judged[item])
        }
    }

    /// Joins tracks without embeddings to others that look alike, the most certain pair first.
    ///
    /// - Returns: The certainty of each track that was joined to another.
    private func joinByAppearance(_ groups: inout TrackGroups, _ tracks: [TrackSummary]) -> [Int: Double] {
        var certainties: [Int: Double] = [:]
        for pair in pairs(of: tracks) {
            let (first, second) = (groups.owner[pair.first], groups.owner[pair.second])
            guard first != second, !(groups.isJudged(first) && groups.isJudged(second)),
                groups.mayBeSamePerson(first, second),
                groups.isJudged(first) || groups.isJudged(second)
                    || certainty(groups.profile(first), groups.profile(second)) >= IdentityDecision.certain
            else { continue }
            for track in [pair.first, pair.second] where tracks[track].embeddings.isEmpty {
                certainties[track] = certainties[track] ?? pair.certainty
            }
            groups.join(first, second)
        }
        return certainties
    }

    /// Returns the pairs that may be one person by their appearance, the most certain first.
    private func pairs(of tracks: [TrackSummary]) -> [Pair] {
        var pairs: [Pair] = []
        for second in tracks.indices {
            for first in 0..<second
            where (tracks[first].embeddings.isEmpty || tracks[second].embeddings.isEmpty)
                && tracks[first].mayBeSamePerson(as: tracks[second])
            {
                let certainty = certainty(tracks[first], tracks[second])
                if certainty >= IdentityDecision.certain {
                    pairs.append(
                        Pair(certainty: certainty, firstIndex: UInt16(first), secondIndex: UInt16(second)))
                }
            }
        }
        pairs.sort { ($1.certainty, $0.first, $0.second) < ($0.certainty, $1.first, $1.second) }
        return pairs
    }

    /// Returns the certainty that two tracks are one person by their appearance and position.
    private func certainty(_ a: TrackSummary, _ b: TrackSummary) -> Double {
        let (earlier, later) = a.firstSample < b.firstSample ? (a, b) : (b, a)
        let difference = difference(earlier.profile, later.profile)
        let certainty = IdentityDecision.certainty(difference)
        let overlap = earlier.lastBox.intersectionOverUnion(with: later.firstBox)
        guard earlier.shot == later.shot, later.firstSeconds - earlier.lastSeconds <= Self.maximumGapSeconds,
            overlap >= Self.minimumOverlap, IdentityDecision.isPossible(difference)
        else { return certainty }
        // Nobody else takes a place within a few seconds of one shot. A profile looks different from the same face seen
        // from the front, but hair and clothes do not.
        return max(certainty, IdentityDecision.certain) + overlap
    }

    /// The maximum gap between two tracks of a shot after which the second continues the first at its position.
    private static let maximumGapSeconds = 3.0
    /// The minimum intersection over union of the boxes at the two ends of such a gap.
    private static let minimumOverlap = 0.3

    /// Groups the tracks of each person that a cut interrupted.
    private func faces(_ tracks: [TrackSummary], _ groups: TrackGroups, _ distance: PersonDistance) -> [Int] {
        var faces = TrackGroups(tracks)
        for second in tracks.indices {
            for first in groups.members[groups.owner[second]] where first < second {
                let (a, b) = (tracks[first], tracks[second])
                guard a.shot != b.shot,
                    max(a.firstSeconds, b.firstSeconds) - min(a.lastSeconds, b.lastSeconds)
                        <= Self.maximumAbsenceSeconds
                else { continue }
                let isNear = distance.excess(first, second).map { $0 <= Self.excessAcrossCut } ?? false
                if isNear || certainty(a.profile, b.profile) >= IdentityDecision.certainAcrossCut {
                    faces.join(faces.owner[first], faces.owner[second])
                }
            }
        }
        return faces.owner
    }

    /// The distance below the threshold for one person at which a face keeps its number across a cut.
    private static let excessAcrossCut = -0.04

    private func certainty(_ a: IdentityProfile, _ b: IdentityProfile) -> Double {
        IdentityDecision.certainty(difference(a, b))
    }

    private func difference(_ a: IdentityProfile, _ b: IdentityProfile) -> IdentityProfile.Difference {
        a.difference(to: b, betweenVariances: shapeVariances)
    }
}
