internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Detects and measures the faces of single frames. Each worker has one; it keeps no state from earlier frames.
final class FaceAnalyzer {
    private let models: ModelStore
    private let settings: Settings
    private let detector: FrameDetector
    private let fitter: MeshFitter
    private let cropper: FaceCropper
    var times = StageTimes()

    init(models: ModelStore, settings: Settings) {
        (self.models, self.settings) = (models, settings)
        // All convert a frame's pixel format only once.
        let converter = PictureConverter()
        detector = FrameDetector(models: models, settings: settings, converter: converter)
        fitter = MeshFitter(models: models, converter: converter)
        cropper = FaceCropper(converter: converter)
    }

    /// Returns the frame in the detector's size, which is valid until another frame is asked for.
    func picture(of frame: SampledFrame) throws(MediaError) -> DetectorPicture {
        try times.measure(\.resample) { () throws(MediaError) in try detector.picture(of: frame) }
    }

    func detectCoarsely(_ frame: SampledFrame) throws -> [FaceDetection] {
        let picture = try picture(of: frame)
        return try times.measure(\.detect) { try detector.detect(picture, scale: 0.5) }
    }

    /// The maximum number of faces in a frame that are measured; the tracker chooses among them.
    private static let maximumCandidates = 256

    /// Detects and measures all faces, in descending order of confidence. `upsideDown`: whether to look for faces that
    /// are upside down too, if none with a mesh is upright.
    func faces(in frame: SampledFrame, upsideDown: Bool) throws -> [AnalyzedFace] {
        let picture = try picture(of: frame)
        let found = try times.measure(\.detect) { try detector.detect(picture) }
        var faces = try fitted(found, in: frame, picture)
        // A lying face may be found as if it stood on its head: at a lower score, and more than 26° (cosine 0.9) from upright.
        let isCertain = faces.contains {
            $0.isUpright && ($0.detection.confidence > 0.85 || ($0.square?.axis.x ?? 0) > 0.9)
        }
        guard upsideDown, !isCertain else { return faces }
        let turned = try times.measure(\.detect) { try detector.detectUpsideDown(picture) }
        // The first search often finds such a face too, with a lower score and a less accurate box. Without a mesh to
        // confirm it, the second search is not enough, unless faces are to be hidden.
        for face in try fitted(turned, in: frame, picture)
        where face.square != nil || settings.detect.keepsUncertainFaces { faces.replaceRivals(by: face, \.detection) }
        return faces.sorted { $0.detection.confidence > $1.detection.confidence }
    }

    /// Fits the meshes of detected faces. Returns, in the same order, those that a mesh confirms or that are trusted.
    private func fitted(
        _ found: [FaceDetection], in frame: SampledFrame, _ picture: DetectorPicture
    ) throws -> [AnalyzedFace] {
        var faces: [AnalyzedFace] = []
        let minimum = settings.detect.minimumFace * Double(picture.display.shortSide)
        for (number, detection) in found.filter({ max($0.box.width, $0.box.height) >= minimum }).enumerated() {
            guard number < Self.maximumCandidates else {
                guard settings.detect.keepsUncertainFaces else { break }
                // There are too many faces to measure them all. If faces are to be hidden, keep the rest unmeasured.
                faces.append(unmeasured(detection, presence: 0, picture))
                continue
            }
            let fit = try fitter.fit(
                frame, from: MeshCrop.predicted(from: detection), MeshFitter.Passes.converging, times: &times)
            if fit.presence >= MeshPresence.threshold {
                faces.append(try measure(fit, detection, in: frame))
            } else if isTrusted(detection) {
                var face = unmeasured(detection, presence: fit.presence, picture)
                face.expressions = try covers(of: detection, in: frame)
                faces.append(face)
            }
        }
        return faces
    }

    /// Says whether a mask is the reason why no mesh fits.
    private func covers(of detection: FaceDetection, in frame: SampledFrame) throws -> FaceExpressions? {
        guard settings.needsExpressions, let crop = EmotionCrop.square(around: detection) else { return nil }
        let network = try models.expressionModel().emotionNetwork
        let marks = detection.landmarks
        return try times.measure(\.measure) {
            let evidence = try cropper.evidence(for: crop.square, in: frame, by: network)
            guard evidence.tellsCovers(ofTurned: crop.isTurned) else { return nil }
            return FaceExpressions.withoutMesh(
                evidence.covering(
                    mouth: [marks.leftMouthCorner, marks.rightMouthCorner], eyes: [marks.leftEye, marks.rightEye],
                    outside: frame.geometry.displaySize))
        }
    }

