internal import Glibc
package import VidscanBase
package import VidscanInference
package import VidscanMedia

/// Searches for faces of every size: in the whole frame, in overlapping tiles, and in a close-up of each candidate.
package final class FaceSearch {
    private let short, full: BlazeFace

    /// The minimum score of a candidate, which a close-up then verifies.
    private static let candidateScore = 0.5
    /// The minimum confidence of a face in its close-up. Hidden faces, hands and patterns reached 0.8 in one frame of labelled footage.
    package static let confirmedScore = 0.8
    private let confirmedScore, candidateScore: Double
    /// The shortest side of a tile, in pixels: two thirds of the network's input. A face in a smaller one has less than 8 pixels.
    private static let minimumTile = 128.0

    package init(
        models: String, runtime: InferenceRuntime? = nil, confirmedScore: Double = FaceSearch.confirmedScore
    ) throws {
        let (runtime, cropper) = (try runtime ?? InferenceRuntime(), SquareCropper())
        (self.confirmedScore, candidateScore) = (confirmedScore, min(Self.candidateScore, confirmedScore))
        short = try BlazeFace(.short, folder: models, runtime: runtime, cropper: cropper)
        full = try BlazeFace(.full, folder: models, runtime: runtime, cropper: cropper)
    }

    /// In display space.
    package func faces(in frame: SampledFrame) throws -> [DetectedFace] {
        let size = frame.geometry.displaySize
        var candidates: [DetectedFace] = []
        for square in Self.squares(width: Double(size.width), height: Double(size.height)) {
            // The detector for near faces does not see faces as small as those that only these tiles are for.
            for model in square.showsNearFaces ? [short, full] : [full] {
                candidates += try model.faces(in: frame, square: square.area, minimumScore: candidateScore)
            }
        }
        return try candidates.withoutOverlaps().compactMap {
            try confirmed($0, in: frame, minimumOverlap: 0.3)
        }.withoutOverlaps()
    }

    /// In a frame beside one in which faces were found: those near them. In display space.
    package func faces(near found: [DetectedFace], in frame: SampledFrame) throws -> [DetectedFace] {
        try found.compactMap { try confirmed($0, in: frame, minimumOverlap: 0) }.withoutOverlaps()
    }

    /// The whole frame; tiles with its shorter side, which overlap by half; and tiles with half of it, for faces that are small in
    /// the others, which overlap by at least a quarter. Tiles that would only be enlarged are left out.
    package static func squares(width: Double, height: Double) -> [(area: RotatedSquare, showsNearFaces: Bool)] {
        let (longer, shorter) = (max(width, height), min(width, height))
        func tiles(side: Double, step: Double) -> [RotatedSquare] {
            centers(length: height, side: side, step: step).flatMap { y in
                centers(length: width, side: side, step: step).map { x in
                    RotatedSquare(center: Point(x: x, y: y), side: side, angle: 0)
                }
            }
        }
        let whole = RotatedSquare(center: Point(x: width / 2, y: height / 2), side: longer, angle: 0)
        let near = [whole] + tiles(side: shorter, step: shorter / 2)
        let far = shorter / 2 < minimumTile ? [] : tiles(side: shorter / 2, step: shorter * 0.375)
        return near.map { ($0, true) } + far.map { ($0, false) }
    }

    private static func centers(length: Double, side: Double, step: Double) -> [Double] {
        let steps = Int(((length - side) / step).rounded(.up))
        guard steps > 0 else { return [length / 2] }
        return (0...steps).map { side / 2 + (length - side) * Double($0) / Double(steps) }
    }

    /// The face in the close-up of a candidate, whose side is twice the longer one of the candidate's box; `nil` if none
    /// overlaps the candidate by more than `minimumOverlap` (intersection over union).
    private func confirmed(
        _ face: DetectedFace, in frame: SampledFrame, minimumOverlap: Double
    ) throws -> DetectedFace? {
        let square = RotatedSquare(center: face.box.center, side: max(face.box.width, face.box.height) * 2, angle: 0)
        let seen = try [short, full].flatMap { model in
            try model.faces(in: frame, square: square, minimumScore: confirmedScore)
        }
        return seen.filter { $0.box.intersectionOverUnion(with: face.box) > minimumOverlap }.max { $0.score < $1.score }
    }
}

