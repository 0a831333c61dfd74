package import VidscanFaces

/// `face-reidentification-retail-0095` of Intel's Open Model Zoo (Apache-2.0): MobileNetV2's blocks (Sandler et al.,
/// 2018, arXiv:1801.04381) with squeeze-and-excitation (Hu et al., 2017, arXiv:1709.01507). Embeds aligned crops.
package struct FaceEmbedder: Sendable {
    private let model: CompiledModel
    /// The number of sessions that run at the same time.
    package let concurrency: Int

    package init(runtime: InferenceRuntime, path: String, concurrency: Int) throws(InferenceError) {
        self.concurrency = concurrency
        model = try runtime.compile(path: path, concurrency: concurrency)
    }

    package func makeSession() throws(InferenceError) -> Session { Session(request: try model.makeRequest()) }

    /// A session with its own tensors. Use it from one thread at a time.
    package struct Session {
        fileprivate let request: InferenceRequest

        /// Computes the embedding of a crop: the direction of the sum of the network's outputs for the crop and for its
        /// mirror image, which separates people better than either, and the cosine distance between the two.
        package func embed(
            _ crop: FaceCrop
        ) throws(InferenceError) -> (embedding: FaceEmbedding, mirrorDistance: Double) {
            let upright = try output(crop) { $0 }
            let mirrored = try output(crop) { FaceCrop.resolution - 1 - $0 }
            return (
                FaceEmbedding(direction: zip(upright.values, mirrored.values).map(+)),
                upright.cosineDistance(to: mirrored)
            )
        }

        /// - Parameter column: The crop's column for each column of the input.
        private func output(_ crop: FaceCrop, column: (Int) -> Int) throws(InferenceError) -> FaceEmbedding {
            let tensor: UnsafeMutableBufferPointer<Float> = try request.input()
            let (side, plane) = (FaceCrop.resolution, FaceCrop.resolution * FaceCrop.resolution)
            try InferenceError.checkSize(tensor.count == 3 * plane, of: "the embedding's input has")
            // The network's channels are B', G', R'.
            for channel in 0..<3 {
                for row in 0..<side {
                    let (from, to) = ((2 - channel) * plane + row * side, channel * plane + row * side)
                    for x in 0..<side { tensor[to + x] = Float(crop.pixels[from + column(x)]) }
                }
            }
            try request.run()
            let values: UnsafeBufferPointer<Float> = try request.output(0)
            try InferenceError.checkSize(values.count == FaceEmbedding.length, of: "the embedding's output has")
            return FaceEmbedding(direction: Array(values))
        }
    }
}
