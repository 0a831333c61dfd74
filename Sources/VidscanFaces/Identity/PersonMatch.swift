internal import Glibc

/// How well single samples of a track match the track's person. The samples of a track that continued on somebody
/// else's face, for example where two people crossed, do not all match.
///
/// An embedding is compared with the best ones of its track, and with the best ones of the other people. As for
/// ``TrackletLinker/Person/confidence``, the match is a logistic function of the smaller of two margins: how far the
/// sample is below the threshold for one person, and how far it is nearer to its own track than to another person,
/// halved.
public struct PersonMatch: Sendable {
    /// The best samples of another person.
    private struct Rival {
        var embeddings: [FaceEmbedding]
        /// What the margin is larger by.
        var allowance: Double
    }

    /// The number of embeddings that stand for a track, those of its best samples.
    private static let references = 3
    /// The largest mean distance between samples of one track.
    private static let limit = 0.55
    /// People who are never seen at the same time may be one person with two numbers. Only a sample that is clearly
    /// nearer to such a person is evidence.
    private static let allowanceIfNeverTogether = 0.06
    /// The margin of a sample that nothing limits.
    private static let widestMargin = 0.15
    /// The margin at which the odds are e to 1.
    private static let scale = 0.03
    /// The number of people that a sample is compared with, those who were best seen.
    private static let maximumRivals = 200

    private let references: [[FaceEmbedding]]
    private let rivals: [[Rival]]
    /// The index in `rivals` of each track; `nil` for tracks that are dropped.
    private let people: [Int?]

    /// - Parameters:
    ///   - tracks: All tracks.
    ///   - identities: The identity of each track, as of ``TrackSelection``.
    public init(_ tracks: [TrackSummary], identities: [TrackSelection.Identity?]) {
        references = tracks.map { Array($0.embeddings.prefix(Self.references)) }
        var members: [Int: [Int]] = [:]
        for (track, identity) in identities.enumerated() {
            if let identity { members[identity.personID, default: []].append(track) }
        }
        let persons = members.keys.sorted()
        let positions = Dictionary(uniqueKeysWithValues: persons.enumerated().map { ($1, $0) })
        people = identities.map { $0.flatMap { positions[$0.personID] } }
        let best = persons.compactMap { person -> (person: Int, track: Int)? in
            let judged = (members[person] ?? []).filter { !tracks[$0].embeddings.isEmpty }
            return judged.max { (tracks[$0].bestWeight, $1) < (tracks[$1].bestWeight, $0) }.map { (person, $0) }
        }
        let foremost = best.sorted { (tracks[$1.track].bestWeight, $0.track) < (tracks[$0.track].bestWeight, $1.track) }
            .prefix(Self.maximumRivals)
        rivals = persons.map { person in
            foremost.filter { $0.person != person }.map { other in
                let areTogether = (members[person] ?? []).contains { one in
                    (members[other.person] ?? []).contains { tracks[one].overlaps(tracks[$0]) }
                }
                return Rival(
                    embeddings: Array(tracks[other.track].embeddings.prefix(Self.references)),
                    allowance: areTogether ? 0 : Self.allowanceIfNeverTogether)
            }
        }
    }

    /// Returns how certain it is that a sample of a track shows the person that the track was given, and not another
    /// one, 0…1. At 0.5, somebody else is as near.
    ///
    /// - Parameter track: The index of the track.
    /// - Returns: `nil` if the track was dropped.
    public func confidence(of embedding: FaceEmbedding, track: Int) -> Double? {
        guard let person = people[track] else { return nil }
        func distance(to others: [FaceEmbedding]) -> Double {
            others.reduce(0) { $0 + $1.distance(to: embedding) } / Double(others.count)
        }
        let others = references[track].filter { $0 != embedding }
        let own = others.isEmpty ? nil : distance(to: others)
        var margin = min(own.map { Self.limit - $0 } ?? Self.widestMargin, Self.widestMargin)
        for rival in rivals[person] {
            let theirs = distance(to: rival.embeddings)
            margin = min(margin, (theirs - (own ?? Self.limit)) / 2 + rival.allowance)
        }
        return 1 / (1 + exp(-margin / Self.scale))
    }
}
