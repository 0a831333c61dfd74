internal import CPixels
internal import VidscanBase

/// A region of a plane in whole blocks of pixels.
struct BlockGrid: Equatable {
    /// Pixels in a block along each axis, at most 256.
    var blockWidth: Int
    var blockHeight: Int
    /// The blocks of the plane that belong to the region. The plane may end within the last one.
    var columns: Range<Int>
    var rows: Range<Int>

    /// Bytes in a patch with this region: with one more column and one more row, which interpolation reads with weight 0.
    func byteCount(channels: Int) -> Int { (columns.count + 1) * channels * (rows.count + 1) }
}

/// The region of a plane under a square, and the map from a tensor to the region's blocks in 16.16 fixed point. (0, 0) is the
/// centre of the first block.
struct PatchMap {
    let grid: BlockGrid
    private let startX: Int
    private let startY: Int
    private let columnX: Int
    private let columnY: Int
    private let rowX: Int
    private let rowY: Int
    /// Steps by which a row of the tensor may leave the region.
    private let reach: Int

    /// - Parameter map: from the tensor to the plane, in continuous coordinates.
    init(_ map: AffineTransform, plane: PlanarImage.Plane, resolution: Int) {
        let blockWidth = Self.block(map.xx, map.xy)
        let blockHeight = Self.block(map.yx, map.yy)
        let corners = [(0, 0), (resolution, 0), (0, resolution), (resolution, resolution)].map {
            map.apply(to: Point(x: Double($0.0), y: Double($0.1)))
        }
        grid = BlockGrid(
            blockWidth: blockWidth, blockHeight: blockHeight,
            columns: Self.blocks(corners.map(\.x), size: blockWidth, limit: plane.width),
            rows: Self.blocks(corners.map(\.y), size: blockHeight, limit: plane.height))
        let (factorX, factorY) = (1 / Double(blockWidth), 1 / Double(blockHeight))
        columnX = Self.fixed(map.xx * factorX)
        columnY = Self.fixed(map.yx * factorY)
        rowX = Self.fixed(map.xy * factorX)
        rowY = Self.fixed(map.yy * factorY)
        // The centres of the first cell and of the first block are at (0.5, 0.5).
        let (left, top) = (Double(grid.columns.lowerBound), Double(grid.rows.lowerBound))
        startX = Self.fixed(map.x * factorX - left + (map.xx * factorX + map.xy * factorX) / 2 - 0.5)
        startY = Self.fixed(map.y * factorY - top + (map.yx * factorY + map.yy * factorY) / 2 - 0.5)
        reach = resolution * max(abs(columnX), abs(columnY)) + 65536
    }

    private init() {
        grid = BlockGrid(blockWidth: 1, blockHeight: 1, columns: 0..<1, rows: 0..<1)
        (startX, startY, columnX, columnY, rowX, rowY, reach) = (0, 0, 0, 0, 0, 0, 0)
    }

    /// A map of every output to the only sample of a patch.
    static let point = PatchMap()

    /// The samples of one row of the tensor.
    ///
    /// - Parameter patch: as read with `grid`.
    func row(_ row: Int, of patch: UnsafeBufferPointer<UInt8>, channels: Int) -> vs_patch {
        precondition(patch.count >= grid.byteCount(channels: channels))
        // A row that starts farther away than it reaches repeats the border all along, from wherever it starts.
        let x = min(max(startX + row * rowX, -reach), grid.columns.count << 16 + reach)
        let y = min(max(startY + row * rowY, -reach), grid.rows.count << 16 + reach)
        return vs_patch(
            base: patch.baseAddress, stride: Int32((grid.columns.count + 1) * channels),
            width: Int32(grid.columns.count), height: Int32(grid.rows.count), x: Int32(clamping: x),
            y: Int32(clamping: y), step_x: Int32(clamping: columnX), step_y: Int32(clamping: columnY))
    }

    /// The whole pixels in a step of the tensor along an axis of the plane. The sum of 256 rows fits into 16 bits.
    private static func block(_ x: Double, _ y: Double) -> Int {
        let length = (x * x + y * y).squareRoot()
        return length >= 1 ? Int(min(length, 256)) : 1
    }

    /// The range of whole blocks in the plane that covers the values, with a margin of one block; at least one block.
    private static func blocks(_ values: [Double], size: Int, limit: Int) -> Range<Int> {
        let count = max(1, (limit + size - 1) / size)
        let positions = values.map { whole(($0 / Double(size)).rounded(.down)) }
        let low = min(max((positions.min() ?? 0) - 1, 0), count - 1)
        let high = min(max((positions.max() ?? 0) + 2, low + 1), count)
        return low..<high
    }

    private static func fixed(_ value: Double) -> Int { whole((value * 65536).rounded()) }

    /// Large enough for every picture, small enough for every sum. A square without finite coordinates lies anywhere.
    private static func whole(_ value: Double) -> Int { value.isFinite ? Int(min(max(value, -1e12), 1e12)) : 0 }
}
