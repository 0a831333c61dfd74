internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia

/// A frame in the size that the detector receives, as R', G', B' planes of floats in 0…255.
final class DetectorPicture {
    /// The size of the frame, which starts in the tensor's top left corner; the rest is 0.
    let size: PictureSize
    let tensorSize: PictureSize
    /// The size of the frame on the screen.
    let display: PictureSize
    let values: UnsafeMutablePointer<Float>
    /// The gain for the detector, which does not see faces in dark pictures; 1 leaves a picture as it is.
    var gain: Float {
        if let computedGain { return computedGain }
        let gain = Self.gain(for: view)
        computedGain = gain
        return gain
    }
    /// The gain, once a search has asked for it; most frames between two anchors are not searched.
    private var computedGain: Float?
    /// The faces that were found in reduced pictures, by size, so that each is searched only once.
    var coarseFaces: [PictureSize: [FaceDetection]] = [:]

    /// - Parameter size: At least 1 × 1.
    init(size: PictureSize, display: PictureSize) {
        (self.size, self.display) = (size, display)
        tensorSize = FaceDetector.tensorSize(for: size)
        values = .allocate(capacity: 3 * tensorSize.width * tensorSize.height)
    }

    deinit { values.deallocate() }

    var count: Int { 3 * tensorSize.width * tensorSize.height }

    /// Prepares for a frame that `values` hold now.
    func update() {
        coarseFaces = [:]
        computedGain = nil
    }

    /// Returns the gain that gives a dark picture the contrast of a bright one: the luma that a tenth of the pixels exceed
    /// becomes `brightLuma`. A lamp in a dark room does not count.
    private static func gain(for picture: TensorPicture) -> Float {
        var histogram = [Int](repeating: 0, count: 256)
        var count = 0
        for y in stride(from: 0, to: picture.size.height, by: 4) {
            for x in stride(from: 0, to: picture.size.width, by: 4) {
                histogram[min(max(Int((picture.color(x: x, y: y) * TensorPicture.lumaWeights).sum()), 0), 255)] += 1
                count += 1
            }
        }
        var brighter = 0
        let level = histogram.indices.last {
            brighter += histogram[$0]
            return brighter * 10 >= count
        }
        guard let level, level < darkLuma else { return 1 }
        return min(brightLuma / Float(max(level, 1)), maximumGain)
    }

    private static let darkLuma = 80
    private static let brightLuma: Float = 235
    /// Darker pictures have too few levels left to show a face.
    private static let maximumGain: Float = 20

    var view: TensorPicture { TensorPicture(base: values, size: size, tensorSize: tensorSize) }

    /// Display pixels for each pixel of the picture.
    var scale: Point {
        Point(x: Double(display.width) / Double(size.width), y: Double(display.height) / Double(size.height))
    }

    func appearance(of face: FaceDetection) -> AppearanceDescriptor {
        AppearanceDescriptor(view, face: inPicture(face))
    }

    /// Returns a face of display space in the picture's pixels.
    func inPicture(_ face: FaceDetection) -> FaceDetection { face.scaled(x: 1 / scale.x, y: 1 / scale.y) }
}

extension FaceDetector {
    /// Returns the size of the smallest tensor for a picture.
    static func tensorSize(for picture: PictureSize) -> PictureSize {
        PictureSize(
            width: (picture.width + sideMultiple - 1) / sideMultiple * sideMultiple,
            height: (picture.height + sideMultiple - 1) / sideMultiple * sideMultiple)
    }
}

extension FaceDetection {
    func scaled(x scaleX: Double, y scaleY: Double) -> FaceDetection {
        FaceDetection(
            box: Rectangle(
                x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY),
            confidence: confidence,
            landmarks: FaceLandmarks(points: landmarks.points.map { Point(x: $0.x * scaleX, y: $0.y * scaleY) }))
    }

    /// Returns where the face is if the frame is turned by 180°.
    func turned(in size: PictureSize) -> FaceDetection {
        let (width, height) = (Double(size.width), Double(size.height))
        return FaceDetection(
            box: Rectangle(
                x: width - box.x - box.width, y: height - box.y - box.height, width: box.width, height: box.height),
            confidence: confidence,
            landmarks: FaceLandmarks(points: landmarks.points.map { Point(x: width - $0.x, y: height - $0.y) }))
    }

    /// Returns the detection with its box clipped to the frame; `nil` if no part of the box is inside.
    func clipped(to size: PictureSize) -> FaceDetection? {
        let box = box.clamped(to: size)
        guard box.width >= 1, box.height >= 1 else { return nil }
        return FaceDetection(box: box, confidence: confidence, landmarks: landmarks)
    }
}
