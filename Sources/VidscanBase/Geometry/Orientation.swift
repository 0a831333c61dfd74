/// One of the eight symmetries of a rectangle, which turns a coded frame upright: swap the axes if `swapsAxes` is set,
/// then mirror.
public struct Orientation: Sendable, Hashable {
    /// Coded columns become display rows.
    public var swapsAxes: Bool
    /// Display x runs opposite to its coded axis.
    public var mirrorsX: Bool
    /// Display y runs opposite to its coded axis.
    public var mirrorsY: Bool

    public init(swapsAxes: Bool, mirrorsX: Bool, mirrorsY: Bool) {
        self.swapsAxes = swapsAxes
        self.mirrorsX = mirrorsX
        self.mirrorsY = mirrorsY
    }

    public static let upright = Orientation(swapsAxes: false, mirrorsX: false, mirrorsY: false)

    /// Finds the orientation nearest to a display matrix, which maps coded (x, y) to display (a·x + c·y, b·x + d·y), y
    /// down. `isExact` if they are equal up to scale; `nil` for a singular matrix.
    public static func nearest(a: Double, b: Double, c: Double, d: Double) -> (orientation: Orientation, isExact: Bool)?
    {
        guard abs(a * d - b * c) > 1e-9 else { return nil }
        let swapsAxes = abs(a) + abs(d) < abs(b) + abs(c)
        let (x, y, rest) = swapsAxes ? (c, b, max(abs(a), abs(d))) : (a, d, max(abs(b), abs(c)))
        let isExact = rest / max(abs(x), abs(y)) < 0.01
        return (Orientation(swapsAxes: swapsAxes, mirrorsX: x < 0, mirrorsY: y < 0), isExact)
    }

    /// Returns the size of the upright frame.
    public func apply(to size: PictureSize) -> PictureSize {
        swapsAxes ? PictureSize(width: size.height, height: size.width) : size
    }
}
