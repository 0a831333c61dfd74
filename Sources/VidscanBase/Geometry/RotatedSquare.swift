internal import Glibc

/// A square in a frame, rotated about its centre.
public struct RotatedSquare: Sendable, Hashable {
    public var center: Point
    /// In pixels.
    public var side: Double
    /// The angle from the frame's x axis to the square's, in radians, clockwise on the screen.
    public var angle: Double

    public init(center: Point, side: Double, angle: Double) {
        self.center = center
        self.side = side
        self.angle = angle
    }

    /// The unit vector along the square's x axis.
    public var axis: Point { Point(x: cos(angle), y: sin(angle)) }

    /// Returns the square between this one and another: centre and angle are interpolated linearly, the side by its
    /// logarithm.
    ///
    /// - Parameter share: 0 gives this square, 1 the other one.
    public func interpolated(to other: RotatedSquare, share: Double) -> RotatedSquare {
        RotatedSquare(
            center: Point(
                x: center.x + (other.center.x - center.x) * share, y: center.y + (other.center.y - center.y) * share),
            side: side * exp(log(other.side / side) * share),
            angle: angle + remainder(other.angle - angle, 2 * .pi) * share)
    }

    /// Returns the map from a grid of `resolution` × `resolution` over the square (its first cell covers 0…1) to the
    /// frame.
    public func transform(resolution: Int) -> AffineTransform {
        let scale = side / Double(resolution)
        let half = Double(resolution) / 2
        let (cosine, sine) = (cos(angle) * scale, sin(angle) * scale)
        return AffineTransform(
            xx: cosine, xy: -sine, x: center.x - cosine * half + sine * half,
            yx: sine, yy: cosine, y: center.y - sine * half - cosine * half)
    }
}
