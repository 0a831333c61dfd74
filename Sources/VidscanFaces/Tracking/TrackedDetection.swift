public import VidscanBase

/// One face in one sample, as the tracker sees it.
public struct TrackedDetection: Sendable {
    public var box: Rectangle
    /// 0…1.
    public var confidence: Double
    public var landmarks: FaceLandmarks?
    public var appearance: AppearanceDescriptor?
    /// The face's shape in numbers whose variance among one person's pictures is 1; `nil` where it cannot be told.
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
    /// The side of a square of the same area.
    var size: Double { area.squareRoot() }
}
