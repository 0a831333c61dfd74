internal import CPixels
public import Foundation
internal import VidscanBase

/// Computes 52 blendshape scores, expressions, emotions and emojis from a mesh.
///
/// The model is a small network, trained on the points of 8,130 faces to reproduce the scores of MediaPipe
/// FaceLandmarker, followed by formulas with fitted constants. The model card beside the weights reports the accuracy
/// of each score.
public struct ExpressionModel: Sendable {
    private struct Description: Decodable {
        struct Array: Decodable {
            var offset: Int
            var shape: [Int]
        }
        struct Layer: Decodable {
            enum Activation: String, Decodable { case silu, sigmoid }
            var name: String
            var activation: Activation
        }
        var arrays: [String: Array]
        var layers: [Layer]
        var blendshapes: [String]
        var points: [Int]
        var alignmentPoints: [Int]
        var constants: ExpressionConstants
        var emotionNetwork: EmotionNetwork.Description
    }

    private struct Layer: Sendable {
        var weights: [Float]
        var bias: [Float]
        var isLast: Bool
    }

    /// The names of the blendshape scores, in order.
    public let blendshapeNames: [String]
    /// The network whose evidence `measure` needs.
    public let emotionNetwork: EmotionNetwork
    let constants: ExpressionConstants
    private let canonical: [Vector3]
    private let points: [Int]
    private let alignmentPoints: [Int]
    private let inputMean: [Float]
    private let inputScale: [Float]
    private let layers: [Layer]