    /// Fits the mesh of a face at a predicted position. Returns `nil` if the crop shows no face, or it is elsewhere.
    func face(at prediction: FacePrediction, passes: ClosedRange<Int>, in frame: SampledFrame) throws -> AnalyzedFace? {
        let fit = try fitter.fit(frame, from: prediction.square, passes, times: &times)
        guard fit.presence >= MeshPresence.threshold,
            MeshCrop.isSettled(used: prediction.square, implied: fit.implied, within: .near),
            let detection = prediction.detection(around: fit.mesh, in: fit.implied).clipped(
                to: frame.geometry.displaySize)
        else { return nil }
        return try measure(fit, detection, in: frame)
    }

    /// Cuts the crops of faces that have none yet. `others`: those of another sample of the same shot and chunk.
    func cutCrops(_ faces: inout [AnalyzedFace], besides others: [AnalyzedFace], in frame: SampledFrame) throws {
        guard settings.track.person else { return }
        for index in faces.indices {
            let hasOther = others.contains { $0.hasCrop && $0.detection.box.overlaps(faces[index].detection.box) }
            if !hasOther {
                faces[index].crop = try times.measure(\.embed) { try cropper.crop(of: faces[index], in: frame) }
            }
            faces[index].hasCrop = hasOther || faces[index].crop != nil
        }
    }

    /// Whether a face is kept although no mesh fits it. A full profile is a face, for example.
    private func isTrusted(_ detection: FaceDetection) -> Bool {
        settings.detect.keepsUncertainFaces
            || detection.confidence
                >= MeshPresence.trustedConfidence(
                    minimumConfidence: settings.detect.minimumConfidence,
                    side: max(detection.box.width, detection.box.height))
    }

    private func unmeasured(_ detection: FaceDetection, presence: Double, _ picture: DetectorPicture) -> AnalyzedFace {
        times.measure(\.look) {
            AnalyzedFace(detection: detection, presence: presence, appearance: picture.appearance(of: detection))
        }
    }

    private func measure(
        _ fit: MeshFitter.Fit, _ detection: FaceDetection, in frame: SampledFrame
    ) throws -> AnalyzedFace {
        let model = settings.needsExpressions ? try models.expressionModel() : nil
        let picture = try times.measure(\.resample) { try detector.picture(of: frame, describing: detection) }
        let appearance = times.measure(\.look) { picture.appearance(of: detection) }
        return try times.measure(\.measure) {
            let pose = HeadPose(mesh: fit.mesh)
            let side = MeasuredSide(mesh: fit.mesh, pose: pose, presence: fit.presence)
            let expressions = try model.map { model in
                let square =
                    ExpressionLimits.showCovers(of: fit.mesh, pose: pose) ? EmotionCrop.square(around: fit.mesh) : nil
                let evidence = try square.map { square in
                    try cropper.evidence(for: square, in: frame, by: model.emotionNetwork)
                        .covering(fit.mesh, outside: frame.geometry.displaySize)
                }
                return model.measure(
                    fit.mesh, pose: pose, side: side, evidence: evidence,
                    smileThreshold: settings.track.events.smileStartsAbove)
            }
            return AnalyzedFace(
                detection: detection, presence: fit.presence, mesh: fit.mesh, pose: pose, quality: fitter.quality(),
                expressions: expressions, appearance: appearance,
                shape: side == .both ? models.faceShape.describe(fit.mesh) : nil, square: fit.implied)
        }
    }
}

/// Fits meshes to single faces. Each worker has one.
final class MeshFitter {
    struct Fit {
        var mesh: FaceMesh
        /// The probability, 0…1, that the crop shows a face.
        var presence: Double
        var implied: RotatedSquare
    }

    /// How often the mesh is fitted: each pass crops where the pass before found the face.
    enum Passes {
        /// For a crop that comes from the detector's landmarks.
        static let converging = 2...4
        /// For a crop that comes from an earlier sample's mesh.
        static let following = 1...4
        /// For a crop that lies between two converged ones.
        static let confirming = 1...2
    }

    private let models: ModelStore
    private let cropper: SquareCropper
    private lazy var session = Result { () throws(InferenceError) in try models.attentionMesh().makeSession() }

