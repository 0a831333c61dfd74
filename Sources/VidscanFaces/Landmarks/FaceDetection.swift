public import VidscanBase

/// What the detector says of one face in one picture.
public struct FaceDetection: Sendable, Hashable {
    /// In display space, inside the picture.
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

/// The detector's five points, in display space. Left and right are the subject's own.
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
}
