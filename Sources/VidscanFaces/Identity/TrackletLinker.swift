/// Links the tracks of one person that are separated by a gap or a cut.
///
/// The clustering is agglomerative: the most certain pair is joined first, and joined tracks are compared as one group.
/// Tracks that are visible at the same time are different people. Tracks with a timestamp jump between them are never
/// joined. Tracks are joined only with certainty; otherwise both stay open.
///
/// There are two passes. The first joins tracks that a cut interrupted, which keep one face number; it requires more
/// certainty and a short absence. The second joins any tracks of one person.
public struct TrackletLinker: Sendable {
    /// The person of a track.
    public enum Person: Sendable, Equatable {
        /// The index of the group, whose members are certain.
        case certain(Int)
        /// The index of the group; some other track may be the same person.
        case open(Int)

        public var group: Int {
            switch self {
            case .certain(let group), .open(let group): group
            }
        }
    }

    /// The group of each track. A group is identified by the index of its first track.
    public struct Result: Sendable, Equatable {
        /// For each track, the group of tracks that are one face across cuts.
        public var faces: [Int]
        public var people: [Person]
    }

    private struct Group {
        var members: [Int]
        var profile: IdentityProfile
    }

    private struct Grouping {
        var groups: [Group?]
        /// The group index of each track.
        var owner: [Int]
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
    /// The minimum weight of a track's best sample. Below it, the face is not visible enough to be distinguished from
    /// others.
    private static let minimumWeight = 0.06
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
        var grouping = Grouping(
            groups: tracks.indices.map { Group(members: [$0], profile: tracks[$0].profile) },
            owner: Array(tracks.indices))
        let pairs = pairs(of: tracks)
        join(&grouping, tracks, pairs, minimum: IdentityDecision.certainAcrossCut) { a, b in
            a.shot != b.shot
                && max(a.firstSeconds, b.firstSeconds) - min(a.lastSeconds, b.lastSeconds)
                    <= Self.maximumAbsenceSeconds
        }
        let faces = grouping.owner
        join(&grouping, tracks, pairs, minimum: IdentityDecision.certain) { _, _ in true }
        return Result(faces: faces, people: people(grouping, tracks))
    }

    /// Returns the pairs that may be one person, the most certain first.
    private func pairs(of tracks: [TrackSummary]) -> [Pair] {
        var pairs: [Pair] = []
        for second in tracks.indices.prefix(Self.maximumTracks) {
            for first in 0..<second where areDisjoint(tracks[first], tracks[second]) {
                let certainty = certainty(tracks[first].profile, tracks[second].profile)
                if certainty >= IdentityDecision.certain {
                    pairs.append(
                        Pair(certainty: certainty, firstIndex: UInt16(first), secondIndex: UInt16(second)))
                }
            }
        }
        pairs.sort { ($1.certainty, $0.first, $0.second) < ($0.certainty, $1.first, $1.second) }
        return pairs
    }

    private func join(
        _ grouping: inout Grouping, _ tracks: [TrackSummary], _ pairs: [Pair], minimum: Double,
        where isEligible: (TrackSummary, TrackSummary) -> Bool
    ) {
        for pair in pairs where pair.certainty >= minimum && isEligible(tracks[pair.first], tracks[pair.second]) {
            let (first, second) = (grouping.owner[pair.first], grouping.owner[pair.second])
            guard first != second, let one = grouping.groups[first], let other = grouping.groups[second],
                areDisjoint(one, other, tracks), certainty(one.profile, other.profile) >= minimum
            else { continue }
            var joined = one
            joined.members += other.members
            joined.profile.merge(other.profile)
            let (low, high) = (min(first, second), max(first, second))
            grouping.groups[low] = joined
            grouping.groups[high] = nil
            for member in joined.members { grouping.owner[member] = low }
        }
    }

    private func people(_ grouping: Grouping, _ tracks: [TrackSummary]) -> [Person] {
        tracks.indices.map { index in
            let number = grouping.owner[index]
            guard let own = grouping.groups[number], index < Self.maximumTracks else { return .open(number) }
            let others = grouping.groups.enumerated().lazy.compactMap { $0 == number ? nil : $1 }
                .filter { areDisjoint(own, $0, tracks) }
            let samples = own.members.reduce(0) { $0 + tracks[$1].samples }
            // A face that was hardly visible cannot be distinguished from anyone else who was there.
            let best = own.members.map { tracks[$0].bestWeight }.max() ?? 0
            if samples < 3 || best < Self.minimumWeight, others.contains(where: { _ in true }) { return .open(number) }
            // A group that was joined with certainty stays certain, even if another track may belong to it.
            let isOpen =
                own.members.count == 1
                && others.contains { IdentityDecision.isPossible(difference(own.profile, $0.profile)) }
            return isOpen ? .open(number) : .certain(number)
        }
    }

    private func areDisjoint(_ one: Group, _ other: Group, _ tracks: [TrackSummary]) -> Bool {
        one.members.allSatisfy { a in other.members.allSatisfy { areDisjoint(tracks[a], tracks[$0]) } }
    }

    private func certainty(_ a: IdentityProfile, _ b: IdentityProfile) -> Double {
        IdentityDecision.certainty(difference(a, b))
    }

    private func difference(_ a: IdentityProfile, _ b: IdentityProfile) -> IdentityProfile.Difference {
        a.difference(to: b, betweenVariances: shapeVariances)
    }

    /// Returns whether two tracks are never visible at the same time and have no timestamp jump between them.
    private func areDisjoint(_ a: TrackSummary, _ b: TrackSummary) -> Bool {
        a.epoch == b.epoch && (a.firstSample > b.lastSample || b.firstSample > a.lastSample)
    }
}
