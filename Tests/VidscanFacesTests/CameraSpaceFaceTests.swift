import Foundation
import Testing
import VidscanBase
import VidscanFaces

/// A pinhole camera looks at a rigid head, whose rotation and position are known. The mesh is what it would see.
@Suite("A face is placed in the coordinates of a camera")
struct CameraSpaceFaceTests {
    private static let size = PictureSize(width: 640, height: 480)
    private static let focalLength = 500.0
    /// The points that the pose is computed from, in units of the distance between the eyes' outer corners: x right, y
    /// down, z away from the camera.
    private static let head: [Int: Vector3] = {
        var points = [4: (0.0, 0.4185, -0.22483), 6: (0, 0.08947, -0.04298)]
        for (right, left, x, y, z) in [
            (129, 358, 0.23588, 0.46681, 0.0527), (33, 263, 0.5, 0.04458, 0.20769),
            (133, 362, 0.19646, 0.06135, 0.15607), (205, 425, 0.44566, 0.51504, 0.09204),
            (136, 365, 0.54783, 1.03654, 0.42594),
        ] {
            points[right] = (-x, y, z)
            points[left] = (x, y, z)
        }
        return points.mapValues { Vector3(x: 90 * $0.0, y: 90 * $0.1, z: 90 * $0.2) }
    }()

    /// Returns what the camera sees of a head.
    ///
    /// - Parameters:
    ///   - angles: The rotations in radians about z, then y, then x.
    ///   - origin: The position of the nose root in millimetres.
    private static func mesh(angles: Vector3, origin: Vector3) -> FaceMesh {
        var coordinates = [Float](repeating: 0, count: 3 * FaceMesh.pointCount)
        for index in 0..<FaceMesh.pointCount {
            // The points that do not matter are in the middle of the head.
            let p = head[index] ?? Vector3(x: 0, y: 45, z: 9)
            let (x1, y1) = (cos(angles.z) * p.x - sin(angles.z) * p.y, sin(angles.z) * p.x + cos(angles.z) * p.y)
            let (x2, z2) = (cos(angles.y) * x1 + sin(angles.y) * p.z, -sin(angles.y) * x1 + cos(angles.y) * p.z)
            let (y3, z3) = (cos(angles.x) * y1 - sin(angles.x) * z2, sin(angles.x) * y1 + cos(angles.x) * z2)
            let (x, y, z) = (x2 + origin.x, y3 + origin.y, z3 + origin.z)
            coordinates[3 * index] = Float(320 + focalLength * x / z)
            coordinates[3 * index + 1] = Float(240 + focalLength * y / z)
            // What a mesh network returns: relative depth along the line of sight, a little exaggerated.
            let distance = origin.squaredLength.squareRoot()
            let depth = (x * origin.x + y * origin.y + z * origin.z) / distance - distance
            coordinates[3 * index + 2] = Float(focalLength * depth / origin.z / 0.85)
        }
        return FaceMesh(coordinates: coordinates)
    }

    private func face(angles: Vector3, origin: Vector3) -> CameraSpaceFace {
        let mesh = Self.mesh(angles: angles, origin: origin)
        return CameraSpaceFace(mesh: mesh, pose: HeadPose(mesh: mesh), in: Self.size)
    }

    @Test(
        "The head's rotation is relative to the camera's axis, wherever the face is in the frame",
        arguments: [
            (0.0, 0.0, 0.0), (0.2, 0, 0), (-0.2, 0, 0), (0, 0.3, 0), (0, -0.3, 0), (0, 0, 0.4), (0.1, -0.2, 0.3),
        ], [(0.0, 0.0), (250, 0), (-250, 100), (0, -200)])
    func rotation(angles: (Double, Double, Double), place: (Double, Double)) {
        let expected = Vector3(x: angles.0, y: angles.1, z: angles.2)
        let found = face(angles: expected, origin: Vector3(x: place.0, y: place.1, z: 1000)).rotation.anglesXYZ
        // Perspective within the face, which the alignment does not model, costs up to two degrees.
        #expect(abs(found.x - expected.x) < 0.04, "\(found)")
        #expect(abs(found.y - expected.y) < 0.04, "\(found)")
        #expect(abs(found.z - expected.z) < 0.04, "\(found)")
    }

