/// Tracks that are joined to groups. A group is identified by the index of its first track.
struct TrackGroups {
    /// The group of each track.
    private(set) var owner: [Int]
    /// The tracks of each group in ascending order; empty for an index that identifies no group.
    private(set) var members: [[Int]]
    private let tracks: [TrackSummary]

    /// Puts each track into a group of its own.
    init(_ tracks: [TrackSummary]) {
        self.tracks = tracks
        owner = Array(tracks.indices)
        members = tracks.indices.map { [$0] }
    }

    /// Joins two groups.
    mutating func join(_ first: Int, _ second: Int) {
        guard first != second else { return }
        let (low, high) = (min(first, second), max(first, second))
        for track in members[high] { owner[track] = low }
        members[low] = (members[low] + members[high]).sorted()
        members[high] = []
    }

    /// Whether a track of the group has an embedding.
    func isJudged(_ group: Int) -> Bool { members[group].contains { !tracks[$0].embeddings.isEmpty } }

    /// Whether no track of one group is visible at the same time as one of the other.
    func mayBeSamePerson(_ first: Int, _ second: Int) -> Bool {
        members[first].allSatisfy { a in
            members[second].allSatisfy { tracks[a].mayBeSamePerson(as: tracks[$0]) }
        }
    }

    func profile(_ group: Int) -> IdentityProfile {
        members[group].dropFirst().reduce(into: tracks[group].profile) { $0.merge(tracks[$1].profile) }
    }
}