package struct DetectedFace: Sendable {
    /// From eyebrows to chin, in display space.
    package var box: Rectangle
    /// The confidence, 0…1.
    package var score: Double
}

/// BlazeFace (Bazarevsky et al., 2019, arXiv:1907.05047) as shipped with MediaPipe, for a square region. Its training
/// data and architecture differ from those of vidscan's own detector, so the two do not share their blind spots.
final class BlazeFace {
    enum Range: String {
        /// For faces that fill much of the square.
        case short = "face_detection_short_range.tflite"
        /// Also for small faces.
        case full = "face_detection_full_range_sparse.tflite"

        var resolution: Int { self == .short ? 128 : 192 }

        /// Anchors: cells along each side of the square, and boxes per cell.
        fileprivate var grids: [(cells: Int, boxes: Int)] { self == .short ? [(16, 2), (8, 6)] : [(48, 1)] }
    }

    private let range: Range
    private let request: InferenceRequest
    private let cropper: SquareCropper
    /// The centres of the anchors, 0…1, one per box.
    private let anchors: [Point]
    private var planes: [Float]

    init(_ range: Range, folder: String, runtime: InferenceRuntime, cropper: SquareCropper) throws {
        (self.range, self.cropper) = (range, cropper)
        request = try runtime.compile(path: folder + "/" + range.rawValue, concurrency: 1).makeRequest()
        anchors = range.grids.flatMap { grid in
            (0..<grid.cells * grid.cells).flatMap { cell in
                let position = Point(x: Double(cell % grid.cells), y: Double(cell / grid.cells))
                return [Point](repeating: (position + 0.5) / Double(grid.cells), count: grid.boxes)
            }
        }
        planes = [Float](repeating: 0, count: 3 * range.resolution * range.resolution)
    }

    func faces(in frame: SampledFrame, square: RotatedSquare, minimumScore: Double) throws -> [DetectedFace] {
        try fillInput(frame, square)
        try request.run()
        let first: UnsafeBufferPointer<Float> = try request.output(0)
        let second: UnsafeBufferPointer<Float> = try request.output(1)
        let (scores, boxes) = first.count < second.count ? (first, second) : (second, first)
        guard scores.count == anchors.count, boxes.count == 16 * anchors.count else {
            throw VidscanError(.inference, "\(range.rawValue) has outputs of unexpected sizes")
        }
        let (unit, corner) = (Double(range.resolution), square.center - square.side / 2)
        var found: [DetectedFace] = []
        for (index, anchor) in anchors.enumerated() {
            let score = 1 / (1 + exp(-Double(max(-100, min(100, scores[index])))))
            guard score >= minimumScore else { continue }
            let value = { (offset: Int) in Double(boxes[16 * index + offset]) / unit }
            let (width, height) = (value(2) * square.side, value(3) * square.side)
            let center = corner + (anchor + Point(x: value(0), y: value(1))) * square.side
            guard width > 0, height > 0, width.isFinite, height.isFinite else { continue }
            let box = Rectangle(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
            found.append(DetectedFace(box: box, score: score))
        }
        return found.withoutOverlaps()
    }

    /// R', G', B' in −1…1. Pixels outside the frame are black.
    private func fillInput(_ frame: SampledFrame, _ square: RotatedSquare) throws {
        let (side, input): (_, UnsafeMutableBufferPointer<Float>) = (range.resolution, try request.input())
        let area = side * side
        try require(input.count == 3 * area, .inference, "\(range.rawValue) has an input of unexpected size")
        try cropper.crop(frame, square: square, resolution: side, into: &planes)
        let (size, map) = (frame.geometry.displaySize, square.transform(resolution: side))
        for row in 0..<side {
            for column in 0..<side {
                let isInside = size.contains(map.apply(to: Point(x: Double(column) + 0.5, y: Double(row) + 0.5)))
                let pixel = row * side + column
                for channel in 0..<3 {
                    input[3 * pixel + channel] = isInside ? planes[channel * area + pixel] / 127.5 - 1 : -1
                }
            }
        }
    }
}

extension [DetectedFace] {
    /// Non-maximum suppression; by decreasing confidence.
    func withoutOverlaps() -> [DetectedFace] {
        var kept: [DetectedFace] = []
        for face in sorted(by: { $0.score > $1.score })
        where !kept.contains(where: { $0.box.intersectionOverUnion(with: face.box) > 0.3 }) { kept.append(face) }
        return kept
    }
}
