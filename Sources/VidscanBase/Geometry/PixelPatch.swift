/// A part of a picture in whole pixels, origin at its top left corner.
public struct PixelRectangle: Sendable, Hashable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The least rectangle with even edges that covers `rectangle` as far as it lies inside a picture of even sides.
    ///
    /// - Returns: `nil` when nothing of it does.
    public init?(covering rectangle: Rectangle, in size: PictureSize) {
        let limit = 1e6
        guard rectangle.x.isFinite, rectangle.y.isFinite, rectangle.width.isFinite, rectangle.height.isFinite else {
            return nil
        }
        func even(_ value: Double, _ most: Int, _ rule: FloatingPointRoundingRule) -> Int {
            let halves = (min(max(value, -limit), limit) / 2).rounded(rule)
            return min(max(Int(halves) * 2, 0), most)
        }
        let left = even(rectangle.x, size.width, .down)
        let right = even(rectangle.x + rectangle.width, size.width, .up)
        let top = even(rectangle.y, size.height, .down)
        let bottom = even(rectangle.y + rectangle.height, size.height, .up)
        guard right > left, bottom > top else { return nil }
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }

    public var rectangle: Rectangle {
        Rectangle(x: Double(x), y: Double(y), width: Double(width), height: Double(height))
    }
}

/// Pixels to be laid over a part of a picture. A view: its memory belongs to the surface that they were drawn on, and
/// lasts until something else is drawn there.
public struct PixelPatch {
    /// Rows from top to bottom, four bytes a pixel: B, G, R, A in 0…255, the colours already multiplied by A.
    public let base: UnsafePointer<UInt8>
    /// Bytes from one row to the next.
    public let stride: Int
    /// Where it belongs; all four numbers are even.
    public let area: PixelRectangle

    public init(base: UnsafePointer<UInt8>, stride: Int, area: PixelRectangle) {
        self.base = base
        self.stride = stride
        self.area = area
    }
}

/// How much of each pixel of a part of a picture is meant, 0 nothing … 255 all. A view, as `PixelPatch` is.
public struct PixelMask {
    /// Rows from top to bottom, one byte a pixel.
    public let base: UnsafePointer<UInt8>
    /// Bytes from one row to the next.
    public let stride: Int
    /// Where it belongs; all four numbers are even.
    public let area: PixelRectangle

    public init(base: UnsafePointer<UInt8>, stride: Int, area: PixelRectangle) {
        self.base = base
        self.stride = stride
        self.area = area
    }
}

/// A picture in memory: four bytes a pixel (B, G, R, A), the colours already multiplied by A, rows without padding.
public struct RasterImage: Sendable {
    public let size: PictureSize
    public let bytes: [UInt8]

    /// - Parameter bytes: 4 · width · height of them.
    public init(size: PictureSize, bytes: [UInt8]) {
        precondition(bytes.count == 4 * size.width * size.height, "four bytes a pixel")
        self.size = size
        self.bytes = bytes
    }

    /// Half as wide and high, each pixel the mean of four (of fewer at an odd edge).
    public func halved() -> RasterImage {
        let target = PictureSize(width: max(1, (size.width + 1) / 2), height: max(1, (size.height + 1) / 2))
        var output = [UInt8](repeating: 0, count: 4 * target.width * target.height)
        for y in 0..<target.height {
            let rows = [2 * y, min(2 * y + 1, size.height - 1)]
            for x in 0..<target.width {
                let columns = [2 * x, min(2 * x + 1, size.width - 1)]
                for channel in 0..<4 {
                    var sum = 2
                    for row in rows {
                        for column in columns { sum += Int(bytes[4 * (row * size.width + column) + channel]) }
                    }
                    output[4 * (y * target.width + x) + channel] = UInt8(sum / 4)
                }
            }
        }
        return RasterImage(size: target, bytes: output)
    }
}
