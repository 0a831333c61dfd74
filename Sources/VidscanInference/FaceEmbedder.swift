public import VidscanFaces

/// dlib's network for face recognition (Davis E. King, `dlib_face_recognition_resnet_model_v1`, 2017), converted once
/// during set-up: 29 convolutions of a residual network (He et al., 2015, arXiv:1512.03385), trained with a metric loss.
/// It computes an embedding of a face from an aligned crop.
public struct FaceEmbedder: Sendable {
    /// The width and height of the input in pixels.
    public static let resolution = FaceChip.resolution

    private let model: CompiledModel
    /// The number of sessions that run at the same time.
    public let concurrency: Int

    /// - Parameters:
    ///   - runtime: The runtime that compiles the model.
    ///   - path: The path of the converted model's `.xml`.
    ///   - concurrency: The number of sessions that run at the same time.
    ///   - precision: The precision of the computation. `fast` moves embeddings by about 0.01.
    public init(
        runtime: InferenceRuntime, path: String, concurrency: Int, precision: InferencePrecision
    ) throws(InferenceError) {
        self.concurrency = concurrency
        model = try runtime.compile(path: path, concurrency: concurrency, precision: precision)
    }

    /// Makes a session, which one thread uses to run the network.
    public func makeSession() throws(InferenceError) -> Session {
        Session(request: try model.makeRequest())
    }

    /// A session of the network, with its own tensors. Use it from one thread at a time.
    public final class Session {
        private let request: InferenceRequest

        init(request: InferenceRequest) {
            self.request = request
        }

        /// Returns the input tensor, 3 × 150 × 150: R', G', B' in 0…255, to be filled before `embed` or `embedWithMirrorImage`.
        /// The face lies in it as ``EmbeddingCrop`` says.
        public func input() throws(InferenceError) -> UnsafeMutableBufferPointer<Float> {
            try request.input()
        }

        /// Computes the embedding of the face in the input tensor, as dlib does.
        public func embed() throws(InferenceError) -> FaceEmbedding {
            try request.run()
            let values = try request.output(0)
            guard values.count == FaceEmbedding.length else {
                throw InferenceError(.runtime, "the embedding's output has an unexpected size")
            }
            return FaceEmbedding(values: Array(values))
        }

        /// Computes the mean of the embeddings of the face and of its mirror image, which separates people better than
        /// either. Afterwards the input tensor is mirrored.
        ///
        /// - Returns: The mean, and the distance between the two.
        public func embedWithMirrorImage() throws(InferenceError) -> (embedding: FaceEmbedding, mirrorDistance: Double)
        {
            let upright = try embed()
            let tensor = try input()
            for row in stride(from: 0, to: tensor.count, by: FaceEmbedder.resolution) {
                tensor[row..<row + FaceEmbedder.resolution].reverse()
            }
            let mirrored = try embed()
            let mean = zip(upright.values, mirrored.values).map { ($0 + $1) / 2 }
            return (FaceEmbedding(values: mean), upright.distance(to: mirrored))
        }
    }
}
