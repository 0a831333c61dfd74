internal import CPixels
package import VidscanBase

/// Crops a rotated square of a frame into a model's input tensor, as R'G'B'.
///
/// One affine map leads from the tensor to the decoded planes. The region of each plane under the square is copied first. If the
/// square is larger than the tensor, whole blocks of pixels are averaged on the way to prevent aliasing. Then samples are
/// interpolated linearly. Outside the frame its border is repeated. Use one per worker; all give the same results.
package final class SquareCropper {
    private let converter: PictureConverter
    private let kernels = vs_best_kernels().pointee
    private var sums: [Float] = []
    private var line: [UInt8] = [], lumaPatch: [UInt8] = []
    /// Cb and Cr, interleaved.
    private var chromaPatch: [UInt8] = []
    private static let ones = [UInt16](repeating: 1, count: 256)

    package init(converter: PictureConverter = PictureConverter()) { self.converter = converter }

    /// Fills a tensor, 3 × `resolution` (1…4096) × `resolution`, with R', G', B' in 0…255 of a square in display space.
    package func crop(
        _ frame: SampledFrame, square: RotatedSquare, resolution: Int, into tensor: UnsafeMutablePointer<Float>
    ) throws(MediaError) {
        precondition(1...4096 ~= resolution)
        let image = try converter.planes(of: frame)
        let map = frame.geometry.displayToCoded.after(square.transform(resolution: resolution))
        let luma = PatchMap(map, plane: image.luma.size, resolution: resolution)
        read(image.luma, luma, into: &lumaPatch)
        let chroma = readChroma(of: image, map: map, resolution: resolution)
        let area = resolution * resolution
        var color = image.color
        lumaPatch.withUnsafeBufferPointer { lumaPatch in
            chromaPatch.withUnsafeBufferPointer { chromaPatch in
                for row in 0..<resolution {
                    var lumaRow = luma.row(row, of: lumaPatch, channels: 1)
                    var chromaRow = chroma.row(row, of: chromaPatch, channels: 2)
                    let line = tensor + row * resolution
                    kernels.sample(&lumaRow, &chromaRow, resolution, &color, line, line + area, line + 2 * area)
                }
            }
        }
    }

    private func readChroma(of image: PlanarImage, map: AffineTransform, resolution: Int) -> PatchMap {
        guard let blue = image.differences.first, let red = image.differences.last else {
            // Grey has no chroma: a patch of one sample, with its margin.
            chromaPatch = [UInt8](repeating: 128, count: 8)
            return PatchMap(
                AffineTransform(xx: 0, xy: 0, x: 0, yx: 0, yy: 0, y: 0), plane: PictureSize(width: 1, height: 1),
                resolution: resolution)
        }
        let position = image.chroma
        let (shiftX, shiftY) = (1 / Double(1 << position.shiftX), 1 / Double(1 << position.shiftY))
        let chromaMap = AffineTransform(
            xx: map.xx * shiftX, xy: map.xy * shiftX, x: (map.x - position.offsetX) * shiftX,
            yx: map.yx * shiftY, yy: map.yy * shiftY, y: (map.y - position.offsetY) * shiftY)
        let chroma = PatchMap(chromaMap, plane: blue.size, resolution: resolution)
        read(blue, with: red, chroma, into: &chromaPatch)
        return chroma
    }

    /// Copies a region of one plane, or of two of the same size interleaved, in 8 bits, averaging each block of pixels
    /// into one sample. `patch` grows if it is too small for `map`.
    private func read(
        _ plane: PlanarImage.Plane, with second: PlanarImage.Plane? = nil, _ map: PatchMap, into patch: inout [UInt8]
    ) {
        let channels = second == nil ? 1 : 2
        let count = map.byteCount(channels: channels)
        if patch.count < count { patch = [UInt8](repeating: 0, count: count) }
        // The kernel works on 8 blocks at a time, also for the last one alone.
        let blocks = map.columns.count + 8
        if line.count < 2 * blocks { line = [UInt8](repeating: 0, count: 2 * blocks) }
        let sumCount = (blocks + 8) * map.blockWidth + 4
        if sums.count < sumCount { sums = [Float](repeating: 0, count: sumCount) }
        let (half, columns) = (line.count / 2, map.columns.count)
        patch.withUnsafeMutableBufferPointer { patch in
            line.withUnsafeMutableBufferPointer { line in
                guard let patch = patch.baseAddress, let line = line.baseAddress else { return }
                for row in 0..<map.rows.count {
                    let source = samples(of: plane, map, row: row, into: line)
                    let target = patch + row * (columns + 1) * channels
                    if let second {
                        let other = samples(of: second, map, row: row, into: line + half)
                        kernels.interleave(source, other, columns, target)
                    } else {
                        target.update(from: source, count: columns)
                    }
                }
            }
        }
    }

    /// Points into the plane, or into `line` if the samples must be rounded or averaged.
    private func samples(
        of plane: PlanarImage.Plane, _ map: PatchMap, row: Int, into line: UnsafeMutablePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        let top = (map.rows.lowerBound + row) * map.blockHeight
        let left = map.columns.lowerBound * map.blockWidth
        guard map.blockWidth > 1 || map.blockHeight > 1 else {
            let source = plane.address(x: left, y: top)
            guard plane.depth > 8 else { return source.assumingMemoryBound(to: UInt8.self) }
            kernels.narrow(source.assumingMemoryBound(to: UInt16.self), map.columns.count, Int32(plane.depth), line)
            return UnsafePointer(line)
        }
        let height = min(map.blockHeight, plane.height - top)
        let width = min(map.columns.count * map.blockWidth, plane.width - left)
        let complete = width / map.blockWidth
        sums.withUnsafeMutableBufferPointer { sums in
            guard let sums = sums.baseAddress else { return }
            Self.ones.prefix(height).withUnsafeBufferPointer { weights in
                plane.sumRows(x: left, y: top, width: width, weights: weights, into: sums, with: kernels)
            }
            kernels.average_blocks(sums, map.blockWidth, complete, Int32(map.blockWidth * height), line)
            let rest = width - complete * map.blockWidth
            if rest > 0 {
                kernels.average_blocks(sums + complete * map.blockWidth, rest, 1, Int32(rest * height), line + complete)
            }
        }
        return UnsafePointer(line)
    }
}

