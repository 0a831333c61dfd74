internal import CNetwork
internal import Glibc
package import VidscanBase
package import VidscanFaces

/// Computes a ``FaceDetector`` for pictures of one size, with its own memory. Use it from one thread at a time.
package final class DetectorSession {
    private let network: FaceDetector
    private let kernels: vs_network_kernels
    package let inputSize: PictureSize
    /// All tensors. Those that are never needed at the same time share memory.
    private let memory: UnsafeMutableBufferPointer<Float>
    /// 3 × height × width: R', G', B' in 0…255, to be filled before each `detect`.
    package let input: UnsafeMutablePointer<Float>
    private let scratch: UnsafeMutableBufferPointer<Float>
    private let blocks, steps: [NetworkTensor]
    private let reduced, smoothed: NetworkTensor
    /// The outputs of the heads, at a quarter of the picture's size.
    private let cells: NetworkTensor

    init(_ network: FaceDetector, inputSize size: PictureSize, kernels: vs_network_kernels) {
        precondition(size.width % FaceDetector.sideMultiple == 0 && size.height % FaceDetector.sideMultiple == 0)
        (self.network, self.kernels, inputSize) = (network, kernels, size)
        var shapes: [(width: Int, height: Int, channels: Int)] = []
        var needs: [MemoryPlan.Need] = []
        // The step of the same number writes the tensor, and the next step reads it.
        func add(_ width: Int, _ height: Int, _ channels: Int, lastReader: Int? = nil) {
            let step = shapes.count
            shapes.append((width, height, channels))
            let count = NetworkTensor.count(width: width, height: height, channels: channels)
            needs.append((count, step...(lastReader ?? step + 1)))
        }
        var (width, height) = (size.width / 2, size.height / 2)
        var scratchCount = 0
        for (index, block) in network.blocks.enumerated() {
            scratchCount = max(scratchCount, vs_inverted_scratch(block, width, height))
            (width, height) = (width / block.depthwise.stride, height / block.depthwise.stride)
            let reader = network.steps.firstIndex { $0.block == index }
            add(width, height, block.projection.outputs, lastReader: reader.map { network.blocks.count + 1 + $0 })
        }
        let neck = network.reduction.outputs
        add(width, height, neck)
        for _ in network.steps {
            (width, height) = (2 * width, 2 * height)
            add(width, height, neck)
        }
        add(width, height, neck)
        add(width, height, network.heads.outputs)
        // `detail` reads the input when all else is computed.
        needs.insert((3 * size.width * size.height, 0...shapes.count), at: 0)

        let plan = MemoryPlan(needs)
        (memory, scratch) = (NetworkTensor.zeros(plan.count), NetworkTensor.zeros(scratchCount))
        let start = memory.baseAddress.unsafelyUnwrapped
        input = start + plan.offsets[0]
        var tensors = zip(shapes, plan.offsets.dropFirst()).map { shape, offset in
            NetworkTensor(width: shape.width, height: shape.height, channels: shape.channels, at: start + offset)
        }
        cells = tensors.removeLast()
        smoothed = tensors.removeLast()
        blocks = Array(tensors.prefix(network.blocks.count))
        reduced = tensors[network.blocks.count]
        steps = Array(tensors.dropFirst(network.blocks.count + 1))
    }

    deinit {
        memory.deallocate()
        scratch.deallocate()
    }

    /// Finds the faces in the input.
    ///
    /// - Parameters:
    ///   - minimumConfidence: 0…1.
    ///   - maximumOverlap: Of two faces with a larger intersection over union, the one with the higher score is kept.
    /// - Returns: Faces in pixels of the input, highest score first, not clipped to its edges.
    package func detect(minimumConfidence: Double, maximumOverlap: Double = 0.3) -> [FaceDetection] {
        run()
        let cells = cells
        let unit = Double(FaceDetector.stride)
        // The minimum's logit, lowered by far more than its error: most cells need no exponential.
        let floor = min(minimumConfidence, 0.999)
        let minimumLogit = Float(log(floor / (1 - floor))) - 0.01
        func probability(_ logit: Float) -> Double { Double(1 / (1 + exp(-logit))) }
        var found: [Candidate] = []
        for (row, column) in (0..<cells.height).lazy.flatMap({ row in (0..<cells.width).lazy.map { (row, $0) } }) {
            let cell = cells.row(row) + column * cells.channels
            guard !(max(cell[0], cell[FaceDetector.coveredScore]) < minimumLogit) else { continue }
            let (own, covered) = (probability(cell[0]), probability(cell[FaceDetector.coveredScore]))
            // The network gives y before x.
            func point(_ index: Int) -> Point { Point(x: Double(cell[index + 1]), y: Double(cell[index])) }
            let size = Point(x: exp(point(1).x), y: exp(point(1).y)) * unit
            guard size.x.isFinite, size.y.isFinite else { continue }
            let corner = (Point(x: Double(column), y: Double(row)) + point(3) + 0.5) * unit - size / 2
            let box = Rectangle(x: corner.x, y: corner.y, width: size.x, height: size.y)
            // The network orders eyes and mouth corners by their side in the frame: the subject's right comes first.
            let landmarks = FaceLandmarks(points: [1, 0, 2, 4, 3].map { corner + point(5 + 2 * $0) * size })
            // Neither a patch without detail nor a box that is wider than high is a covered face.
            let isCovered = covered >= max(0.5, own) && size.y >= size.x && detail(in: box) >= 0.45
            let score = isCovered ? max(own, min(covered, Self.maximumCoveredScore)) : own
            guard score >= minimumConfidence else { continue }
            found.append((FaceDetection(box: box, confidence: own, landmarks: landmarks), score))
        }
        return Self.suppress(found, minimumConfidence: minimumConfidence, maximumOverlap: maximumOverlap)
    }

    /// What the score for covered faces is worth, at most: it must not outdo a face that the detector itself is sure of.
    private static let maximumCoveredScore = 0.7

    /// In the middle of the box, the mean second difference of green over a 24th of the box's width, per standard deviation.
    /// Eyes above a mask give 0.5 or more, a face that was blurred to hide it gives less.
    private func detail(in box: Rectangle) -> Double {
        let corner = Point(x: box.x, y: box.y) + Point(x: box.width, y: box.height) / 5
        let middle = Rectangle(x: corner.x, y: corner.y, width: box.width * 0.6, height: box.height * 0.6)
            .clamped(to: inputSize)
        let (row, rows, step) = (inputSize.width, inputSize.height, Int(max(1, middle.width / 14.4).rounded()))
        let green = input + row * rows
        var (count, sum, squares, differences) = (0.0, 0.0, 0.0, 0.0)
        for y in stride(from: max(step, Int(middle.y)), to: min(rows - step, Int(middle.y + middle.height)), by: 1) {
            for x in stride(from: max(step, Int(middle.x)), to: min(row - step, Int(middle.x + middle.width)), by: 1) {
                let pixel = green + y * row + x
                let across = 2 * pixel[0] - pixel[-step] - pixel[step]
                let down = 2 * pixel[0] - pixel[-step * row] - pixel[step * row]
                (count, differences) = (count + 1, differences + Double(abs(across) + abs(down)))
                (sum, squares) = (sum + Double(pixel[0]), squares + Double(pixel[0] * pixel[0]))
            }
        }
        return differences / max(1, squares * count - sum * sum).squareRoot()
    }

    /// A face with the detector's own score, and the one that counts.
    private typealias Candidate = (face: FaceDetection, score: Double)

    /// Greedy non-maximum suppression; equal scores keep the order of the cells. A face's box and landmarks are the
    /// score-weighted mean over the cells with nearly the same box: which of two neighbours scores higher is
    /// chance, but their boxes differ by pixels. Only the detector's own score says how well a cell is placed.
    private static func suppress(
        _ faces: [Candidate], minimumConfidence: Double, maximumOverlap: Double
    ) -> [FaceDetection] {
        // Of each face, the surest one first.
        var kept: [[Candidate]] = []
        for candidate in faces.sorted(by: { ($0.score, $0.face.confidence) > ($1.score, $1.face.confidence) }) {
            let overlaps = kept.map { $0[0].face.box.intersectionOverUnion(with: candidate.face.box) }
            if let position = overlaps.firstIndex(where: { $0 >= maximumOverlap }) {
                if overlaps[position] >= Self.sameFaceOverlap { kept[position].append(candidate) }
            } else {
                kept.append([candidate])
            }
        }
        return kept.map { candidates in
            let sure = candidates.filter { $0.face.confidence >= minimumConfidence }
            var face = mean((sure.isEmpty ? candidates : sure).map(\.face))
            face.confidence = candidates[0].score
            return face
        }
    }

    private static func mean(_ faces: [FaceDetection]) -> FaceDetection {
        let weight = faces.reduce(0) { $0 + $1.confidence }
        func mean(_ value: (FaceDetection) -> Double) -> Double {
            faces.reduce(0) { $0 + value($1) * $1.confidence } / weight
        }
        let box = Rectangle(
            x: mean { $0.box.x }, y: mean { $0.box.y }, width: mean { $0.box.width }, height: mean { $0.box.height })
        let landmarks = (0..<FaceLandmarks.count).map { index in
            Point(x: mean { $0.landmarks.points[index].x }, y: mean { $0.landmarks.points[index].y })
        }
        return FaceDetection(box: box, confidence: faces[0].confidence, landmarks: FaceLandmarks(points: landmarks))
    }

    /// The minimum intersection over union of boxes that are averaged as one face.
    private static let sameFaceOverlap = 0.6

    private func run() {
        let scratch = scratch.baseAddress
        blocks[0].clearBorder()
        kernels.image_inverted_residual(
            network.blocks[0], input, inputSize.width, inputSize.height, scratch, blocks[0].values)
        var current = blocks[0]
        for (block, output) in zip(network.blocks, blocks).dropFirst() {
            output.clearBorder()
            kernels.inverted_residual(block, current.values, current.width, current.height, scratch, output.values)
            current = output
        }
        pointwise(network.reduction, current, to: reduced)
        current = reduced
        for (step, output) in zip(network.steps, steps) {
            output.clearBorder()
            kernels.deconvolution(
                step.deconvolution, current.values, current.channels, current.width, current.height, output.values)
            pointwise(step.lateral, blocks[step.block], to: output, adds: true)
            current = output
        }
        smoothed.clearBorder()
        kernels.conv3x3(
            network.smoothing, current.values, current.channels, current.width, current.height, smoothed.values)
        pointwise(network.heads, smoothed, to: cells)
    }

    private func pointwise(_ layer: vs_linear, _ input: NetworkTensor, to output: NetworkTensor, adds: Bool = false) {
        if !adds { output.clearBorder() }
        kernels.pointwise(
            layer, input.values, input.channels, input.width, input.height, adds ? output.values : nil, output.values)
    }
}
