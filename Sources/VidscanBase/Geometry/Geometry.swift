internal import Glibc

/// A point in pixels. Unless stated otherwise in display space: the upright frame with square pixels, origin at its top
/// left corner, x to the right, y down. The first pixel covers 0…1.
public typealias Point = SIMD2<Double>

extension Point {
    package var length: Double { (x * x + y * y).squareRoot() }

    package func middle(_ other: Point) -> Point { (self + other) / 2 }
    package static func mean(_ points: [Point]) -> Point { points.reduce(.zero, +) / Double(points.count) }
}

/// An axis-aligned box in the same space as `Point`.
public struct Rectangle: Sendable, Hashable {
    public var x, y, width, height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Makes the smallest box around at least one point.
    package init(around points: [Point]) {
        let (low, high) = Self.corners(around: points)
        self.init(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
    }

    /// Returns the top left and the bottom right corner of the box around some points.
    package static func corners(around points: [Point]) -> (low: Point, high: Point) {
        points.reduce((Point(repeating: .infinity), Point(repeating: -.infinity))) {
            (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1))
        }
    }

    /// Clockwise from the top left one.
    package var corners: [Point] {
        [(x, y), (x + width, y), (x + width, y + height), (x, y + height)].map { Point(x: $0.0, y: $0.1) }
    }

    public var center: Point { Point(x: x + width / 2, y: y + height / 2) }
    public var area: Double { max(0, width) * max(0, height) }

    public func intersectionArea(with other: Rectangle) -> Double {
        let overlapWidth = min(x + width, other.x + other.width) - max(x, other.x)
        let overlapHeight = min(y + height, other.y + other.height) - max(y, other.y)
        return max(0, overlapWidth) * max(0, overlapHeight)
    }

    /// 0…1; 0 if either rectangle is empty.
    public func intersectionOverUnion(with other: Rectangle) -> Double {
        let intersection = intersectionArea(with: other)
        let union = area + other.area - intersection
        return union > 0 ? intersection / union : 0
    }

    /// Returns the part inside a frame of this size.
    public func clamped(to size: PictureSize) -> Rectangle {
        let left = min(max(x, 0), Double(size.width))
        let top = min(max(y, 0), Double(size.height))
        let right = min(max(x + width, 0), Double(size.width))
        let bottom = min(max(y + height, 0), Double(size.height))
        return Rectangle(x: left, y: top, width: right - left, height: bottom - top)
    }

    package func bounds(after map: AffineTransform) -> Rectangle { Rectangle(around: corners.map(map.apply)) }

    /// Returns fractions of a frame's width and height.
    public func relative(to size: PictureSize) -> Rectangle {
        let (across, down) = (1 / Double(max(size.width, 1)), 1 / Double(max(size.height, 1)))
        return Rectangle(x: x * across, y: y * down, width: width * across, height: height * down)
    }

    public func offset(dx: Double, dy: Double) -> Rectangle {
        Rectangle(x: x + dx, y: y + dy, width: width, height: height)
    }
}

/// In whole pixels.
public struct PictureSize: Sendable, Hashable, Codable, CustomStringConvertible {
    public var width, height: Int

    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    public var longSide: Int { max(width, height) }
    public var shortSide: Int { min(width, height) }
    public var description: String { "\(width)x\(height)" }

    package func contains(_ point: Point) -> Bool {
        point.x >= 0 && point.y >= 0 && point.x < Double(width) && point.y < Double(height)
    }
}

