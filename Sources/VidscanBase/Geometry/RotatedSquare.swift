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
