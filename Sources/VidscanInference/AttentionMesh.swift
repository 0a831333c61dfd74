internal import CNetwork
public import VidscanBase
public import VidscanFaces

/// MediaPipe's face mesh with attention (Grishchenko et al., 2020, arXiv:2006.10962). It finds the 478 points of the face
/// in a square crop and the probability that the crop shows a face.
///
/// The network is small, and runs for nearly every face of every sample. So vidscan computes it itself: in two thirds of
/// the time of a general runtime, without that runtime's time to compile it, and with the same results on all processors
/// with AVX2.
public struct AttentionMesh: Sendable {
    /// The width and height of the input in pixels.
    public static let resolution = MeshNetwork.pictureSide

    private let network: MeshNetwork

    /// - Parameters:
    ///   - path: The path of the description, `attention_mesh.json`.
    ///   - weights: The path of the weights, `attention_mesh.weights`.
    /// - Throws: `InferenceError` if a file cannot be read or does not describe this network.
    public init(path: String, weights: String) throws(InferenceError) {
        network = try MeshNetwork(path: path, weights: weights)
    }

    /// Makes a session, which one thread uses to run the mesh. It takes three megabytes of memory.
    public func makeSession() -> Session {
        Session(MeshNetworkRun(network, kernels: vs_best_network_kernels().pointee))
    }

    /// Makes a session that uses an instruction set.
    ///
    /// - Returns: `nil` if the processor does not have it.
    package func makeSession(using set: InstructionSet) -> Session? {
        guard let kernels = vs_network_kernels_for(set.value) else { return nil }
        return Session(MeshNetworkRun(network, kernels: kernels.pointee))
    }

    /// A session of the mesh, with its own memory. Use it from one thread at a time.
    public final class Session {
        private let computation: MeshNetworkRun

        init(_ computation: MeshNetworkRun) {
            self.computation = computation
        }

        /// The input tensor, 3 × 192 × 192: R', G', B' in 0…255, to be filled before `locate`.
        public var input: UnsafeMutableBufferPointer<Float> { computation.picture }

        /// Finds the points of the face in the input tensor.
        ///
        /// - Parameter square: The square in display space from which the tensor was cropped.
        /// - Returns: The points in display space, and the probability, 0…1, that the crop shows a face.
        public func locate(in square: RotatedSquare) -> (mesh: FaceMesh, presence: Double) {
            let found = computation.run()
            let map = square.transform(resolution: AttentionMesh.resolution)
            let scale = square.side / Double(AttentionMesh.resolution)
            let coordinates = [Float](unsafeUninitializedCapacity: found.points.count) { buffer, count in
                for index in 0..<FaceMesh.pointCount {
                    let point = map.apply(
                        to: Point(x: Double(found.points[3 * index]), y: Double(found.points[3 * index + 1])))
                    buffer[3 * index] = Float(point.x)
                    buffer[3 * index + 1] = Float(point.y)
                    buffer[3 * index + 2] = Float(Double(found.points[3 * index + 2]) * scale)
                }
                count = found.points.count
            }
            return (FaceMesh(coordinates: coordinates), Double(found.presence))
        }
    }
}
