internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Detects and measures the faces of single frames. Each worker has one; it keeps no state from earlier frames.
final class FaceAnalyzer {
    private let models: ModelStore
    private let settings: Settings
    private let sessions: Int
    private let resampler: AreaResampler
    private let cropper: SquareCropper
    private var detectorSession: FaceDetector.Session?
    private var meshSession: AttentionMesh.Session?
    private(set) var times = StageTimes()

    /// - Parameter sessions: The number of analyzers that run at the same time.
    init(models: ModelStore, settings: Settings, sessions: Int) {
        self.models = models
        self.settings = settings
        self.sessions = sessions
        let converter = PictureConverter()
        resampler = AreaResampler(converter: converter)
        cropper = SquareCropper(converter: converter)
    }

    func analyze(_ frame: SampledFrame) throws(VidscanError) -> FrameResult {
        do {
            let found = try detect(frame)
            var analyzed: [AnalyzedFace] = []
            for (number, (face, appearance)) in found.faces.enumerated() {
                guard number < Self.mostCandidates else {
                    guard settings.detect.keepsUncertainFaces else { break }
                    // There are too many faces to measure them all. If faces are to be hidden, keep the rest
                    // unmeasured.
                    analyzed.append(AnalyzedFace(observation: face, presence: 0, appearance: appearance))
                    continue
                }
                guard var measured = try measure(face, in: frame) else { continue }
                measured.appearance = appearance
                analyzed.append(measured)
            }
            return FrameResult(
                sequence: frame.sequence, index: frame.index, microseconds: frame.microseconds,
                epoch: frame.epoch, displaySize: frame.geometry.displaySize, signature: found.signature,
                faces: analyzed,
                byteCount: frame.byteCount)
        } catch let error as MediaError {
            throw VidscanError(
                .media(error.code), error.message, stage: .analyze, microseconds: frame.microseconds)
        } catch {
            throw VidscanError(.inference, "\(error)", stage: .analyze, microseconds: frame.microseconds)
        }
    }

    // MARK: Detecting

    /// The maximum number of faces in a frame that are measured; the tracker chooses among them.
    private static let mostCandidates = 256

    /// The faces and the signature of a whole frame.
    private struct Detection {
        var signature: FrameSignature
        /// In descending order of confidence, in display space, with their appearance descriptors.
        var faces: [(FaceDetection, AppearanceDescriptor)]
    }

    private func detect(_ frame: SampledFrame) throws -> Detection {
        let display = frame.geometry.displaySize
        let geometry = settings.detectorGeometry(for: display)
        let session = try detectorSession(inputSize: geometry.tensor)
        let input = try session.input()
        try times.measure(\.resample) { () throws(MediaError) in
            try resampler.resample(frame, pictureSize: geometry.picture, tensorSize: geometry.tensor, into: input)
        }
        let found = try times.measure(\.detect) { () throws(InferenceError) in
            try session.detect(minimumConfidence: settings.candidateConfidence)
        }
        let scaleX = Double(display.width) / Double(geometry.picture.width)
        let scaleY = Double(display.height) / Double(geometry.picture.height)
        let least = settings.detect.minimumFace * Double(display.shortSide)
        return times.measure(\.look) {
            let picture = TensorPicture(base: input, size: geometry.picture, tensorSize: geometry.tensor)
            let faces = found.compactMap { face -> (FaceDetection, AppearanceDescriptor)? in
                guard let scaled = face.scaled(x: scaleX, y: scaleY, within: display),
                    max(scaled.box.width, scaled.box.height) >= least
                else { return nil }
                return (scaled, AppearanceDescriptor(picture, face: face))
            }
            return Detection(signature: FrameSignature(picture), faces: faces)
        }
    }

    private func detectorSession(inputSize: PictureSize) throws(InferenceError) -> FaceDetector.Session {
        if let detectorSession, detectorSession.inputSize == inputSize { return detectorSession }
        let session = try models.detector(inputSize: inputSize, sessions: sessions).makeSession()
        detectorSession = session
        return session
    }

    // MARK: Measuring

    /// The mesh is fitted at least twice, because its first points place the crop better than the detector's landmarks
    /// do, and at most this often, in case it does not settle.
    private static let meshPasses = 2...4

    /// - Returns: `nil` if the mesh model finds no face.
    private func measure(_ face: FaceDetection, in frame: SampledFrame) throws -> AnalyzedFace? {
        let session = try meshSession ?? models.attentionMesh(sessions: sessions).makeSession()
        meshSession = session
        let input = try session.input()
        guard let tensor = input.baseAddress else { throw InferenceError(.runtime, "the mesh's input has no memory") }
        var square = MeshCrop.predicted(from: face)
        var located: (mesh: FaceMesh, presence: Double)?
        for pass in 1...Self.meshPasses.upperBound {
            try times.measure(\.crop) { () throws(MediaError) in
                try cropper.crop(frame, square: square, resolution: AttentionMesh.resolution, into: tensor)
            }
            let found = try times.measure(\.mesh) { () throws(InferenceError) in try session.locate(in: square) }
            located = found
            let implied = MeshCrop.implied(by: found.mesh)
            if pass >= Self.meshPasses.lowerBound, MeshCrop.isSettled(used: square, implied: implied) { break }
            square = implied
        }
        guard let located else { return nil }
        if located.presence < MeshPresence.threshold {
            // A full profile is a face although no mesh fits it, so a confident detection is kept.
            guard settings.detect.keepsUncertainFaces || face.confidence >= MeshPresence.trustedConfidence else {
                return nil
            }
            return AnalyzedFace(observation: face, presence: located.presence)
        }
        let model = settings.needsExpressions ? try models.expressionModel() : nil
        return times.measure(\.measure) {
            let pose = HeadPose(mesh: located.mesh)
            let isLegible = ExpressionLimits.allow(mesh: located.mesh, pose: pose)
            return AnalyzedFace(
                observation: face, presence: located.presence, mesh: located.mesh, pose: pose,
                quality: PictureQuality(
                    tensor: UnsafeBufferPointer(input), resolution: AttentionMesh.resolution),
                expressions: isLegible ? model?.measure(located.mesh, pose: pose) : nil,
                shape: isLegible ? models.faceShape.describe(located.mesh) : nil)
        }
    }
}

extension FaceDetection {
    /// Converts from detector pixels to display pixels, and clips the box to the frame.
    ///
    /// - Returns: `nil` if no part of the box is inside the frame, because it lay in the tensor's padding.
    fileprivate func scaled(x scaleX: Double, y scaleY: Double, within size: PictureSize) -> FaceDetection? {
        let scale = { (point: Point) in Point(x: point.x * scaleX, y: point.y * scaleY) }
        let box = Rectangle(
            x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY
        ).clamped(to: size)
        guard box.width >= 1, box.height >= 1 else { return nil }
        return FaceDetection(
            box: box, confidence: confidence,
            landmarks: FaceLandmarks(
                leftEye: scale(landmarks.leftEye), rightEye: scale(landmarks.rightEye), nose: scale(landmarks.nose),
                leftMouthCorner: scale(landmarks.leftMouthCorner), rightMouthCorner: scale(landmarks.rightMouthCorner)
            ))
    }
}
