internal import CFFmpeg
internal import CPixels
package import VidscanBase

/// A frame on its way into a new video: upright, with even sides, 8-bit 4:2:0, and writable. Use it from one thread. It
/// shares its pixels with the decoder until the first change, so an unchanged frame costs no copy.
package final class EditableFrame {
    /// Since the source container's start.
    package let microseconds: Int64
    /// In presentation order among all frames of the source stream.
    package let index: Int64
    /// The source's upright frame with square pixels.
    package let displaySize: PictureSize
    /// An odd display size gets one more row or column.
    package let size: PictureSize
    /// Pixels per display pixel.
    package let scaleX, scaleY: Double

    let frame: Frame
    private let compositor: Compositor

    /// - Parameter contentSize: the pixels that show the display, at most one fewer than the frame's on each axis.
    init(frame: consuming Frame, contentSize: PictureSize, sample: SampledFrame, compositor: Compositor) {
        size = frame.size
        self.frame = frame
        self.compositor = compositor
        (microseconds, index) = (sample.microseconds, sample.index)
        displaySize = sample.geometry.displaySize
        scaleX = Double(contentSize.width) / Double(displaySize.width)
        scaleY = Double(contentSize.height) / Double(displaySize.height)
    }

    /// The pixels for a rectangle in display pixels, and one more for smooth edges; `nil` if it is outside the frame.
    package func pixels(covering rectangle: Rectangle) -> PixelRectangle? {
        PixelRectangle(
            covering: Rectangle(
                x: rectangle.x * scaleX - 1, y: rectangle.y * scaleY - 1, width: rectangle.width * scaleX + 2,
                height: rectangle.height * scaleY + 2), in: size)
    }

    /// The mean luma, 0…255, of `side` × `side` cells of a rectangle in display pixels, by rows. Outside the frame, its
    /// border is repeated.
    package func luma(of rectangle: Rectangle, side: Int) -> [Float] {
        // Every editable frame is planar.
        guard let plane = PlanarImage(frame)?.luma else { return [Float](repeating: 0, count: side * side) }
        let columns = AxisWeights(
            samples: plane.width, length: rectangle.width * scaleX, outputs: side, offset: rectangle.x * scaleX
        ).rowFilter
        let rows = AxisWeights(
            samples: plane.height, length: rectangle.height * scaleY, outputs: side, offset: rectangle.y * scaleY)
        let width = min(plane.width, columns.sampleCapacity)
        let kernels = vs_best_kernels().pointee
        var sums = [Float](repeating: 0, count: columns.sampleCapacity)
        var cells = [Float](repeating: 0, count: columns.outputCapacity)
        return (0..<side).flatMap { row in
            rows.span(of: row).withUnsafeBufferPointer {
                plane.sumRows(x: 0, y: rows.first[row], width: width, weights: $0, into: &sums, with: kernels)
            }
            columns.apply(to: sums, into: &cells)
            return cells.prefix(side)
        }
    }

    /// Alpha-blends a patch, in the frame's matrix and range.
    package func blend(_ patch: PixelPatch) throws(MediaError) {
        try compositor.pool.makeWritable(frame)
        compositor.blend(patch, into: MutablePlanes(frame), colors: RGBToYCbCr(ColorMatrix(frame)))
    }

    /// Replaces the pixels under a mask with a cover that keeps no detail.
    package func hide(_ mask: PixelPatch, by cover: Cover) throws(MediaError) {
        try compositor.pool.makeWritable(frame)
        compositor.hide(mask, by: cover, in: MutablePlanes(frame), colors: RGBToYCbCr(ColorMatrix(frame)))
    }

    package enum Cover: Sendable, Equatable {
        /// A mosaic: the mean of each square with sides of this many pixels.
        case squares(side: Int)
        /// The same means, interpolated linearly.
        case smooth(side: Int)
        /// One R'G'B' colour, components in 0…1.
        case color(red: Double, green: Double, blue: Double)
    }
}

/// The writable planes of an 8-bit 4:2:0 frame with even sides, valid while the frame lives.
struct MutablePlanes {
    struct Plane {
        let base: UnsafeMutablePointer<UInt8>
        let stride: Int

        func from(x: Int, y: Int) -> Plane { Plane(base: base + y * stride + x, stride: stride) }
    }

    let luma, blueDifference, redDifference: Plane