/// The map x' = xx·x + xy·y + x, y' = yx·x + yy·y + y, where the last terms are the translation.
package struct AffineTransform: Sendable, Hashable, Codable {
    package var xx, xy, x, yx, yy, y: Double

    package init(xx: Double, xy: Double, x: Double, yx: Double, yy: Double, y: Double) {
        (self.xx, self.xy, self.x, self.yx, self.yy, self.y) = (xx, xy, x, yx, yy, y)
    }

    package func apply(to point: Point) -> Point {
        Point(x: xx * point.x + xy * point.y + x, y: yx * point.x + yy * point.y + y)
    }

    /// Returns the map that applies `inner` first, then this one.
    package func after(_ inner: AffineTransform) -> AffineTransform {
        AffineTransform(
            xx: xx * inner.xx + xy * inner.yx, xy: xx * inner.xy + xy * inner.yy, x: xx * inner.x + xy * inner.y + x,
            yx: yx * inner.xx + yy * inner.yx, yy: yx * inner.xy + yy * inner.yy, y: yx * inner.x + yy * inner.y + y)
    }

    package static let identity = AffineTransform(xx: 1, xy: 0, x: 0, yx: 0, yy: 1, y: 0)

    /// `nil` if this map flattens the plane to a line or a point.
    package var inverse: AffineTransform? {
        let determinant = xx * yy - xy * yx
        guard determinant.isFinite, abs(determinant) > 1e-12 else { return nil }
        let (a, b, c, d) = (yy / determinant, -xy / determinant, -yx / determinant, xx / determinant)
        return AffineTransform(xx: a, xy: b, x: -(a * x + b * y), yx: c, yy: d, y: -(c * x + d * y))
    }
}

/// A square in a frame, rotated about its centre.
package struct RotatedSquare: Sendable, Hashable {
    package var center: Point
    /// In pixels.
    package var side: Double
    /// From the frame's x axis to the square's, in radians, clockwise on the screen.
    package var angle: Double

    package init(center: Point, side: Double, angle: Double) {
        (self.center, self.side, self.angle) = (center, side, angle)
    }

    /// The unit vector along the square's x axis.
    package var axis: Point { Point(x: cos(angle), y: sin(angle)) }

    /// Interpolates centre and angle linearly, and the side by its logarithm. 0 gives this square, 1 the other one.
    package func interpolated(to other: RotatedSquare, fraction: Double) -> RotatedSquare {
        RotatedSquare(
            center: center + (other.center - center) * fraction, side: side * exp(log(other.side / side) * fraction),
            angle: angle + remainder(other.angle - angle, 2 * .pi) * fraction)
    }

    /// Maps a grid of `resolution` × `resolution` over the square (its first cell covers 0…1) to the frame.
    package func transform(resolution: Int) -> AffineTransform {
        let scale = side / Double(resolution)
        let half = Double(resolution) / 2
        let (cosine, sine) = (cos(angle) * scale, sin(angle) * scale)
        return AffineTransform(
            xx: cosine, xy: -sine, x: center.x - cosine * half + sine * half,
            yx: sine, yy: cosine, y: center.y - sine * half - cosine * half)
    }
}

package enum Trigonometry {
    package static func degrees(y: Double, x: Double) -> Double { atan2(y, x) * 180 / .pi }
    package static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
    package static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
}

/// One of the eight symmetries of a rectangle, which turns a coded frame upright: swaps the axes, then mirrors.
public struct Orientation: Sendable, Hashable {
    /// Coded columns become display rows.
    public var swapsAxes: Bool
    /// Display x runs opposite to its coded axis.
    public var mirrorsX: Bool
    /// Display y runs opposite to its coded axis.
    public var mirrorsY: Bool

    public init(swapsAxes: Bool, mirrorsX: Bool, mirrorsY: Bool) {
        (self.swapsAxes, self.mirrorsX, self.mirrorsY) = (swapsAxes, mirrorsX, mirrorsY)
    }

    public static let upright = Orientation(swapsAxes: false, mirrorsX: false, mirrorsY: false)

    /// Finds the orientation nearest to a display matrix, which maps coded (x, y) to display (a·x + c·y, b·x + d·y), y
    /// down. `isExact` if they are equal up to scale; `nil` for a singular matrix.
    public static func nearest(a: Double, b: Double, c: Double, d: Double) -> (orientation: Self, isExact: Bool)? {
        guard abs(a * d - b * c) > 1e-9 else { return nil }
        let swapsAxes = abs(a) + abs(d) < abs(b) + abs(c)
        let (x, y, rest) = swapsAxes ? (c, b, max(abs(a), abs(d))) : (a, d, max(abs(b), abs(c)))
        return (Orientation(swapsAxes: swapsAxes, mirrorsX: x < 0, mirrorsY: y < 0), rest / max(abs(x), abs(y)) < 0.01)
    }

    /// Returns the size of the upright frame.
    public func apply(to size: PictureSize) -> PictureSize {
        swapsAxes ? PictureSize(width: size.height, height: size.width) : size
    }
}
