/// The transformation that turns a coded frame upright: one of the eight symmetries of a rectangle.
///
/// To map a coded position (u, v) to the display position (u', v'), both as fractions 0…1 of the frame's sides, swap
/// the axes if `swapsAxes` is set, then mirror.
public struct Orientation: Sendable, Hashable {
    /// Coded columns become display rows.
    public var swapsAxes: Bool
    /// Display x runs opposite to the coded axis that it comes from.
    public var mirrorsX: Bool
    /// Display y runs opposite to the coded axis that it comes from.
    public var mirrorsY: Bool

    public init(swapsAxes: Bool, mirrorsX: Bool, mirrorsY: Bool) {
        self.swapsAxes = swapsAxes
        self.mirrorsX = mirrorsX
        self.mirrorsY = mirrorsY
    }

    public static let upright = Orientation(swapsAxes: false, mirrorsX: false, mirrorsY: false)

    /// Finds the orientation nearest to the linear part of a display matrix, which maps coded (x, y) to display
    /// (a·x + c·y, b·x + d·y), y down.
    ///
    /// - Returns: The orientation and whether the matrix equals it up to scale, or `nil` for a singular matrix.
    public static func nearest(a: Double, b: Double, c: Double, d: Double) -> (orientation: Orientation, isExact: Bool)?
    {
        guard abs(a * d - b * c) > 1e-9 else { return nil }
        if abs(a) + abs(d) >= abs(b) + abs(c) {
            let slack = max(abs(b), abs(c)) / max(abs(a), abs(d))
            return (Orientation(swapsAxes: false, mirrorsX: a < 0, mirrorsY: d < 0), slack < 0.01)
        }
        let slack = max(abs(a), abs(d)) / max(abs(b), abs(c))
        return (Orientation(swapsAxes: true, mirrorsX: c < 0, mirrorsY: b < 0), slack < 0.01)
    }

    /// Returns the size of the upright frame.
    public func apply(to size: PictureSize) -> PictureSize {
        swapsAxes ? PictureSize(width: size.height, height: size.width) : size
    }
}