    /// - Parameter frame: in yuv420p, which has three planes.
    init(_ frame: borrowing Frame) {
        let (planes, strides) = (frame.data, frame.linesize)
        luma = Plane(base: planes.0.unsafelyUnwrapped, stride: Int(strides.0))
        blueDifference = Plane(base: planes.1.unsafelyUnwrapped, stride: Int(strides.1))
        redDifference = Plane(base: planes.2.unsafelyUnwrapped, stride: Int(strides.2))
    }
}

/// Blends patches over planes and hides regions of them. Use it from one thread, because it has scratch memory.
final class Compositor {
    let pool = FramePool()
    private var chromaMask: [UInt8] = []
    private var cells: [Float] = [], row: [Float] = []

    /// A chroma sample gets the mean of its four pixels.
    func blend(_ patch: PixelPatch, into planes: MutablePlanes, colors: RGBToYCbCr) {
        let area = patch.area
        for y in stride(from: 0, to: area.height, by: 2) {
            let upper = UnsafeRawPointer(patch.base + y * patch.stride)
            let lower = upper + patch.stride
            let lumaUpper = planes.luma.from(x: area.x, y: area.y + y).base
            let lumaLower = lumaUpper + planes.luma.stride
            let blue = planes.blueDifference.from(x: area.x / 2, y: (area.y + y) / 2).base
            let red = planes.redDifference.from(x: area.x / 2, y: (area.y + y) / 2).base
            for x in stride(from: 0, to: area.width, by: 2) {
                let top = upper.loadUnaligned(fromByteOffset: 4 * x, as: UInt64.self)
                let bottom = lower.loadUnaligned(fromByteOffset: 4 * x, as: UInt64.self)
                // Most of a patch is transparent.
                guard top | bottom != 0 else { continue }
                var sum = SIMD4<Int32>.zero
                for (bits, target) in [
                    (UInt32(truncatingIfNeeded: top), lumaUpper + x),
                    (UInt32(truncatingIfNeeded: top >> 32), lumaUpper + x + 1),
                    (UInt32(truncatingIfNeeded: bottom), lumaLower + x),
                    (UInt32(truncatingIfNeeded: bottom >> 32), lumaLower + x + 1),
                ] where bits != 0 {
                    let pixel = SIMD4<Int32>(truncatingIfNeeded: unsafeBitCast(bits, to: SIMD4<UInt8>.self))
                    sum &+= pixel
                    Self.blend(target, pixel, colors.luma, offset: colors.lumaOffset, shift: 16)
                }
                Self.blend(blue + x / 2, sum, colors.blueDifference, offset: 128, shift: 18)
                Self.blend(red + x / 2, sum, colors.redDifference, offset: 128, shift: 18)
            }
        }
    }

    /// `color` is the sum of B, G, R and A of one pixel (`shift` is 16) or four (18).
    private static func blend(
        _ target: UnsafeMutablePointer<UInt8>, _ color: SIMD4<Int32>, _ weights: RGBToYCbCr.Weights, offset: Int32,
        shift: Int32
    ) {
        let opaque: Int32 = 255 &<< (shift &- 16)
        let kept = Int32(target[0]) &* (opaque &- color.w) &+ offset &* color.w
        let added = color.z &* weights.red &+ color.y &* weights.green &+ color.x &* weights.blue
        let value = (kept &* 257 &+ added &+ 1 &<< (shift &- 1)) &>> shift
        target[0] = UInt8(truncatingIfNeeded: min(max(value, 0), 255))
    }

