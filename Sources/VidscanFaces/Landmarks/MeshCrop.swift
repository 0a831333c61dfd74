internal import Glibc
package import VidscanBase

/// The square crop for the mesh model: centred on the face's points, 1.5 times their extent, with the eyes level.
package enum MeshCrop {
    /// The coefficients are fitted to the crops on which the mesh converges, over 8,565 views of 13 people rotated by
    /// up to 60° in the frame. The median error is 1–3 % of the side for the centre and 5 % for the side.
    package static func predicted(from face: FaceDetection) -> RotatedSquare {
        let marks = face.landmarks
        // The subject's right eye is on the left of the frame.
        let eyes = marks.leftEye - marks.rightEye
        let down = marks.rightMouthCorner.middle(marks.leftMouthCorner) - marks.rightEye.middle(marks.leftEye)
        // The vector from eyes to mouth, rotated by 90°, points along the eyes too, and is reliable in profile.
        let angle = atan2(eyes.y - down.x, eyes.x + down.y)
        let points = [marks.rightEye, marks.leftEye, marks.nose, marks.rightMouthCorner, marks.leftMouthCorner]
        let origin = Point.mean(points)
        let nose = turned(marks.nose - origin, by: -angle)
        let box = turned(face.box.center - origin, by: -angle)
        let eyesToMouth = down.length
        let offset = turned(
            Point(x: -0.92 * nose.x + 0.60 * box.x, y: -0.03 * eyesToMouth - 0.40 * nose.y + 0.07 * box.y), by: angle)
        let side = 0.93 * face.box.area.squareRoot() + 1.08 * eyesToMouth + 0.49 * eyes.length
        return RotatedSquare(center: origin + offset, side: max(side, 2), angle: angle)
    }

    package static func implied(by mesh: FaceMesh) -> RotatedSquare {
        let eyes = mesh[MeshPoint.leftEyeOuter] - mesh[MeshPoint.rightEyeOuter]
        let angle = atan2(eyes.y, eyes.x)
        let (cosine, sine) = (cos(angle), sin(angle))
        // The irises are inside the eyes.
        let points = (0..<MeshPoint.rightIris).map { mesh[$0] }
        let (low, high) = Rectangle.corners(
            around: points.map { Point(x: cosine * $0.x + sine * $0.y, y: -sine * $0.x + cosine * $0.y) })
        return RotatedSquare(
            center: turned(low.middle(high), by: angle), side: max(1.5 * max(high.x - low.x, high.y - low.y), 2),
            angle: angle)
    }

    /// How much a mesh may move its crop before it has to be fitted again.
    package struct Tolerance: Sendable {
        /// Of the centre, as a fraction of the side.
        package var shift: Double
        /// Natural logarithm of the ratio of the sides.
        package var scale: Double
        /// In radians.
        package var turn: Double

        /// Fitting the mesh again changes it little.
        package static let settled = Tolerance(shift: 0.02, scale: 0.1, turn: 3 * .pi / 180)
        /// The crop still shows the same face.
        package static let near = Tolerance(shift: 0.25, scale: 0.5, turn: 45 * .pi / 180)
    }

    /// Whether the crop that a mesh implies is near enough to the one `used` to find the mesh.
    package static func isSettled(
        used: RotatedSquare, implied: RotatedSquare, within tolerance: Tolerance = .settled
    ) -> Bool {
        let shift = (implied.center - used.center).length / used.side
        let turn = remainder(implied.angle - used.angle, 2 * .pi)
        return shift <= tolerance.shift && abs(log(implied.side / used.side)) <= tolerance.scale
            && abs(turn) <= tolerance.turn
    }

    private static func turned(_ vector: Point, by angle: Double) -> Point {
        Point(x: cos(angle) * vector.x - sin(angle) * vector.y, y: sin(angle) * vector.x + cos(angle) * vector.y)
    }
}

