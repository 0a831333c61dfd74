internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia

/// Cuts the chips of faces that show well enough who they are. Each worker has one.
final class FaceChipCutter {
    private let cropper: SquareCropper
    private var tensor = [Float](repeating: 0, count: FaceChip.byteCount)

    init(converter: PictureConverter) {
        cropper = SquareCropper(converter: converter)
    }

    /// Cuts the chip of a face.
    ///
    /// - Returns: `nil` if an embedding of the face would be of no use, as far as its mesh and its brightness say.
    func chip(of face: AnalyzedFace, in frame: SampledFrame) throws(MediaError) -> FaceChip? {
        guard let mesh = face.mesh, let pose = face.pose, face.presence >= Self.minimumPresence,
            face.detection.box.height >= Self.minimumHeight,
            pose.yaw * pose.yaw + pose.pitch * pose.pitch <= Self.maximumTurn * Self.maximumTurn
        else { return nil }
        let square = EmbeddingCrop.square(around: mesh)
        guard square.shareInside(frame.geometry.displaySize) >= Self.minimumShareInside else { return nil }
        try tensor.withUnsafeMutableBufferPointer { tensor throws(MediaError) in
            // The tensor is never empty.
            try cropper.crop(
                frame, square: square, resolution: FaceChip.resolution,
                into: tensor.baseAddress.unsafelyUnwrapped)
        }
        let pixels = tensor.map { UInt8(min(max($0, 0), 255).rounded()) }
        guard pixels.reduce(0, { $0 + Int($1) }) >= Self.minimumBrightness * pixels.count else { return nil }
        return FaceChip(pixels: pixels)
    }

    /// The minimum probability of the mesh that the crop shows a face.
    private static let minimumPresence = 0.8
    /// The minimum height of the face's box in pixels.
    private static let minimumHeight = 40.0
    /// The maximum angle between head and camera in degrees. Beyond it, embeddings hardly separate people.
    private static let maximumTurn = 60.0
    /// The minimum share of the crop that lies inside the frame.
    private static let minimumShareInside = 0.75
    /// The minimum mean of R', G' and B', 0...255.
    private static let minimumBrightness = 20
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
