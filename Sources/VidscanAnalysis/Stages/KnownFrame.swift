internal import VidscanBase
internal import VidscanFaces

/// The faces of a sample, from which those of its neighbours are predicted.
struct KnownFrame: Sendable {
    var microseconds: Int64
    var signature: FrameSignature
    var faces: [FittedFace]

    var showsFaceUpsideDown: Bool { faces.contains(where: \.isUpsideDown) }
}

/// An analysed face, with the crop that its mesh implies.
struct FittedFace: Sendable {
    var face: AnalyzedFace
    /// `nil` for a face without a mesh.
    var square: RotatedSquare?
    /// Whether the face has a chip, in this sample or in another one of the shot and chunk.
    var hasChip = false

    var detection: FaceDetection { face.detection }

    /// Whether the mesh shows a face that is turned by less than 90° in the frame; `false` without a mesh.
    var isUpright: Bool { square.map { $0.axis.x > 0 } ?? false }
    /// Whether the mesh shows a face that is turned by 90° or more; `false` without a mesh.
    var isUpsideDown: Bool { square != nil && !isUpright }
}

/// A face predicted from the same face in one or two other samples.
struct FacePrediction {
    /// The crop in which the mesh should be found.
    let square: RotatedSquare
    private let detection: RelativeDetection

    /// Predicts a face between an earlier and a later sample.
    ///
    /// - Parameter share: The time since the earlier sample, as a fraction of the time between the two.
    /// - Returns: `nil` if a face has no mesh.
    init?(_ earlier: FittedFace, _ later: FittedFace, share: Double) {
        guard let first = earlier.square, let second = later.square, let from = RelativeDetection(earlier),
            let to = RelativeDetection(later)
        else { return nil }
        square = first.interpolated(to: second, share: share)
        detection = from.interpolated(to: to, share: share)
    }

    /// Predicts that a face stays as it is in an earlier sample.
    ///
    /// - Returns: `nil` if the face has no mesh.
    init?(_ earlier: FittedFace) {
        guard let square = earlier.square, let detection = RelativeDetection(earlier) else { return nil }
        self.square = square
        self.detection = detection
    }

    /// Returns the detection that belongs to the mesh that was found.
    func detection(around mesh: FaceMesh, in square: RotatedSquare) -> FaceDetection {
        detection.placed(around: mesh, in: square)
    }
}

/// A detection in relation to the face's mesh, so that it moves with the mesh.
private struct RelativeDetection {
    /// The box's corners, from the top left corner of the mesh's bounding box, in units of its sides.
    var corners: [Point]
    /// The five landmarks from the square's centre, along its axes, in units of its side.
    var landmarks: [Point]
    var confidence: Double

    init?(_ face: FittedFace) {
        guard let square = face.square, let bounds = face.face.mesh?.bounds else { return nil }
        let box = face.detection.box
        let (width, height) = (max(bounds.width, 1), max(bounds.height, 1))
        corners = [Point(x: box.x, y: box.y), Point(x: box.x + box.width, y: box.y + box.height)].map {
            Point(x: ($0.x - bounds.x) / width, y: ($0.y - bounds.y) / height)
        }
        let marks = face.detection.landmarks
        let (cosine, sine) = (square.axis.x / square.side, square.axis.y / square.side)
        landmarks = [
            marks.leftEye, marks.rightEye, marks.nose, marks.leftMouthCorner, marks.rightMouthCorner,
        ].map { point in
            let (x, y) = (point.x - square.center.x, point.y - square.center.y)
            return Point(x: cosine * x + sine * y, y: cosine * y - sine * x)
        }
        confidence = face.detection.confidence
    }

    func interpolated(to other: RelativeDetection, share: Double) -> RelativeDetection {
        let mix = { (a: Double, b: Double) in a + (b - a) * share }
        let mixPoints = { (a: [Point], b: [Point]) in
            zip(a, b).map { Point(x: mix($0.x, $1.x), y: mix($0.y, $1.y)) }
        }
        var result = self
        result.corners = mixPoints(corners, other.corners)
        result.landmarks = mixPoints(landmarks, other.landmarks)
        result.confidence = mix(confidence, other.confidence)
        return result
    }

    func placed(around mesh: FaceMesh, in square: RotatedSquare) -> FaceDetection {
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
            confidence: confidence,
            landmarks: FaceLandmarks(
                leftEye: placed[0], rightEye: placed[1], nose: placed[2], leftMouthCorner: placed[3],
                rightMouthCorner: placed[4]))
    }
}
