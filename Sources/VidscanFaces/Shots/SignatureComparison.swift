internal import Glibc

/// How much the pictures of two signatures differ.
struct SignatureComparison: Sendable {
    private static let side = FrameSignature.side
    /// Cells by which pictures may be shifted against each other: the camera moved.
    private static let reach = 8

    /// 0 when one picture is the other shifted, or lit otherwise; around 0.5 to 1 when they have nothing in common.
    let structure: Double
    /// Share of pixels that differ in luma, 0…1, allowing for a small change of light.
    let light: Double
    /// Share of pixels whose colour differs, 0…1.
    let color: Double

    init(_ a: FrameSignature, _ b: FrameSignature) {
        structure = Self.structure(a.thumbnail, b.thumbnail)
        light = Self.lag(a.lumaHistogram, b.lumaHistogram)
        color = Self.overlapLoss(a.chromaHistogram, b.chromaHistogram)
    }

    /// One number for "other content", 0…1.
    var total: Double { 0.62 * structure + 0.13 * light + 0.25 * color }

    /// 1 − the largest normalised correlation over all shifts.
    private static func structure(_ a: [Float], _ b: [Float]) -> Double {
        var best = -1.0
        a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                // Coarse first, then around the best.
                var place = (x: 0, y: 0)
                for y in stride(from: -reach, through: reach, by: 2) {
                    for x in stride(from: -reach, through: reach, by: 2) {
                        let value = correlation(a, b, x, y)
                        if value > best { (best, place) = (value, (x, y)) }
                    }
                }
                let center = place
                for y in center.y - 1...center.y + 1 {
                    for x in center.x - 1...center.x + 1 {
                        best = max(best, correlation(a, b, x, y))
                    }
                }
            }
        }
        return min(max(1 - best, 0), 1)
    }

    /// Of the parts that overlap when `b` is moved by (x, y); a little less for a long shift, whose overlap is small.
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
        // What is flat correlates with nothing, and two flat pictures are alike.
        let floor: Float = 16
        let value = (covariance + floor) / ((varianceA + floor) * (varianceB + floor)).squareRoot()
        let shift = Double(x * x + y * y).squareRoot() / Double(side)
        return Double(value) - 0.25 * shift
    }

    /// Half the area between cumulated histograms, so that a small shift of light counts little.
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
