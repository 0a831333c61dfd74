internal import VidscanCore
internal import VidscanInference
internal import VidscanMedia

/// What one sampled frame came to.
struct FrameResult: Sendable {
    var sequence: Int
    var index: Int64
    var microseconds: Int64
    var displaySize: PictureSize
    /// Most prominent first.
    var faces: [FaceObservation]
    /// Bytes of the frame, whose credit goes back when this result has been emitted.
    var byteCount: Int
}

/// Finds and measures the faces of single frames. Each worker has one; it keeps no memory of earlier frames.
final class FaceAnalyzer {
    private let models: ModelStore
    private let options: AnalysisOptions
    private let resampler = AreaResampler()
    private var session: FaceDetector.Session?
    private(set) var times = StageTimes()

    init(models: ModelStore, options: AnalysisOptions) {
        self.models = models
        self.options = options
    }

    func analyze(_ frame: SampledFrame) throws(PipelineError) -> FrameResult {
        let display = frame.geometry.displaySize
        let geometry = options.detectorGeometry(for: display)
        do {
            let session = try session(inputSize: geometry.tensor)
            let input = try session.input()
            try times.measure(\.resample) { () throws(MediaError) in
                try resampler.resample(
                    frame, pictureSize: geometry.picture, tensorSize: geometry.tensor, into: input)
            }
            let found = try times.measure(\.detect) { () throws(InferenceError) in
                try session.detect(minimumConfidence: options.minimumConfidence)
            }
            let scaleX = Double(display.width) / Double(geometry.picture.width)
            let scaleY = Double(display.height) / Double(geometry.picture.height)
            let faces = found.compactMap { $0.scaled(x: scaleX, y: scaleY, within: display) }
            return FrameResult(
                sequence: frame.sequence, index: frame.index, microseconds: frame.microseconds, displaySize: display,
                faces: Array(faces.prefix(options.maximumFaces)), byteCount: frame.byteCount)
        } catch let error as MediaError {
            throw PipelineError(
                .media(error.code), error.reason, stage: .analyze, microseconds: frame.microseconds)
        } catch {
            throw PipelineError(.inference, "\(error)", stage: .analyze, microseconds: frame.microseconds)
        }
    }

    private func session(inputSize: PictureSize) throws(InferenceError) -> FaceDetector.Session {
        if let session, session.inputSize == inputSize { return session }
        let session = try models.detector(inputSize: inputSize).makeSession()
        self.session = session
        return session
    }
}

extension FaceObservation {
    /// From the detector's pixels to display pixels, cut at the picture's edges.
    ///
    /// - Returns: `nil` when nothing of the box is inside the picture (it lay in the tensor's padding).
    fileprivate func scaled(x scaleX: Double, y scaleY: Double, within size: PictureSize) -> FaceObservation? {
        let scale = { (point: Point) in Point(x: point.x * scaleX, y: point.y * scaleY) }
        let box = Rectangle(
            x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY
        ).clamped(to: size)
        guard box.width >= 1, box.height >= 1 else { return nil }
        return FaceObservation(
            box: box, confidence: confidence,
            landmarks: FaceLandmarks(
                leftEye: scale(landmarks.leftEye), rightEye: scale(landmarks.rightEye), nose: scale(landmarks.nose),
                leftMouthCorner: scale(landmarks.leftMouthCorner), rightMouthCorner: scale(landmarks.rightMouthCorner)
            ))
    }
}

/// Seconds spent in the parts of a worker's work.
struct StageTimes: Sendable {
    var resample = 0.0
    var detect = 0.0

    mutating func measure<Result, Failure: Error>(
        _ part: WritableKeyPath<StageTimes, Double>, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let clock = ContinuousClock()
        let begin = clock.now
        defer { self[keyPath: part] += begin.duration(to: clock.now) / .seconds(1) }
        return try work()
    }

    mutating func add(_ other: StageTimes) {
        resample += other.resample
        detect += other.detect
    }
}
