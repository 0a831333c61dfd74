import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces

/// The expected crops come from `scripts/embedding/reference.py`, which fits by singular value decomposition.
@Suite("The crop for the embedding is the best fit of five points")
struct EmbeddingCropTests {
    private struct Meshes: Decodable {
        struct Case: Decodable {
            var mesh: [[Float]]
        }
        var cases: [Case]
    }

    private struct Golden: Decodable {
        struct Crop: Decodable {
            var x: Double
            var y: Double
            var side: Double
            /// In radians.
            var angle: Double
        }
        var crops: [Crop]
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        let file = URL(fileURLWithPath: Checkout.root + "/Tests/VidscanFacesTests/" + name)
        return try JSONDecoder().decode(type, from: Data(contentsOf: file))
    }

    @Test("The crops around twenty faces of different sizes, rotations and poses equal the reference's")
    func reference() throws {
        let meshes = try Self.read(Meshes.self, "expressions.golden.json").cases
        let crops = try Self.read(Golden.self, "crop.golden.json").crops
        try #require(meshes.count == crops.count && crops.count >= 20)
        for (mesh, expected) in zip(meshes, crops) {
            let found = EmbeddingCrop.square(around: FaceMesh(coordinates: mesh.mesh.flatMap(\.self)))
            // The reference knows the points to a thousandth of a pixel.
            #expect(abs(found.center.x - expected.x) < 2e-3 && abs(found.center.y - expected.y) < 2e-3)
            #expect(abs(found.side - expected.side) < 2e-3)
            #expect(abs(remainder(found.angle - expected.angle, 2 * .pi)) < 1e-4)
        }
    }

    @Test("A mesh without extent has a crop of two pixels")
    func noExtent() {
        let mesh = FaceMesh(coordinates: [Float](repeating: 7, count: 3 * FaceMesh.pointCount))
        let square = EmbeddingCrop.square(around: mesh)
        #expect(square.side == 2 && abs(square.center.x - 7) < 1e-9 && abs(square.center.y - 7) < 1e-9)
    }
}