/// The square crop for the emotion network, with the eyes level.
package enum EmotionCrop {
    /// Returns a square in display space, at least 2 pixels wide. The outer eye corners are a quarter and three
    /// quarters of the width from the left edge, and 50/128 of the height from the top.
    package static func square(around mesh: FaceMesh) -> RotatedSquare {
        square(from: mesh[MeshPoint.rightEyeOuter], to: mesh[MeshPoint.leftEyeOuter])
    }

    /// Of a face without a mesh, from the detector's landmarks; it is turned unless the nose lies in the middle 40 %
    /// between the eyes. Returns `nil` if the face is too small.
    package static func square(around face: FaceDetection) -> (square: RotatedSquare, isTurned: Bool)? {
        let marks = face.landmarks
        let (eyes, nose) = (marks.leftEye - marks.rightEye, marks.nose - marks.rightEye)
        // The nose's position between the eyes, 0…1 in the subject's left direction.
        let position = (nose.x * eyes.x + nose.y * eyes.y) / max(eyes.x * eyes.x + eyes.y * eyes.y, 1)
        let (middle, half) = (marks.rightEye.middle(marks.leftEye), cornersPerEyes / 2)
        let reach = Point(x: half * eyes.x, y: half * eyes.y)
        guard 2 * reach.length >= ExpressionLimits.minimumEyePixelsOfCovers else { return nil }
        return (square(from: middle - reach, to: middle + reach), abs(position - 0.5) >= 0.2)
    }

    /// The distance between the outer eye corners as a multiple of that between the irises.
    private static let cornersPerEyes = 1.43

    private static func square(from right: Point, to left: Point) -> RotatedSquare {
        let across = left - right
        let drop = (0.5 - 50.0 / 128) * 2
        return RotatedSquare(
            center: Point(x: (left.x + right.x) / 2 - drop * across.y, y: (left.y + right.y) / 2 + drop * across.x),
            side: max(2 * across.length, 2), angle: atan2(across.y, across.x))
    }
}

/// The square in which a face lies like the faces from which the embedding's network learned.
package enum EmbeddingCrop {
    /// Returns a square in display space, at least 2 pixels wide. Lays five points of the network's own mean face onto
    /// the mesh by rotation, scale and translation (Umeyama, "Least-squares estimation of transformation parameters
    /// between two point patterns", PAMI 13, 1991).
    package static func square(around mesh: FaceMesh) -> RotatedSquare {
        let points = meanFace.map { mean in Point.mean(mean.indices.map { mesh[$0] }) }
        let (source, target) = (Point.mean(meanFace.map(\.position)), Point.mean(points))
        // In the plane, the best rotation and scale are one complex number: the covariance over the variance.
        var (variance, along, across) = (0.0, 0.0, 0.0)
        for (mean, point) in zip(meanFace, points) {
            let (from, to) = (mean.position - source, point - target)
            variance += from.x * from.x + from.y * from.y
            along += from.x * to.x + from.y * to.y
            across += from.x * to.y - from.y * to.x
        }
        (along, across) = (along / variance, across / variance)
        let middle = Point(x: 0.5, y: 0.5) - source
        return RotatedSquare(
            center: Point(
                x: target.x + along * middle.x - across * middle.y, y: target.y + across * middle.x + along * middle.y),
            side: max((along * along + across * across).squareRoot(), 2), angle: atan2(across, along))
    }

    /// Positions in a unit square, from the Open Model Zoo's description, and the mesh points whose means they are.
    private static let meanFace: [(indices: [Int], position: Point)] = [
        ([MeshPoint.rightEyeOuter, MeshPoint.rightEyeInner], Point(x: 0.31556875, y: 0.46157411)),
        ([MeshPoint.leftEyeInner, MeshPoint.leftEyeOuter], Point(x: 0.68262292, y: 0.46157411)),
        ([MeshPoint.noseTip], Point(x: 0.50026250, y: 0.64050536)),
        ([MeshPoint.rightMouthCorner], Point(x: 0.34947188, y: 0.82469196)),
        ([MeshPoint.leftMouthCorner], Point(x: 0.65343646, y: 0.82469196)),
    ]
}

/// A small aligned picture of a face, kept because only the whole video shows which faces need an embedding.
package struct FaceCrop: Sendable, Equatable {
    /// Width and height in pixels.
    package static let resolution = 128
    package static let byteCount = 3 * resolution * resolution

    /// R', G', B' in 0…255, shape 3 × 128 × 128, cut as ``EmbeddingCrop`` says.
    package let pixels: [UInt8]

    package init(pixels: [UInt8]) {
        precondition(pixels.count == Self.byteCount, "a crop has 3 × 128 × 128 values")
        self.pixels = pixels
    }
}
