internal import Glibc
package import VidscanBase

/// A face in millimetres, with the camera as origin: x points right, y down, z away from the camera. The camera and the
/// head's size are unknown: the focal length is OpenFace's for an unknown camera, and the outer eye corners are taken
/// to be 90 mm apart. Distances are right only relative to each other.
package struct CameraSpaceFace: Sendable {
    private static let eyeDistanceMillimetres = 90.0

    /// The 68 points and the points of the eyes, in pixels of the frame.
    package let points, eyePoints: [Vector3]
    /// Pixels per millimetre at the face.
    package let scale: Double
    /// Mean of the 68 points, in pixels of the frame.
    package let center: Vector3
    /// Relative to the line from the camera to the head, as the frame shows it.
    package let apparentRotation: Rotation
    /// The line from the camera to the head, as a rotation of the camera's axis.
    private let lineOfSight: Rotation
    private let focalLength: Double
    private let principalPoint: Point

    package init(mesh: FaceMesh, pose: HeadPose, in size: PictureSize) {
        (points, eyePoints) = (SixtyEightPoints.points(of: mesh), SixtyEightPoints.eyePoints(of: mesh))
        scale = max(HeadPose.alignment(of: mesh).scale / Self.eyeDistanceMillimetres, 1e-6)
        center = points.reduce(.zero, +) * (1 / Double(points.count))
        focalLength = Self.focalLength(in: size)
        principalPoint = Point(x: Double(size.width) / 2, y: Double(size.height) / 2)
        let radians = Double.pi / 180
        apparentRotation = .z(pose.roll * radians) * .y(-pose.yaw * radians) * .x(-pose.pitch * radians)
        lineOfSight = Rotation(
            axisTo: Vector3(x: center.x - principalPoint.x, y: center.y - principalPoint.y, z: focalLength))
    }

    /// In pixels: about 65 degrees of view across 4:3.
    static func focalLength(in size: PictureSize) -> Double {
        500 * (Double(size.width) / 640 + Double(size.height) / 480) / 2
    }

    /// Relative to the camera's axis.
    package var rotation: Rotation { lineOfSight * apparentRotation }
    package var axisPose: HeadPose { HeadPose(rotation, turn: 1) }

    /// The direction of the gaze relative to the camera's axis, in degrees, as the head's upright has it.
    package func axisGaze(yaw: Double, pitch: Double, roll: Double) -> (yaw: Double, pitch: Double) {
        let v = Rotation.z(-roll * .pi / 180).apply(to: direction(yaw: yaw, pitch: pitch, roll: roll))
        return (atan2(v.x, -v.z) * 180 / .pi, asin(min(max(-v.y, -1), 1)) * 180 / .pi)
    }

    package var position: Vector3 { position(of: center) }

    /// - Parameter point: x and y in pixels of the frame, depth in the same unit.
    package func position(of point: Vector3) -> Vector3 {
        let z = (focalLength + HeadPose.depthFactor * (point.z - center.z)) / scale
        return Vector3(
            x: (point.x - principalPoint.x) / focalLength * z, y: (point.y - principalPoint.y) / focalLength * z, z: z)
    }

    /// Returns a gaze of length 1, z < 0 towards the camera. Degrees as in `Gaze`, relative to the head's upright.
    package func direction(yaw: Double, pitch: Double, roll: Double) -> Vector3 {
        let (a, b) = (yaw * .pi / 180, pitch * .pi / 180)
        let upright = Vector3(x: sin(a) * cos(b), y: -sin(b), z: -cos(a) * cos(b))
        return (lineOfSight * .z(roll * .pi / 180)).apply(to: upright)
    }
}

extension Vector3 {
    /// In radians, as OpenFace gives them: x > 0 to the right of the frame, y > 0 down, 0 towards the camera's plane.
    package var gazeAngles: Point { Point(x: atan2(x, -z), y: atan2(y, -z)) }
}