/// The region of a plane under a square in whole blocks of pixels, and the map from a tensor to these blocks in 16.16 fixed
/// point, from the first block's centre.
struct PatchMap {
    /// Pixels along each axis, at most 256.
    let blockWidth, blockHeight: Int
    /// The plane may end within the last block.
    let columns, rows: Range<Int>
    private let start, columnStep, rowStep: (x: Int, y: Int)
    /// Steps by which a row of the tensor may leave the region.
    private let reach: Int

    /// - Parameter map: from the tensor to the plane, in continuous coordinates.
    init(_ map: AffineTransform, plane: PictureSize, resolution: Int) {
        (blockWidth, blockHeight) = (Self.block(map.xx, map.xy), Self.block(map.yx, map.yy))
        let corners = [(0, 0), (resolution, 0), (0, resolution), (resolution, resolution)].map {
            map.apply(to: Point(x: Double($0.0), y: Double($0.1)))
        }
        columns = Self.blocks(corners.map(\.x), size: blockWidth, limit: plane.width)
        rows = Self.blocks(corners.map(\.y), size: blockHeight, limit: plane.height)
        let (factorX, factorY) = (1 / Double(blockWidth), 1 / Double(blockHeight))
        columnStep = (Self.fixed(map.xx * factorX), Self.fixed(map.yx * factorY))
        rowStep = (Self.fixed(map.xy * factorX), Self.fixed(map.yy * factorY))
        // The centres of the first cell and of the first block are at (0.5, 0.5).
        let (left, top) = (Double(columns.lowerBound), Double(rows.lowerBound))
        start = (
            Self.fixed(map.x * factorX - left + (map.xx * factorX + map.xy * factorX) / 2 - 0.5),
            Self.fixed(map.y * factorY - top + (map.yx * factorY + map.yy * factorY) / 2 - 0.5)
        )
        reach = resolution * max(abs(columnStep.x), abs(columnStep.y)) + 65536
    }

    /// One more column and row, which interpolation reads with weight 0.
    func byteCount(channels: Int) -> Int { (columns.count + 1) * channels * (rows.count + 1) }

    func row(_ row: Int, of patch: UnsafeBufferPointer<UInt8>, channels: Int) -> vs_patch {
        precondition(patch.count >= byteCount(channels: channels))
        // A row that starts farther away than it reaches repeats the border all along.
        let x = min(max(start.x + row * rowStep.x, -reach), columns.count << 16 + reach)
        let y = min(max(start.y + row * rowStep.y, -reach), rows.count << 16 + reach)
        return vs_patch(
            base: patch.baseAddress, stride: Int32((columns.count + 1) * channels), width: Int32(columns.count),
            height: Int32(rows.count), x: Int32(clamping: x), y: Int32(clamping: y),
            step_x: Int32(clamping: columnStep.x), step_y: Int32(clamping: columnStep.y))
    }

    /// Whole pixels in a step of the tensor along an axis of the plane. The sum of 256 rows fits into 16 bits.
    private static func block(_ x: Double, _ y: Double) -> Int {
        let length = (x * x + y * y).squareRoot()
        return length >= 1 ? Int(min(length, 256)) : 1
    }

    /// Covers the values with a margin of one block; at least one block.
    private static func blocks(_ values: [Double], size: Int, limit: Int) -> Range<Int> {
        let count = max(1, (limit + size - 1) / size)
        let positions = values.map { whole(($0 / Double(size)).rounded(.down)) }
        let low = min(max((positions.min() ?? 0) - 1, 0), count - 1)
        return low..<min(max((positions.max() ?? 0) + 2, low + 1), count)
    }

    private static func fixed(_ value: Double) -> Int { whole((value * 65536).rounded()) }

    /// Large enough for every picture, small enough for every sum. A coordinate that is not finite becomes 0.
    private static func whole(_ value: Double) -> Int { value.isFinite ? Int(min(max(value, -1e12), 1e12)) : 0 }
}
