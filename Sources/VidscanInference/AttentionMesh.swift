public import VidscanBase
public import VidscanFaces

/// MediaPipe's face mesh with attention (Grishchenko et al., 2020, arXiv:2006.10962), converted once at set-up: 478 points
/// of the face in a square crop, and how surely it is one.
public struct AttentionMesh: Sendable {
    /// Sides of the input, in pixels.
    public static let resolution = 192

    private let model: CompiledModel

    /// - Parameters:
    ///   - path: of the converted model's `.xml`.
    ///   - concurrency: sessions that will run at the same time.
    public init(
        runtime: InferenceRuntime, path: String, concurrency: Int, precision: InferencePrecision
    ) throws(InferenceError) {
        model = try runtime.compile(path: path, concurrency: concurrency, precision: precision)
    }

    /// Makes a session: the mesh as one thread uses it.
    public func makeSession() throws(InferenceError) -> Session {
        Session(request: try model.makeRequest())
    }

    /// The mesh with tensors of its own. Use it from one thread at a time.
    public final class Session {
        private let request: InferenceRequest

        init(request: InferenceRequest) {
            self.request = request
        }

        /// The input tensor, 3 × 192 × 192: R', G', B' in 0…255, to be filled before `locate`.
        public func input() throws(InferenceError) -> UnsafeMutableBufferPointer<Float> {
            try request.input()
        }

        /// Finds the points of the face that the input tensor shows.
        ///
        /// - Parameter square: that the tensor was cut out of, in display space.
        /// - Returns: the points in display space, and the probability, 0…1, that there is a face at all.
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
