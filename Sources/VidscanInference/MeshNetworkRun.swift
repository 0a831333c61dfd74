internal import CNetwork
internal import Glibc

/// The computation of a ``MeshNetwork``, with memory for the values between its layers. Use it from one thread at a time.
final class MeshNetworkRun {
    /// What the network finds in a picture.
    struct Result {
        /// x, y, z of 468 points and then of five for each iris, in pixels of the picture, from its top left corner.
        var points: [Float]
        /// The probability, 0…1, that the picture shows a face.
        var presence: Float
    }

    private let network: MeshNetwork
    private let kernels: vs_network_kernels
    /// The picture: 3 × 192 × 192, R', G', B' in 0…255.
    let picture: UnsafeMutableBufferPointer<Float>
    /// The network keeps the values between its layers here.
    private var tensors: [NetworkTensor] = []
    private let scratch: UnsafeMutableBufferPointer<Float>

    init(_ network: MeshNetwork, kernels: vs_network_kernels) {
        self.network = network
        self.kernels = kernels
        picture = NetworkTensor.zeros(3 * MeshNetwork.pictureSide * MeshNetwork.pictureSide)
        scratch = NetworkTensor.zeros(Int(VS_BLOCK_SCRATCH))
    }

    deinit {
        picture.deallocate()
        scratch.deallocate()
    }

    /// Finds the points in the picture.
    func run() -> Result {
        let side = MeshNetwork.pictureSide
        let stem = tensor(side: side / 2, channels: 16)
        kernels.stem(
            picture.baseAddress, side, network.stem.weights, network.stem.bias, network.stem.slopes, stem.values)
        let features = run(network.features, on: stem)
        let trunk = run(network.trunk, on: features, keeping: features)
        var result = Result(points: trunk[0], presence: 1 / (1 + exp(-trunk[1][0])))
        result.points.removeLast(result.points.count - 3 * MeshNetwork.meshPoints)
        var irises: [Float] = []
        for layers in network.parts {
            let box = PartBox(layers.part, around: trunk[0])
            let cut = tensor(side: MeshNetwork.partSide, channels: features.channels)
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 6) { matrix in
                _ = matrix.initialize(from: box.matrix)
                kernels.sample(
                    features.values, features.width, features.channels, matrix.baseAddress, cut.width, cut.values)
            }
            let head = run(layers.blocks, on: cut)
            for (branch, number) in zip(layers.branches, 0...) {
                let found = run(branch, on: head, keeping: head)[0]
                if number == 0 {
                    for (index, point) in layers.part.points.enumerated() {
                        (result.points[3 * point], result.points[3 * point + 1]) = box.place(
                            found[2 * index], found[2 * index + 1])
                    }
                } else {
                    // The network gives an iris no depth. Like MediaPipe, take the mean of the lids around it.
                    let lids = layers.part.points.prefix(MeshNetwork.lidPoints)
                    let depth = lids.reduce(0) { $0 + trunk[0][3 * $1 + 2] } / Float(lids.count)
                    for index in 0..<MeshNetwork.irisPoints {
                        let (x, y) = box.place(found[2 * index], found[2 * index + 1])
                        irises += [x, y, depth]
                    }
                }
            }
        }
        result.points += irises
        return result
    }

    /// Runs blocks one after another.
    ///
    /// - Parameter kept: A tensor that must not be overwritten.
    private func run(_ blocks: [vs_block], on input: NetworkTensor, keeping kept: NetworkTensor? = nil) -> NetworkTensor
    {
        var current = input
        for block in blocks {
            let output = tensor(
                side: current.width / block.depthwise.stride, channels: block.product.outputs, besides: current,
                keeping: kept)
            withUnsafePointer(to: block) {
                kernels.block($0, current.values, current.width, scratch.baseAddress, output.values)
            }
            current = output
        }
        return current
    }

    /// Runs a branch.
    ///
    /// - Returns: The outputs of each of its dense layers, and what fills up their last vector.
    private func run(
        _ branch: MeshNetwork.Branch, on input: NetworkTensor, keeping kept: NetworkTensor
    ) -> [[Float]] {
        let wide = run(branch.blocks, on: input, keeping: kept)
        let reduced = tensor(side: wide.width, channels: branch.reduction.outputs)
        withUnsafePointer(to: branch.reduction) {
            kernels.pointwise($0, wide.values, wide.channels, wide.width, wide.height, nil, reduced.values)
        }
        let last = run([branch.last], on: reduced)
        return last.withoutBorder { values in
            branch.results.map { layer in
                [Float](unsafeUninitializedCapacity: layer.outputs) { buffer, count in
                    withUnsafePointer(to: layer) { kernels.dense($0, values, buffer.baseAddress) }
                    count = layer.outputs
                }
            }
        }
    }

    /// Returns a tensor of a shape, which is made if there is none but `input` and `kept`.
    private func tensor(
        side: Int, channels: Int, besides input: NetworkTensor? = nil, keeping kept: NetworkTensor? = nil
    ) -> NetworkTensor {
        let found = tensors.first {
            $0.width == side && $0.channels == channels && $0 !== input && $0 !== kept
        }
        if let found { return found }
        let tensor = NetworkTensor(width: side, height: side, channels: channels)
        tensors.append(tensor)
        return tensor
    }
}

