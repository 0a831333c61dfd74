internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia

/// Finds the faces of single frames with CenterFace, at three sizes. Each worker has one.
final class FrameDetector {
    private let models: ModelStore
    private let settings: Settings
    private let resampler: AreaResampler
    private var sessions: [PictureSize: DetectorSession] = [:]
    private var picture: DetectorPicture?
    /// The frame that `picture` shows completely.
    private var pictureFrame: (identity: ObjectIdentifier, sequence: Int)?

    init(models: ModelStore, settings: Settings, converter: PictureConverter) {
        (self.models, self.settings) = (models, settings)
        resampler = AreaResampler(converter: converter)
    }

    /// Shrinks a frame to the detector's size, unless it is the latest one. Shrinking a frame again costs less than keeping
    /// the pictures of all frames of a run. The picture is valid until the next call.
    func picture(of frame: SampledFrame) throws(MediaError) -> DetectorPicture {
        if let picture, isLatest(frame) { return picture }
        let picture = emptyPicture(for: frame)
        try resampler.resample(frame, pictureSize: picture.size, tensorSize: picture.tensorSize, into: picture.values)
        picture.update()
        pictureFrame = (ObjectIdentifier(frame), frame.sequence)
        return picture
    }

    /// Shrinks the part of a frame that describes the appearance of a face, unless the picture shows all of the frame.
    /// Returns the picture, which is valid until the next call. It may show nothing but this face's appearance.
    func picture(of frame: SampledFrame, describing face: FaceDetection) throws(MediaError) -> DetectorPicture {
        if let picture, isLatest(frame) { return picture }
        // For a rotated frame, a part takes as long as the whole, which serves all faces.
        if frame.geometry.orientation.swapsAxes { return try picture(of: frame) }
        let picture = emptyPicture(for: frame)
        let part = AppearanceDescriptor.part(describing: picture.inPicture(face), of: picture.size)
        try resampler.resample(
            frame, pictureSize: picture.size, tensorSize: picture.tensorSize, part: part, into: picture.values)
        return picture
    }

    private func isLatest(_ frame: SampledFrame) -> Bool {
        pictureFrame.map { $0 == (ObjectIdentifier(frame), frame.sequence) } ?? false
    }

    /// Returns a picture of the right size for a frame, which it does not show yet.
    private func emptyPicture(for frame: SampledFrame) -> DetectorPicture {
        pictureFrame = nil
        let display = frame.geometry.displaySize
        let size = settings.detectorPictureSize(for: display)
        if let picture, picture.size == size, picture.display == display { return picture }
        let picture = DetectorPicture(size: size, display: display)
        self.picture = picture
        return picture
    }

    /// Finds all faces, in display space, highest score first.
    func detect(_ picture: DetectorPicture) throws(InferenceError) -> [FaceDetection] {
        let session = try session(picture.tensorSize)
        let input = session.input
        input.update(from: picture.values, count: picture.count)
        input.brighten(picture.count, by: picture.gain)
        let scale = picture.scale
        // A box outside the frame lies in the tensor's padding.
        var found = session.detect(minimumConfidence: settings.candidateConfidence).compactMap {
            $0.scaled(by: scale).clipped(to: picture.display)
        }
        // If a face is almost too large for the first search, that search finds a part of it, with a low score.
        for face in try closeUps(picture) { found.replaceRivals(by: face, \.self) }
        return found.sorted { $0.confidence > $1.confidence }
    }

    /// Finds faces that are upside down, which the detector often misses, in a picture turned by 180° at half size.
    func detectUpsideDown(_ picture: DetectorPicture) throws(InferenceError) -> [FaceDetection] {
        try search(picture, size: reducedSize(of: picture, scale: 0.5), isTurned: true).filter {
            $0.confidence >= Self.upsideDownConfidence
        }
    }

    /// Finds faces that fill the frame, which are larger than the detector's receptive field at full size.
    private func closeUps(_ picture: DetectorPicture) throws(InferenceError) -> [FaceDetection] {
        guard picture.size.shortSide > Self.closeUpSide else { return [] }
        let scale = Double(Self.closeUpSide) / Double(picture.size.shortSide)
        return try detect(picture, scale: scale).filter {
            $0.confidence >= Self.closeUpConfidence && $0.box.height >= 0.5 * Double(picture.display.height)
        }
    }

    /// The short side of the picture in which close-ups are found. At 16:9, it is half the medium size.
    private static let closeUpSide = 128
    private static let closeUpConfidence = 0.3, upsideDownConfidence = 0.5
    /// The minimum score of what may be a face in a reduced picture.
    private static let coarseConfidence = 0.1

    /// Finds faces in a reduced picture, for a fraction of the work. Boxes are coarse, and small faces have low scores.
    func detect(_ picture: DetectorPicture, scale: Double) throws(InferenceError) -> [FaceDetection] {
        let size = reducedSize(of: picture, scale: scale)
        if let found = picture.coarseFaces[size] { return found }
        let found = try search(picture, size: size, isTurned: false)
        picture.coarseFaces[size] = found
        return found
    }

