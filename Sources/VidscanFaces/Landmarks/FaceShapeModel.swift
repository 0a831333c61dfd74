internal import Foundation

/// The numbers behind `FaceShape`, as `scripts/train_face_shape.py` writes them: `Data/face-shape.json`.
struct FaceShapeModel: Decodable, Sendable {
    /// Mesh points that align the face.
    let steady: [Int]
    /// Mesh points that only describe its shape.
    let others: [Int]
    /// The average face: x, y, z of the points above, in that order.
    let canonical: [Double]
    /// The average of aligned faces, subtracted before the projection.
    let mean: [Double]
    /// The value of one unit of the projection's 16-bit numbers, one for each dimension.
    let scale: [Double]
    /// Variance between people in each dimension, where the variance between pictures of one person is 1.
    let between: [Double]
    /// One row for each dimension, of little-endian 16-bit numbers, in base 64 and divided into lines.
    let projection: [String]

    static let trained: FaceShapeModel = {
        do {
            return try JSONDecoder().decode(FaceShapeModel.self, from: Data(PackageResources.face_shape_json))
        } catch {
            // Compiled into the binary, so that no user's file can cause this.
            fatalError("face-shape.json: \(error)")
        }
    }()
}
