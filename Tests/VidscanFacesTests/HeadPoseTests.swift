import Foundation
import Testing
import VidscanBase
import VidscanFaces

@Suite("A head's pose is measured from its mesh")
struct HeadPoseTests {
    /// Returns a mesh with the twelve points that the pose is computed from, rotated by known angles and projected
    /// orthographically.
    ///
    /// All other points are at the origin, because the pose does not depend on them.
    private static func mesh(yaw: Double, pitch: Double, roll: Double) -> FaceMesh {
        let places: [(Int, Double, Double, Double)] = [
            (4, 0, -0.4185, 0.22483), (6, 0, -0.08947, 0.04298),
            (129, -0.23588, -0.46681, -0.0527), (358, 0.23588, -0.46681, -0.0527),
            (33, -0.5, -0.04458, -0.20769), (263, 0.5, -0.04458, -0.20769),
            (133, -0.19646, -0.06135, -0.15607), (362, 0.19646, -0.06135, -0.15607),
            (205, -0.44566, -0.51504, -0.09204), (425, 0.44566, -0.51504, -0.09204),
            (136, -0.54783, -1.03654, -0.42594), (365, 0.54783, -1.03654, -0.42594),
        ]
        let (a, b, c) = (yaw * .pi / 180, pitch * .pi / 180, roll * .pi / 180)
        var coordinates = [Float](repeating: 0, count: 3 * FaceMesh.pointCount)
        for (index, x, y, z) in places {
            // Axes: x right, y up, z towards the camera. The rotations are pitch about x, then yaw about y, then roll
            // about z.
            let (y1, z1) = (y * cos(b) + z * sin(b), -y * sin(b) + z * cos(b))
            let (x2, z2) = (x * cos(a) + z1 * sin(a), -x * sin(a) + z1 * cos(a))
            let (x3, y3) = (x2 * cos(c) + y1 * sin(c), -x2 * sin(c) + y1 * cos(c))
            coordinates[3 * index] = Float(300 + 100 * x3)
            coordinates[3 * index + 1] = Float(200 - 100 * y3)
            coordinates[3 * index + 2] = Float(-100 * z2 / 0.85)
        }
        return FaceMesh(coordinates: coordinates)
    }

    @Test(
        "Known angles are measured with their signs",
        arguments: [
            (0.0, 0.0, 0.0), (25, 0, 0), (-25, 0, 0), (0, 15, 0), (0, -15, 0), (0, 0, 40), (0, 0, -170), (20, 0, 90),
        ])
    func angles(yaw: Double, pitch: Double, roll: Double) {
        let pose = HeadPose(mesh: Self.mesh(yaw: yaw, pitch: pitch, roll: roll))
        #expect(abs(pose.yaw - yaw) < 0.01)
        #expect(abs(pose.pitch - pitch) < 0.01)
        #expect(abs(pose.roll - roll) < 0.01)
    }

    @Test("A face that turns to its left shows its nose on the right of the frame")
    func direction() {
        let mesh = Self.mesh(yaw: 25, pitch: 0, roll: 0)
        #expect(mesh[4].x > mesh.middle(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter).x)
    }
}
