internal import VidscanBase
internal import VidscanFaces

/// The state of a face at one time, measured in a sample or interpolated between two samples.
struct FaceState {
    package var faceID: Int
    package var microseconds: Int64
    package var box: Rectangle
    package var leftEye: Point?
    package var rightEye: Point?
    package var nose: Point?
    package var mouth: Point?
    package var leftMouthCorner: Point?
    package var rightMouthCorner: Point?
    /// Degrees, with the signs of `faces.csv`.
    package var yaw: Double?
    package var pitch: Double?
    package var roll: Double?
    /// Only the metrics that are drawn.
    package var metrics: [Metric: Double]
    package var emoji: String?
    package var mesh: FaceMesh?

    /// Interpolates between this state and a later state of the same face.
    ///
    /// - Parameter share: The position between the two states, from 0 (this one) to 1 (the later one).
    func interpolated(to later: FaceState, share: Double, microseconds: Int64) -> FaceState {
        let mix = { (a: Double, b: Double) in a + (b - a) * share }
        let mixOptional = { (a: Double?, b: Double?) -> Double? in
            guard let a, let b else { return a ?? b }
            return mix(a, b)
        }
        let point = { (a: Point?, b: Point?) -> Point? in
            guard let a, let b else { return nil }
            return Point(x: mix(a.x, b.x), y: mix(a.y, b.y))
        }
        // Values that cannot be interpolated come from the nearer state.
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
            // Interpolate along the shorter arc.
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

    /// Transforms the face into the coordinates of another image.
    ///
    /// - Parameter map: The transform from this image's coordinates to those of the other image.
    package func moved(by map: AffineTransform) -> FaceState {
        var sight = self
        sight.box = box.bounds(after: map)
        let point = { (point: Point?) in point.map(map.apply) }
        (sight.nose, sight.mouth) = (point(nose), point(mouth))
        (sight.leftEye, sight.rightEye) = (point(leftEye), point(rightEye))
        (sight.leftMouthCorner, sight.rightMouthCorner) = (point(leftMouthCorner), point(rightMouthCorner))
        let isMirrored = map.xx * map.yy - map.xy * map.yx < 0
        if isMirrored {
            // Mirroring swaps left and right.
            swap(&sight.leftEye, &sight.rightEye)
            swap(&sight.leftMouthCorner, &sight.rightMouthCorner)
            sight.yaw = yaw.map { -$0 }
        }
        let turn = Trigonometry.degrees(y: map.yx, x: map.xx)
        sight.roll = roll.map { (isMirrored ? 180 + turn - $0 : turn + $0).remainder(dividingBy: 360) }
        if let mesh {
            let depth = Float(abs(map.xx * map.yy - map.xy * map.yx).squareRoot())
            var coordinates = mesh.coordinates
            for index in 0..<coordinates.count / 3 {
                let moved = map.apply(
                    to: Point(x: Double(coordinates[3 * index]), y: Double(coordinates[3 * index + 1])))
                coordinates[3 * index] = Float(moved.x)
                coordinates[3 * index + 1] = Float(moved.y)
                coordinates[3 * index + 2] *= depth
            }
            sight.mesh = FaceMesh(coordinates: coordinates)
        }
        return sight
    }

    /// The tilt of the face in degrees clockwise. It is computed from the eyes if possible, because they are available
    /// without a mesh.
    var lean: Double {
        if let leftEye, let rightEye {
            // The subject's left eye is on the right of the frame.
            return Trigonometry.degrees(y: leftEye.y - rightEye.y, x: leftEye.x - rightEye.x)
        }
        return roll ?? 0
    }
}
