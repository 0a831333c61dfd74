internal import CNetwork
internal import VidscanBase

/// The layers of CenterFace and their weights: MobileNetV2 (Sandler et al., 2018, arXiv:1801.04381), whose last features are
/// enlarged three times and added to earlier ones, and heads that read these at a quarter of the picture's size.
///
/// `scripts/convert_face_detector.py` writes the weights in the order in which they are taken here, and refuses a model of
/// another structure.
///
/// `@unchecked Sendable`: the layers point to weights that are never changed and live as long as the network.
final class DetectorNetwork: @unchecked Sendable {
    /// A step of the neck, which doubles the width and height.
    struct Step {
        /// For the output's pixels in even rows and columns, even rows and odd columns, odd rows and even columns, odd rows
        /// and columns.
        var enlargement: [vs_product]
        /// The number of the block whose output is added, and what it goes through before.
        var block: Int
        var lateral: vs_product
    }

    /// The first one reads the picture; its expansion is a convolution with stride 2.
    let blocks: [vs_inverted]
    let reduction: vs_product
    let steps: [Step]
    let window: vs_product
    /// Their outputs are the score's logit, the box's height and width, the centre's y and x, and y and x of five landmarks.
    let heads: vs_product
    private let owner: AlignedBytes

    static let headOutputs = 1 + 2 + 2 + 10
    private static let neckChannels = 24
    /// The inputs, the channels in between, the outputs and the stride of each block.
    private static let shapes: [(inputs: Int, channels: Int, outputs: Int, stride: Int)] = [
        (27, 32, 16, 1), (16, 96, 24, 2), (24, 144, 24, 1), (24, 144, 32, 2), (32, 192, 32, 1), (32, 192, 32, 1),
        (32, 192, 64, 2), (64, 384, 64, 1), (64, 384, 64, 1), (64, 384, 64, 1), (64, 384, 96, 1), (96, 576, 96, 1),
        (96, 576, 96, 1), (96, 576, 160, 2), (160, 960, 160, 1), (160, 960, 160, 1), (160, 960, 320, 1),
    ]
    /// The blocks whose outputs the neck adds, one after another.
    private static let laterals = [12, 5, 2]
    private static let weightCount = 1_830_048

    /// - Parameter path: The path of the weights.
    /// - Throws: `InferenceError` if the file cannot be read or is not the network's.
    init(path: String) throws(InferenceError) {
        var weights = try NetworkWeights(path: path, count: Self.weightCount)
        let neck = Self.neckChannels
        blocks = Self.shapes.map { shape in
            vs_inverted(
                expansion: weights.product(inputs: shape.inputs, outputs: shape.channels, activation: VS_CLIPS),
                depthwise: weights.depthwise(channels: shape.channels, stride: shape.stride),
                projection: weights.product(inputs: shape.channels, outputs: shape.outputs, activation: VS_KEEPS),
                is_residual: shape.inputs == shape.outputs ? 1 : 0)
        }
        reduction = weights.product(
            inputs: Self.shapes[Self.shapes.count - 1].outputs, outputs: neck, activation: VS_CLIPS)
        steps = Self.laterals.map { block in
            Step(
                enlargement: (0..<4).map { _ in weights.product(inputs: neck, outputs: neck, activation: VS_CLIPS) },
                block: block,
                lateral: weights.product(inputs: Self.shapes[block].outputs, outputs: neck, activation: VS_CLIPS))
        }
        window = weights.product(inputs: 9 * neck, outputs: neck, activation: VS_CLIPS)
        heads = weights.product(inputs: neck, outputs: Self.headOutputs, activation: VS_KEEPS)
        owner = weights.finish()
    }
}

/// The computation of a ``DetectorNetwork`` for pictures of one size, with memory for the values between its layers. Use it
/// from one thread at a time.
final class DetectorNetworkRun {
    private let network: DetectorNetwork
    private let kernels: vs_network_kernels
    private let size: PictureSize
    /// All tensors, of which those that are never needed at the same time share their place.
    private let memory: UnsafeMutableBufferPointer<Float>
    /// The picture: 3 × height × width, R', G', B' in 0…255. `run` overwrites it.
    let picture: UnsafeMutablePointer<Float>
    private let scratch: UnsafeMutableBufferPointer<Float>
    /// The output of each block.
    private let blocks: [NetworkTensor]
    private let reduced: NetworkTensor
    private let steps: [NetworkTensor]
    private let windows: NetworkTensor
    /// What the heads find, at a quarter of the picture's size.
    let cells: NetworkTensor