    /// Whole multiples of the detector's step, because a border would look like the edge of a face.
    private func reducedSize(of picture: DetectorPicture, scale: Double) -> PictureSize {
        let step = Double(FaceDetector.sideMultiple)
        let side = { (length: Int) in Int(max(1, (Double(length) * scale / step).rounded()) * step) }
        return PictureSize(width: side(picture.size.width), height: side(picture.size.height))
    }

    /// Finds faces in a picture of another size. `isTurned`: whether the detector receives the picture turned by 180°.
    private func search(
        _ picture: DetectorPicture, size: PictureSize, isTurned: Bool
    ) throws(InferenceError) -> [FaceDetection] {
        let session = try session(size)
        let input = session.input
        picture.view.resample(to: size, tensorSize: size, into: input)
        input.brighten(3 * size.width * size.height, by: picture.gain)
        if isTurned { input.turn(size) }
        let scale = Point(picture.display) / Point(size)
        return session.detect(minimumConfidence: Self.coarseConfidence).compactMap {
            let face = $0.scaled(by: scale)
            return (isTurned ? face.turned(in: picture.display) : face).clipped(to: picture.display)
        }
    }

    private func session(_ inputSize: PictureSize) throws(InferenceError) -> DetectorSession {
        if let session = sessions[inputSize] { return session }
        // If the frames of a video keep changing in size, the sessions would take ever more memory.
        if sessions.count > 5 { sessions.removeAll() }
        let session = try models.faceDetector().makeSession(inputSize: inputSize)
        sessions[inputSize] = session
        return session
    }
}

extension UnsafeMutablePointer<Float> {
    fileprivate func brighten(_ count: Int, by gain: Float) {
        guard gain != 1 else { return }
        for index in 0..<count { self[index] = min(self[index] * gain, 255) }
    }

    /// Turns a picture of three planes by 180°.
    fileprivate func turn(_ size: PictureSize) {
        let area = size.width * size.height
        for plane in 0..<3 {
            var values = UnsafeMutableBufferPointer(start: self + plane * area, count: area)
            values.reverse()
        }
    }
}

extension Array {
    /// Adds a face and removes those that overlap it, unless one of them has the same score or a higher one.
    mutating func replaceRivals(by face: Element, _ detection: KeyPath<Element, FaceDetection>) {
        let rivals = indices.filter { self[$0][keyPath: detection].box.overlaps(face[keyPath: detection].box) }
        let score = face[keyPath: detection].confidence
        guard rivals.allSatisfy({ self[$0][keyPath: detection].confidence < score }) else { return }
        for index in rivals.reversed() { remove(at: index) }
        append(face)
    }
}

extension Rectangle { func overlaps(_ other: Rectangle) -> Bool { intersectionOverUnion(with: other) >= 0.3 } }

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
        let gain = computedGain ?? Self.gain(for: view)
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
        let step = FaceDetector.sideMultiple
        tensorSize = PictureSize(
            width: (size.width + step - 1) / step * step, height: (size.height + step - 1) / step * step)
        values = .allocate(capacity: 3 * tensorSize.width * tensorSize.height)
    }

    deinit { values.deallocate() }

    var count: Int { 3 * tensorSize.width * tensorSize.height }

    /// Call it when `values` hold another frame.
    func update() { (coarseFaces, computedGain) = ([:], nil) }

    /// Returns the gain that gives a dark picture the contrast of a bright one: the luma that a tenth of the pixels exceed
    /// becomes `brightLuma`. A lamp in a dark room does not count.
    private static func gain(for picture: TensorPicture) -> Float {
        var (histogram, count) = ([Int](repeating: 0, count: 256), 0)
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
    var scale: Point { Point(display) / Point(size) }

    func appearance(of face: FaceDetection) -> AppearanceDescriptor { .init(view, face: inPicture(face)) }

    /// Converts a face from display space to the picture's pixels.
    func inPicture(_ face: FaceDetection) -> FaceDetection { face.scaled(by: 1 / scale) }
}

extension Point {
    /// The bottom right corner of a picture.
    fileprivate init(_ size: PictureSize) { self.init(x: Double(size.width), y: Double(size.height)) }
}

extension FaceDetection {
    func scaled(by scale: Point) -> FaceDetection {
        FaceDetection(
            box: Rectangle(
                x: box.x * scale.x, y: box.y * scale.y, width: box.width * scale.x, height: box.height * scale.y),
            confidence: confidence, landmarks: FaceLandmarks(points: landmarks.points.map { $0 * scale }))
    }

    /// Returns where the face is if the frame is turned by 180°.
    func turned(in size: PictureSize) -> FaceDetection {
        let corner = Point(size)
        return FaceDetection(
            box: Rectangle(
                x: corner.x - box.x - box.width, y: corner.y - box.y - box.height, width: box.width,
                height: box.height),
            confidence: confidence, landmarks: FaceLandmarks(points: landmarks.points.map { corner - $0 }))
    }

    /// Returns the detection with its box clipped to the frame; `nil` if no part of the box is inside.
    func clipped(to size: PictureSize) -> FaceDetection? {
        let box = box.clamped(to: size)
        guard box.width >= 1, box.height >= 1 else { return nil }
        return FaceDetection(box: box, confidence: confidence, landmarks: landmarks)
    }
}
