public import VidscanBase

/// One face in one frame, as the detector found it.
public struct FaceDetection: Sendable, Hashable {
    /// The bounding box in display space, inside the frame.
    public var box: Rectangle
    /// The detector's score, 0…1.
    public var confidence: Double
    public var landmarks: FaceLandmarks

    public init(box: Rectangle, confidence: Double, landmarks: FaceLandmarks) {
        self.box = box
        self.confidence = confidence
        self.landmarks = landmarks
    }
}

/// The five landmarks that the detector finds, in display space. Left and right are the subject's own.
public struct FaceLandmarks: Sendable, Hashable {
    public var leftEye: Point
    public var rightEye: Point
    public var nose: Point
    public var leftMouthCorner: Point
    public var rightMouthCorner: Point

    public init(leftEye: Point, rightEye: Point, nose: Point, leftMouthCorner: Point, rightMouthCorner: Point) {
        self.leftEye = leftEye
        self.rightEye = rightEye
        self.nose = nose
        self.leftMouthCorner = leftMouthCorner
        self.rightMouthCorner = rightMouthCorner
    }

    /// The points in the order of the properties.
    package var points: [Point] { [leftEye, rightEye, nose, leftMouthCorner, rightMouthCorner] }
    package static let count = 5
}
