internal import Foundation

/// A face's shape in 24 numbers: the upright frontal mesh in a fixed size, projected onto the directions in which
/// people differ most compared to images of one person (linear discriminant analysis; trained by
/// `scripts/train_face_shape.py`). It does not prove who a person is: on held-out people, comparing two single images
/// is wrong in 22 % of cases, and comparing two averages of four images in 4 %.
package struct FaceShape: Sendable {
    /// Variance between people in each dimension, where that between images of one person is 1.
    package static let betweenVariances = FaceShapeModel.trained.between

    private let rows: [[Float]]
    private let canonical: [Vector3]
    private let model = FaceShapeModel.trained

    package init() {
        let bytes = Data(base64Encoded: model.projection.joined()) ?? Data()
        let (width, scale) = (model.mean.count, model.scale)
        rows = scale.indices.map { row in
            (0..<width).map { column in
                let offset = 2 * (row * width + column)
                let value = Int16(bitPattern: UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)
                return Float(Double(value) * scale[row])
            }
        }
        let face = model.canonical
        canonical = model.steady.indices.map { Vector3(face[3 * $0..<3 * $0 + 3]) }
    }

    /// Returns 24 numbers, each with a variance of about 1 among images of one person.
    package func describe(_ mesh: FaceMesh) -> [Float] {
        let alignment = RigidAlignment(from: model.steady.map(mesh.position), to: canonical)
        let aligned = (model.steady + model.others).map { alignment.apply(to: mesh.position($0)) }
        let coordinates = aligned.flatMap { [$0.x, $0.y, $0.z] }
        let values = zip(coordinates, model.mean).map { Float($0 - $1) }
        return rows.map { row in zip(row, values).reduce(0) { $0 + $1.0 * $1.1 } }
    }
}

/// `Data/face-shape.json`, which `scripts/train_face_shape.py` writes.
struct FaceShapeModel: Decodable, Sendable {
    /// Mesh points that align the face, and those that only describe its shape.
    let steady, others: [Int]
    /// The average face: x, y, z of the points above, in that order.
    let canonical: [Double]
    /// Mean of the aligned faces, subtracted before the projection.
    let mean: [Double]
    /// Scale of the projection's 16-bit numbers in each dimension.
    let scale: [Double]
    let between: [Double]
    /// A row for each dimension, as little-endian 16-bit numbers in base 64, split into lines.
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
