internal import CPixels
public import VidscanBase

/// How bright and how sharp a frame is, so that a reader can tell why nothing was found in it.
public struct FrameQuality: Sendable, Equatable {
    /// Mean luma, 0 (black) to 100 (white).
    public var luma: Double
    /// Variance of the Laplacian of luma 0…255, 0 or more (Pech-Pacheco et al., "Diatom autofocusing in brightfield
    /// microscopy", ICPR 2000). It depends on the size of the picture.
    public var sharpness: Double

    public init(luma: Double, sharpness: Double) {
        // Values must not depend on whether they have been stored.
        self.luma = Double(Float(luma))
        self.sharpness = Double(Float(sharpness))
    }

    public init(_ image: TensorPicture) {
        let (width, height) = (image.size.width, image.size.height)
        var total = 0.0
        var edges = 0.0
        var squaredEdges = 0.0
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * width) { rows in
            guard let base = rows.baseAddress else { return }
            for y in 0..<height {
                total += Double(image.writeLuma(ofRow: y, to: base + y % 3 * width))
                guard y >= 2 else { continue }
                let sums = Self.laplacian(
                    above: base + (y - 2) % 3 * width, base + (y - 1) % 3 * width, below: base + y % 3 * width, width)
                edges += Double(sums.edges)
                squaredEdges += Double(sums.squaredEdges)
            }
        }
        // The pixels of the border have no Laplacian.
        let count = Double(max((width - 2) * (height - 2), 1))
        let mean = edges / count
        self.init(luma: total / Double(width * height) / 2.55, sharpness: max(0, squaredEdges / count - mean * mean))
    }

    /// Sums of the Laplacian and of its square over a row, in a fixed order.
    private static func laplacian(
        above: UnsafePointer<Float>, _ row: UnsafePointer<Float>, below: UnsafePointer<Float>, _ width: Int
    ) -> (edges: Float, squaredEdges: Float) {
        let count = max(width - 2, 0)
        var lanes = (edges: SIMD8<Float>.zero, squaredEdges: SIMD8<Float>.zero)
        withUnsafeMutableBytes(of: &lanes) { lanes in
            // Twice eight floats.
            guard let lanes = lanes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            kernels.laplacian(above + 1, row + 1, below + 1, count, lanes, lanes + 8)
        }
        var (sum, squaredSum) = (lanes.edges.sum(), lanes.squaredEdges.sum())
        var x = 1 + count / 8 * 8
        while x + 1 < width {
            let edge = above[x] + below[x] + row[x - 1] + row[x + 1] - 4 * row[x]
            sum += edge
            squaredSum += edge * edge
            x += 1
        }
        return (sum, squaredSum)
    }

    private static let kernels = vs_best_kernels().pointee
}
