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

    @Test(
        "Without a mesh, a face has a crop around the detector's eyes, unless it is small",
        arguments: [
            (100.0, 50.0, false), (100, 31, false), (100, 29, true), (100, 71, true), (100, 75, true), (100, 20, true),
            (8, 4, nil),
        ])
    func detected(eyes: Double, nose: Double, isTurned: Bool?) throws {
        let marks = FaceLandmarks(
            points: [(eyes, 0.0), (0, 0), (nose, 0.6 * eyes), (0.8 * eyes, eyes), (0.2 * eyes, eyes)].map {
                Point(x: 200 + $0.0, y: 300 + $0.1)
            })
        let box = Rectangle(x: 150, y: 250, width: 2 * eyes, height: 2 * eyes)
        let crop = EmotionCrop.square(around: FaceDetection(box: box, confidence: 1, landmarks: marks))
        #expect(crop?.isTurned == isTurned)
        guard let square = crop?.square else { return }
        // The outer corners lie 0.215 of the distance outside of the irises.
        let corner = square.transform(resolution: 128).apply(to: Point(x: 32, y: 50))
        #expect(abs(corner.x - 178.5) < 1e-9 && abs(corner.y - 300) < 1e-9)
    }

    @Test(
        "What covers a turned face without a mesh counts only if it is all but certain",
        arguments: [
            (false, 0.0, true), (false, 99, true), (true, 99.8, false), (true, ExpressionLimits.coveredIfTurned, true),
        ])
    func certain(isTurned: Bool, mouth: Double, counts: Bool) {
        let evidence = PixelEvidence(emotions: [], mouthCovered: mouth, eyesCovered: 100)
        #expect(evidence.tellsCovers(ofTurned: isTurned) == counts)
    }

    @Test(
        "What the edge of the picture cuts off counts as covered, the rest as the pixels say",
        arguments: [
            (PictureSize(width: 200, height: 200), 3.0, 4.0), (PictureSize(width: 200, height: 140), 100, 4),
            (PictureSize(width: 130, height: 200), 100, 100),
        ])
    func cut(size: PictureSize, mouth: Double, eyes: Double) {
        var coordinates = [Float](repeating: 50, count: 3 * FaceMesh.pointCount)
        let points = [
            (MeshPoint.rightIris, 70, 60), (MeshPoint.leftIris, 140, 60), (MeshPoint.rightBrow, 70, 40),
            (MeshPoint.leftBrow, 140, 40), (MeshPoint.rightMouthCorner, 80, 130), (MeshPoint.leftMouthCorner, 135, 130),
            (MeshPoint.lowerLip, 105, 145),
        ]
        for (point, x, y) in points { (coordinates[3 * point], coordinates[3 * point + 1]) = (Float(x), Float(y)) }
        let evidence = PixelEvidence(emotions: [], mouthCovered: 3, eyesCovered: 4)
        let cut = evidence.covering(FaceMesh(coordinates: coordinates), outside: size)
        #expect(cut == PixelEvidence(emotions: [], mouthCovered: mouth, eyesCovered: eyes))
    }
}
