internal import Glibc
public import VidscanBase

/// The square in which a face lies like the faces from which the embedding's network learned.
public enum EmbeddingCrop {
    /// Returns a square in display space, at least 2 pixels wide. Lays five points of the network's own mean face onto
    /// the mesh by rotation, scale and translation (Umeyama, "Least-squares estimation of transformation parameters
    /// between two point patterns", PAMI 13, 1991).
    public static func square(around mesh: FaceMesh) -> RotatedSquare {
        let points = meanFace.map { mean in Point.mean(mean.indices.map { mesh[$0] }) }
        let (source, target) = (Point.mean(meanFace.map(\.position)), Point.mean(points))
        // In the plane, the best rotation and scale are one complex number: the covariance over the variance.
        var (variance, along, across) = (0.0, 0.0, 0.0)
        for (mean, point) in zip(meanFace, points) {
            let (from, to) = (mean.position - source, point - target)
            variance += from.x * from.x + from.y * from.y
            along += from.x * to.x + from.y * to.y
            across += from.x * to.y - from.y * to.x
        }
        (along, across) = (along / variance, across / variance)
        let middle = Point(x: 0.5, y: 0.5) - source
        return RotatedSquare(
            center: Point(
                x: target.x + along * middle.x - across * middle.y, y: target.y + across * middle.x + along * middle.y),
            side: max((along * along + across * across).squareRoot(), 2), angle: atan2(across, along))
    }

    /// Positions in a unit square, from the Open Model Zoo's description, and the mesh points whose means they are.
    private static let meanFace: [(indices: [Int], position: Point)] = [
        // The subject's right eye, on the left of the picture, and the left one.
        ([33, 133], Point(x: 0.31556875, y: 0.46157411)),
        ([362, 263], Point(x: 0.68262292, y: 0.46157411)),
        // Tip of the nose.
        ([1], Point(x: 0.50026250, y: 0.64050536)),
        // Corners of the mouth.
        ([61], Point(x: 0.34947188, y: 0.82469196)),
        ([291], Point(x: 0.65343646, y: 0.82469196)),
    ]
}

/// A small aligned picture of a face, kept because only the whole video shows which faces need an embedding.
public struct FaceCrop: Sendable, Equatable {
    /// Width and height in pixels.
    public static let resolution = 128
    public static let byteCount = 3 * resolution * resolution

    /// R', G', B' in 0…255, shape 3 × 128 × 128, cut as ``EmbeddingCrop`` says.
    public let pixels: [UInt8]

    public init(pixels: [UInt8]) {
        precondition(pixels.count == Self.byteCount, "a crop has 3 × 128 × 128 values")
        self.pixels = pixels
    }
}
