/// A rectangle in a frame, in whole pixels, origin at the frame's top left corner.
package struct PixelRectangle: Sendable, Hashable {
    package var x, y, width, height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Makes the smallest rectangle with even edges around what lies inside a frame with even sides; `nil` if empty.
    package init?(covering rectangle: Rectangle, in size: PictureSize) {
        guard [rectangle.x, rectangle.y, rectangle.width, rectangle.height].allSatisfy(\.isFinite) else { return nil }
        func even(_ value: Double, _ maximum: Int, _ rule: FloatingPointRoundingRule) -> Int {
            let halves = (min(max(value, -1e6), 1e6) / 2).rounded(rule)
            return min(max(Int(halves) * 2, 0), maximum)
        }
        let (left, top) = (even(rectangle.x, size.width, .down), even(rectangle.y, size.height, .down))
        let right = even(rectangle.x + rectangle.width, size.width, .up)
        let bottom = even(rectangle.y + rectangle.height, size.height, .up)
        guard right > left, bottom > top else { return nil }
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// A drawing over an area of a frame. Its surface owns the memory, which is valid until the next drawing.
package struct PixelPatch {
    /// Rows from top to bottom. Pixels have four bytes, B, G, R, A in 0…255, colours premultiplied by A; those of a mask only one,
    /// the coverage from 0 to 255 (full).
    package let base: UnsafePointer<UInt8>
    /// In bytes.
    package let stride: Int
    /// All four numbers are even.
    package let area: PixelRectangle

    package init(base: UnsafePointer<UInt8>, stride: Int, area: PixelRectangle) {
        (self.base, self.stride, self.area) = (base, stride, area)
    }
}

/// An image in memory: B, G, R, A, one byte each, colours premultiplied by A, rows without padding.
package struct RasterImage: Sendable {
    package let size: PictureSize
    package let bytes: [UInt8]

    package init(size: PictureSize, bytes: [UInt8]) {
        precondition(bytes.count == 4 * size.width * size.height, "four bytes a pixel")
        (self.size, self.bytes) = (size, bytes)
    }

    /// Halves width and height: each pixel is the mean of four (of fewer at an odd edge).
    package func halved() -> RasterImage {
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
