internal import Glibc
public import VidscanBase

/// The square crop for the mesh model: 1.5 times as large as the extent of the face's points, centred on them, with the
/// eyes level.
public enum MeshCrop {
    /// Predicts the crop from the detector's box and five landmarks.
    ///
    /// The coefficients are fitted to the crops on which the mesh converges, over 8,565 views of 13 people rotated by
    /// up to 60° in the frame. The median error is 1–3 % of the side for the centre and 5 % for the side.
    public static func predicted(from face: FaceDetection) -> RotatedSquare {
        let marks = face.landmarks
        // The subject's right eye is on the left of the frame.
        let eyes = vector(marks.rightEye, marks.leftEye)
        let middleOfEyes = middle(marks.rightEye, marks.leftEye)
        let down = vector(middleOfEyes, middle(marks.rightMouthCorner, marks.leftMouthCorner))
        // The vector from eyes to mouth, rotated by 90°, points along the eyes too, and is reliable in profile.
        let angle = atan2(eyes.y - down.x, eyes.x + down.y)
        let points = [marks.rightEye, marks.leftEye, marks.nose, marks.rightMouthCorner, marks.leftMouthCorner]
        let origin = Point(
            x: points.map(\.x).reduce(0, +) / Double(points.count),
            y: points.map(\.y).reduce(0, +) / Double(points.count))
        let nose = turned(vector(origin, marks.nose), by: -angle)
        let box = turned(vector(origin, face.box.center), by: -angle)
        let eyesToMouth = length(down)
        let offset = turned(
            Point(x: -0.92 * nose.x + 0.60 * box.x, y: -0.03 * eyesToMouth - 0.40 * nose.y + 0.07 * box.y), by: angle)
        let side = 0.93 * face.box.area.squareRoot() + 1.08 * eyesToMouth + 0.49 * length(eyes)
        return RotatedSquare(
            center: Point(x: origin.x + offset.x, y: origin.y + offset.y), side: max(side, 2), angle: angle)
    }

    /// Returns the crop that a mesh implies.
    public static func implied(by mesh: FaceMesh) -> RotatedSquare {
        let eyes = vector(mesh[MeshPoint.rightEyeOuter], mesh[MeshPoint.leftEyeOuter])
        let angle = atan2(eyes.y, eyes.x)
        let (cosine, sine) = (cos(angle), sin(angle))
        var low = Point(x: .infinity, y: .infinity)
        var high = Point(x: -.infinity, y: -.infinity)
        // The irises are inside the eyes and need not be considered.
        for index in 0..<MeshPoint.rightIris {
            let point = mesh[index]
            let level = Point(x: cosine * point.x + sine * point.y, y: -sine * point.x + cosine * point.y)
            low = Point(x: min(low.x, level.x), y: min(low.y, level.y))
            high = Point(x: max(high.x, level.x), y: max(high.y, level.y))
        }
        return RotatedSquare(
            center: turned(middle(low, high), by: angle), side: max(1.5 * max(high.x - low.x, high.y - low.y), 2),
            angle: angle)
    }

    /// How much a mesh may move its crop before it has to be fitted again.
    package struct Tolerance: Sendable {
        /// The shift of the centre, as a fraction of the side.
        package var shift: Double
        /// The natural logarithm of the ratio of the sides.
        package var scale: Double
        /// In radians.
        package var turn: Double

        /// The mesh hardly changes when it is fitted again.
        package static let settled = Tolerance(shift: 0.02, scale: 0.1, turn: 3 * .pi / 180)
        /// The mesh changes little more than by its own noise when it is fitted again.
        package static let close = Tolerance(shift: 0.06, scale: 0.15, turn: 6 * .pi / 180)
        /// The crop still shows the same face.
        package static let near = Tolerance(shift: 0.25, scale: 0.5, turn: 45 * .pi / 180)
    }

    /// Returns whether the crop that a mesh implies is as near to the crop `used` to find it as the tolerance allows.
    package static func isSettled(
        used: RotatedSquare, implied: RotatedSquare, within tolerance: Tolerance = .settled
    ) -> Bool {
        let shift = length(vector(used.center, implied.center)) / used.side
        let turn = remainder(implied.angle - used.angle, 2 * .pi)
        return shift <= tolerance.shift && abs(log(implied.side / used.side)) <= tolerance.scale
            && abs(turn) <= tolerance.turn
    }

    private static func vector(_ from: Point, _ to: Point) -> Point { Point(x: to.x - from.x, y: to.y - from.y) }

    private static func middle(_ a: Point, _ b: Point) -> Point { Point(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2) }

    private static func length(_ vector: Point) -> Double { (vector.x * vector.x + vector.y * vector.y).squareRoot() }

    private static func turned(_ vector: Point, by angle: Double) -> Point {
        Point(
            x: cos(angle) * vector.x - sin(angle) * vector.y, y: sin(angle) * vector.x + cos(angle) * vector.y)
    }
}
