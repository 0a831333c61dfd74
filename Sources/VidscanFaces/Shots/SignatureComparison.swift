internal import Glibc

/// The difference of two frames, from their signatures.
struct SignatureComparison: Sendable {
    private static let side = FrameSignature.side
    /// The maximum shift between the frames, in cells, to allow for camera motion.
    private static let reach = 8

    /// The difference of structure: 0 if one frame is the other one shifted or lit differently; around 0.5 to 1 if they
    /// have nothing in common.
    let structure: Double
    /// The fraction of pixels that differ in luma, 0…1, with tolerance for a small change of light.
    let light: Double
    /// The fraction of pixels whose colour differs, 0…1.
    let color: Double

    init(_ a: FrameSignature, _ b: FrameSignature) {
        structure = Self.structure(a.thumbnail, b.thumbnail)
        light = Self.lag(a.lumaHistogram, b.lumaHistogram)
        color = Self.overlapLoss(a.chromaHistogram, b.chromaHistogram)
    }

    /// The total difference of content, 0…1.
    var total: Double { 0.62 * structure + 0.13 * light + 0.25 * color }

    /// Returns 1 − the maximum normalised correlation over all shifts, limited to 0…1.
    private static func structure(_ a: [Float], _ b: [Float]) -> Double {
        var best = -1.0
        a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                // Search coarsely first, then around the maximum.
                var peak = (x: 0, y: 0)
                for y in stride(from: -reach, through: reach, by: 2) {
                    for x in stride(from: -reach, through: reach, by: 2) {
                        let value = correlation(a, b, x, y)
                        if value > best { (best, peak) = (value, (x, y)) }
                    }
                }
                let center = peak
                for y in center.y - 1...center.y + 1 {
                    for x in center.x - 1...center.x + 1 {
                        best = max(best, correlation(a, b, x, y))
                    }
                }
            }
        }
        return min(max(1 - best, 0), 1)
    }

    /// Returns the correlation of the overlapping parts if `b` is shifted by (x, y), with a penalty for long shifts,
    /// whose overlap is small.
    private static func correlation(
        _ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>, _ x: Int, _ y: Int
    ) -> Double {
        let columns = max(0, x)..<min(side, side + x)
        let rows = max(0, y)..<min(side, side + y)
        var (sumA, sumB, squareA, squareB, product): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
        for row in rows {
            let first = row * side
            let second = (row - y) * side - x
            for column in columns {
                let p = a[first + column]
                let q = b[second + column]
                sumA += p
                sumB += q
                squareA += p * p
                squareB += q * q
                product += p * q
            }
        }
        let count = Float(columns.count * rows.count)
        let varianceA = squareA / count - sumA / count * (sumA / count)
        let varianceB = squareB / count - sumB / count * (sumB / count)
        let covariance = product / count - sumA / count * (sumB / count)
        // With this floor, a flat frame does not correlate with others, but two flat frames are alike.
        let floor: Float = 16
        let value = (covariance + floor) / ((varianceA + floor) * (varianceB + floor)).squareRoot()
        let shift = Double(x * x + y * y).squareRoot() / Double(side)
        return Double(value) - 0.25 * shift
    }

    /// Returns the area between the cumulative histograms, scaled to at most 1, so that a small shift of light has a
    /// small effect.
    private static func lag(_ a: [Float], _ b: [Float]) -> Double {
        var (sum, area): (Float, Float) = (0, 0)
        for index in a.indices {
            sum += a[index] - b[index]
            area += abs(sum)
        }
        return min(1, Double(area) / 6)
    }

    private static func overlapLoss(_ a: [Float], _ b: [Float]) -> Double {
        var common: Float = 0
        for index in a.indices { common += min(a[index], b[index]) }
        return Double(1 - min(common, 1))
    }
}
