/// An affine map of the plane: x' = xx·x + xy·y + x, y' = yx·x + yy·y + y, where the last terms are the translation.
public struct AffineTransform: Sendable, Hashable, Codable {
    public var xx: Double
    public var xy: Double
    public var x: Double
    public var yx: Double
    public var yy: Double
    public var y: Double

    public init(xx: Double, xy: Double, x: Double, yx: Double, yy: Double, y: Double) {
        self.xx = xx
        self.xy = xy
        self.x = x
        self.yx = yx
        self.yy = yy
        self.y = y
    }

    /// Maps a point.
    public func apply(to point: Point) -> Point {
        Point(x: xx * point.x + xy * point.y + x, y: yx * point.x + yy * point.y + y)
    }

    /// Returns the map that first applies `inner`, then this one.
    public func after(_ inner: AffineTransform) -> AffineTransform {
        AffineTransform(
            xx: xx * inner.xx + xy * inner.yx, xy: xx * inner.xy + xy * inner.yy, x: xx * inner.x + xy * inner.y + x,
            yx: yx * inner.xx + yy * inner.yx, yy: yx * inner.xy + yy * inner.yy, y: yx * inner.x + yy * inner.y + y)
    }

    public static let identity = AffineTransform(xx: 1, xy: 0, x: 0, yx: 0, yy: 1, y: 0)

    /// The map that undoes this one, or `nil` if this one maps the plane to a line or a point.
    public var inverse: AffineTransform? {
        let determinant = xx * yy - xy * yx
        guard determinant.isFinite, abs(determinant) > 1e-12 else { return nil }
        let (a, b, c, d) = (yy / determinant, -xy / determinant, -yx / determinant, xx / determinant)
        return AffineTransform(xx: a, xy: b, x: -(a * x + b * y), yx: c, yy: d, y: -(c * x + d * y))
    }
}
