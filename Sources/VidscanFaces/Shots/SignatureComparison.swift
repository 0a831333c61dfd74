internal import CPixels

struct SignatureComparison: Sendable {
    private static let side = FrameSignature.side
    /// Maximum shift between the frames in cells, to allow for camera motion.
    private static let reach = 8

    /// 0 if one frame is the other one shifted or lit differently; about 0.5 to 1 if they have nothing in common.
    let structure: Double
    /// Fraction of pixels that differ in luma, 0…1, with tolerance for a small change of light.
    let light: Double
    /// Fraction of pixels whose colour differs, 0…1.
    let color: Double

    init(_ a: FrameSignature, _ b: FrameSignature) {
        structure = Self.structure(a.thumbnail, b.thumbnail)
        light = Self.lag(a.lumaHistogram, b.lumaHistogram)
        let common = zip(a.chromaHistogram, b.chromaHistogram).reduce(0) { $0 + min($1.0, $1.1) }
        color = Double(1 - min(common, 1))
    }

    /// Difference of content, 0…1.
    var total: Double { 0.62 * structure + 0.13 * light + 0.25 * color }

    /// An upper bound of ``structure``: the difference if nothing has moved.
    static func structureInPlace(_ a: FrameSignature, _ b: FrameSignature) -> Double {
        var (sumA, sumB, squareA, squareB, product): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
        for (a, b) in zip(a.thumbnail, b.thumbnail) {
            sumA += a
            sumB += b
            squareA += a * a
            squareB += b * b
            product += a * b
        }
        return 1 - correlation(sumA, sumB, squareA: squareA, squareB: squareB, product: product, x: 0, y: 0)
    }

    /// 1 − the maximum normalised correlation over all shifts, limited to 0…1.
    private static func structure(_ a: [Float], _ b: [Float]) -> Double {
        var best = -1.0
        var peak = (x: 0, y: 0)
        let coarse = ShiftedThumbnail(b, .coarse)
        for y in stride(from: -reach, through: reach, by: 2) {
            coarse.correlate(a, x: -reach, y: y, count: reach + 1) { x, value in
                if value > best { (best, peak) = (value, (x, y)) }
            }
        }
        let fine = ShiftedThumbnail(b, .fine)
        for y in peak.y - 1...peak.y + 1 {
            fine.correlate(a, x: peak.x - 1, y: y, count: 3) { _, value in best = max(best, value) }
        }
        return min(max(1 - best, 0), 1)
    }

    /// Correlates the overlapping parts if `b` is shifted by (x, y). Penalises long shifts, whose overlap is small.
    fileprivate static func correlation(
        _ sumA: Float, _ sumB: Float, squareA: Float, squareB: Float, product: Float, x: Int, y: Int
    ) -> Double {
        let count = Float((side - abs(x)) * (side - abs(y)))
        let varianceA = squareA / count - sumA / count * (sumA / count)
        let varianceB = squareB / count - sumB / count * (sumB / count)
        let covariance = product / count - sumA / count * (sumB / count)
        // With this floor, two flat frames are alike, but no other frame resembles a flat one.
        let floor: Float = 16
        let value = (covariance + floor) / ((varianceA + floor) * (varianceB + floor)).squareRoot()
        let shift = Double(x * x + y * y).squareRoot() / Double(side)
        return Double(value) - 0.25 * shift
    }

    /// Area between the cumulative histograms, at most 1, so that a small shift of light has a small effect.
    private static func lag(_ a: [Float], _ b: [Float]) -> Double {
        var (sum, area): (Float, Float) = (0, 0)
        for index in a.indices {
            sum += a[index] - b[index]
            area += abs(sum)
        }
        return min(1, Double(area) / 6)
    }
}

/// Arranges each row so that the cells that neighbouring shifts put on one cell of another thumbnail lie side by side.
private struct ShiftedThumbnail {
    /// 16 shifts to the right that are tested together, `step` cells from one to the next.
    struct Layout {
        let step: Int
        /// The cell at each position of a row; `nil` outside the thumbnail.
        let cells: [Int?]
        let inside: [Float]

        init(step: Int) {
            self.step = step
            // Each of `step` parts has every `step`-th cell, from right to left.
            let length = Self.stride / step
            cells = (0..<Self.stride).map { position in
                let cell = position / length + step * (length / 2 - 1 - position % length)
                return 0..<FrameSignature.side ~= cell ? cell : nil
            }
            inside = cells.map { $0 == nil ? 0 : 1 }
        }

        /// Length of a row.
        static let stride = 128

        /// Where the 16 cells begin that shifts by x, x + step… put on a column.
        func offset(column: Int, x: Int) -> Int32 {
            let length = Self.stride / step
            let cell = column - x
            // Steps of 2 start from an even shift, so that all cells are in one part.
            let part = cell & (step - 1)
            return Int32(part * length + length / 2 - 1 - (cell - part) / step)
        }

        static let coarse = Layout(step: 2), fine = Layout(step: 1)
    }

    private static let side = FrameSignature.side
    private static let kernels = vs_best_kernels().pointee
    private let layout: Layout
    private let rows: [Float]

    init(_ thumbnail: [Float], _ layout: Layout) {
        self.layout = layout
        var rows = [Float](repeating: 0, count: Self.side * Layout.stride)
        for (position, cell) in layout.cells.enumerated() {
            guard let cell else { continue }
            for row in 0..<Self.side { rows[row * Layout.stride + position] = thumbnail[row * Self.side + cell] }
        }
        self.rows = rows
    }

    /// Correlates a thumbnail with this one, shifted down by `y` and right by `x` and `count` − 1 more steps, at most
    /// 16 shifts of at most 9 in any direction; `x` is even with steps of 2. `use` receives the shift to the right.
    func correlate(_ other: [Float], x: Int, y: Int, count: Int, use: (Int, Double) -> Void) {
        let (side, stride) = (Self.side, Layout.stride)
        let offsets = (0..<side).map { layout.offset(column: $0, x: x) }
        let shared = max(0, y)..<min(side, side + y)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 5 * 16) { sums in
            guard let sums = sums.baseAddress else { return }
            other.withUnsafeBufferPointer { other in
                rows.withUnsafeBufferPointer { rows in
                    guard let other = other.baseAddress, let rows = rows.baseAddress else { return }
                    Self.kernels.add_shifts(
                        other + shared.lowerBound * side, shared.count, side,
                        rows + (shared.lowerBound - y) * stride, stride, offsets, layout.inside, sums)
                }
            }
            for shift in 0..<count {
                let right = x + shift * layout.step
                use(
                    right,
                    SignatureComparison.correlation(
                        sums[shift], sums[16 + shift], squareA: sums[32 + shift], squareB: sums[48 + shift],
                        product: sums[64 + shift], x: right, y: y))
            }
        }
    }
}
