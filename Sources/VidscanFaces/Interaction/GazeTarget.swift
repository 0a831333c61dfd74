internal import Glibc
package import VidscanBase

/// Whom the people in a frame look at, as far as one camera shows it.
///
/// A camera shows where a face is, but hardly how far away: a larger face may be nearer, or just larger. So the
/// possible places of a face are a segment of its line of sight, around the place where all faces have one size, and a
/// person looks at the face if the gaze passes close enough to one of them. The segment grows with the distance, so the
/// directions that count do too. Somebody who looks at something behind a face or in front of it seems to look at it.
package struct GazeTarget: Sendable {
    /// In degrees: yaw > 0 to the subject's left, pitch > 0 up.
    package typealias Direction = (yaw: Double, pitch: Double)

    /// A face in a frame. `nil` where a direction is unknown.
    package struct Face: Sendable {
        /// In pixels, from the top left corner of the frame.
        package var box: Rectangle
        /// Relative to the camera's axis.
        package var axisHead, axisGaze: Direction?
        /// Relative to the line from the head to the camera.
        package var head, gaze: Direction?

        package init(box: Rectangle, head: Direction?, gaze: Direction?, axisHead: Direction?, axisGaze: Direction?) {
            (self.box, self.head, self.gaze, self.axisHead, self.axisGaze) = (box, head, gaze, axisHead, axisGaze)
        }
    }

    package struct Look: Sendable, Equatable {
        package var isAtCamera: Bool?
        package var target: Target?

        package enum Target: Sendable, Equatable {
            /// The position of the face among those of the frame.
            case face(Int)
            /// The camera, or anything but a face in the frame.
            case other
        }
    }

    /// The largest angle between the camera and the gaze of somebody who looks at it.
    package static let cameraDegrees = 12.0
    /// The largest angle between the gaze and the nearest possible place of a face: the error of head pose and irises.
    package static let marginDegrees = 20.0
    /// How many times nearer or farther than its size says a face may be.
    package static let depthFactor = 1.25
    /// Eyes without a direction are hidden if the head is turned by more, and its direction counts; else they are shut.
    package static let turnedDegrees = 25.0

    private let faces: [Face]
    /// In heights of a face; the camera is the origin, x points right, y down and z away from the camera.
    private let places: [Vector3]

    /// `size`: that of the frame.
    package init(_ faces: [Face], in size: PictureSize) {
        self.faces = faces
        let focalLength = CameraSpaceFace.focalLength(in: size)
        places = faces.map { face in
            // The width shrinks as the head turns.
            let height = max(face.box.height, 1)
            let offset = face.box.center - Point(x: Double(size.width), y: Double(size.height)) / 2
            return Vector3(offset, focalLength) / height
        }
    }

    package func look(of index: Int) -> Look {
        let face = faces[index]
        if let gaze = face.gaze, let axisGaze = face.axisGaze {
            let isAtCamera = Point(x: gaze.yaw, y: gaze.pitch).length <= Self.cameraDegrees
            return Look(isAtCamera: isAtCamera, target: isAtCamera ? .other : target(of: index, direction: axisGaze))
        }
        guard let head = face.head, let axisHead = face.axisHead,
            Point(x: head.yaw, y: head.pitch).length > Self.turnedDegrees
        else { return Look() }
        return Look(isAtCamera: false, target: target(of: index, direction: axisHead))
    }

    private func target(of index: Int, direction: Direction) -> Look.Target {
        let (yaw, pitch) = (direction.yaw * .pi / 180, direction.pitch * .pi / 180)
        let gaze = Vector3(x: sin(yaw) * cos(pitch), y: -sin(pitch), z: -cos(yaw) * cos(pitch))
        func degrees(to line: Vector3) -> Double {
            let length = max(line.squaredLength.squareRoot(), .leastNormalMagnitude)
            let cosine = (gaze.x * line.x + gaze.y * line.y + gaze.z * line.z) / length
            return acos(min(max(cosine, -1), 1)) * 180 / .pi
        }
        func line(to other: Int, _ factor: Double = 1) -> Vector3 { places[other] * factor + places[index] * -1 }
        let met = faces.indices.filter { other in
            other != index && Self.factors.contains { degrees(to: line(to: other, $0)) <= Self.marginDegrees }
        }
        // The nearest hides the others.
        return met.min { line(to: $0).squaredLength < line(to: $1).squaredLength }.map { .face($0) } ?? .other
    }

    /// Of the depth, close enough to each other for the margin.
    private static let factors = (-4...4).map { pow(depthFactor, Double($0) / 4) }
}
