internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// A face at one time, measured in a sample or interpolated between two.
struct FaceState {
    var faceID: Int
    var microseconds: Int64
    /// The box, the points, the pose, and the metrics that are drawn.
    var numbers: FaceNumbers
    var emoji: String?
    var mesh: FaceMesh?
    /// Match with its person, 0…1; `nil` if not needed or not measured.
    var personMatch: Double?

    var box: Rectangle {
        get { numbers.box }
        set { numbers.box = newValue }
    }

    subscript(field: FaceField) -> Double? { numbers[field] }
    subscript(point: FacePoint) -> Point? { numbers[point] }

    /// - Parameter fraction: from 0 (this state) to 1 (the later one).
    func interpolated(to later: FaceState, fraction: Double, microseconds: Int64) -> FaceState {
        // Values that cannot be interpolated come from the nearer state.
        var state = fraction < 0.5 ? self : later
        state.microseconds = microseconds
        for field in FaceField.all {
            guard let from = self[field], let to = later[field] else {
                switch field {
                case .x, .y: state.numbers[field] = nil
                case .roll: break
                default: state.numbers[field] = self[field] ?? later[field]
                }
                continue
            }
            // Roll takes the shorter arc.
            let change = field == .roll ? (to - from).remainder(dividingBy: 360) : to - from
            state.numbers[field] = from + change * fraction
        }
        if let a = mesh, let b = later.mesh {
            state.mesh = FaceMesh(
                coordinates: zip(a.coordinates, b.coordinates).map { $0 + ($1 - $0) * Float(fraction) })
        }
        return state
    }

    func moved(by map: AffineTransform) -> FaceState {
        var state = self
        state.numbers.move(by: map)
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
            state.mesh = FaceMesh(coordinates: coordinates)
        }
        return state
    }

    /// Tilt in degrees clockwise, from the eyes if possible, because they are known without a mesh.
    var lean: Double {
        if let leftEye = self[.leftEye], let rightEye = self[.rightEye] {
            // The subject's left eye is on the right of the frame.
            return Trigonometry.degrees(y: leftEye.y - rightEye.y, x: leftEye.x - rightEye.x)
        }
        return self[.roll] ?? 0
    }
}
