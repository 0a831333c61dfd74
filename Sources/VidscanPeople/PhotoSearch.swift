package import VidscanBase
package import VidscanFaces
internal import VidscanResults

/// Finds the people of a result who look like photographs.
package struct PhotoSearch {
    private let people: [VideoPerson]
    private let path: String

    /// - Parameter path: Of a result with embeddings.
    package init(result path: String) throws(VidscanError) {
        self.path = path
        let video = try StudyVideo(path: path)
        people = try VideoPerson.read(video, index: 0, known: [:], needsEmbeddings: true)
    }

    /// The `person_id`s of people who certainly look like one of the photographs, or like all of them together. Throws
    /// if nobody does.
    package func certain(_ photos: [FaceEmbedding]) throws(VidscanError) -> Set<Int> {
        try found(photos, people.filter { excess($0, photos).map { $0 < -Self.margin } ?? false })
    }

    /// The `person_id`s of everybody who may be on one of the photographs: also those who cannot be compared. Throws if
    /// nobody looks like them.
    package func possible(_ photos: [FaceEmbedding]) throws(VidscanError) -> Set<Int> {
        let known = try found(photos, people.filter { excess($0, photos).map { $0 < Self.allowance } ?? false })
        return known.union(people.filter { $0.faces == nil }.map(\.personID))
    }

    private func found(_ photos: [FaceEmbedding], _ people: [VideoPerson]) throws(VidscanError) -> Set<Int> {
        guard people.isEmpty else { return Set(people.map(\.personID)) }
        throw .result(
            "nobody looks enough like the \(photos.count == 1 ? "photograph" : "photographs"); another photograph may do,"
                + " or a person_id of tracks.csv", input: path)
    }

    /// The distance beyond the limit; `nil` for a person who cannot be compared.
    private func excess(_ person: VideoPerson, _ photos: [FaceEmbedding]) -> Double? {
        guard let faces = person.faces else { return nil }
        let clusters = photos.map { [$0] } + [photos]
        return clusters.compactMap { FaceCluster($0, evidence: Double($0.count)) }.map {
            faces.distance(to: $0) - faces.limit(with: $0)
        }.min()
    }

    /// So much nearer than the limit somebody must be to stay visible.
    private static let margin = 0.03
    /// So much further away somebody may be, and is hidden nevertheless.
    private static let allowance = 0.15
}
