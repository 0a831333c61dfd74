internal import Glibc
package import VidscanBase

/// A face in the coordinates of a camera, in millimetres: the origin is the camera, x points right, y down, z away from the
/// camera.
///
/// Neither the camera nor the size of the head is known. The focal length is the one that OpenFace assumes for an unknown
/// camera, and the outer corners of the eyes are taken to be 90 mm apart. Distances are therefore rough, and right only
/// relative to each other.
package struct CameraSpaceFace: Sendable {
    /// The distance between the outer corners of an average adult's eyes.
    private static let eyeDistanceMillimetres = 90.0

    /// The 68 points and the points of the eyes in the frame, in pixels.
    package let points: [Vector3]
    package let eyePoints: [Vector3]
    /// Pixels per millimetre at the face.
    package let scale: Double
    /// The mean of the 68 points in the frame, in pixels.
    package let center: Vector3
    /// The head's rotation relative to the line from the camera to the head, as the frame shows it.
    package let apparentRotation: Rotation
    /// The line from the camera to the head, as a rotation of the camera's axis.
    private let lineOfSight: Rotation
    private let focalLength: Double
    private let principalPoint: Point

    /// - Parameters:
    ///   - pose: The pose of the mesh.
    ///   - size: The size of the frame.
    package init(mesh: FaceMesh, pose: HeadPose, in size: PictureSize) {
        points = SixtyEightPoints.points(of: mesh)
        eyePoints = SixtyEightPoints.eyePoints(of: mesh)
        scale = max(HeadPose.alignment(of: mesh).scale / Self.eyeDistanceMillimetres, 1e-6)
        center = points.reduce(Vector3(x: 0, y: 0, z: 0), +) * (1 / Double(points.count))
        // About 65 degrees of view across 4:3.
        focalLength = 500 * (Double(size.width) / 640 + Double(size.height) / 480) / 2
        principalPoint = Point(x: Double(size.width) / 2, y: Double(size.height) / 2)
        let radians = Double.pi / 180
        apparentRotation = .z(pose.roll * radians) * .y(-pose.yaw * radians) * .x(-pose.pitch * radians)
        lineOfSight = Rotation(
            axisTo: Vector3(x: center.x - principalPoint.x, y: center.y - principalPoint.y, z: focalLength))
    }

    /// The head's rotation relative to the camera's axis.
    package var rotation: Rotation { lineOfSight * apparentRotation }

    /// The position of the mean of the 68 points.
    package var position: Vector3 { position(of: center) }

    /// Returns the position of a point of the face.
    ///
    /// - Parameter point: Its x and y in the frame in pixels, and its depth in the same unit.
    package func position(of point: Vector3) -> Vector3 {
        let z = (focalLength + HeadPose.depthFactor * (point.z - center.z)) / scale
        return Vector3(
            x: (point.x - principalPoint.x) / focalLength * z, y: (point.y - principalPoint.y) / focalLength * z, z: z)
    }

    /// Returns the direction of a gaze: a vector of length 1, with z < 0 towards the camera.
    ///
    /// - Parameters:
    ///   - yaw: The gaze's yaw in degrees, as `Gaze` has it.
    ///   - pitch: The gaze's pitch in degrees, as `Gaze` has it.
    ///   - roll: The head's roll in degrees; yaw and pitch are relative to the head's upright.
    package func direction(yaw: Double, pitch: Double, roll: Double) -> Vector3 {
        let (a, b) = (yaw * .pi / 180, pitch * .pi / 180)
        let upright = Vector3(x: sin(a) * cos(b), y: -sin(b), z: -cos(a) * cos(b))
        return (lineOfSight * .z(roll * .pi / 180)).apply(to: upright)
    }
}
