internal import Foundation

/// The parameters of `FaceShape`, which `scripts/train_face_shape.py` writes to `Data/face-shape.json`.
struct FaceShapeModel: Decodable, Sendable {
    /// The indices of mesh points that align the face.
    let steady: [Int]
    /// The indices of mesh points that only describe its shape.
    let others: [Int]
    /// The average face: x, y, z of the points above, in that order.
    let canonical: [Double]
    /// The mean of the aligned faces, which is subtracted before the projection.
    let mean: [Double]
    /// The scale of the projection's 16-bit numbers, one value for each dimension.
    let scale: [Double]
    /// The variance between people in each dimension, where the variance between images of one person is 1.
    let between: [Double]
    /// The projection, with one row for each dimension, as little-endian 16-bit numbers in base 64, split into lines.
    let projection: [String]

    static let trained: FaceShapeModel = {
        do {
            return try JSONDecoder().decode(FaceShapeModel.self, from: Data(PackageResources.face_shape_json))
        } catch {
            // The file is compiled into the binary, so no user's file can cause this error.
            fatalError("face-shape.json: \(error)")
        }
    }()
}
