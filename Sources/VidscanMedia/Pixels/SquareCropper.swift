internal import CFFmpeg
public import VidscanBase

/// Crops a rotated square of a frame into the input tensor of a model, as R'G'B'.
///
/// One affine map leads from the tensor to the decoded planes. If the square is larger than the tensor, whole blocks of pixels
/// are averaged first to prevent aliasing. Then samples are interpolated linearly. Outside the frame its border is repeated.
///
/// Each worker has its own cropper. All give the same results.
public final class SquareCropper {
    /// A plane, or a region of it in reduced size, with the map from the tensor to its samples in 16.16 fixed point.
    /// (0, 0) is the centre of the first sample.
    private struct Source {
        var base: UnsafePointer<UInt8>
        var stride: Int
        var width: Int
        var height: Int
        var startX: Int
        var startY: Int
        var columnX: Int
        var columnY: Int
        var rowX: Int
        var rowY: Int
    }

    private let converter: PictureConverter
    /// Reduced regions of the three planes.
    private var scratch: [[UInt8]] = [[], [], []]
    private var columnSums: [UInt16] = []

    public init(converter: PictureConverter = PictureConverter()) {
        self.converter = converter
    }

    /// Fills a tensor of shape 3 × `resolution` × `resolution` with R', G', B' in 0…255.
    ///
    /// - Parameters:
    ///   - frame: any sampled frame.
    ///   - square: in display space.
    ///   - tensor: room for 3 · resolution² floats.
    /// - Throws: `MediaError` for a pixel format that cannot be converted.
    public func crop(
        _ frame: SampledFrame, square: RotatedSquare, resolution: Int, into tensor: UnsafeMutablePointer<Float>
    ) throws(MediaError) {
        let image = try converter.planes(of: frame)
        let map = frame.geometry.displayToCoded.after(square.transform(resolution: resolution))
        let luma = source(image.luma, map, resolution: resolution, slot: 0)
        let shiftX = 1 / Double(1 << image.chromaShiftX)
        let shiftY = 1 / Double(1 << image.chromaShiftY)
        let chromaMap = AffineTransform(
            xx: map.xx * shiftX, xy: map.xy * shiftX, x: (map.x - image.chromaOffsetX) * shiftX,
            yx: map.yx * shiftY, yy: map.yy * shiftY, y: (map.y - image.chromaOffsetY) * shiftY)
        let blue = image.blueDifference.map { source($0, chromaMap, resolution: resolution, slot: 1) }
        let red = image.redDifference.map { source($0, chromaMap, resolution: resolution, slot: 2) }
        Self.fill(tensor, resolution: resolution, luma: luma, blue: blue, red: red, color: image.color)
    }

    /// - Parameter map: from the tensor to the plane, in continuous coordinates.
    private func source(
        _ plane: PlanarImage.Plane, _ map: AffineTransform, resolution: Int, slot: Int
    ) -> Source {
        let blockX = max(1, Int((map.xx * map.xx + map.xy * map.xy).squareRoot()))
        let blockY = max(1, Int((map.yx * map.yx + map.yy * map.yy).squareRoot()))
        guard blockX > 1 || blockY > 1 else {
            return Self.source(
                plane.base, stride: plane.stride, width: plane.width, height: plane.height, map: map)
        }
        // The region of the plane under the square in whole blocks, with a margin of one block.
        let corners = [(0, 0), (resolution, 0), (0, resolution), (resolution, resolution)].map {
            map.apply(to: Point(x: Double($0.0), y: Double($0.1)))
        }
        let spanX = Self.blocks(corners.map(\.x), size: blockX, limit: plane.width)
        let spanY = Self.blocks(corners.map(\.y), size: blockY, limit: plane.height)
        shrink(plane, blockX: blockX, blockY: blockY, spanX: spanX, spanY: spanY, slot: slot)
        let (factorX, factorY) = (1 / Double(blockX), 1 / Double(blockY))
        let reduced = AffineTransform(
            xx: map.xx * factorX, xy: map.xy * factorX, x: map.x * factorX - Double(spanX.lowerBound),
            yx: map.yx * factorY, yy: map.yy * factorY, y: map.y * factorY - Double(spanY.lowerBound))
        return scratch[slot].withUnsafeBufferPointer { buffer in
            // The pointer stays valid, because the array does not change before the tensor is filled.
            Self.source(
                buffer.baseAddress.unsafelyUnwrapped, stride: spanX.count, width: spanX.count, height: spanY.count,
                map: reduced)
        }
    }

    private static func source(
        _ base: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, map: AffineTransform
    ) -> Source {
        let fixed = { (value: Double) in Int((value * 65536).rounded()) }
        // The centres of the first cell and of the first sample are at (0.5, 0.5).
        return Source(
            base: base, stride: stride, width: width, height: height,
            startX: fixed(map.x + (map.xx + map.xy) / 2 - 0.5), startY: fixed(map.y + (map.yx + map.yy) / 2 - 0.5),
            columnX: fixed(map.xx), columnY: fixed(map.yx), rowX: fixed(map.xy), rowY: fixed(map.yy))
    }

