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
        people = try VideoPerson.read(StudyVideo(path: path), index: 0, known: [:])
    }

    /// The `person_id`s of people who certainly look like one photograph, or all together. Throws if nobody does.
    package func certain(_ photos: [FaceEmbedding]) throws(VidscanError) -> Set<Int> {
        try find(photos, below: -Self.margin)
    }

    /// The `person_id`s of everybody who may be on one of the photographs: also those who cannot be compared. Throws if
    /// nobody looks like one of them.
    package func possible(_ photos: [FaceEmbedding]) throws(VidscanError) -> Set<Int> {
        var found = Set(people.filter { $0.faces == nil }.map(\.personID))
        for photo in photos { found.formUnion(try find([photo], below: Self.allowance)) }
        return found.union(try find(photos, below: Self.allowance))
    }

    /// - Parameter bound: How far beyond the limit the distance may be.
    private func find(_ photos: [FaceEmbedding], below bound: Double) throws(VidscanError) -> Set<Int> {
        let clusters = (photos.map { [$0] } + [photos]).compactMap { FaceCluster($0, evidence: Double($0.count)) }
        let found = people.filter { person in
            guard let faces = person.faces else { return false }
            return clusters.contains { faces.distance(to: $0) - faces.limit(with: $0) < bound }
        }
        guard found.isEmpty else { return Set(found.map(\.personID)) }
        throw .result(
            "nobody looks enough like the \(photos.count == 1 ? "photograph" : "photographs"); another photograph may do,"
                + " or a person_id of tracks.csv", input: path)
    }

    /// So much nearer than the limit somebody must be to stay visible.
    private static let margin = 0.03
    /// So much further away somebody may be, and is hidden nevertheless.
    private static let allowance = 0.15
}
