internal import CNetwork
internal import Foundation
internal import VidscanBase

/// The layers of the attention mesh and their weights.
///
/// The trunk is made of separable convolutions with residuals, which halve the picture from 192 to 3 pixels; a dense layer
/// then gives 468 points, and another one the presence of a face. Around the lips and each eye, a square is cut from the
/// trunk's features of 48 × 48 pixels, turned and scaled as the points lie, in which a part of the network finds the
/// points of the part again, more accurately, and the iris.
///
/// The structure is that of `face_landmark_with_attention.tflite`; `scripts/convert_attention_mesh.py` writes the weights
/// in the order in which they are taken here, and refuses a model of another structure.
///
/// `@unchecked Sendable`: the layers point to weights that are never changed and live as long as the network.
final class MeshNetwork: @unchecked Sendable {
    /// A part of the face that is looked at again.
    struct Part: Decodable {
        /// The points at the ends of the line along which the part lies, from left to right.
        var left: Int
        var right: Int
        /// The side of the square that is cut, as a multiple of the width or height of the points along that line.
        var scale: Float
        /// The points that the part replaces. The first 16 of an eye are the edges of its lids.
        var points: [Int]
    }

    private struct Description: Decodable {
        /// The number of weights.
        var weights: Int
        /// The lips, and the eyes on the left and on the right of the picture.
        var parts: [Part]
    }

    struct Stem {
        var weights, bias, slopes: UnsafePointer<Float>
    }

    /// Layers that end in a list of numbers.
    struct Branch {
        var blocks: [vs_block]
        var reduction: vs_product
        var last: vs_block
        var results: [vs_product]
    }

    struct PartLayers {
        var part: Part
        var blocks: [vs_block]
        /// One for the points, and for an eye another one for its iris.
        var branches: [Branch]
    }

    /// The width and height of the picture, of the features from which parts are cut, and of such a cut, in pixels.
    static let pictureSide = 192
    static let featureSide = 48
    static let partSide = 16
    static let meshPoints = 468
    static let irisPoints = 5
    /// The number of an eye's points that lie on the edges of its lids.
    static let lidPoints = 16

    let stem: Stem
    let features: [vs_block]
    let trunk: Branch
    let parts: [PartLayers]
    private let owner: AlignedBytes

    /// - Parameters:
    ///   - path: The path of the description.
    ///   - weights: The path of the weights.
    /// - Throws: `InferenceError` if a file cannot be read or does not describe this network.
    init(path: String, weights weightsPath: String) throws(InferenceError) {
        let description: Description
        do {
            description = try JSONDecoder().decode(
                Description.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw InferenceError(.modelNotFound, "cannot read \(path)")
        }
        guard description.weights == Self.weightCount(description.parts.map(\.points.count)),
            description.parts.count == 3,
            description.parts.allSatisfy({ part in
                (part.points + [part.left, part.right]).allSatisfy { (0..<Self.meshPoints).contains($0) }
                    && part.points.count >= Self.lidPoints
            })
        else { throw InferenceError(.runtime, "\(path) does not describe the attention mesh") }
        var weights = try NetworkWeights(path: weightsPath, count: description.weights)
        stem = weights.stem()
        features = Self.featureBlocks.map { weights.block($0) }
        trunk = weights.branch(Self.trunkBlocks, side: 3, outputs: [3 * Self.meshPoints, 1])
        parts = description.parts.enumerated().map { index, part in
            let outputs = [part.points.count] + (index == 0 ? [] : [Self.irisPoints])
            return PartLayers(
                part: part, blocks: Self.partBlocks.map { weights.block($0) },
                branches: outputs.map { weights.branch(Self.branchBlocks, side: 2, outputs: [2 * $0]) })
        }
        owner = weights.finish()
    }

    /// The inputs, the outputs and the stride of a block.
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

    private static func weightCount(_ pointCounts: [Int]) -> Int {
        func count(_ shapes: [Shape]) -> Int { shapes.reduce(0) { $0 + NetworkWeights.count(of: $1) } }
        func branch(_ shapes: [Shape], side: Int, outputs: [Int]) -> Int {
            let reduced = reducedChannels
            return count(shapes) + (128 + 2) * reduced + NetworkWeights.count(of: (reduced, reduced, 1))
                + outputs.reduce(0) { $0 + (side * side * reduced + 1) * NetworkWeights.padded($1) }
        }
        var total = (3 * 3 * 3 + 2) * 16 + count(featureBlocks)
        total += branch(trunkBlocks, side: 3, outputs: [3 * meshPoints, 1])
        for (index, points) in pointCounts.enumerated() {
            total += count(partBlocks)
            for outputs in [points] + (index == 0 ? [] : [irisPoints]) {
                total += branch(branchBlocks, side: 2, outputs: [2 * outputs])
            }
        }
        return total
    }
}

extension NetworkWeights {
    fileprivate static func count(of shape: MeshNetwork.Shape) -> Int {
        (9 + 1) * shape.inputs + (shape.inputs + 2) * shape.outputs
    }

    fileprivate mutating func stem() -> MeshNetwork.Stem {
        MeshNetwork.Stem(weights: take(3 * 3 * 3 * 16), bias: take(16), slopes: take(16))
    }

    fileprivate mutating func block(_ shape: MeshNetwork.Shape) -> vs_block {
        vs_block(
            depthwise: depthwise(channels: shape.inputs, stride: shape.stride),
            product: product(inputs: shape.inputs, outputs: shape.outputs, activation: VS_SLOPES))
    }

    /// - Parameters:
    ///   - side: The width and height at the end of the branch.
    ///   - outputs: The number of outputs of each dense layer.
    fileprivate mutating func branch(_ shapes: [MeshNetwork.Shape], side: Int, outputs: [Int]) -> MeshNetwork.Branch {
        let reduced = MeshNetwork.reducedChannels
        return MeshNetwork.Branch(
            blocks: shapes.map { block($0) },
            reduction: product(inputs: 128, outputs: reduced, activation: VS_SLOPES),
            last: block((reduced, reduced, 1)),
            results: outputs.map { product(inputs: side * side * reduced, outputs: $0, activation: VS_KEEPS) })
    }
}
