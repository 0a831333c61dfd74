/// Finds the tracks that are one person, though a gap or a cut lies between them.
///
/// Agglomerative: the surest pair is joined first, and what is joined is compared as one. Tracks that are seen at the
/// same time are two people, and tracks with a jump of the timestamps between them are never joined. Joining takes
/// certainty; where two tracks may or may not be one person, both stay open.
///
/// Twice: first the tracks that a cut interrupted, which takes more certainty and no long absence, because they keep one
/// face number; then any tracks, whose person is one.
public struct TrackletLinker: Sendable {
    public enum Person: Sendable, Equatable {
        /// The index of the group.
        case certain(Int)
        /// In a group of its own, but some other track may be the same person.
        case open(Int)

        public var group: Int {
            switch self {
            case .certain(let group), .open(let group): group
            }
        }
    }

    /// What each track belongs to; groups go by the index of their first track.
    public struct Result: Sendable, Equatable {
        /// Tracks that are one face going on after a cut.
        public var faces: [Int]
        public var people: [Person]
    }

    private struct Group {
        var members: [Int]
        var profile: IdentityProfile
    }

    private struct Grouping {
        var groups: [Group?]
        /// The group of each track.
        var owner: [Int]
    }

    /// Small, because there may be a million of them.
    private struct Pair {
        var certainty: Double
        /// Indices below `mostTracks`.
        var firstIndex: UInt16
        var secondIndex: UInt16

        var first: Int { Int(firstIndex) }
        var second: Int { Int(secondIndex) }
    }

    /// More tracks than this are not compared with each other all at once: the cost grows with the square.
    private static let mostTracks = 1500
    /// Of the best sample of a track, below which it is too hard to see to be told from others.
    private static let leastWeight = 0.06
    /// Films cut back to a face within less; for longer, only the person's number tells that it is back.
    private static let longestAbsenceSeconds = 60.0
    private let shapeVariances: [Double]

    /// - Parameter shapeVariances: as in `FaceTracker.Options`.
    public init(shapeVariances: [Double] = []) {
        self.shapeVariances = shapeVariances
    }

    /// - Parameter tracks: in order of first appearance.
    /// - Returns: an element for each track.
    public func stitch(_ tracks: [TrackSummary]) -> Result {
        var grouping = Grouping(
            groups: tracks.indices.map { Group(members: [$0], profile: tracks[$0].profile) },
            owner: Array(tracks.indices))
        let pairs = pairs(of: tracks)
        join(&grouping, tracks, pairs, least: IdentityDecision.beyondDoubt) { a, b in
            a.shot != b.shot
                && max(a.firstSeconds, b.firstSeconds) - min(a.lastSeconds, b.lastSeconds)
                    <= Self.longestAbsenceSeconds
        }
        let faces = grouping.owner
        join(&grouping, tracks, pairs, least: IdentityDecision.certain) { _, _ in true }
        return Result(faces: faces, people: people(grouping, tracks))
    }

    /// - Returns: those that may be one person, the surest first.
    private func pairs(of tracks: [TrackSummary]) -> [Pair] {
        var pairs: [Pair] = []
        for second in tracks.indices.prefix(Self.mostTracks) {
            for first in 0..<second where mayBeOne(tracks[first], tracks[second]) {
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
        _ grouping: inout Grouping, _ tracks: [TrackSummary], _ pairs: [Pair], least: Double,
        where mayJoin: (TrackSummary, TrackSummary) -> Bool
    ) {
        for pair in pairs where pair.certainty >= least && mayJoin(tracks[pair.first], tracks[pair.second]) {
            let (first, second) = (grouping.owner[pair.first], grouping.owner[pair.second])
            guard first != second, let one = grouping.groups[first], let other = grouping.groups[second],
                isApart(one, other, tracks), certainty(one.profile, other.profile) >= least
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
            guard let own = grouping.groups[number], index < Self.mostTracks else { return .open(number) }
            let others = grouping.groups.enumerated().lazy.compactMap { $0 == number ? nil : $1 }
                .filter { isApart(own, $0, tracks) }
            let samples = own.members.reduce(0) { $0 + tracks[$1].samples }
            // What was hardly seen cannot be told from anyone else who was there.
            let best = own.members.map { tracks[$0].bestWeight }.max() ?? 0
            if samples < 3 || best < Self.leastWeight, others.contains(where: { _ in true }) { return .open(number) }
            // A group that was joined with certainty stays one, even if yet another track may belong to it.
            let isOpen =
                own.members.count == 1
                && others.contains { IdentityDecision.isPossible(difference(own.profile, $0.profile)) }
            return isOpen ? .open(number) : .certain(number)
        }
    }

    private func isApart(_ one: Group, _ other: Group, _ tracks: [TrackSummary]) -> Bool {
        one.members.allSatisfy { a in other.members.allSatisfy { mayBeOne(tracks[a], tracks[$0]) } }
    }

    private func certainty(_ a: IdentityProfile, _ b: IdentityProfile) -> Double {
        IdentityDecision.certainty(difference(a, b))
    }

    private func difference(_ a: IdentityProfile, _ b: IdentityProfile) -> IdentityProfile.Difference {
        a.difference(to: b, betweenVariances: shapeVariances)
    }

    /// Whether they are never seen at once, and no jump of the timestamps lies between.
    private func mayBeOne(_ a: TrackSummary, _ b: TrackSummary) -> Bool {
        a.epoch == b.epoch && (a.firstSample > b.lastSample || b.firstSample > a.lastSample)
    }
}
