internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia

/// Cuts the crops of the emotion network. Each worker has one.
final class EmotionCropper {
    private let cropper: SquareCropper
    private var tensor = [Float](repeating: 0, count: EmotionNetwork.inputCount)

    init(converter: PictureConverter) {
        cropper = SquareCropper(converter: converter)
    }

    /// Returns what the network sees in the pixels of a face.
    func evidence(
        for mesh: FaceMesh, in frame: SampledFrame, by network: EmotionNetwork
    ) throws(MediaError) -> [String: Double] {
        try tensor.withUnsafeMutableBufferPointer { tensor throws(MediaError) in
            // The tensor is never empty.
            try cropper.crop(
                frame, square: EmotionCrop.square(around: mesh), resolution: EmotionNetwork.resolution,
                into: tensor.baseAddress.unsafelyUnwrapped)
        }
        return tensor.withUnsafeBufferPointer { network.evidence(in: $0) }
    }
}
