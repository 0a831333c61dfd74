import Testing
import VidscanBase
import VidscanFaces

@Suite("The 68 points and the points of the eyes are taken from the mesh")
struct SixtyEightPointsTests {
    /// A mesh whose points are told apart by their coordinates.
    private static let mesh: FaceMesh = {
        let coordinates: [[Float]] = (0..<FaceMesh.pointCount).map { index in
            let number = Float(index)
            return [number, 1000 + number, 2000 + number]
        }
        return FaceMesh(coordinates: coordinates.flatMap(\.self))
    }()

    private func at(_ index: Double) -> Vector3 { Vector3(x: index, y: 1000 + index, z: 2000 + index) }

    @Test("Corners of eyes and mouth, chin and nose tip have their numbers")
    func numbers() throws {
        let points = SixtyEightPoints.points(of: Self.mesh)
        try #require(points.count == 68)
        for (number, index) in [
            (8, MeshPoint.chin), (30, 4), (36, MeshPoint.rightEyeOuter), (39, MeshPoint.rightEyeInner),
            (42, MeshPoint.leftEyeInner), (45, MeshPoint.leftEyeOuter), (48, MeshPoint.rightMouthCorner),
            (54, MeshPoint.leftMouthCorner), (62, MeshPoint.upperLipInner), (66, MeshPoint.lowerLipInner),
        ] {
            #expect(points[number] == at(Double(index)), "\(number)")
        }
        // Midway between two.
        #expect(points[28] == at(101.5))
    }

    @Test("Every index is a point of the mesh, and no point is used twice except on the outline")
    func sources() {
        let inner = SixtyEightPoints.sources.dropFirst(17).flatMap(\.self)
        #expect(Set(inner).count == inner.count)
        #expect(SixtyEightPoints.sources.flatMap(\.self).allSatisfy { (0..<468).contains($0) })
    }

    @Test("The iris is a ring that starts on the left of the frame and runs clockwise, and pupils have no size")
    func eyes() throws {
        var coordinates = Self.mesh.coordinates
        // Centre, right, top, left, bottom.
        for (offset, place) in [(50, 60), (54, 60), (50, 56), (46, 60), (50, 64)].enumerated() {
            let index = 3 * (MeshPoint.rightIris + offset)
            coordinates.replaceSubrange(index..<index + 3, with: [Float(place.0), Float(place.1), 0])
        }
        let points = SixtyEightPoints.eyePoints(of: FaceMesh(coordinates: coordinates))
        try #require(points.count == 56)
        let diagonal = 4 * 0.5.squareRoot()
        let ring = [
            (46, 60), (50 - diagonal, 60 - diagonal), (50, 56), (50 + diagonal, 60 - diagonal), (54, 60),
            (50 + diagonal, 60 + diagonal), (50, 64), (50 - diagonal, 60 + diagonal),
        ]
        for (point, place) in zip(points, ring) {
            #expect(abs(point.x - place.0) < 1e-9 && abs(point.y - place.1) < 1e-9)
        }
        #expect(points[20..<28].allSatisfy { $0 == Vector3(x: 50, y: 60, z: 0) })
        #expect(points[8] == at(Double(MeshPoint.rightEyeOuter)) && points[14] == at(Double(MeshPoint.rightEyeInner)))
        #expect(points[36] == at(Double(MeshPoint.leftEyeInner)) && points[42] == at(Double(MeshPoint.leftEyeOuter)))
    }
}
