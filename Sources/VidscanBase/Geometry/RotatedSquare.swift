internal import Glibc

/// A square cut out of a picture, turned about its centre.
public struct RotatedSquare: Sendable, Hashable {
    public var center: Point
    /// Pixels.
    public var side: Double
    /// Radians from the picture's x axis to the square's, clockwise on the screen.
    public var angle: Double

    public init(center: Point, side: Double, angle: Double) {
        self.center = center
        self.side = side
        self.angle = angle
    }

    /// From a grid of `resolution` × `resolution` over the square (its first cell covers 0…1) to the picture.
    public func transform(resolution: Int) -> AffineTransform {
        let scale = side / Double(resolution)
        let half = Double(resolution) / 2
        let (cosine, sine) = (cos(angle) * scale, sin(angle) * scale)
        return AffineTransform(
            xx: cosine, xy: -sine, x: center.x - cosine * half + sine * half,
            yx: sine, yy: cosine, y: center.y - sine * half - cosine * half)
    }
}