    /// The range of whole blocks in the plane that covers the values; at least one block.
    private static func blocks(_ values: [Double], size: Int, limit: Int) -> Range<Int> {
        let count = max(1, (limit + size - 1) / size)
        let bounded = values.map { min(max($0, -1e9), 1e9) / Double(size) }
        let low = min(max(Int((bounded.min() ?? 0).rounded(.down)) - 1, 0), count - 1)
        let high = min(max(Int((bounded.max() ?? 0).rounded(.up)) + 1, low + 1), count)
        return low..<high
    }

    /// Averages blocks of pixels in a region of the plane into the scratch memory of a slot.
    private func shrink(
        _ plane: PlanarImage.Plane, blockX: Int, blockY: Int, spanX: Range<Int>, spanY: Range<Int>, slot: Int
    ) {
        let first = spanX.lowerBound * blockX
        let width = min(spanX.upperBound * blockX, plane.width) - first
        if scratch[slot].count < spanX.count * spanY.count {
            scratch[slot] = [UInt8](repeating: 0, count: spanX.count * spanY.count)
        }
        if columnSums.count < width + 16 { columnSums = [UInt16](repeating: 0, count: width + 16) }
        scratch[slot].withUnsafeMutableBufferPointer { output in
            columnSums.withUnsafeMutableBufferPointer { sums in
                guard let sums = sums.baseAddress, let output = output.baseAddress else { return }
                for (line, block) in spanY.enumerated() {
                    let rows = block * blockY..<min((block + 1) * blockY, plane.height)
                    Self.sum(plane, rows: rows, first: first, width: width, into: sums)
                    for column in 0..<spanX.count {
                        let begin = column * blockX
                        let end = min(begin + blockX, width)
                        var total: UInt32 = 0
                        for position in begin..<end { total &+= UInt32(sums[position]) }
                        let count = UInt32((end - begin) * rows.count)
                        output[line * spanX.count + column] = UInt8(truncatingIfNeeded: (total + count / 2) / count)
                    }
                }
            }
        }
    }

    private static func sum(
        _ plane: PlanarImage.Plane, rows: Range<Int>, first: Int, width: Int, into sums: UnsafeMutablePointer<UInt16>
    ) {
        sums.update(repeating: 0, count: width)
        for row in rows {
            let source = plane.base + row * plane.stride + first
            var column = 0
            while column + 16 <= width {
                let target = UnsafeMutableRawPointer(sums + column)
                let bytes = UnsafeRawPointer(source + column).loadUnaligned(as: SIMD16<UInt8>.self)
                let sum = target.loadUnaligned(as: SIMD16<UInt16>.self) &+ SIMD16<UInt16>(truncatingIfNeeded: bytes)
                target.storeBytes(of: sum, as: SIMD16<UInt16>.self)
                column += 16
            }
            while column < width {
                sums[column] &+= UInt16(source[column])
                column += 1
            }
        }
    }

    private static func fill(
        _ tensor: UnsafeMutablePointer<Float>, resolution: Int, luma: Source, blue: Source?, red: Source?,
        color: YCbCrToRGB
    ) {
        let area = resolution * resolution
        for row in 0..<resolution {
            let line = tensor + row * resolution
            interpolate(luma, row: row, count: resolution, into: line)
            if let blue, let red {
                interpolate(blue, row: row, count: resolution, into: line + area)
                interpolate(red, row: row, count: resolution, into: line + 2 * area)
            } else {
                (line + area).update(repeating: 128, count: resolution)
                (line + 2 * area).update(repeating: 128, count: resolution)
            }
            for column in 0..<resolution {
                let base = (line[column] - color.lumaOffset) * color.lumaScale
                let cb = line[column + area] - 128
                let cr = line[column + 2 * area] - 128
                line[column] = clamp(base + color.redFromCr * cr)
                line[column + area] = clamp(base + color.greenFromCb * cb + color.greenFromCr * cr)
                line[column + 2 * area] = clamp(base + color.blueFromCb * cb)
            }
        }
    }

    /// One row of samples, interpolated in steps of 1/256.
    private static func interpolate(
        _ source: Source, row: Int, count: Int, into line: UnsafeMutablePointer<Float>
    ) {
        var x = source.startX &+ row &* source.rowX
        var y = source.startY &+ row &* source.rowY
        let lastX = (source.width - 1) << 16
        let lastY = (source.height - 1) << 16
        for column in 0..<count {
            let clampedX = min(max(x, 0), lastX)
            let clampedY = min(max(y, 0), lastY)
            let upper = source.base + (clampedY >> 16) &* source.stride + (clampedX >> 16)
            // In the last row or column the weight of the neighbour is 0, so that it is not read.
            let right = clampedX < lastX ? 1 : 0
            let lower = upper + (clampedY < lastY ? source.stride : 0)
            let weightX = clampedX >> 8 & 255
            let weightY = clampedY >> 8 & 255
            let top = Int(upper[0]) &* (256 &- weightX) &+ Int(upper[right]) &* weightX
            let bottom = Int(lower[0]) &* (256 &- weightX) &+ Int(lower[right]) &* weightX
            line[column] = Float(top &* (256 &- weightY) &+ bottom &* weightY) * (1 / 65536)
            x &+= source.columnX
            y &+= source.columnY
        }
    }

    private static func clamp(_ value: Float) -> Float { min(max(value, 0), 255) }
}
