internal import Glibc

/// The orientation of a head, relative to the line from the head to the camera: a face that looks into the lens has a
/// yaw and a pitch of 0 anywhere in the frame.
public struct HeadPose: Sendable, Equatable {
    /// In degrees: yaw > 0 to the subject's left, pitch > 0 up, roll > 0 if the head leans clockwise in the frame.
    public let yaw, pitch, roll: Double

    public static let yaws = -90.0...90.0, pitches = -90.0...90.0, rolls = -180.0...180.0

    public init(yaw: Double, pitch: Double, roll: Double) { (self.yaw, self.pitch, self.roll) = (yaw, pitch, roll) }

    /// Aligns twelve points that expressions barely move. On 10,664 faces, nearly all within ±27° of yaw, the mean
    /// difference from MediaPipe FaceLandmarker's matrices is 1.1° in yaw, 1.6° in pitch and 0.6° in roll.
    public init(mesh: FaceMesh) {
        // With y up and z towards the viewer, turns to the left and clockwise are negative.
        self.init(Self.alignment(of: mesh).rotation, turn: -1)
    }

    /// `rotation`: from face to camera axes. `turn`: the sign of a turn to the subject's left, and of a lean clockwise.
    init(_ rotation: Rotation, turn: Double) {
        let r = rotation.rows
        // Pitch, yaw, roll in this order, so that an in-plane rotation of the frame changes only the roll.
        let degrees = 180 / Double.pi
        yaw = asin(min(max(turn * r[2][0], -1), 1)) * degrees
        // Beyond 90° the mesh is inside out, because no face is visible from there.
        let nod = atan2(-r[2][1], r[2][2]) * degrees
        pitch = min(max(nod, Self.pitches.lowerBound), Self.pitches.upperBound)
        roll = atan2(turn * r[1][0], r[0][0]) * degrees
    }

    /// Aligns the average face with a mesh. The scale is the pixels between the outer eye corners in a frontal view.
    static func alignment(of mesh: FaceMesh) -> RigidAlignment {
        let observed = anchors.map { mesh.position($0.index) * Vector3(x: 1, y: -1, z: -depthFactor) }
        return RigidAlignment(from: anchors.map(\.position), to: observed)
    }

    /// The mesh exaggerates depth a little. With this factor, its faces are as deep as they are wide.
    static let depthFactor = 0.85

    /// Nose, eye corners, cheeks and jaw of the mean of 2,974 neutral faces, made symmetric: x to the right of the
    /// frame, y up, z towards the viewer, origin at the nose root, outer eye corners 1 apart.
    private static let anchors: [(index: Int, position: Vector3)] =
        [(4, Vector3(x: 0, y: -0.4185, z: 0.22483)), (6, Vector3(x: 0, y: -0.08947, z: 0.04298))]
        + pair(129, 358, x: 0.23588, y: -0.46681, z: -0.0527)
        + pair(33, 263, x: 0.5, y: -0.04458, z: -0.20769)
        + pair(133, 362, x: 0.19646, y: -0.06135, z: -0.15607)
        + pair(205, 425, x: 0.44566, y: -0.51504, z: -0.09204)
        + pair(136, 365, x: 0.54783, y: -1.03654, z: -0.42594)

    /// A point on the left of the frame and its mirror image.
    private static func pair(
        _ left: Int, _ right: Int, x: Double, y: Double, z: Double
    ) -> [(index: Int, position: Vector3)] {
        [(left, Vector3(x: -x, y: y, z: z)), (right, Vector3(x: x, y: y, z: z))]
    }
}

/// The gaze relative to the line from head to camera, in degrees: yaw > 0 to the subject's left, pitch > 0 up.
enum Gaze {
    /// Adds the direction of the eyes in the head to the head's. The sine of an iris's angle is its distance from the
    /// midpoint of the eye's corners, divided by the eyeball's radius. Averages both eyes.
    static func direction(of face: AlignedFace, pose: HeadPose) -> (yaw: Double, pitch: Double) {
        func shift(iris: Int, inner: Int, outer: Int) -> Vector3 {
            face.points[iris] - (face.points[inner] + face.points[outer]) / 2
        }
        func degrees(_ distance: Double) -> Double { asin(min(max(distance / radius, -1), 1)) * 180 / .pi }
        let mean = (shift(iris: 468, inner: 133, outer: 33) + shift(iris: 473, inner: 362, outer: 263)) / 2
        return (pose.yaw + degrees(mean.x), pose.pitch - degrees(mean.y - restingHeight))
    }

    /// For an iris that turns by at most 90° in a head turned as far as expressions can be measured.
    static let yaws = -(ExpressionLimits.maximumYaw + 90)...(ExpressionLimits.maximumYaw + 90)
    static let pitches = -(ExpressionLimits.maximumPitch + 90)...(ExpressionLimits.maximumPitch + 90)
    /// Of an eyeball, 11 mm, if the outer eye corners are 90 mm apart.
    private static let radius = 0.122
    /// Of the iris's centre below the line between the eye's corners when it looks ahead.
    private static let restingHeight = -0.017
}
