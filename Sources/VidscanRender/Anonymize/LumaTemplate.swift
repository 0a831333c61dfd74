/// Template matching by normalised cross-correlation, which is invariant to brightness and contrast (J. P. Lewis, "Fast
/// Normalized Cross-Correlation", Industrial Light & Magic, 1995). At these fixed sizes, computing it directly is faster than
/// by Fourier transforms.
struct LumaTemplate {
    /// Cells along a side. In the larger picture, it may have moved by half of them in each direction.
    static let (side, windowSide) = (24, 48)
    private static let reach = (windowSide - side) / 2

    /// Correlation from which a place counts as found. At 0.5 and 0.6, faces left the cover in the fewest frames of four clips.
    private static let minimumScore: Float = 0.6
    /// Taken off per cell of distance, squared, because along an edge all places look alike.
    private static let distancePenalty: Float = 1e-4
    /// The sum of squares of a picture with a standard deviation of two levels; less is noise.
    private static let minimumEnergy = 4 * Float(side * side)
    private typealias Cells = SIMD8<Float>

    /// Row by row, less their mean.
    private let cells: [Cells]
    private let energy: Float

    /// `luma` are `side` × `side` cells, row by row. `nil` if they have too little contrast.
    init?(_ luma: [Float]) {
        let mean = luma.reduce(0, +) / Float(luma.count)
        cells = stride(from: 0, to: luma.count, by: 8).map { Cells(luma[$0..<$0 + 8]) - mean }
        energy = cells.reduce(Cells.zero) { $0 + $1 * $1 }.sum()
        guard energy >= Self.minimumEnergy else { return nil }
    }

    /// Returns where it is in `windowSide` × `windowSide` cells, from the middle; `nil` if no place is similar enough.
    func place(in window: [Float]) -> (x: Int, y: Int)? {
        var best: (score: Float, x: Int, y: Int)?
        window.withUnsafeBytes { window in
            for y in -Self.reach...Self.reach {
                for x in -Self.reach...Self.reach {
                    let similarity = similarity(to: window, x + Self.reach, y + Self.reach)
                    let score = similarity - Self.distancePenalty * Float(x * x + y * y)
                    if similarity >= Self.minimumScore, score > best?.score ?? 0 { best = (score, x, y) }
                }
            }
        }
        return best.map { ($0.x, $0.y) }
    }

    /// The correlation with a part of a window; 0 where it has too little contrast.
    private func similarity(to window: UnsafeRawBufferPointer, _ x: Int, _ y: Int) -> Float {
        var (products, sums, squares) = (Cells.zero, Cells.zero, Cells.zero)
        for (index, own) in cells.enumerated() {
            let (row, column) = (8 * index).quotientAndRemainder(dividingBy: Self.side)
            let offset = 4 * ((y + row) * Self.windowSide + x + column)
            let other = window.loadUnaligned(fromByteOffset: offset, as: Cells.self)
            products += own * other
            sums += other
            squares += other * other
        }
        let sum = sums.sum()
        let windowEnergy = squares.sum() - sum * sum / Float(Self.side * Self.side)
        return windowEnergy >= Self.minimumEnergy ? products.sum() / (windowEnergy * energy).squareRoot() : 0
    }
}