    init(models: ModelStore, converter: PictureConverter) {
        self.models = models
        cropper = SquareCropper(converter: converter)
    }

    /// Fits a mesh, which is that of the last pass. `start`: the crop for the first pass.
    func fit(
        _ frame: SampledFrame, from start: RotatedSquare, _ passes: ClosedRange<Int>, times: inout StageTimes
    ) throws -> Fit {
        let session = try session.get()
        // The input is never empty.
        let tensor = session.input.baseAddress.unsafelyUnwrapped
        var (square, pass) = (start, 1)
        while true {
            try times.measure(\.crop) {
                try cropper.crop(frame, square: square, resolution: AttentionMesh.resolution, into: tensor)
            }
            let found = times.measure(\.mesh) { session.locate(in: square) }
            let fit = Fit(mesh: found.mesh, presence: found.presence, implied: MeshCrop.implied(by: found.mesh))
            let isFinal = pass >= passes.lowerBound && MeshCrop.isSettled(used: square, implied: fit.implied)
            // A crop that shows no face rarely shows one when it is cut again.
            if isFinal || pass == passes.upperBound || fit.presence < Self.hopeless { return fit }
            square = fit.implied
            pass += 1
        }
    }

    /// The presence below which another pass does not help.
    private static let hopeless = 0.1

    /// The quality of the crop of the last pass.
    func quality() -> PictureQuality? {
        guard let session = try? session.get() else { return nil }
        return PictureQuality(tensor: UnsafeBufferPointer(session.input), resolution: AttentionMesh.resolution)
    }
}

/// Cuts the crops of the emotion network, and of faces that are clear enough for an embedding. Each worker has one.
final class FaceCropper {
    private let cropper: SquareCropper
    private var emotionTensor = [Float](repeating: 0, count: EmotionNetwork.inputCount)
    private var embeddingTensor = [Float](repeating: 0, count: FaceCrop.byteCount)

    init(converter: PictureConverter) { cropper = SquareCropper(converter: converter) }

    func evidence(
        for square: RotatedSquare, in frame: SampledFrame, by network: EmotionNetwork
    ) throws(MediaError) -> PixelEvidence {
        try cropper.crop(frame, square: square, resolution: EmotionNetwork.resolution, into: &emotionTensor)
        return emotionTensor.withUnsafeBufferPointer { network.evidence(in: $0) }
    }

    /// Cuts the crop for a face's embedding; `nil` if mesh and brightness show that it would be of no use.
    func crop(of face: AnalyzedFace, in frame: SampledFrame) throws(MediaError) -> FaceCrop? {
        guard let mesh = face.mesh, let pose = face.pose, face.presence >= Self.minimumPresence,
            face.detection.box.height >= Self.minimumHeight,
            pose.yaw * pose.yaw + pose.pitch * pose.pitch <= Self.maximumTurn * Self.maximumTurn
        else { return nil }
        let square = EmbeddingCrop.square(around: mesh)
        guard square.fractionInside(frame.geometry.displaySize) >= Self.minimumFractionInside else { return nil }
        try cropper.crop(frame, square: square, resolution: FaceCrop.resolution, into: &embeddingTensor)
        let pixels = embeddingTensor.map { UInt8(min(max($0, 0), 255).rounded()) }
        guard pixels.reduce(0, { $0 + Int($1) }) >= Self.minimumBrightness * pixels.count else { return nil }
        return FaceCrop(pixels: pixels)
    }

    /// The minimum probability of the mesh that the crop shows a face.
    private static let minimumPresence = 0.8
    private static let minimumHeight = 24.0
    /// The maximum angle between head and camera in degrees. Beyond it, embeddings do not reliably separate people.
    private static let maximumTurn = 60.0
    private static let minimumFractionInside = 0.5
    /// The minimum mean of R', G' and B', 0...255.
    private static let minimumBrightness = 20
}

extension RotatedSquare {
    /// Returns the fraction of the square that lies inside a picture, from a grid of 8 x 8 points.
    fileprivate func fractionInside(_ size: PictureSize) -> Double {
        let transform = transform(resolution: 8)
        let count = (0..<64).count { index in
            size.contains(transform.apply(to: Point(x: Double(index % 8) + 0.5, y: Double(index / 8) + 0.5)))
        }
        return Double(count) / 64
    }
}
