internal import Glibc

/// A direction in a camera's axes as two angles in radians, as OpenFace gives them: x > 0 to the right of the frame, y > 0
/// down, both 0 towards the camera's plane.
package struct GazeAngles: Sendable {
    package let x: Double
    package let y: Double

    package init(_ direction: Vector3) {
        x = atan2(direction.x, -direction.z)
        y = atan2(direction.y, -direction.z)
    }
}
