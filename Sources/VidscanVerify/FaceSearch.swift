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
            for model in [short, full] {
                candidates += try model.faces(in: frame, square: square, minimumScore: candidateScore)
            }
        }
        return try candidates.withoutOverlaps().compactMap { try confirmed($0, in: frame) }.withoutOverlaps()
    }

    /// The whole frame, and tiles with its shorter side and half of it, which overlap by at least half.
    static func squares(width: Double, height: Double) -> [RotatedSquare] {
        let (longer, shorter) = (max(width, height), min(width, height))
        let whole = RotatedSquare(center: Point(x: width / 2, y: height / 2), side: longer, angle: 0)
        return [whole]
            + [shorter, shorter / 2].flatMap { side in
                centers(length: height, side: side).flatMap { y in
                    centers(length: width, side: side).map { x in
                        RotatedSquare(center: Point(x: x, y: y), side: side, angle: 0)
                    }
                }
            }
    }

    private static func centers(length: Double, side: Double) -> [Double] {
        let steps = Int(((length - side) / (side / 2)).rounded(.up))
        guard steps > 0 else { return [length / 2] }
        return (0...steps).map { side / 2 + (length - side) * Double($0) / Double(steps) }
    }

    /// The face in the close-up of a candidate; `nil` if there is none.
    private func confirmed(_ face: DetectedFace, in frame: SampledFrame) throws -> DetectedFace? {
        let square = RotatedSquare(
            center: face.box.center, side: max(face.box.width, face.box.height) * Self.closeUp, angle: 0)
        let seen = try [short, full].flatMap { model in
            try model.faces(in: frame, square: square, minimumScore: confirmedScore)
        }
        return seen.filter { $0.box.intersectionOverUnion(with: face.box) > 0.3 }.max { $0.score < $1.score }
    }
}
