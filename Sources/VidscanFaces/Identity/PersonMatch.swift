/// How well single samples match their track's person: not all do if the track continued on somebody else's face, for
/// example where two people crossed. Like ``TrackletLinker/Person/confidence``, a logistic function of the smaller
/// margin: how far the sample is below the threshold, and half of how much nearer its own track is than other people.
package struct PersonMatch: Sendable {
    /// The embeddings of a track's best samples stand for it.
    private static let references = 3
    /// People who were seen best.
    private static let maximumRivals = 200

    private let references: [[FaceEmbedding]]
    /// By person_id.
    private var rivals: [Int: [(embeddings: [FaceEmbedding], allowance: Double)]] = [:]
    /// The person_id of each track; `nil` for dropped tracks.
    private let people: [Int?]

    package init(_ tracks: [TrackSummary], identities: [TrackSelection.Identity?]) {
        let references = tracks.map { Array($0.embeddings.prefix(Self.references)) }
        self.references = references
        people = identities.map { $0?.personID }
        let kept = identities.indices.filter { identities[$0] != nil }
        let members = Dictionary(grouping: kept) { identities[$0]?.personID ?? 0 }
        let best = members.compactMap { person, own -> (person: Int, track: Int)? in
            let judged = own.filter { !tracks[$0].embeddings.isEmpty }
            return judged.max { (tracks[$0].bestWeight, $1) < (tracks[$1].bestWeight, $0) }.map { (person, $0) }
        }
        let foremost = best.sorted { (tracks[$1.track].bestWeight, $0.track) < (tracks[$0.track].bestWeight, $1.track) }
            .prefix(Self.maximumRivals)
        for (person, own) in members {
            rivals[person] = foremost.filter { $0.person != person }.map { other in
                let areTogether = own.contains { one in
                    (members[other.person] ?? []).contains { tracks[one].overlaps(tracks[$0]) }
                }
                let allowance = areTogether ? 0 : IdentityCalibration.allowanceIfNeverTogether
                return (embeddings: references[other.track], allowance: allowance)
            }
        }
    }

    /// How certainly a sample shows its track's person, 0…1: 0.5 if somebody else is as near, `nil` for a dropped track.
    package func confidence(of embedding: FaceEmbedding, track: Int) -> Double? {
        guard let person = people[track] else { return nil }
        func distance(to others: [FaceEmbedding]) -> Double {
            others.reduce(0) { $0 + $1.distance(to: embedding) } / Double(others.count)
        }
        let others = references[track].filter { $0 != embedding }
        let own = others.isEmpty ? nil : distance(to: others)
        var margin = own.map { IdentityCalibration.withinTrack - $0 } ?? .infinity
        for rival in rivals[person] ?? [] {
            let theirs = distance(to: rival.embeddings)
            margin = min(margin, (theirs - (own ?? IdentityCalibration.withinTrack)) / 2 + rival.allowance)
        }
        return IdentityCalibration.confidence(margin: margin)
    }
}
