internal import VidscanBase
package import VidscanInference
package import VidscanMedia

/// Searches for faces of every size: in the whole frame, in overlapping tiles, and in a close-up of each candidate.
public final class FaceSearch {
    private let short, full: BlazeFace

    /// The minimum score of a candidate, which a close-up then verifies.
    private static let candidateScore = 0.5
    /// The minimum confidence of a face in its close-up. Hidden faces, hands and patterns reached 0.8 in one frame of labelled footage.
    public static let confirmedScore = 0.8
    private let confirmedScore, candidateScore: Double
    /// The side of a close-up, relative to the longer side of the face's box.
    private static let closeUp = 2.0
    /// The shortest side of a tile, in pixels: two thirds of the network's input. A face in a smaller one has less than 8 pixels.
    private static let minimumTile = 128.0

    package init(
        models: String, runtime: InferenceRuntime? = nil, confirmedScore: Double = FaceSearch.confirmedScore
    ) throws {
        let (runtime, cropper) = (try runtime ?? InferenceRuntime(), SquareCropper())
        self.confirmedScore = confirmedScore
        candidateScore = min(Self.candidateScore, confirmedScore)
        short = try BlazeFace(.short, folder: models, runtime: runtime, cropper: cropper)
        full = try BlazeFace(.full, folder: models, runtime: runtime, cropper: cropper)
    }

    /// In display space.
    package func faces(in frame: SampledFrame) throws -> [DetectedFace] {
        let size = frame.geometry.displaySize
        var candidates: [DetectedFace] = []
        for square in Self.squares(width: Double(size.width), height: Double(size.height)) {
            // In a tile that only shows small faces, the detector for near faces finds none that the other one misses.
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
    static func squares(width: Double, height: Double) -> [(area: RotatedSquare, showsNearFaces: Bool)] {
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

    /// The face in the close-up of a candidate; `nil` if none overlaps it by more than `minimumOverlap` (intersection over union).
    private func confirmed(
        _ face: DetectedFace, in frame: SampledFrame, minimumOverlap: Double
    ) throws -> DetectedFace? {
        let square = RotatedSquare(
            center: face.box.center, side: max(face.box.width, face.box.height) * Self.closeUp, angle: 0)
        let seen = try [short, full].flatMap { model in
            try model.faces(in: frame, square: square, minimumScore: confirmedScore)
        }
        return seen.filter { $0.box.intersectionOverUnion(with: face.box) > minimumOverlap }.max { $0.score < $1.score }
    }
}
