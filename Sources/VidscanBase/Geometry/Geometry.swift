/// A point in pixels. Unless stated otherwise it is in display space: the upright frame with square pixels, origin at
/// its top left corner, x to the right, y down. The first pixel covers 0…1.
public struct Point: Sendable, Hashable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// An axis-aligned box in the same space as `Point`.
public struct Rectangle: Sendable, Hashable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public var center: Point { Point(x: x + width / 2, y: y + height / 2) }
    public var area: Double { max(0, width) * max(0, height) }

    /// Returns the area of the overlap; 0 if there is none.
    public func intersectionArea(with other: Rectangle) -> Double {
        let overlapWidth = min(x + width, other.x + other.width) - max(x, other.x)
        let overlapHeight = min(y + height, other.y + other.height) - max(y, other.y)
        return max(0, overlapWidth) * max(0, overlapHeight)
    }

    /// The intersection over union, 0…1; 0 if either rectangle is empty.
    public func intersectionOverUnion(with other: Rectangle) -> Double {
        let intersection = intersectionArea(with: other)
        let union = area + other.area - intersection
        return union > 0 ? intersection / union : 0
    }

    /// Returns the part of the rectangle that lies inside a frame of this size.
    public func clamped(to size: PictureSize) -> Rectangle {
        let left = min(max(x, 0), Double(size.width))
        let top = min(max(y, 0), Double(size.height))
        let right = min(max(x + width, 0), Double(size.width))
        let bottom = min(max(y + height, 0), Double(size.height))
        return Rectangle(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Returns the bounding box of the rectangle after a map.
    public func bounds(after map: AffineTransform) -> Rectangle {
        let corners = [(x, y), (x + width, y), (x, y + height), (x + width, y + height)].map {
            map.apply(to: Point(x: $0.0, y: $0.1))
        }
        let (xs, ys) = (corners.map(\.x), corners.map(\.y))
        let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
        return Rectangle(x: left, y: top, width: (xs.max() ?? 0) - left, height: (ys.max() ?? 0) - top)
    }

    /// Returns the rectangle as fractions of a frame's width and height.
    public func relative(to size: PictureSize) -> Rectangle {
        let (across, down) = (1 / Double(max(size.width, 1)), 1 / Double(max(size.height, 1)))
        return Rectangle(x: x * across, y: y * down, width: width * across, height: height * down)
    }

    /// Returns the rectangle moved by a distance.
    public func offset(dx: Double, dy: Double) -> Rectangle {
        Rectangle(x: x + dx, y: y + dy, width: width, height: height)
    }
}

/// The size of a frame or image in whole pixels.
public struct PictureSize: Sendable, Hashable, Codable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    public var longSide: Int { max(width, height) }
    public var shortSide: Int { min(width, height) }
    public var description: String { "\(width)x\(height)" }
}
