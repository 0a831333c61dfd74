internal import CPixels

/// Copies regions of planes in 8 bits, with each block of pixels averaged into one sample.
final class BlockReader {
    private let kernels = vs_best_kernels().pointee
    private var sums: [Float] = []
    private var line: [UInt8] = []
    private static let ones = [UInt16](repeating: 1, count: 256)

    /// Fills a patch with a region of a plane.
    ///
    /// - Parameter patch: grows if it is too small for `grid`.
    func read(_ plane: PlanarImage.Plane, _ grid: BlockGrid, into patch: inout [UInt8]) {
        prepare(grid, channels: 1, &patch)
        patch.withUnsafeMutableBufferPointer { patch in
            line.withUnsafeMutableBufferPointer { line in
                guard let patch = patch.baseAddress, let line = line.baseAddress else { return }
                for row in 0..<grid.rows.count {
                    let source = samples(of: plane, grid, row: row, into: line)
                    (patch + row * (grid.columns.count + 1)).update(from: source, count: grid.columns.count)
                }
            }
        }
    }

    /// Fills a patch with the same region of two planes of the same size, interleaved.
    ///
    /// - Parameter patch: grows if it is too small for `grid`.
    func read(
        _ first: PlanarImage.Plane, _ second: PlanarImage.Plane, _ grid: BlockGrid, into patch: inout [UInt8]
    ) {
        prepare(grid, channels: 2, &patch)
        let half = line.count / 2
        patch.withUnsafeMutableBufferPointer { patch in
            line.withUnsafeMutableBufferPointer { line in
                guard let patch = patch.baseAddress, let line = line.baseAddress else { return }
                for row in 0..<grid.rows.count {
                    kernels.interleave(
                        samples(of: first, grid, row: row, into: line),
                        samples(of: second, grid, row: row, into: line + half), grid.columns.count,
                        patch + row * (grid.columns.count + 1) * 2)
                }
            }
        }
    }

    private func prepare(_ grid: BlockGrid, channels: Int, _ patch: inout [UInt8]) {
        let count = grid.byteCount(channels: channels)
        if patch.count < count { patch = [UInt8](repeating: 0, count: count) }
        // The kernel works on 8 blocks at a time, also for the last one alone.
        let blocks = grid.columns.count + 8
        if line.count < 2 * blocks { line = [UInt8](repeating: 0, count: 2 * blocks) }
        let columns = (blocks + 8) * grid.blockWidth + 4
        if sums.count < columns { sums = [Float](repeating: 0, count: columns) }
    }

    /// The samples of one row of blocks: in the plane itself, or in a line, if they must be rounded or averaged.
    private func samples(
        of plane: PlanarImage.Plane, _ grid: BlockGrid, row: Int, into line: UnsafeMutablePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        let top = (grid.rows.lowerBound + row) * grid.blockHeight
        let left = grid.columns.lowerBound * grid.blockWidth
        guard grid.blockWidth > 1 || grid.blockHeight > 1 else {
            let source = plane.address(x: left, y: top)
            guard plane.depth > 8 else { return source.assumingMemoryBound(to: UInt8.self) }
            kernels.narrow(
                source.assumingMemoryBound(to: UInt16.self), grid.columns.count, Int32(plane.depth), line)
            return UnsafePointer(line)
        }
        let height = min(grid.blockHeight, plane.height - top)
        let width = min(grid.columns.count * grid.blockWidth, plane.width - left)
        let complete = width / grid.blockWidth
        sums.withUnsafeMutableBufferPointer { sums in
            guard let sums = sums.baseAddress else { return }
            Self.ones.prefix(height).withUnsafeBufferPointer { weights in
                plane.sumRows(x: left, y: top, width: width, weights: weights, into: sums, with: kernels)
            }
            kernels.average_blocks(
                sums, grid.blockWidth, complete, Int32(grid.blockWidth * height), line)
            // The plane ends within the last block.
            let rest = width - complete * grid.blockWidth
            if rest > 0 {
                kernels.average_blocks(
                    sums + complete * grid.blockWidth, rest, 1, Int32(rest * height), line + complete)
            }
        }
        return UnsafePointer(line)
    }
}