/// The square around a part of the face, turned as its points lie.
private struct PartBox {
    /// The width and height of the features as a fraction of the picture's.
    private static let shrinking = Float(MeshNetwork.featureSide) / Float(MeshNetwork.pictureSide)

    /// From pixels of the cut to pixels of the features, 2 × 3, row by row.
    let matrix: [Float]

    /// Encloses the points of a part along and across the line between its ends, and enlarges that box.
    ///
    /// - Parameter points: x, y, z of each point in pixels of the picture.
    init(_ part: MeshNetwork.Part, around points: [Float]) {
        func place(_ point: Int) -> (x: Float, y: Float) {
            (points[3 * point] * Self.shrinking, points[3 * point + 1] * Self.shrinking)
        }
        let (left, right) = (place(part.left), place(part.right))
        let (dx, dy) = (right.x - left.x, right.y - left.y)
        // Any direction serves where both ends are one point.
        let length = max((dx * dx + dy * dy).squareRoot(), 1e-6)
        let (cosine, sine) = (dx / length, dy / length)
        var (low, high) = ((x: Float.infinity, y: Float.infinity), (x: -Float.infinity, y: -Float.infinity))
        for point in part.points {
            let (x, y) = place(point)
            let (along, across) = (cosine * x + sine * y, cosine * y - sine * x)
            (low.x, low.y) = (min(low.x, along), min(low.y, across))
            (high.x, high.y) = (max(high.x, along), max(high.y, across))
        }
        let middle = (x: (low.x + high.x) / 2, y: (low.y + high.y) / 2)
        let side = Float(MeshNetwork.partSide)
        let cell = (width: (high.x - low.x) * part.scale / side, height: (high.y - low.y) * part.scale / side)
        let (xx, xy) = (cosine * cell.width, -sine * cell.height)
        let (yx, yy) = (sine * cell.width, cosine * cell.height)
        let x = cosine * middle.x - sine * middle.y - (xx + xy) * side / 2
        let y = sine * middle.x + cosine * middle.y - (yx + yy) * side / 2
        matrix = [xx, xy, x, yx, yy, y]
    }

    /// Returns where a point lies in the picture, in pixels.
    ///
    /// - Parameters:
    ///   - u: The point's place in the cut, in pixels of the picture that has the cut's size in features.
    func place(_ u: Float, _ v: Float) -> (Float, Float) {
        (
            matrix[0] * u + matrix[1] * v + matrix[2] / Self.shrinking,
            matrix[3] * u + matrix[4] * v + matrix[5] / Self.shrinking
        )
    }
}
