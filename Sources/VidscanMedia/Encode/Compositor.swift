internal import VidscanBase

/// Blends patches over planes and hides regions of them. Pixels outside the patch or the mask do not change.
///
/// Use it from one thread, because it has scratch memory.
final class Compositor {
    private var chromaMask: [UInt8] = []
    private var cells: [Float] = []
    private var row: [Float] = []

    /// Alpha-blends a patch. A chroma sample gets the mean of its four pixels.
    func blend(_ patch: PixelPatch, into planes: MutablePlanes, colors: RGBToYCbCr) {
        let area = patch.area
        for y in stride(from: 0, to: area.height, by: 2) {
            let upper = UnsafeRawPointer(patch.base + y * patch.stride)
            let lower = upper + patch.stride
            let lumaUpper = planes.luma.base + (area.y + y) * planes.luma.stride + area.x
            let lumaLower = lumaUpper + planes.luma.stride
            let chromaRow = (area.y + y) / 2
            let blue = planes.blueDifference.base + chromaRow * planes.blueDifference.stride + area.x / 2
            let red = planes.redDifference.base + chromaRow * planes.redDifference.stride + area.x / 2
            for x in stride(from: 0, to: area.width, by: 2) {
                let top = upper.loadUnaligned(fromByteOffset: 4 * x, as: UInt64.self)
                let bottom = lower.loadUnaligned(fromByteOffset: 4 * x, as: UInt64.self)
                // Most of a patch is transparent.
                guard top | bottom != 0 else { continue }
                var sum = Pixel(bits: 0)
                for (bits, target) in [
                    (UInt32(truncatingIfNeeded: top), lumaUpper + x),
                    (UInt32(truncatingIfNeeded: top >> 32), lumaUpper + x + 1),
                    (UInt32(truncatingIfNeeded: bottom), lumaLower + x),
                    (UInt32(truncatingIfNeeded: bottom >> 32), lumaLower + x + 1),
                ] where bits != 0 {
                    let pixel = Pixel(bits: bits)
                    sum.add(pixel)
                    let kept = Int32(target[0]) &* (255 &- pixel.alpha) &+ colors.lumaOffset &* pixel.alpha
                    let value = kept &* 257 &+ pixel.weighted(colors.luma) &+ 32768
                    target[0] = UInt8(truncatingIfNeeded: min(max(value >> 16, 0), 255))
                }
                Self.blendChroma(blue + x / 2, sum, colors.blueDifference)
                Self.blendChroma(red + x / 2, sum, colors.redDifference)
            }
        }
    }

    private static func blendChroma(
        _ target: UnsafeMutablePointer<UInt8>, _ sum: Pixel, _ weights: RGBToYCbCr.Weights
    ) {
        let kept = Int32(target[0]) &* (1020 &- sum.alpha) &+ 128 &* sum.alpha
        let value = (kept &* 257 &+ sum.weighted(weights) &+ 131072) >> 18
        target[0] = UInt8(truncatingIfNeeded: min(max(value, 0), 255))
    }

    private struct Pixel {
        var blue: Int32
        var green: Int32
        var red: Int32
        var alpha: Int32

        init(bits: UInt32) {
            blue = Int32(bits & 255)
            green = Int32(bits >> 8 & 255)
            red = Int32(bits >> 16 & 255)
            alpha = Int32(bits >> 24)
        }

        mutating func add(_ other: Pixel) {
            blue &+= other.blue
            green &+= other.green
            red &+= other.red
            alpha &+= other.alpha
        }

        func weighted(_ weights: RGBToYCbCr.Weights) -> Int32 {
            red &* weights.red &+ green &* weights.green &+ blue &* weights.blue
        }
    }

    // MARK: Hiding

    /// Replaces the masked pixels in all three planes. A chroma sample is covered as much as the most covered of its pixels,
    /// so that no colour of a hidden pixel remains.
    func hide(_ mask: PixelMask, by cover: EditableFrame.Cover, in planes: MutablePlanes, colors: RGBToYCbCr) {
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
        var side = 0
        var isSmooth = false
        switch cover {
        case .squares(let pixels): (color, side) = ((0, 0, 0), max(2, pixels))
        case .smooth(let pixels): (color, side, isSmooth) = ((0, 0, 0), max(2, pixels), true)
        case .color(let red, let green, let blue):
            let value = { (weights: RGBToYCbCr.Weights) in
                Float(
                    (Double(weights.red) * red + Double(weights.green) * green + Double(weights.blue) * blue) * 255
                        / 65536)
            }
            color = (
                value(colors.luma) + Float(colors.lumaOffset), value(colors.blueDifference) + 128,
                value(colors.redDifference) + 128
            )
        }
        let luma = Region(
            base: planes.luma.base + area.y * planes.luma.stride + area.x, stride: planes.luma.stride,
            width: area.width, height: area.height)
        replace(luma, mask: mask.base, maskStride: mask.stride, side: side, isSmooth: isSmooth, color: color.luma)
        chromaMask.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            for (plane, value) in [(planes.blueDifference, color.blue), (planes.redDifference, color.red)] {
                let region = Region(
                    base: plane.base + area.y / 2 * plane.stride + area.x / 2, stride: plane.stride, width: width,
                    height: height)
                replace(region, mask: base, maskStride: width, side: (side + 1) / 2, isSmooth: isSmooth, color: value)
            }
        }
    }

    private struct Region {
        let base: UnsafeMutablePointer<UInt8>
        let stride: Int
        let width: Int
        let height: Int
    }

    /// - Parameter side: of the squares whose means replace the pixels; 0 for one colour.
    private func replace(
        _ region: Region, mask: UnsafePointer<UInt8>, maskStride: Int, side: Int, isSmooth: Bool, color: Float
    ) {
        if row.count < region.width { row = [Float](repeating: 0, count: region.width) }
        let columns = side > 0 ? (region.width + side - 1) / side : 0
        let lines = side > 0 ? (region.height + side - 1) / side : 0
        if side > 0 { average(region, side: side, columns: columns, lines: lines) }
        row.withUnsafeMutableBufferPointer { row in
            cells.withUnsafeBufferPointer { cells in
                if side == 0 { for x in 0..<region.width { row[x] = color } }
                for y in 0..<region.height {
                    if side > 0, isSmooth {
                        Self.interpolate(
                            cells, columns: columns, lines: lines, side: side, y: y, region.width, into: row)
                    } else if side > 0, y % side == 0 {
                        let line = y / side * columns
                        for x in 0..<region.width { row[x] = cells[line + x / side] }
                    }
                    let target = region.base + y * region.stride
                    let covered = mask + y * maskStride
                    for x in 0..<region.width where covered[x] != 0 {
                        let share = Float(covered[x]) * (1 / 255)
                        let value = Float(target[x]) * (1 - share) + row[x] * share + 0.5
                        target[x] = UInt8(min(max(value, 0), 255))
                    }
                }
            }
        }
    }

    /// Computes the mean of each square. Those at the right and lower edges may be smaller.
    private func average(_ region: Region, side: Int, columns: Int, lines: Int) {
        if cells.count < columns * lines { cells = [Float](repeating: 0, count: columns * lines) }
        for line in 0..<lines {
            let rows = line * side..<min((line + 1) * side, region.height)
            for column in 0..<columns {
                let span = column * side..<min((column + 1) * side, region.width)
                var sum = 0
                for y in rows {
                    let source = region.base + y * region.stride
                    for x in span { sum &+= Int(source[x]) }
                }
                cells[line * columns + column] = Float(sum) / Float(rows.count * span.count)
            }
        }
    }

    /// One row of values between the centres of the squares, interpolated linearly in both directions.
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
