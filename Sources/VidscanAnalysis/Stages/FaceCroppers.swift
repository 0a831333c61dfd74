internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia

/// Cuts the crops of the emotion network, and of faces that are clear enough for an embedding. Each worker has one.
final class FaceCropper {
    private let cropper: SquareCropper
    private var emotionTensor = [Float](repeating: 0, count: EmotionNetwork.inputCount)
    private var embeddingTensor = [Float](repeating: 0, count: FaceCrop.byteCount)

    init(converter: PictureConverter) { cropper = SquareCropper(converter: converter) }

    func evidence(
        for mesh: FaceMesh, in frame: SampledFrame, by network: EmotionNetwork
    ) throws(MediaError) -> PixelEvidence {
        try fill(&emotionTensor, EmotionCrop.square(around: mesh), of: frame, resolution: EmotionNetwork.resolution)
        return emotionTensor.withUnsafeBufferPointer { network.evidence(in: $0) }
    }

    private func fill(
        _ tensor: inout [Float], _ square: RotatedSquare, of frame: SampledFrame, resolution: Int
    ) throws(MediaError) {
        try tensor.withUnsafeMutableBufferPointer { tensor throws(MediaError) in
            // The tensor is never empty.
            try cropper.crop(frame, square: square, resolution: resolution, into: tensor.baseAddress.unsafelyUnwrapped)
        }
    }

    /// Cuts the crop for a face's embedding; `nil` if that would be of no use, as far as mesh and brightness say.
    func crop(of face: AnalyzedFace, in frame: SampledFrame) throws(MediaError) -> FaceCrop? {
        guard let mesh = face.mesh, let pose = face.pose, face.presence >= Self.minimumPresence,
            face.detection.box.height >= Self.minimumHeight,
            pose.yaw * pose.yaw + pose.pitch * pose.pitch <= Self.maximumTurn * Self.maximumTurn
        else { return nil }
        let square = EmbeddingCrop.square(around: mesh)
        guard square.fractionInside(frame.geometry.displaySize) >= Self.minimumFractionInside else { return nil }
        try fill(&embeddingTensor, square, of: frame, resolution: FaceCrop.resolution)
        let pixels = embeddingTensor.map { UInt8(min(max($0, 0), 255).rounded()) }
        guard pixels.reduce(0, { $0 + Int($1) }) >= Self.minimumBrightness * pixels.count else { return nil }
        return FaceCrop(pixels: pixels)
    }

    /// The minimum probability of the mesh that the crop shows a face.
    private static let minimumPresence = 0.8
    /// The minimum height of the face's box in pixels.
    private static let minimumHeight = 24.0
    /// The maximum angle between head and camera in degrees. Beyond it, embeddings do not reliably separate people.
    private static let maximumTurn = 60.0
    /// The minimum fraction of the crop that lies inside the frame.
    private static let minimumFractionInside = 0.5
    /// The minimum mean of R', G' and B', 0...255.
    private static let minimumBrightness = 20
}

extension RotatedSquare {
    /// Returns the fraction of the square that lies inside a picture, from a grid of 8 x 8 points.
    fileprivate func fractionInside(_ size: PictureSize) -> Double {
        let transform = transform(resolution: 8)
        let count = (0..<64).count { index in
            let point = transform.apply(to: Point(x: Double(index % 8) + 0.5, y: Double(index / 8) + 0.5))
            return point.x >= 0 && point.y >= 0 && point.x < Double(size.width) && point.y < Double(size.height)
        }
        return Double(count) / 64
    }
}
