internal import VidscanBase
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia
internal import VidscanResults

/// Fits meshes to single faces. Each worker has one.
final class MeshFitter {
    struct Fit {
        var mesh: FaceMesh
        /// The probability, 0…1, that the crop shows a face.
        var presence: Double
        /// The crop that the mesh implies.
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
    private var session: MeshSession?

    init(models: ModelStore, converter: PictureConverter) {
        self.models = models
        cropper = SquareCropper(converter: converter)
    }

    /// Fits a mesh, which is that of the last pass. `start`: the crop for the first pass.
    func fit(
        _ frame: SampledFrame, from start: RotatedSquare, _ passes: ClosedRange<Int>, times: inout StageTimes
    ) throws -> Fit {
        let session = try currentSession()
        guard let tensor = session.input.baseAddress else {
            throw InferenceError(.runtime, "the mesh's input has no memory")
        }
        var square = start
        var pass = 1
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

    private func currentSession() throws(InferenceError) -> MeshSession {
        if let session { return session }
        let session = try models.attentionMesh().makeSession()
        self.session = session
        return session
    }

    /// The presence below which another pass does not help.
    private static let hopeless = 0.1

    /// The quality of the crop of the last pass.
    func quality() -> PictureQuality? {
        guard let session else { return nil }
        return PictureQuality(tensor: UnsafeBufferPointer(session.input), resolution: AttentionMesh.resolution)
    }
}
