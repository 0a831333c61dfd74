internal import VidscanBase
internal import VidscanInference
internal import VidscanMedia

/// Looks for faces of every size: in the whole picture, in overlapping tiles of it, and again in a close-up of each.
final class FaceSearch {
    private let short: BlazeFace
    private let full: BlazeFace

    /// A face is looked at closely from this score on.
    private static let candidateScore = 0.5
    /// A face in its close-up scores at least this.
    private static let confirmedScore = 0.75
    /// Sides of a close-up, in sides of the face.
    private static let closeUp = 2.0

    init(models: String) throws {
        let (runtime, cropper) = (try InferenceRuntime(), SquareCropper())
        short = try BlazeFace(.short, folder: models, runtime: runtime, cropper: cropper)
        full = try BlazeFace(.full, folder: models, runtime: runtime, cropper: cropper)
    }

    func faces(in frame: SampledFrame) throws -> [JudgedFace] {
        let size = frame.geometry.displaySize
        var candidates: [JudgedFace] = []
        for square in Self.squares(width: Double(size.width), height: Double(size.height)) {
            for model in [short, full] {
                candidates += try model.faces(in: frame, square: square, minimumScore: Self.candidateScore)
            }
        }
        return try candidates.withoutOverlaps().compactMap { try confirmed($0, in: frame) }.withoutOverlaps()
    }

    /// The whole picture, and tiles of its shorter side and of half of it, each half over the next.
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

    /// What is seen of a face when only it and its surroundings are looked at.
    private func confirmed(_ face: JudgedFace, in frame: SampledFrame) throws -> JudgedFace? {
        let square = RotatedSquare(
            center: face.box.center, side: max(face.box.width, face.box.height) * Self.closeUp, angle: 0)
        let seen = try [short, full].flatMap { model in
            try model.faces(in: frame, square: square, minimumScore: Self.confirmedScore)
        }
        return seen.filter { $0.box.intersectionOverUnion(with: face.box) > 0.3 }.max { $0.score < $1.score }
    }
}
