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

    private let model: CompiledModel
    /// The size of the input tensor in pixels.
    public let inputSize: PictureSize
    /// The number of sessions that run at the same time; others wait.
    public let concurrency: Int

    /// - Parameters:
    ///   - runtime: The runtime that compiles the model.
    ///   - path: The path of `centerface.onnx`.
    ///   - inputSize: The size of the input; both sides are multiples of 32.
    ///   - concurrency: The number of sessions that run at the same time; others wait.
    ///   - precision: The precision of the computation.
    public init(
        runtime: InferenceRuntime, path: String, inputSize: PictureSize, concurrency: Int, precision: InferencePrecision
    ) throws(InferenceError) {
        precondition(inputSize.width % Self.sideMultiple == 0 && inputSize.height % Self.sideMultiple == 0)
        self.inputSize = inputSize
        self.concurrency = concurrency
        model = try runtime.compile(
            path: path, inputShape: [1, 3, inputSize.height, inputSize.width], concurrency: concurrency,
            precision: precision)
    }

    /// Makes a session, which one thread uses to run the detector.
    public func makeSession() throws(InferenceError) -> Session {
        Session(request: try model.makeRequest(), concurrency: concurrency, inputSize: inputSize)
    }

    /// A session of the detector, with its own tensors. Use it from one thread at a time.
    public final class Session {
        private let request: InferenceRequest
        public let inputSize: PictureSize
        /// The number of sessions of the same model that run at the same time.
        public let concurrency: Int

        init(request: InferenceRequest, concurrency: Int, inputSize: PictureSize) {
            self.request = request
            self.concurrency = concurrency
            self.inputSize = inputSize
        }

        /// Whether the sessions wait for each other so long that a higher concurrency would make the run shorter.
        public var isCrowded: Bool { request.isCrowded }

        /// Returns the input tensor, 3 × height × width: R', G', B' in 0…255, to be filled before `detect`.
        public func input() throws(InferenceError) -> UnsafeMutablePointer<Float> {
            guard let base = try request.input().baseAddress else {
                throw InferenceError(.runtime, "the detector's input has no memory")
            }
            return base
        }

        /// Finds the faces in the input tensor.
        ///
        /// - Parameters:
        ///   - minimumConfidence: The minimum score, 0…1.
        ///   - maximumOverlap: The maximum intersection over union of two faces. If two faces overlap more, only the
        ///     one with the higher score is kept.
        /// - Returns: The faces in pixels of the input tensor, highest score first, not clipped to its edges.
        public func detect(
            minimumConfidence: Double, maximumOverlap: Double = 0.3
        ) throws(InferenceError) -> [FaceDetection] {
            try request.run()
            let heat = try request.output(0)
            let scale = try request.output(1)
            let offset = try request.output(2)
            let points = try request.output(3)
            let width = inputSize.width / FaceDetector.stride
            let height = inputSize.height / FaceDetector.stride
            let cells = width * height
            guard heat.count == cells, scale.count == 2 * cells, offset.count == 2 * cells, points.count == 10 * cells
            else { throw InferenceError(.runtime, "the detector's outputs have unexpected sizes") }
            var found: [FaceDetection] = []
            for cell in 0..<cells where Double(heat[cell]) >= minimumConfidence {
                let boxHeight = exp(Double(scale[cell])) * Double(FaceDetector.stride)
                let boxWidth = exp(Double(scale[cells + cell])) * Double(FaceDetector.stride)
                let centerX = (Double(cell % width) + Double(offset[cells + cell]) + 0.5) * Double(FaceDetector.stride)
                let centerY = (Double(cell / width) + Double(offset[cell]) + 0.5) * Double(FaceDetector.stride)
                let box = Rectangle(
                    x: centerX - boxWidth / 2, y: centerY - boxHeight / 2, width: boxWidth, height: boxHeight)
                let point = { (index: Int) in
                    Point(
                        x: box.x + Double(points[(2 * index + 1) * cells + cell]) * boxWidth,
                        y: box.y + Double(points[2 * index * cells + cell]) * boxHeight)
                }
                // The network orders eyes and mouth corners by their side in the frame: the subject's right one comes
                // first.
                let landmarks = FaceLandmarks(
                    leftEye: point(1), rightEye: point(0), nose: point(2), leftMouthCorner: point(4),
                    rightMouthCorner: point(3))
                guard box.width.isFinite, box.height.isFinite else { continue }
                found.append(
                    FaceDetection(box: box, confidence: min(Double(heat[cell]), 1), landmarks: landmarks))
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
