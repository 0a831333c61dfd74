package import CNetwork
internal import Foundation
internal import VidscanBase

/// MediaPipe's face mesh with attention (Grishchenko et al., 2020, arXiv:2006.10962): the 478 points of the face in a
/// square crop, and the probability that the crop shows a face.
///
/// The network is small and runs for nearly every face of every sample. vidscan computes it in two thirds of a general
/// runtime's time, without that runtime's compile time, and with the same results on all processors with AVX2.
///
/// A trunk of separable convolutions with residuals halves the picture from 192 to 3 pixels; dense layers then give 468
/// points and the presence of a face. Around the lips and each eye, a square is cut from the trunk's features of 48 ×
/// 48 pixels, turned and scaled as the points lie. There, further layers refine the points and find the iris.
///
/// The structure is that of `face_landmark_with_attention.tflite`. `scripts/convert_attention_mesh.py` writes the
/// weights in the order in which this code takes them, and rejects other structures.
package final class AttentionMesh: @unchecked Sendable {  // The weights never change, and live as long.
    /// A part of the face that the network examines again.
    struct Part: Decodable {
        /// The points at the ends of the line along which the part lies, from left to right.
        var left, right: Int
        /// The side of the crop, as a multiple of the width or height of the points along that line.
        var scale: Float
        /// The points that the part replaces. The first 16 of an eye are the edges of its lids.
        var points: [Int]
    }

    private struct Description: Decodable {
        var weights: Int
        /// The lips, then the eyes on the left and on the right of the picture.
        var parts: [Part]
    }

    typealias Branch = (blocks: [vs_separable], reduction: vs_linear, last: vs_separable, results: [vs_linear])
    /// `branches`: one for the points; an eye has another one for its iris.
    typealias PartLayers = (part: Part, blocks: [vs_separable], branches: [Branch])

    /// The side of the input in pixels.
    package static let resolution = 192
    /// The side of the features from which parts are cut, and of such a crop, in pixels.
    static let featureSide = 48, partSide = 16
    static let meshPoints = 468, irisPoints = 5
    /// An eye's points on the edges of its lids.
    static let lidPoints = 16

    let stem: vs_linear
    let features: [vs_separable]
    let trunk: Branch
    let parts: [PartLayers]
    private let owner: AlignedBytes

    package init(path: String, weights weightsPath: String) throws(InferenceError) {
        let description: Description
        do {
            description = try JSONDecoder().decode(Description.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch { throw InferenceError("cannot read \(path)") }
        let other = InferenceError("\(path) does not describe the attention mesh")
        guard description.parts.count == 3,
            description.parts.allSatisfy({ part in
                (part.points + [part.left, part.right]).allSatisfy { (0..<Self.meshPoints).contains($0) }
                    && part.points.count >= Self.lidPoints
            })
        else { throw other }
        var weights = try NetworkWeights(path: weightsPath)
        // 3 × 3 taps of three planes.
        stem = weights.linear(inputs: 27, outputs: 16, activation: VS_PRELU)
        features = Self.featureBlocks.map { weights.block($0) }
        trunk = weights.branch(Self.trunkBlocks, side: 3, outputs: [3 * Self.meshPoints, 1])
        parts = description.parts.enumerated().map { index, part in
            let outputs = [part.points.count] + (index == 0 ? [] : [Self.irisPoints])
            return (
                part, blocks: Self.partBlocks.map { weights.block($0) },
                branches: outputs.map { weights.branch(Self.branchBlocks, side: 2, outputs: [2 * $0]) }
            )
        }
        guard weights.count == description.weights else { throw other }
        owner = try weights.finish()
    }

    /// Makes a session, which takes three megabytes.
    package func makeSession(
        kernels: UnsafePointer<vs_network_kernels> = vs_best_network_kernels()
    ) -> MeshSession { MeshSession(self, kernels: kernels.pointee) }

    typealias Shape = (inputs: Int, outputs: Int, stride: Int)

    private static let featureBlocks: [Shape] = [(16, 16, 1), (16, 16, 1), (16, 32, 2)]
    private static let trunkBlocks: [Shape] =
        [(32, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 128, 1)]
        + [(128, 128, 2), (128, 128, 1), (128, 128, 1), (128, 128, 2), (128, 128, 1), (128, 128, 1)]
    private static let partBlocks: [Shape] = [
        (32, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 64, 1), (64, 128, 2),
    ]
    private static let branchBlocks: [Shape] = [
        (128, 128, 1), (128, 128, 1), (128, 128, 2), (128, 128, 1), (128, 128, 1),
    ]
    /// The channels of a branch before its dense layers.
    fileprivate static let reducedChannels = 32
}

extension NetworkWeights {
    fileprivate mutating func block(_ shape: AttentionMesh.Shape) -> vs_separable {
        vs_separable(
            depthwise: depthwise(channels: shape.inputs, stride: shape.stride),
            pointwise: linear(inputs: shape.inputs, outputs: shape.outputs, activation: VS_PRELU))
    }

    /// `side`: at the end of the branch. `outputs`: of each dense layer.
    fileprivate mutating func branch(_ shapes: [AttentionMesh.Shape], side: Int, outputs: [Int]) -> AttentionMesh.Branch
    {
        let reduced = AttentionMesh.reducedChannels
        return (
            blocks: shapes.map { block($0) }, reduction: linear(inputs: 128, outputs: reduced, activation: VS_PRELU),
            last: block((reduced, reduced, 1)),
            results: outputs.map { linear(inputs: side * side * reduced, outputs: $0, activation: VS_LINEAR) }
        )
    }
}
