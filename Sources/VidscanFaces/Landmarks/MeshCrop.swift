internal import Glibc
public import VidscanBase

/// The square that the mesh model wants to see: half as large again as the face's points, centred on them, eyes level.
public enum MeshCrop {
    /// The square as the detector's box and five points suggest it.
    ///
    /// The coefficients are fitted to the squares that the mesh's own points settle on, over 8,565 views of 13 people
    /// turned up to 60° in the picture. They miss the centre by 1–3 % of the side and the side by 5 %, in the median.
    public static func predicted(from face: FaceDetection) -> RotatedSquare {
        let marks = face.landmarks
        // The subject's right eye is on the left of the picture.
        let eyes = vector(marks.rightEye, marks.leftEye)
        let middleOfEyes = middle(marks.rightEye, marks.leftEye)
        let down = vector(middleOfEyes, middle(marks.rightMouthCorner, marks.leftMouthCorner))
        // The way from eyes to mouth, turned by a right angle, points along the eyes too, and holds in profile.
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

    /// The square that a mesh implies for itself.
    public static func implied(by mesh: FaceMesh) -> RotatedSquare {
        let eyes = vector(mesh[MeshPoint.rightEyeOuter], mesh[MeshPoint.leftEyeOuter])
        let angle = atan2(eyes.y, eyes.x)
        let (cosine, sine) = (cos(angle), sin(angle))
        var low = Point(x: .infinity, y: .infinity)
        var high = Point(x: -.infinity, y: -.infinity)
        // The irises lie inside the eyes.
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

    /// Whether a mesh found in `used` would hardly change in the square that it implies.
    public static func isSettled(used: RotatedSquare, implied: RotatedSquare) -> Bool {
        let shift = length(vector(used.center, implied.center)) / used.side
        let turn = remainder(implied.angle - used.angle, 2 * .pi)
        return shift <= 0.02 && abs(log(implied.side / used.side)) <= 0.1 && abs(turn) <= 3 * .pi / 180
    }

    private static func vector(_ from: Point, _ to: Point) -> Point { Point(x: to.x - from.x, y: to.y - from.y) }

    private static func middle(_ a: Point, _ b: Point) -> Point { Point(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2) }

    private static func length(_ vector: Point) -> Double { (vector.x * vector.x + vector.y * vector.y).squareRoot() }

    private static func turned(_ vector: Point, by angle: Double) -> Point {
        Point(
            x: cos(angle) * vector.x - sin(angle) * vector.y, y: sin(angle) * vector.x + cos(angle) * vector.y)
    }
}