    /// - Parameter size: Of the picture; both sides are multiples of 32.
    init(_ network: DetectorNetwork, size: PictureSize, kernels: vs_network_kernels) {
        self.network = network
        self.kernels = kernels
        self.size = size
        var shapes: [(width: Int, height: Int, channels: Int)] = []
        var needs = [MemoryPlan.Need(count: 3 * size.width * size.height, steps: 0...0)]
        // Each is made by the step of its number, and read by the next one.
        func add(_ width: Int, _ height: Int, _ channels: Int, lastReader: Int? = nil) {
            let step = shapes.count
            shapes.append((width, height, channels))
            needs.append(
                MemoryPlan.Need(
                    count: NetworkTensor.count(width: width, height: height, channels: channels),
                    steps: step...(lastReader ?? step + 1)))
        }
        var (width, height) = (size.width / 2, size.height / 2)
        var scratchCount = 0
        for (index, block) in network.blocks.enumerated() {
            scratchCount = max(scratchCount, vs_scratch(width, block.depthwise.channels))
            width /= block.depthwise.stride
            height /= block.depthwise.stride
            let reader = network.steps.firstIndex { $0.block == index }
            add(
                width, height, block.projection.outputs, lastReader: reader.map { network.blocks.count + 1 + $0 })
        }
        let neck = network.reduction.outputs
        add(width, height, neck)
        for _ in network.steps {
            width *= 2
            height *= 2
            add(width, height, neck)
        }
        add(width, height, neck)
        add(width, height, network.heads.outputs)

        let plan = MemoryPlan(needs)
        memory = NetworkTensor.zeros(plan.count)
        scratch = NetworkTensor.zeros(scratchCount)
        let start = memory.baseAddress.unsafelyUnwrapped
        picture = start + plan.offsets[0]
        var tensors = zip(shapes, plan.offsets.dropFirst()).map { shape, offset in
            NetworkTensor(width: shape.width, height: shape.height, channels: shape.channels, at: start + offset)
        }
        cells = tensors.removeLast()
        windows = tensors.removeLast()
        blocks = Array(tensors.prefix(network.blocks.count))
        reduced = tensors[network.blocks.count]
        steps = Array(tensors.dropFirst(network.blocks.count + 1))
    }

    deinit {
        memory.deallocate()
        scratch.deallocate()
    }

    /// Fills `cells` with what the heads find in the picture.
    func run() {
        let scratch = scratch.baseAddress
        blocks[0].clearBorder()
        withUnsafePointer(to: network.blocks[0]) {
            kernels.first($0, picture, size.width, size.height, scratch, blocks[0].values)
        }
        var current = blocks[0]
        for (block, output) in zip(network.blocks, blocks).dropFirst() {
            output.clearBorder()
            withUnsafePointer(to: block) {
                kernels.inverted($0, current.values, current.width, current.height, scratch, output.values)
            }
            current = output
        }
        pointwise(network.reduction, current, to: reduced)
        current = reduced
        for (step, output) in zip(network.steps, steps) {
            output.clearBorder()
            step.enlargement.withUnsafeBufferPointer {
                kernels.enlarge(
                    $0.baseAddress, current.values, current.channels, current.width, current.height, output.values)
            }
            add(step.lateral, blocks[step.block], to: output)
            current = output
        }
        windows.clearBorder()
        withUnsafePointer(to: network.window) {
            kernels.window($0, current.values, current.channels, current.width, current.height, windows.values)
        }
        pointwise(network.heads, windows, to: cells)
    }

    private func pointwise(_ layer: vs_product, _ input: NetworkTensor, to output: NetworkTensor) {
        output.clearBorder()
        withUnsafePointer(to: layer) {
            kernels.pointwise($0, input.values, input.channels, input.width, input.height, nil, output.values)
        }
    }

    private func add(_ layer: vs_product, _ input: NetworkTensor, to sum: NetworkTensor) {
        withUnsafePointer(to: layer) {
            kernels.pointwise($0, input.values, input.channels, input.width, input.height, sum.values, sum.values)
        }
    }
}