    /// - Parameters:
    ///   - description: The bytes of `expressions.json`.
    ///   - weights: The bytes of `expressions.weights`: little-endian 32-bit floats.
    /// - Throws: `ExpressionModelError` if the description cannot be read or does not match the weights.
    public init(description: Data, weights: Data) throws(ExpressionModelError) {
        let parsed: Description
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            parsed = try decoder.decode(Description.self, from: description)
        } catch {
            throw ExpressionModelError(reason: "expressions.json cannot be read: \(error)")
        }
        func array(_ name: String, count: Int) throws(ExpressionModelError) -> [Float] {
            guard let array = parsed.arrays[name], array.shape.reduce(1, *) == count, array.offset >= 0,
                array.offset + 4 * count <= weights.count
            else {
                throw ExpressionModelError(reason: "expressions.weights does not contain \(count) numbers of \(name)")
            }
            return weights.withUnsafeBytes { bytes in
                (0..<count).map {
                    Float(
                        bitPattern: UInt32(
                            littleEndian: bytes.loadUnaligned(
                                fromByteOffset: array.offset + 4 * $0, as: UInt32.self)))
                }
            }
        }
        blendshapeNames = parsed.blendshapes
        constants = parsed.constants
        points = parsed.points
        alignmentPoints = parsed.alignmentPoints
        guard (points + alignmentPoints).allSatisfy({ (0..<FaceMesh.pointCount).contains($0) }) else {
            throw ExpressionModelError(reason: "expressions.json names points that the mesh does not have")
        }
        let canonicalValues = try array("canonical", count: 3 * FaceMesh.pointCount).map(Double.init)
        canonical = (0..<FaceMesh.pointCount).map {
            Vector3(x: canonicalValues[3 * $0], y: canonicalValues[3 * $0 + 1], z: canonicalValues[3 * $0 + 2])
        }
        var width = 5 * points.count + 3
        inputMean = try array("input_mean", count: width)
        inputScale = try array("input_scale", count: width)
        var layers: [Layer] = []
        for layer in parsed.layers {
            guard let outputs = parsed.arrays[layer.name + ".bias"]?.shape.first else {
                throw ExpressionModelError(reason: "expressions.weights does not contain \(layer.name)")
            }
            layers.append(
                Layer(
                    weights: try array(layer.name + ".weight", count: width * outputs),
                    bias: try array(layer.name + ".bias", count: outputs), isLast: layer.activation == .sigmoid))
            width = outputs
        }
        guard width == blendshapeNames.count, layers.last?.isLast == true else {
            throw ExpressionModelError(reason: "expressions.json does not name the scores of the network")
        }
        self.layers = layers
        func chain(_ names: [String], inputs: inout Int, taps: Int) throws(ExpressionModelError) -> [EmotionNetwork
            .Layer]
        {
            var chain: [EmotionNetwork.Layer] = []
            for name in names {
                guard let outputs = parsed.arrays[name + ".bias"]?.shape.first else {
                    throw ExpressionModelError(reason: "expressions.weights does not contain \(name)")
                }
                chain.append(
                    EmotionNetwork.Layer(
                        weights: try array(name + ".weight", count: taps * inputs * outputs),
                        bias: try array(name + ".bias", count: outputs)))
                inputs = outputs
            }
            return chain
        }
        let network = parsed.emotionNetwork
        var channels = 1
        let convolutions = try chain(network.convolutions, inputs: &channels, taps: 9)
        let side = EmotionNetwork.resolution >> convolutions.count
        guard side > 0, convolutions.allSatisfy({ $0.bias.count % 8 == 0 && !$0.bias.isEmpty }) else {
            throw ExpressionModelError(
                reason: "the convolutions of expressions.weights do not have 8 outputs, or a multiple of 8")
        }
        channels *= side * side
        let dense = try chain(network.dense, inputs: &channels, taps: 1)
        guard channels == network.emotions.count, !dense.isEmpty else {
            throw ExpressionModelError(reason: "expressions.json does not name the outputs of the emotion network")
        }
        emotionNetwork = EmotionNetwork(network, convolutions: convolutions, dense: dense)
    }

    /// Measures all expressions of a mesh.
    ///
    /// Expressions do not depend on the position, size or in-plane rotation of the face. Like the pose, the gaze is
    /// relative to the camera's axis.
    ///
    /// - Parameters:
    ///   - part: The part of the face that can be measured.
    ///   - evidence: What ``emotionNetwork`` sees in the pixels of the face.
    ///   - smileThreshold: The smile score, 0…100, above which `has_smile` is 1.
    public func measure(
        _ mesh: FaceMesh, pose: HeadPose, part: MeasurableFace = .whole, evidence: [String: Double],
        smileThreshold: Double = Metric.smileThreshold
    ) -> FaceExpressions {
        let face = AlignedFace(mesh, canonical: canonical, steady: alignmentPoints)
        let scores = run(features(of: face))
        let whole = FaceExpressions(
            model: self, blendshapes: scores, measures: FaceMeasures(face), evidence: evidence,
            gaze: Gaze(face, pose: pose), pose: pose, smileThreshold: smileThreshold)
        switch part {
        case .whole: return whole
        case .oneEye(let eye): return FaceExpressions(whole, eye: eye)
        }
    }

    private func features(of face: AlignedFace) -> [Float] {
        var values: [Double] = []
        values.reserveCapacity(5 * points.count + 3)
        for index in points {
            let point = face.points[index]
            values.append(point.x)
            values.append(point.y)
            values.append(point.z)
        }
        for index in points {
            values.append(face.uprightX[index])
            values.append(face.uprightY[index])
        }
        values.append(face.viewAxis.x)
        values.append(face.viewAxis.y)
        values.append(face.viewAxis.z)
        return values.indices.map { (Float(values[$0]) - inputMean[$0]) * inputScale[$0] }
    }

    private func run(_ inputs: [Float]) -> [Float] {
        var values = inputs
        for layer in layers {
            var outputs = layer.bias
            Self.kernels.add_products(values, values.count, layer.weights, outputs.count, &outputs)
            for column in outputs.indices {
                let sigmoid = 1 / (1 + exp(-outputs[column]))
                outputs[column] = layer.isLast ? sigmoid : outputs[column] * sigmoid
            }
            values = outputs
        }
        return values
    }

    private static let kernels = vs_best_kernels().pointee
}

/// The reason why the expression model could not be loaded.
public struct ExpressionModelError: Error, Sendable, Equatable, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }
}
