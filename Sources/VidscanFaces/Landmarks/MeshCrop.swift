internal import Glibc
public import VidscanBase

/// The square crop for the mesh model: centred on the face's points, 1.5 times their extent, with the eyes level.
public enum MeshCrop {
    /// The coefficients are fitted to the crops on which the mesh converges, over 8,565 views of 13 people rotated by
    /// up to 60° in the frame. The median error is 1–3 % of the side for the centre and 5 % for the side.
    public static func predicted(from face: FaceDetection) -> RotatedSquare {
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

    public static func implied(by mesh: FaceMesh) -> RotatedSquare {
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
public enum EmotionCrop {
    /// Returns a square in display space, at least 2 pixels wide. The outer eye corners are a quarter and three
    /// quarters of the width from the left edge, and 50/128 of the height from the top.
    public static func square(around mesh: FaceMesh) -> RotatedSquare {
        let (right, left) = (mesh[MeshPoint.rightEyeOuter], mesh[MeshPoint.leftEyeOuter])
        let across = left - right
        let drop = (0.5 - 50.0 / 128) * 2
        return RotatedSquare(
            center: Point(x: (left.x + right.x) / 2 - drop * across.y, y: (left.y + right.y) / 2 + drop * across.x),
            side: max(2 * across.length, 2), angle: atan2(across.y, across.x))
    }
}
