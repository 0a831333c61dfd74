public import VidscanBase

/// One face in one sample, as the input of the tracker.
public struct TrackedDetection: Sendable {
    public var box: Rectangle
    /// The detector's score, 0…1.
    public var confidence: Double
    public var landmarks: FaceLandmarks?
    public var appearance: AppearanceDescriptor?
    /// The face's shape as numbers with a variance of 1 among one person's images; `nil` if it cannot be measured.
    public var shape: [Float]?

    public init(
        box: Rectangle, confidence: Double = 1, landmarks: FaceLandmarks? = nil,
        appearance: AppearanceDescriptor? = nil,
        shape: [Float]? = nil
    ) {
        self.box = box
        self.confidence = confidence
        self.landmarks = landmarks
        self.appearance = appearance
        self.shape = shape
    }
}

extension Rectangle {
    /// The side of a square with the same area.
    var size: Double { area.squareRoot() }
}
