internal import VidscanCore
internal import VidscanFaces

/// A face at one moment: as it was measured, or between two samples of it.
struct FaceSight {
    var faceID: Int
    var microseconds: Int64
    var box: Rectangle
    var leftEye: Point?
    var rightEye: Point?
    var nose: Point?
    var mouth: Point?
    var leftMouthCorner: Point?
    var rightMouthCorner: Point?
    /// Degrees, as in `faces.csv`.
    var yaw: Double?
    var pitch: Double?
    var roll: Double?
    /// Those that are drawn.
    var metrics: [Metric: Double]
    var emoji: String?
    var mesh: FaceMesh?

    /// The face between this sample and a later one of it.
    ///
    /// - Parameter share: 0 here … 1 there.
    func interpolated(to later: FaceSight, share: Double, microseconds: Int64) -> FaceSight {
        let mix = { (a: Double, b: Double) in a + (b - a) * share }
        let mixOptional = { (a: Double?, b: Double?) -> Double? in
            guard let a, let b else { return a ?? b }
            return mix(a, b)
        }
        let point = { (a: Point?, b: Point?) -> Point? in
            guard let a, let b else { return nil }
            return Point(x: mix(a.x, b.x), y: mix(a.y, b.y))
        }
        // What has no middle is taken from the nearer one.
        var sight = share < 0.5 ? self : later
        sight.microseconds = microseconds
        sight.box = Rectangle(
            x: mix(box.x, later.box.x), y: mix(box.y, later.box.y), width: mix(box.width, later.box.width),
            height: mix(box.height, later.box.height))
        sight.leftEye = point(leftEye, later.leftEye)
        sight.rightEye = point(rightEye, later.rightEye)
        sight.nose = point(nose, later.nose)
        sight.mouth = point(mouth, later.mouth)
        sight.leftMouthCorner = point(leftMouthCorner, later.leftMouthCorner)
        sight.rightMouthCorner = point(rightMouthCorner, later.rightMouthCorner)
        sight.yaw = mixOptional(yaw, later.yaw)
        sight.pitch = mixOptional(pitch, later.pitch)
        if let from = roll, let to = later.roll {
            // The short way round.
            let turn = (to - from).remainder(dividingBy: 360)
            sight.roll = from + turn * share
        }
        sight.metrics = metrics.merging(later.metrics) { mix($0, $1) }
        if let a = mesh, let b = later.mesh {
            sight.mesh = FaceMesh(
                coordinates: zip(a.coordinates, b.coordinates).map { $0 + ($1 - $0) * Float(share) })
        }
        return sight
    }

    /// Degrees clockwise: by the eyes, which are there even without a mesh.
    var lean: Double {
        if let leftEye, let rightEye {
            // The subject's left eye is on the picture's right.
            return Trigonometry.degrees(y: leftEye.y - rightEye.y, x: leftEye.x - rightEye.x)
        }
        return roll ?? 0
    }
}
