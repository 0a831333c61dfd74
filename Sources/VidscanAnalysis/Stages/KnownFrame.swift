internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia

/// Successive samples that one worker analyses: those after an anchor, up to and including the next one.
struct SampleSpan: Sendable {
    /// In time order; the last one is the anchor.
    let frames: [SampledFrame]
    /// Gives the faces of the anchor before the first sample, which another worker may still be analysing; `nil` if
    /// nothing connects the first sample to an earlier one.
    let previous: Channel<KnownFrame>?
    /// Receives the faces of the run's own anchor, for the next run.
    let anchor = Channel<KnownFrame>()

    var byteCount: Int { frames.reduce(0) { $0 + $1.byteCount } }
}

/// The faces of a sample, from which those of its neighbours are predicted.
struct KnownFrame: Sendable {
    var microseconds: Int64
    var signature: FrameSignature
    var faces: [AnalyzedFace]

    var showsFaceUpsideDown: Bool { faces.contains(where: \.isUpsideDown) }
}

/// A face predicted from the same face in one or two other samples. The detection moves with the mesh.
struct FacePrediction {
    /// The crop in which the mesh should be found.
    private(set) var square: RotatedSquare
    /// The box's corners, from the top left corner of the mesh's bounding box, in units of its sides.
    private var corners: [Point]
    /// The five landmarks from the square's centre, along its axes, in units of its side.
    private var landmarks: [Point]
    private var confidence: Double

    /// Predicts that a face stays as it is in an earlier sample; `nil` if it has no mesh.
    init?(_ face: AnalyzedFace) {
        guard let square = face.square, let bounds = face.mesh?.bounds else { return nil }
        self.square = square
        let box = face.detection.box
        let (width, height) = (max(bounds.width, 1), max(bounds.height, 1))
        corners = [Point(x: box.x, y: box.y), Point(x: box.x + box.width, y: box.y + box.height)].map {
            Point(x: ($0.x - bounds.x) / width, y: ($0.y - bounds.y) / height)
        }
        let (cosine, sine) = (square.axis.x / square.side, square.axis.y / square.side)
        landmarks = face.detection.landmarks.points.map { point in
            let (x, y) = (point.x - square.center.x, point.y - square.center.y)
            return Point(x: cosine * x + sine * y, y: cosine * y - sine * x)
        }
        confidence = face.detection.confidence
    }

    /// Predicts a face between an earlier and a later sample; `nil` if it has no mesh in one of them. `fraction`: the
    /// time since the earlier sample, as a fraction of the time between the two.
    init?(_ earlier: AnalyzedFace, _ later: AnalyzedFace, fraction: Double) {
        guard let first = FacePrediction(earlier), let second = FacePrediction(later) else { return nil }
        let mix = { (a: Double, b: Double) in a + (b - a) * fraction }
        let mixPoints = { (a: [Point], b: [Point]) in zip(a, b).map { Point(x: mix($0.x, $1.x), y: mix($0.y, $1.y)) } }
        square = first.square.interpolated(to: second.square, fraction: fraction)
        corners = mixPoints(first.corners, second.corners)
        landmarks = mixPoints(first.landmarks, second.landmarks)
        confidence = mix(first.confidence, second.confidence)
    }

    /// Returns the detection that belongs to the mesh that was found.
    func detection(around mesh: FaceMesh, in square: RotatedSquare) -> FaceDetection {
        let bounds = mesh.bounds
        let (width, height) = (max(bounds.width, 1), max(bounds.height, 1))
        let (first, last) = (corners[0], corners[1])
        let (cosine, sine) = (square.axis.x * square.side, square.axis.y * square.side)
        let placed = landmarks.map { point in
            Point(
                x: square.center.x + cosine * point.x - sine * point.y,
                y: square.center.y + sine * point.x + cosine * point.y)
        }
        return FaceDetection(
            box: Rectangle(
                x: bounds.x + first.x * width, y: bounds.y + first.y * height,
                width: (last.x - first.x) * width, height: (last.y - first.y) * height),
            confidence: confidence, landmarks: FaceLandmarks(points: placed))
    }
}
