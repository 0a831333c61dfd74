/// Finds the tracks that are one person, though a gap or a cut lies between them.
///
/// Agglomerative: the surest pair is joined first, and what is joined is compared as one. Tracks that are seen at the
/// same time are two people. Joining takes certainty; where two tracks may or may not be one person, both stay open.
public struct PersonStitcher: Sendable {
    public enum Person: Sendable, Equatable {
        /// The index of the group.
        case certain(Int)
        /// In a group of its own, but some other track may be the same person.
        case open(Int)

        var group: Int {
            switch self {
            case .certain(let group), .open(let group): group
            }
        }
    }

    private struct Group {
        var members: [Int]
        var profile: IdentityProfile
    }

    /// More tracks than this are not compared with each other all at once: the cost grows with the square.
    private static let mostTracks = 1500
    /// Of the best sample of a track, below which it is too hard to see to be told from others.
    private static let leastWeight = 0.06
    private let shapeVariances: [Double]

    /// - Parameter shapeVariances: as in `FaceTracker.Options`.
    public init(shapeVariances: [Double] = []) {
        self.shapeVariances = shapeVariances
    }

    /// - Parameter tracks: in order of first appearance.
    /// - Returns: one for each track.
    public func people(among tracks: [TrackSummary]) -> [Person] {
        var groups: [Group?] = tracks.indices.map { Group(members: [$0], profile: tracks[$0].profile) }
        let comparable = min(tracks.count, Self.mostTracks)
        var pairs: [(certainty: Double, first: Int, second: Int)] = []
        for first in 0..<comparable {
            for second in first + 1..<max(comparable, first + 1) where second < comparable {
                if let certainty = certainty(tracks[first].profile, tracks[second].profile),
                    !overlap(tracks[first], tracks[second])
                {
                    pairs.append((certainty, first, second))
                }
            }
        }
        var owner = Array(tracks.indices)
        pairs.sort { ($1.certainty, $0.first, $0.second) < ($0.certainty, $1.first, $1.second) }
        for pair in pairs {
            let (first, second) = (owner[pair.first], owner[pair.second])
            guard first != second, let one = groups[first], let other = groups[second] else { continue }
            let isApart = one.members.allSatisfy { a in
                other.members.allSatisfy { !overlap(tracks[a], tracks[$0]) }
            }
            guard isApart, certainty(one.profile, other.profile) != nil else { continue }
            var joined = one
            joined.members += other.members
            joined.profile.merge(other.profile)
            let (low, high) = (min(first, second), max(first, second))
            groups[low] = joined
            groups[high] = nil
            for member in joined.members { owner[member] = low }
        }
        return tracks.indices.map { index in
            let group = owner[index]
            guard let own = groups[group] else { return .open(group) }
            let isOpen = groups.indices.contains { other in
                guard other != group, let candidate = groups[other], comparable > index else { return false }
                let isApart = own.members.allSatisfy { a in
                    candidate.members.allSatisfy { !overlap(tracks[a], tracks[$0]) }
                }
                return isApart
                    && SameFace.isPossible(
                        own.profile.difference(
                            to: candidate.profile, betweenVariances: shapeVariances))
            }
            let samples = own.members.reduce(0) { $0 + tracks[$1].samples }
            // What was hardly seen cannot be told from anyone else who was there.
            let best = own.members.map { tracks[$0].bestWeight }.max() ?? 0
            if samples < 3 || best < Self.leastWeight,
                groups.indices.contains(where: { other in
                    guard other != group, let candidate = groups[other] else { return false }
                    return own.members.allSatisfy { a in
                        candidate.members.allSatisfy { !overlap(tracks[a], tracks[$0]) }
                    }
                })
            {
                return .open(group)
            }
            // A group that was joined with certainty stays one, even if yet another track may belong to it.
            return isOpen && own.members.count == 1 ? .open(group) : .certain(group)
        }
    }

    private func certainty(_ a: IdentityProfile, _ b: IdentityProfile) -> Double? {
        SameFace.certainty(a.difference(to: b, betweenVariances: shapeVariances))
    }

    private func overlap(_ a: TrackSummary, _ b: TrackSummary) -> Bool {
        a.firstSample <= b.lastSample && b.firstSample <= a.lastSample
    }
}
