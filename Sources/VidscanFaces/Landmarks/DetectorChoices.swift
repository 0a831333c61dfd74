public import VidscanBase

/// The long side of the detector's input.
public enum DetectorAccuracy: String, Sendable, NamedChoice, Comparable {
    case low, medium, high

    /// The side in pixels.
    package var longSide: Int {
        switch self {
        case .low: 320
        case .medium: 448
        case .high: 640
        }
    }

    public static func < (a: DetectorAccuracy, b: DetectorAccuracy) -> Bool { a.longSide < b.longSide }
}

/// The smallest faces to detect. A greater value finds more faces.
public enum FaceSize: String, Sendable, NamedChoice, Comparable {
    /// Faces of people in front of a camera.
    case large
    /// Small and distant faces too, at twice the detector's resolution.
    case small

    public static func < (a: FaceSize, b: FaceSize) -> Bool { (a, b) == (.large, .small) }
}
