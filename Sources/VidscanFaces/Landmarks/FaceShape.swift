internal import Foundation
internal import VidscanBase

/// The shape of a face in 24 numbers, computed from its mesh. The mesh is rotated to an upright frontal view, scaled to
/// a fixed size, and projected onto the directions in which people differ most compared to images of one person (linear
/// discriminant analysis; trained by `scripts/train_face_shape.py`).
///
/// The shape distinguishes many people, but it does not prove who a person is. On held-out people, comparing two single
/// images is wrong in 22 % of cases, and comparing two averages of four images in 4 %.
public struct FaceShape: Sendable {
    /// The variance between people in each dimension, where the variance between images of one person is 1.
    public static let betweenVariances = FaceShapeModel.trained.between

    private let rows: [[Float]]
    private let canonical: [Vector3]
    private let model = FaceShapeModel.trained
    private let points: [Int]

    public init() {
        points = model.steady + model.others
        let bytes = Data(base64Encoded: model.projection.joined()) ?? Data()
        let (width, scale) = (model.mean.count, model.scale)
        rows = scale.indices.map { row in
            (0..<width).map { column in
                let offset = 2 * (row * width + column)
                guard offset + 1 < bytes.count else { return 0 }
                let value = Int16(bitPattern: UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)
                return Float(Double(value) * scale[row])
            }
        }
        let values = model.canonical
        canonical = points.indices.map {
            Vector3(x: values[3 * $0], y: values[3 * $0 + 1], z: values[3 * $0 + 2])
        }
    }

    /// Computes the shape of a mesh.
    ///
    /// - Returns: 24 numbers, each with a variance of about 1 among images of one person.
    public func describe(_ mesh: FaceMesh) -> [Float] {
        let source = points.map { Vector3(x: mesh[$0].x, y: mesh[$0].y, z: mesh.z($0)) }
        let steady = model.steady.count
        let alignment = RigidAlignment(from: Array(source[..<steady]), to: Array(canonical[..<steady]))
        var values: [Float] = []
        values.reserveCapacity(3 * source.count)
        for (index, point) in source.enumerated() {
            let p = alignment.apply(to: point)
            values.append(Float(p.x - model.mean[3 * index]))
            values.append(Float(p.y - model.mean[3 * index + 1]))
            values.append(Float(p.z - model.mean[3 * index + 2]))
        }
        return rows.map { row in
            var sum: Float = 0
            for index in values.indices { sum += row[index] * values[index] }
            return sum
        }
    }
}
