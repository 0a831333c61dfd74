package import VidscanFaces

/// A row of `embeddings.npy`: what a face looks like in one sample of its track.
package struct EmbeddingRow: Sendable, Equatable {
    package var personID: Int
    package var faceID: Int
    /// As in `faces.csv`.
    package var seconds: Double
    /// How well the face can be seen, from 0 up.
    package var weight: Float
    package var embedding: FaceEmbedding

    package init(personID: Int, faceID: Int, seconds: Double, weight: Float, embedding: FaceEmbedding) {
        self.personID = personID
        self.faceID = faceID
        self.seconds = seconds
        self.weight = weight
        self.embedding = embedding
    }
}
