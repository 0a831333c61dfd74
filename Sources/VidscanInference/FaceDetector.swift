package import CNetwork
package import VidscanBase

/// CenterFace (Xu et al., 2019, arXiv:1911.03599): the boxes and five landmarks of all faces in a frame of any size.
///
/// MobileNetV2 (Sandler et al., 2018, arXiv:1801.04381), whose last features are enlarged three times and added to earlier
/// ones, and heads that read these at a quarter of the picture's size: for every 4 × 4 pixels a score, the logarithms of the
/// box's height and width divided by 4, the centre's offset within the cell, and five landmarks in units of the box. One more
/// output, which `scripts/detector/covered_faces.py` has learned from the same features, scores masked faces.
///
/// `scripts/convert_face_detector.py` writes the weights in the order of this code, and rejects other structures.
package final class FaceDetector: @unchecked Sendable {  // The weights never change, and live as long.
    /// Both sides of the input are multiples of this.
    package static let sideMultiple = 32
    static let stride = 4

    /// A step of the neck, which doubles the width and height. `deconvolution`: for the output's pixels in (even row,
    /// even column), (even, odd), (odd, even) and (odd, odd). `block`: whose output passes `lateral` and is added.
    typealias Step = (deconvolution: [vs_linear], block: Int, lateral: vs_linear)

    /// The first one reads the picture; its expansion is a convolution with stride 2.
    let blocks: [vs_inverted_residual]
    let reduction: vs_linear
    let steps: [Step]
    let smoothing: vs_linear
    /// Outputs: the score's logit, the box's height and width, the centre's y and x, y and x of five landmarks, and the
    /// logit of the score for covered faces.
    let heads: vs_linear
    private let owner: AlignedBytes

    static let headOutputs = 1 + 2 + 2 + 10 + 1
    static let coveredScore = headOutputs - 1
    private static let neckChannels = 24
    private static let shapes: [(inputs: Int, channels: Int, outputs: Int, stride: Int)] = [
        (27, 32, 16, 1), (16, 96, 24, 2), (24, 144, 24, 1), (24, 144, 32, 2), (32, 192, 32, 1), (32, 192, 32, 1),
        (32, 192, 64, 2), (64, 384, 64, 1), (64, 384, 64, 1), (64, 384, 64, 1), (64, 384, 96, 1), (96, 576, 96, 1),
        (96, 576, 96, 1), (96, 576, 160, 2), (160, 960, 160, 1), (160, 960, 160, 1), (160, 960, 320, 1),
    ]
    /// The blocks whose outputs the neck adds, in order.
    private static let laterals = [12, 5, 2]

    /// Reads the weights, `centerface.weights`.
    package init(path: String) throws(InferenceError) {
        var weights = try NetworkWeights(path: path)
        let neck = Self.neckChannels
        blocks = Self.shapes.map { shape in
            vs_inverted_residual(
                expansion: weights.linear(inputs: shape.inputs, outputs: shape.channels, activation: VS_RELU),
                depthwise: weights.depthwise(channels: shape.channels, stride: shape.stride),
                projection: weights.linear(inputs: shape.channels, outputs: shape.outputs, activation: VS_LINEAR),
                is_residual: shape.inputs == shape.outputs ? 1 : 0)
        }
        reduction = weights.linear(
            inputs: Self.shapes[Self.shapes.count - 1].outputs, outputs: neck, activation: VS_RELU)
        steps = Self.laterals.map { block in
            (
                deconvolution: (0..<4).map { _ in weights.linear(inputs: neck, outputs: neck, activation: VS_RELU) },
                block,
                lateral: weights.linear(inputs: Self.shapes[block].outputs, outputs: neck, activation: VS_RELU)
            )
        }
        smoothing = weights.linear(inputs: 9 * neck, outputs: neck, activation: VS_RELU)
        heads = weights.linear(inputs: neck, outputs: Self.headOutputs, activation: VS_LINEAR)
        owner = try weights.finish()
    }

    /// Makes a session, which takes about 30 bytes per pixel. Both sides of the input are multiples of 32.
    package func makeSession(
        inputSize: PictureSize, kernels: UnsafePointer<vs_network_kernels> = vs_best_network_kernels()
    ) -> DetectorSession { DetectorSession(self, inputSize: inputSize, kernels: kernels.pointee) }
}
