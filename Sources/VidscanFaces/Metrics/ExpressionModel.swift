package import Foundation

/// Computes 52 blendshape scores, expressions, emotions and emojis from a mesh: a small network, trained on the points
/// of 8,130 faces to reproduce the scores of MediaPipe FaceLandmarker, followed by formulas with fitted constants. The
/// model card beside the weights has the accuracy of each score.
package struct ExpressionModel: Sendable {
    private struct Description: Decodable {
        struct Layer: Decodable {
            var name: String
            var activation: Activation
        }
        var arrays: [String: WeightFile.Array]
        var layers: [Layer]
        var blendshapes: [String]
        var points, alignmentPoints: [Int]
        var constants: ExpressionConstants
        var emotionNetwork: EmotionNetwork.Description
    }

    private enum Activation: String, Decodable { case silu, sigmoid }

    package let blendshapeNames: [String]
    /// Gives `measure` its evidence.
    package let emotionNetwork: EmotionNetwork
    private let formulas: ExpressionFormulas
    private let canonical: [Vector3]
    private let points, alignmentPoints: [Int]
    private let inputMean, inputScale: [Float]
    private let layers: [(layer: NetworkLayer, activation: Activation)]

    /// Reads `expressions.json` and `expressions.weights`, little-endian 32-bit floats.
    package init(description: Data, weights: Data) throws(ExpressionModelError) {
        let parsed: Description
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            parsed = try decoder.decode(Description.self, from: description)
        } catch { throw ExpressionModelError(reason: "expressions.json cannot be read: \(error)") }
        let file = WeightFile(arrays: parsed.arrays, bytes: weights)
        (blendshapeNames, points, alignmentPoints) = (parsed.blendshapes, parsed.points, parsed.alignmentPoints)
        guard (points + alignmentPoints).allSatisfy({ (0..<FaceMesh.pointCount).contains($0) }) else {
            throw ExpressionModelError(reason: "expressions.json names points that are not in the mesh")
        }
        let values = try file.array("canonical", count: 3 * FaceMesh.pointCount).map(Double.init)
        canonical = (0..<FaceMesh.pointCount).map { Vector3(values[3 * $0..<3 * $0 + 3]) }
        var width = 5 * points.count + 3
        inputMean = try file.array("input_mean", count: width)
        inputScale = try file.array("input_scale", count: width)
        layers = Array(zip(try file.layers(parsed.layers.map(\.name), inputs: &width), parsed.layers.map(\.activation)))
        guard width == blendshapeNames.count, layers.last?.activation == .sigmoid else {
            throw ExpressionModelError(reason: "expressions.json does not name the scores of the network")
        }
        emotionNetwork = try EmotionNetwork(parsed.emotionNetwork, file)
        formulas = try ExpressionFormulas(
            parsed.constants, blendshapes: blendshapeNames, outputs: emotionNetwork.emotions)
    }

    /// Measures expressions, which do not depend on the position, size or in-plane rotation of the face, and the gaze
    /// relative to the line to the camera. What cannot be seen from `side`, or is covered, has no value; without a side,
    /// only the attention has one. `evidence` is `nil` if ``emotionNetwork`` did not run; `smileThreshold`, 0…100, is for
    /// `has_smile`.
    package func measure(
        _ mesh: FaceMesh, pose: HeadPose, side: MeasuredSide? = .both, evidence: PixelEvidence?,
        smileThreshold: Double = Metric.smileThreshold
    ) -> FaceExpressions {
        let face = AlignedFace(mesh, canonical: canonical, steady: alignmentPoints)
        let measures = FaceMeasures(face)
        // Of turned heads, the network takes the far half of the mouth for covered.
        let whole = MeasuredSide(yaw: pose.yaw) == .both ? evidence : nil
        guard let side else {
            var values = MetricValues()
            values[.attention] = 100 * formulas.attention(measures)
            return FaceExpressions(blendshapes: [], values: values, evidence: whole)
        }
        let scores = blendshapes(of: face)
        var values = formulas.values(
            scores: scores.map(Double.init), measures: measures, evidence: evidence?.emotions ?? []
        ).percentages
        values[.hasSmile] = values[.smile].map { $0 > smileThreshold ? 1 : 0 }
        let gaze = Gaze.direction(of: face, pose: pose)
        (values[.gazeYaw], values[.gazePitch]) = (gaze.yaw, gaze.pitch)
        for metric in Metric.actionUnits {
            values[metric] = metric.actionUnit.flatMap { values[$0.expression] }.map { $0 / 100 }
        }
        let covered = FaceRegion.covered(mouth: whole?.mouthCovered, eyes: whole?.eyesCovered)
        let isSmall = ExpressionLimits.eyePixels(of: mesh) < ExpressionLimits.minimumEyePixelsOfSide
        for metric in Metric.allCases
        where metric.blankReason(yaw: pose.yaw, from: side, covered: covered, isSmall: isSmall) != nil {
            values[metric] = nil
        }
        return FaceExpressions(blendshapes: side == .both ? scores : [], values: values, evidence: whole)
    }

    /// Returns emotions and emojis, 0…100 (valence −100…100), for the expressions and openness of eyes in `relative`,
    /// 0…100, with the pixels' evidence as measured.
    package func derivedScores(of relative: MetricValues, measured: MetricValues) -> MetricValues {
        var values = relative.fractions
        formulas.addEmotionsAndEmojis(to: &values, measured: measured.fractions)
        return values.percentages
    }

    private func blendshapes(of face: AlignedFace) -> [Float] {
        var values = points.flatMap { [face.points[$0].x, face.points[$0].y, face.points[$0].z] }
        values += points.flatMap { [face.upright[$0].x, face.upright[$0].y] }
        values += [face.viewAxis.x, face.viewAxis.y, face.viewAxis.z]
        let features = values.indices.map { (Float(values[$0]) - inputMean[$0]) * inputScale[$0] }
        return layers.reduce(features) { inputs, layer in
            layer.layer.multiply(inputs).map { output in
                let sigmoid = 1 / (1 + exp(-output))
                return layer.activation == .sigmoid ? sigmoid : output * sigmoid
            }
        }
    }
}

/// Likelihoods, 0…100 (valence −100…100), of visible expressions as models and people label images, not of feelings.
package struct FaceExpressions: Sendable, Equatable {
    /// 0…1, in the model's order; none if only one side of the face can be measured.
    package let blendshapes: [Float]
    fileprivate let values: MetricValues
    /// `nil` if the pixels were not looked at, or only one side of the face can be measured.
    package let evidence: PixelEvidence?

    package static func withoutMesh(_ evidence: PixelEvidence) -> Self {
        Self(blendshapes: [], values: MetricValues(), evidence: evidence)
    }

    /// In the metric's range; 0 or 1 for a yes-or-no metric.
    package subscript(metric: Metric) -> Double? { values[metric] }

    /// As ``Metric/dominantEmoji(among:score:)``.
    package func dominantEmoji(among metrics: Set<Metric>) -> Metric? {
        Metric.dominantEmoji(among: metrics) { values[$0] }
    }
}

package struct ExpressionModelError: Error, Sendable, Equatable, CustomStringConvertible {
    package let reason: String
    package var description: String { reason }

    static func unknown(_ name: String) -> Self { Self(reason: "expressions.json has the unknown name \(name)") }
}
