internal import CNetwork
internal import Glibc
package import VidscanBase
package import VidscanFaces

/// Computes an ``AttentionMesh``, with its own memory. Use it from one thread at a time.
package final class MeshSession {
    private let network: AttentionMesh
    private let kernels: vs_network_kernels
    /// 3 × 192 × 192: R', G', B' in 0…255, to be filled before `locate`.
    package let input: UnsafeMutableBufferPointer<Float>
    private var tensors: [NetworkTensor] = []
    private let scratch: UnsafeMutableBufferPointer<Float>

    init(_ network: AttentionMesh, kernels: vs_network_kernels) {
        (self.network, self.kernels) = (network, kernels)
        input = NetworkTensor.zeros(3 * AttentionMesh.resolution * AttentionMesh.resolution)
        scratch = NetworkTensor.zeros(vs_first_cache)
    }

    deinit {
        input.deallocate()
        scratch.deallocate()
    }

    /// Finds the points of the face in the input.
    ///
    /// - Parameter square: The square in display space from which the input was cropped.
    /// - Returns: The points in display space, and the probability, 0…1, that the crop shows a face.
    package func locate(in square: RotatedSquare) -> (mesh: FaceMesh, presence: Double) {
        let found = run()
        var coordinates = found.points
        let map = square.transform(resolution: AttentionMesh.resolution)
        let scale = square.side / Double(AttentionMesh.resolution)
        for x in stride(from: 0, to: coordinates.count, by: 3) {
            let point = map.apply(to: Point(x: Double(coordinates[x]), y: Double(coordinates[x + 1])))
            (coordinates[x], coordinates[x + 1]) = (Float(point.x), Float(point.y))
            coordinates[x + 2] = Float(Double(coordinates[x + 2]) * scale)
        }
        return (FaceMesh(coordinates: coordinates), Double(found.presence))
    }

    /// Returns x, y, z of 468 points and then of five for each iris, in pixels of the picture, from its top left corner.
    private func run() -> (points: [Float], presence: Float) {
        let side = AttentionMesh.resolution
        let stem = tensor(side: side / 2, channels: 16)
        kernels.image_conv3x3(network.stem, input.baseAddress, side, stem.values)
        let features = run(network.features, on: stem)
        let trunk = run(network.trunk, on: features)
        var points = Array(trunk[0].prefix(3 * AttentionMesh.meshPoints))
        var irises: [Float] = []
        for layers in network.parts {
            let box = PartBox(layers.part, around: trunk[0])
            let cut = tensor(side: AttentionMesh.partSide, channels: features.channels)
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 6) { matrix in
                _ = matrix.initialize(from: box.matrix)
                kernels.grid_sample(
                    features.values, features.width, features.channels, matrix.baseAddress, cut.width, cut.values)
            }
            let head = run(layers.blocks, on: cut)
            let found = layers.branches.map { run($0, on: head)[0] }
            for (index, point) in layers.part.points.enumerated() {
                (points[3 * point], points[3 * point + 1]) = box.place(found[0][2 * index], found[0][2 * index + 1])
            }
            guard let iris = found.dropFirst().first else { continue }
            // The network gives an iris no depth. Like MediaPipe, take the mean of the lids around it.
            let lids = layers.part.points.prefix(AttentionMesh.lidPoints)
            let depth = lids.reduce(0) { $0 + trunk[0][3 * $1 + 2] } / Float(lids.count)
            for index in 0..<AttentionMesh.irisPoints {
                let (x, y) = box.place(iris[2 * index], iris[2 * index + 1])
                irises += [x, y, depth]
            }
        }
        return (points + irises, 1 / (1 + exp(-trunk[1][0])))
    }

    /// Never overwrites `kept`.
    private func run(
        _ blocks: [vs_separable], on input: NetworkTensor, keeping kept: NetworkTensor? = nil
    ) -> NetworkTensor {
        var current = input
        for block in blocks {
            let output = tensor(
                side: current.width / block.depthwise.stride, channels: block.pointwise.outputs, besides: current,
                keeping: kept)
            precondition(vs_separable_scratch(block, current.width) <= scratch.count)
            kernels.separable(block, current.values, current.width, scratch.baseAddress, output.values)
            current = output
        }
        return current
    }

    /// Returns the outputs of each dense layer, padded to whole vectors. Never overwrites `input`.
    private func run(_ branch: AttentionMesh.Branch, on input: NetworkTensor) -> [[Float]] {
        let wide = run(branch.blocks, on: input, keeping: input)
        let reduced = tensor(side: wide.width, channels: branch.reduction.outputs)
        kernels.pointwise(branch.reduction, wide.values, wide.channels, wide.width, wide.height, nil, reduced.values)
        return run([branch.last], on: reduced).withoutBorder { values in
            branch.results.map { layer in
                [Float](unsafeUninitializedCapacity: layer.outputs) { buffer, count in
                    kernels.fully_connected(layer, values, buffer.baseAddress)
                    count = layer.outputs
                }
            }
        }
    }

    /// Reuses a tensor of this shape, but neither `input` nor `kept`.
    private func tensor(
        side: Int, channels: Int, besides input: NetworkTensor? = nil, keeping kept: NetworkTensor? = nil
    ) -> NetworkTensor {
        let found = tensors.first { $0.width == side && $0.channels == channels && $0 !== input && $0 !== kept }
        if let found { return found }
        let tensor = NetworkTensor(width: side, height: side, channels: channels)
        tensors.append(tensor)
        return tensor
    }
}

/// The square around a part of the face, turned as its points lie.
private struct PartBox {
    /// From the picture's side to that of the features.
    private static let shrinking = Float(AttentionMesh.featureSide) / Float(AttentionMesh.resolution)

    /// Maps pixels of the crop to pixels of the features, 2 × 3, row by row.
    let matrix: [Float]

    /// Encloses a part's points along and across the line between its ends, and enlarges that box. `points`: x, y, z of
    /// each point in pixels of the picture.
    init(_ part: AttentionMesh.Part, around points: [Float]) {
        func place(_ point: Int) -> SIMD2<Float> { SIMD2(points[3 * point], points[3 * point + 1]) * Self.shrinking }
        let line = place(part.right) - place(part.left)
        // If both ends are one point, any direction serves.
        let length = max((line.x * line.x + line.y * line.y).squareRoot(), 1e-6)
        let (cosine, sine) = (line.x / length, line.y / length)
        var (low, high) = (SIMD2<Float>(repeating: .infinity), SIMD2<Float>(repeating: -.infinity))
        for point in part.points.map(place) {
            let (along, across) = (cosine * point.x + sine * point.y, cosine * point.y - sine * point.x)
            low = SIMD2(min(low.x, along), min(low.y, across))
            high = SIMD2(max(high.x, along), max(high.y, across))
        }
        let middle = (low + high) / 2
        let side = Float(AttentionMesh.partSide)
        let cell = (high - low) * part.scale / side
        let (xx, xy) = (cosine * cell.x, -sine * cell.y)
        let (yx, yy) = (sine * cell.x, cosine * cell.y)
        let x = cosine * middle.x - sine * middle.y - (xx + xy) * side / 2
        let y = sine * middle.x + cosine * middle.y - (yx + yy) * side / 2
        matrix = [xx, xy, x, yx, yy, y]
    }

    /// Returns a point's position in pixels. `u`, `v`: in pixels of the picture with the crop's size in features.
    func place(_ u: Float, _ v: Float) -> (Float, Float) {
        (
            matrix[0] * u + matrix[1] * v + matrix[2] / Self.shrinking,
            matrix[3] * u + matrix[4] * v + matrix[5] / Self.shrinking
        )
    }
}
