import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces

@Suite("The crop for the emotion network shows the face as in training")
struct EmotionCropTests {
    @Test("The outer corners of the eyes are where training put them", arguments: [0.0, 30, 90, 180, -100])
    func corners(degrees: Double) {
        let turn = degrees * .pi / 180
        var coordinates = [Float](repeating: 0, count: 3 * FaceMesh.pointCount)
        for (point, x) in [(MeshPoint.rightEyeOuter, -45.0), (MeshPoint.leftEyeOuter, 45.0)] {
            coordinates[3 * point] = Float(400 + cos(turn) * x)
            coordinates[3 * point + 1] = Float(300 + sin(turn) * x)
        }
        let mesh = FaceMesh(coordinates: coordinates)
        let toFrame = EmotionCrop.square(around: mesh).transform(resolution: 128)
        // The reference pictures are aligned by these two points of 128 × 128 pixels.
        for (point, place) in [
            (MeshPoint.rightEyeOuter, Point(x: 32, y: 50)), (MeshPoint.leftEyeOuter, Point(x: 96, y: 50)),
        ] {
            let found = toFrame.apply(to: place)
            #expect(abs(found.x - mesh[point].x) < 1e-3 && abs(found.y - mesh[point].y) < 1e-3)
        }
    }
}