    @Test("A face that looks past the camera from the side appears turned, and less so to the camera's axis")
    func apparent() {
        let aside = face(angles: Vector3(x: 0, y: 0, z: 0), origin: Vector3(x: 400, y: 0, z: 1000))
        #expect(abs(aside.apparentRotation.anglesXYZ.y - -atan2(400, 1000)) < 0.04)
        #expect(abs(aside.rotation.anglesXYZ.y) < 0.04)
    }

    @Test("The distance and the place of a head of average size are found")
    func position() {
        let face = face(angles: Vector3(x: 0, y: 0, z: 0), origin: Vector3(x: 200, y: -100, z: 1000))
        #expect(abs(face.scale - 0.5) < 0.02)
        #expect(abs(face.position.z - 1000) < 40)
        // The nose is nearer than the corners of the eyes.
        let eye = face.position(of: face.points[36])
        let nose = face.position(of: face.points[30])
        #expect(nose.z < eye.z - 30)
        // A position projects to the pixels that it came from.
        #expect(abs(320 + Self.focalLength * eye.x / eye.z - face.points[36].x) < 1e-6)
        #expect(abs(240 + Self.focalLength * eye.y / eye.z - face.points[36].y) < 1e-6)
    }

    @Test("A gaze at the camera points at the camera, and one to the subject's left points to the right of the frame")
    func gaze() {
        let aside = face(angles: Vector3(x: 0, y: 0, z: 0), origin: Vector3(x: 300, y: 100, z: 1000))
        let center = aside.position
        let length = center.squaredLength.squareRoot()
        let atCamera = aside.direction(yaw: 0, pitch: 0, roll: 30)
        #expect((atCamera + center * (1 / length)).squaredLength < 1e-9)
        let middle = face(angles: Vector3(x: 0, y: 0, z: 0), origin: Vector3(x: 0, y: 0, z: 1000))
        let left = middle.direction(yaw: 20, pitch: 0, roll: 0).gazeAngles
        #expect(abs(left.x - 20 * .pi / 180) < 0.01 && abs(left.y) < 0.05)
        let up = middle.direction(yaw: 0, pitch: 15, roll: 0).gazeAngles
        #expect(abs(up.y - -15 * .pi / 180) < 0.05 && abs(up.x) < 0.01)
    }

    @Test("A head that looks straight ahead is turned away from a camera beside it, but not from the camera's axis")
    func axes() {
        // On the left of the frame, straight ahead is to the subject's right of the camera.
        let mesh = Self.mesh(angles: Vector3(x: 0, y: 0, z: 0), origin: Vector3(x: -300, y: -150, z: 800))
        let pose = HeadPose(mesh: mesh)
        let face = CameraSpaceFace(mesh: mesh, pose: pose, in: Self.size)
        #expect(pose.yaw < -15 && pose.yaw > -26)
        #expect(abs(face.axisPose.yaw) < 2 && abs(face.axisPose.pitch) < 2)
        // Eyes that look where the head points do so in both.
        let gaze = face.axisGaze(yaw: pose.yaw, pitch: pose.pitch, roll: pose.roll)
        #expect(abs(gaze.yaw - face.axisPose.yaw) < 3 && abs(gaze.pitch - face.axisPose.pitch) < 3)
        // Eyes that look into the lens look to the subject's left of the axis, and down.
        let lens = face.axisGaze(yaw: 0, pitch: 0, roll: 0)
        #expect(abs(lens.yaw - 20) < 4)
        #expect(lens.pitch < -5)
    }
}
