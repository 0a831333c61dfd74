internal import CNetwork
internal import Glibc
public import VidscanBase
public import VidscanFaces

/// CenterFace (Xu et al., 2019, arXiv:1911.03599): detects the bounding boxes and five landmarks of all faces in a
/// frame of any size.
///
/// A fully convolutional network with one output cell for every 4 × 4 pixels. Each cell has a score, the logarithms of
/// the box's height and width divided by 4, the centre's offset within the cell, and five landmarks in units of the
/// box.
public struct FaceDetector: Sendable {
    /// Both sides of the input are multiples of this.
    public static let sideMultiple = 32
    private static let stride = 4

    private let network: DetectorNetwork

    /// - Parameter path: The path of the weights, `centerface.weights`.
    /// - Throws: `InferenceError` if the file cannot be read or is not the network's.
    public init(path: String) throws(InferenceError) {
        network = try DetectorNetwork(path: path)
    }

    /// Makes a session, which one thread uses to run the detector. It takes about 30 bytes of memory per pixel.
    ///
    /// - Parameter inputSize: The size of the input; both sides are multiples of 32.
    public func makeSession(inputSize: PictureSize) -> Session {
        makeSession(inputSize: inputSize, kernels: vs_best_network_kernels().pointee)
    }

    /// Makes a session that uses an instruction set.
    ///
    /// - Returns: `nil` if the processor does not have it.
    package func makeSession(inputSize: PictureSize, using set: InstructionSet) -> Session? {
        vs_network_kernels_for(set.value).map { makeSession(inputSize: inputSize, kernels: $0.pointee) }
    }

    private func makeSession(inputSize: PictureSize, kernels: vs_network_kernels) -> Session {
        precondition(inputSize.width % Self.sideMultiple == 0 && inputSize.height % Self.sideMultiple == 0)
        return Session(DetectorNetworkRun(network, size: inputSize, kernels: kernels), inputSize: inputSize)
    }

    /// A session of the detector, with its own memory. Use it from one thread at a time.
    public final class Session {
        private let computation: DetectorNetworkRun
        public let inputSize: PictureSize

        init(_ computation: DetectorNetworkRun, inputSize: PictureSize) {
            self.computation = computation
            self.inputSize = inputSize
        }

        /// The input tensor, 3 × height × width: R', G', B' in 0…255, to be filled before each `detect`, which overwrites it.
        public var input: UnsafeMutablePointer<Float> { computation.picture }

        /// Finds the faces in the input tensor.
        ///
        /// - Parameters:
        ///   - minimumConfidence: The minimum score, 0…1.
        ///   - maximumOverlap: The maximum intersection over union of two faces. If two faces overlap more, only the
        ///     one with the higher score is kept.
        /// - Returns: The faces in pixels of the input tensor, highest score first, not clipped to its edges.
        public func detect(minimumConfidence: Double, maximumOverlap: Double = 0.3) -> [FaceDetection] {
            computation.run()
            let cells = computation.cells
            let unit = Double(FaceDetector.stride)
            // The logit of the minimum, less than it by far more than its error: most cells need no exponential.
            let floor = min(minimumConfidence, 0.999)
            let minimumLogit = Float(log(floor / (1 - floor))) - 0.01
            var found: [FaceDetection] = []
            for (row, column) in (0..<cells.height).lazy.flatMap({ row in (0..<cells.width).lazy.map { (row, $0) } }) {
                let cell = cells.row(row) + column * cells.channels
                guard !(cell[0] < minimumLogit) else { continue }
                let confidence = Double(1 / (1 + exp(-cell[0])))
                guard confidence >= minimumConfidence else { continue }
                let (boxHeight, boxWidth) = (exp(Double(cell[1])) * unit, exp(Double(cell[2])) * unit)
                let centerX = (Double(column) + Double(cell[4]) + 0.5) * unit
                let centerY = (Double(row) + Double(cell[3]) + 0.5) * unit
                let box = Rectangle(
                    x: centerX - boxWidth / 2, y: centerY - boxHeight / 2, width: boxWidth, height: boxHeight)
                let point = { (index: Int) in
                    Point(
                        x: box.x + Double(cell[6 + 2 * index]) * boxWidth,
                        y: box.y + Double(cell[5 + 2 * index]) * boxHeight)
                }
                // The network orders eyes and mouth corners by their side in the frame: the subject's right one comes
                // first.
                let landmarks = FaceLandmarks(
                    leftEye: point(1), rightEye: point(0), nose: point(2), leftMouthCorner: point(4),
                    rightMouthCorner: point(3))
                guard box.width.isFinite, box.height.isFinite else { continue }
                found.append(
                    FaceDetection(box: box, confidence: min(confidence, 1), landmarks: landmarks))
            }
            return Self.suppress(found, maximumOverlap: maximumOverlap)
        }

        /// Greedy non-maximum suppression. Equal scores keep the order of the cells. A face's box and landmarks are the
        /// mean, weighted by score, over the cells with nearly the same box: where two neighbouring cells have similar
        /// scores, which score is higher is chance, but their boxes differ by pixels.
        private static func suppress(_ faces: [FaceDetection], maximumOverlap: Double) -> [FaceDetection] {
            let order = faces.indices.sorted {
                (faces[$1].confidence, $0) < (faces[$0].confidence, $1)
            }
            var kept: [(surest: FaceDetection, mean: WeightedFace)] = []
            for index in order {
                let face = faces[index]
                let overlaps = kept.map { $0.surest.box.intersectionOverUnion(with: face.box) }
                if let position = overlaps.firstIndex(where: { $0 >= maximumOverlap }) {
                    if overlaps[position] >= Self.sameFaceOverlap { kept[position].mean.add(face) }
                } else {
                    kept.append((face, WeightedFace(face)))
                }
            }
            return kept.map { $0.mean.face(confidence: $0.surest.confidence) }
        }

        /// The minimum intersection over union of boxes that are averaged as detections of one face from different
        /// cells.
        private static let sameFaceOverlap = 0.6
    }
}

/// The mean of several detections of one face, each weighted by its score.
private struct WeightedFace {
    private var weight = 0.0
    /// The sums of box and landmark coordinates times their weights.
    private var sums = [Double](repeating: 0, count: 14)

    init(_ face: FaceDetection) {
        add(face)
    }

    mutating func add(_ face: FaceDetection) {
        weight += face.confidence
        let marks = face.landmarks
        let points = [marks.leftEye, marks.rightEye, marks.nose, marks.leftMouthCorner, marks.rightMouthCorner]
        let values = [face.box.x, face.box.y, face.box.width, face.box.height] + points.flatMap { [$0.x, $0.y] }
        for index in sums.indices { sums[index] += values[index] * face.confidence }
    }

    func face(confidence: Double) -> FaceDetection {
        let means = sums.map { $0 / weight }
        let point = { (index: Int) in Point(x: means[4 + 2 * index], y: means[5 + 2 * index]) }
        return FaceDetection(
            box: Rectangle(x: means[0], y: means[1], width: means[2], height: means[3]), confidence: confidence,
            landmarks: FaceLandmarks(
                leftEye: point(0), rightEye: point(1), nose: point(2), leftMouthCorner: point(3),
                rightMouthCorner: point(4)))
    }
}
