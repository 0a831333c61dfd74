public import VidscanBase

/// One face in one frame, as the detector found it.
package struct FaceDetection: Sendable, Hashable {
    /// In display space, inside the frame.
    package var box: Rectangle
    package var confidence: Double
    package var landmarks: FaceLandmarks

    package init(box: Rectangle, confidence: Double, landmarks: FaceLandmarks) {
        (self.box, self.confidence, self.landmarks) = (box, confidence, landmarks)
    }
}

/// In display space. Left and right are the subject's own.
package struct FaceLandmarks: Sendable, Hashable {
    package var leftEye, rightEye, nose, leftMouthCorner, rightMouthCorner: Point

    /// - Parameter points: Five, in the order of the properties.
    package init(points: [Point]) {
        (leftEye, rightEye, nose) = (points[0], points[1], points[2])
        (leftMouthCorner, rightMouthCorner) = (points[3], points[4])
    }

    package var points: [Point] { [leftEye, rightEye, nose, leftMouthCorner, rightMouthCorner] }
    package static let count = 5
}

public enum DetectorAccuracy: String, Sendable, NamedChoice, Comparable {
    case low, medium, high

    /// In pixels, of the detector's input.
    package var longSide: Int {
        switch self {
        case .low: 320
        case .medium: 448
        case .high: 640
        }
    }

    public static func < (a: DetectorAccuracy, b: DetectorAccuracy) -> Bool { a.longSide < b.longSide }
}

/// The smallest faces to detect.
public enum FaceSize: String, Sendable, NamedChoice, Comparable {
    case large
    /// Small and distant faces too, at twice the detector's resolution.
    case small

    public static func < (a: FaceSize, b: FaceSize) -> Bool { (a, b) == (.large, .small) }
}
