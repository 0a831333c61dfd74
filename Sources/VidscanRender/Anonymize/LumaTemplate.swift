/// A small picture that is found again in a larger one by normalised cross-correlation, so that changes of brightness and
/// contrast do not matter: J. P. Lewis, "Fast Normalized Cross-Correlation", Industrial Light & Magic, 1995.
///
/// The sums are computed directly rather than by Fourier transform, because both pictures have a fixed small size.
struct LumaTemplate {
    /// Cells along a side.
    static let side = 24
    /// The most cells that it may have moved in the larger picture, in each direction.
    static let reach = 12
    static let windowSide = side + 2 * reach

    /// Correlation from which a place counts as found. With 0.5 to 0.7, the fewest of 1,600 frames of four clips were lost.
    private static let minimumScore: Float = 0.6
    /// Standard deviation in levels of 8 bits, below which there is nothing to find.
    private static let minimumContrast: Float = 2
    /// Taken off the score of a place at the largest distance along an axis, because along an edge all places score alike.
    private static let distancePenalty: Float = 0.02

    private typealias Block = SIMD8<Float>
    private static let rowBlocks = side / Block.scalarCount
    private static let count = Float(side * side)
    private static let minimumEnergy = minimumContrast * minimumContrast * count

    /// Row by row, less their mean.
    private let blocks: [Block]
    /// The sum of their squares.
    private let energy: Float

    /// `luma` are `side` × `side` cells, row by row. `nil` if they have too little contrast.
    init?(_ luma: [Float]) {
        let mean = luma.reduce(0, +) / Self.count
        blocks = stride(from: 0, to: luma.count, by: Block.scalarCount).map { start in
            Block(luma[start..<start + Block.scalarCount]) - mean
        }
        energy = blocks.reduce(Block.zero) { $0 + $1 * $1 }.sum()
        guard energy >= Self.minimumEnergy else { return nil }
    }

    /// Returns where it is in a picture of `windowSide` × `windowSide` cells, in cells from the middle; `nil` if no place is
    /// similar enough.
    func place(in window: [Float]) -> (x: Int, y: Int)? {
        precondition(window.count == Self.windowSide * Self.windowSide)
        // Small numbers have small errors of rounding.
        let mean = window.reduce(0, +) / Float(window.count)
        let centered = window.map { $0 - mean }
        var best: (score: Float, x: Int, y: Int)?
        centered.withUnsafeBytes { window in
            for y in -Self.reach...Self.reach {
                for x in -Self.reach...Self.reach {
                    let similarity = similarity(to: window, x + Self.reach, y + Self.reach)
                    guard similarity >= Self.minimumScore else { continue }
                    let distance = Float(x * x + y * y) / Float(Self.reach * Self.reach)
                    let score = similarity - Self.distancePenalty * distance
                    if score > best?.score ?? 0 { best = (score, x, y) }
                }
            }
        }
        return best.map { ($0.x, $0.y) }
    }

    /// The correlation with the cells whose first one is at `x`, `y` of a window; 0 where they have too little contrast.
    private func similarity(to window: UnsafeRawBufferPointer, _ x: Int, _ y: Int) -> Float {
        var (products, sums, squares) = (Block.zero, Block.zero, Block.zero)
        for row in 0..<Self.side {
            for block in 0..<Self.rowBlocks {
                let position = (y + row) * Self.windowSide + x + block * Block.scalarCount
                let cells = window.loadUnaligned(
                    fromByteOffset: position * MemoryLayout<Float>.stride, as: Block.self)
                products += blocks[row * Self.rowBlocks + block] * cells
                sums += cells
                squares += cells * cells
            }
        }
        let (sum, square) = (sums.sum(), squares.sum())
        let ownEnergy = square - sum * sum / Self.count
        return ownEnergy >= Self.minimumEnergy ? products.sum() / (ownEnergy * energy).squareRoot() : 0
    }
}
