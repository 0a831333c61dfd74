public import VidscanBase
public import VidscanFaces

/// MediaPipe's face mesh with attention (Grishchenko et al., 2020, arXiv:2006.10962), converted once during set-up. It
/// finds the 478 points of the face in a square crop and the probability that the crop shows a face.
public struct AttentionMesh: Sendable {
    /// The width and height of the input in pixels.
    public static let resolution = 192

    private let model: CompiledModel
    /// The number of sessions that run at the same time; others wait.
    public let concurrency: Int

    /// - Parameters:
    ///   - runtime: The runtime that compiles the model.
    ///   - path: The path of the converted model's `.xml`.
    ///   - concurrency: The number of sessions that run at the same time; others wait.
    ///   - precision: The precision of the computation.
    public init(
        runtime: InferenceRuntime, path: String, concurrency: Int, precision: InferencePrecision
    ) throws(InferenceError) {
        self.concurrency = concurrency
        model = try runtime.compile(path: path, concurrency: concurrency, precision: precision)
    }

    /// Makes a session, which one thread uses to run the mesh.
    public func makeSession() throws(InferenceError) -> Session {
        Session(request: try model.makeRequest(), concurrency: concurrency)
    }

    /// A session of the mesh, with its own tensors. Use it from one thread at a time.
    public final class Session {
        private let request: InferenceRequest

        /// The number of sessions of the same model that run at the same time.
        public let concurrency: Int

        init(request: InferenceRequest, concurrency: Int) {
            self.request = request
            self.concurrency = concurrency
        }

        /// Whether the sessions wait for each other so long that a higher concurrency would make the run shorter.
        public var isCrowded: Bool { request.isCrowded }

        /// Returns the input tensor, 3 × 192 × 192: R', G', B' in 0…255, to be filled before `locate`.
        public func input() throws(InferenceError) -> UnsafeMutableBufferPointer<Float> {
            try request.input()
        }

        /// Finds the points of the face in the input tensor.
        ///
        /// - Parameter square: The square in display space from which the tensor was cropped.
        /// - Returns: The points in display space, and the probability, 0…1, that the crop shows a face.
        public func locate(in square: RotatedSquare) throws(InferenceError) -> (mesh: FaceMesh, presence: Double) {
            try request.run()
            let points = try request.output(0)
            let presence = try request.output(1)
            guard points.count == 3 * FaceMesh.pointCount, presence.count == 1 else {
                throw InferenceError(.runtime, "the mesh's outputs have unexpected sizes")
            }
            let map = square.transform(resolution: AttentionMesh.resolution)
            let scale = square.side / Double(AttentionMesh.resolution)
            let coordinates = [Float](unsafeUninitializedCapacity: points.count) { buffer, count in
                for index in 0..<FaceMesh.pointCount {
                    let point = map.apply(
                        to: Point(x: Double(points[3 * index]), y: Double(points[3 * index + 1])))
                    buffer[3 * index] = Float(point.x)
                    buffer[3 * index + 1] = Float(point.y)
                    buffer[3 * index + 2] = Float(Double(points[3 * index + 2]) * scale)
                }
                count = points.count
            }
            return (FaceMesh(coordinates: coordinates), Double(presence[0]))
        }
    }
}
