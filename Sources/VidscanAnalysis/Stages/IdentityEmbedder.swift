internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia

/// Computes embeddings of faces that show well enough who they are. Each worker has one.
final class IdentityEmbedder {
    private let models: ModelStore
    private let sessionCount: Int
    private let cropper: SquareCropper
    private var session: FaceEmbedder.Session?

    /// - Parameter sessions: The number of embedders that run at the same time.
    init(models: ModelStore, sessions: Int, converter: PictureConverter) {
        self.models = models
        sessionCount = sessions
        cropper = SquareCropper(converter: converter)
    }

    /// Returns whether an embedding of a face would be of use, as far as its mesh says.
    ///
    /// - Parameter size: The size of the frame in display space.
    func isSuitable(_ face: AnalyzedFace, in size: PictureSize) -> Bool {
        guard let mesh = face.mesh, let pose = face.pose, face.presence >= Self.minimumPresence,
            face.detection.box.height >= Self.minimumHeight,
            pose.yaw * pose.yaw + pose.pitch * pose.pitch <= Self.maximumTurn * Self.maximumTurn
        else { return false }
        return EmbeddingCrop.square(around: mesh).shareInside(size) >= Self.minimumShareInside
    }

    /// Computes the mean embedding of a face and its mirror image.
    ///
    /// - Returns: `nil` if the crop is too dark, or if the two differ so much that the crop shows no face clearly.
    func embedding(of face: AnalyzedFace, in frame: SampledFrame) throws -> FaceEmbedding? {
        guard let mesh = face.mesh else { return nil }
        let session = try session ?? models.faceEmbedder(sessions: 1).makeSession()
        self.session = session
        let tensor = try session.input()
        guard let address = tensor.baseAddress else {
            throw InferenceError(.runtime, "the face embedding's input has no memory")
        }
        try cropper.crop(
            frame, square: EmbeddingCrop.square(around: mesh), resolution: FaceEmbedder.resolution, into: address)
        guard tensor.reduce(0, +) / Float(tensor.count) >= Self.minimumBrightness else { return nil }
        let (embedding, mirrorDistance) = try session.embedWithMirrorImage()
        return mirrorDistance < Self.maximumMirrorDistance ? embedding : nil
    }

    /// The minimum probability of the mesh that the crop shows a face.
    private static let minimumPresence = 0.8
    /// The minimum height of the face's box in pixels.
    private static let minimumHeight = 40.0
    /// The maximum angle between head and camera in degrees. Beyond it, embeddings hardly separate people.
    private static let maximumTurn = 45.0
    /// The minimum share of the crop that lies inside the frame.
    private static let minimumShareInside = 0.75
    /// The minimum mean of R', G' and B', 0...255.
    private static let minimumBrightness: Float = 20
    private static let maximumMirrorDistance = 0.4
}

extension RotatedSquare {
    /// Returns the share of the square that lies inside a picture, from a grid of 8 x 8 points.
    fileprivate func shareInside(_ size: PictureSize) -> Double {
        let transform = transform(resolution: 8)
        var count = 0
        for row in 0..<8 {
            for column in 0..<8 {
                let (u, v) = (Double(column) + 0.5, Double(row) + 0.5)
                let x = transform.xx * u + transform.xy * v + transform.x
                let y = transform.yx * u + transform.yy * v + transform.y
                if x >= 0, y >= 0, x < Double(size.width), y < Double(size.height) { count += 1 }
            }
        }
        return Double(count) / 64
    }
}