    /// A chroma sample is covered as much as the most covered of its pixels, so that no colour of a hidden pixel remains.
    func hide(_ mask: PixelPatch, by cover: EditableFrame.Cover, in planes: MutablePlanes, colors: RGBToYCbCr) {
        let area = mask.area
        let (width, height) = (area.width / 2, area.height / 2)
        if chromaMask.count < width * height { chromaMask = [UInt8](repeating: 0, count: width * height) }
        for y in 0..<height {
            let upper = mask.base + 2 * y * mask.stride
            let lower = upper + mask.stride
            for x in 0..<width {
                chromaMask[y * width + x] = max(
                    max(upper[2 * x], upper[2 * x + 1]), max(lower[2 * x], lower[2 * x + 1]))
            }
        }
        let color: (luma: Float, blue: Float, red: Float)
        var (side, isSmooth) = (0, false)
        switch cover {
        case .squares(let pixels): (color, side) = ((0, 0, 0), max(2, pixels))
        case .smooth(let pixels): (color, side, isSmooth) = ((0, 0, 0), max(2, pixels), true)
        case .color(let red, let green, let blue):
            let value = { (weights: RGBToYCbCr.Weights) in
                let sum = Double(weights.red) * red + Double(weights.green) * green + Double(weights.blue) * blue
                return Float(sum * 255 / 65536)
            }
            color = (
                value(colors.luma) + Float(colors.lumaOffset), value(colors.blueDifference) + 128,
                value(colors.redDifference) + 128
            )
        }
        replace(
            planes.luma.from(x: area.x, y: area.y), PictureSize(width: area.width, height: area.height),
            mask: mask.base, maskStride: mask.stride, side: side, isSmooth: isSmooth, color: color.luma)
        for (plane, value) in [(planes.blueDifference, color.blue), (planes.redDifference, color.red)] {
            replace(
                plane.from(x: area.x / 2, y: area.y / 2), PictureSize(width: width, height: height), mask: chromaMask,
                maskStride: width, side: (side + 1) / 2, isSmooth: isSmooth, color: value)
        }
    }

    /// - Parameter side: pixels of each averaged square; 0 for one colour.
    private func replace(
        _ plane: MutablePlanes.Plane, _ size: PictureSize, mask: UnsafePointer<UInt8>, maskStride: Int, side: Int,
        isSmooth: Bool, color: Float
    ) {
        if row.count < size.width { row = [Float](repeating: 0, count: size.width) }
        let columns = side > 0 ? (size.width + side - 1) / side : 0
        let lines = side > 0 ? (size.height + side - 1) / side : 0
        if side > 0 { average(plane, size, side: side, columns: columns, lines: lines) }
        row.withUnsafeMutableBufferPointer { row in
            cells.withUnsafeBufferPointer { cells in
                if side == 0 { for x in 0..<size.width { row[x] = color } }
                for y in 0..<size.height {
                    if side > 0, isSmooth {
                        Self.interpolate(cells, columns: columns, lines: lines, side: side, y: y, size.width, into: row)
                    } else if side > 0, y % side == 0 {
                        let line = y / side * columns
                        for x in 0..<size.width { row[x] = cells[line + x / side] }
                    }
                    let target = plane.base + y * plane.stride
                    let covered = mask + y * maskStride
                    for x in 0..<size.width where covered[x] != 0 {
                        let opacity = Float(covered[x]) * (1 / 255)
                        let value = Float(target[x]) * (1 - opacity) + row[x] * opacity + 0.5
                        target[x] = UInt8(min(max(value, 0), 255))
                    }
                }
            }
        }
    }

    private func average(_ plane: MutablePlanes.Plane, _ size: PictureSize, side: Int, columns: Int, lines: Int) {
        if cells.count < columns * lines { cells = [Float](repeating: 0, count: columns * lines) }
        for line in 0..<lines {
            let rows = line * side..<min((line + 1) * side, size.height)
            for column in 0..<columns {
                let span = column * side..<min((column + 1) * side, size.width)
                var sum = 0
                for y in rows {
                    let source = plane.base + y * plane.stride
                    for x in span { sum &+= Int(source[x]) }
                }
                cells[line * columns + column] = Float(sum) / Float(rows.count * span.count)
            }
        }
    }

    private static func interpolate(
        _ cells: UnsafeBufferPointer<Float>, columns: Int, lines: Int, side: Int, y: Int, _ width: Int,
        into row: UnsafeMutableBufferPointer<Float>
    ) {
        let neighbours = { (position: Int, count: Int) -> (Int, Int, Float) in
            let exact = min(max((Float(position) + 0.5) / Float(side) - 0.5, 0), Float(count - 1))
            let first = Int(exact)
            return (first, min(first + 1, count - 1), exact - Float(first))
        }
        let (upper, lower, weightY) = neighbours(y, lines)
        for x in 0..<width {
            let (left, right, weightX) = neighbours(x, columns)
            let top = cells[upper * columns + left] * (1 - weightX) + cells[upper * columns + right] * weightX
            let bottom = cells[lower * columns + left] * (1 - weightX) + cells[lower * columns + right] * weightX
            row[x] = top * (1 - weightY) + bottom * weightY
        }
    }
}
