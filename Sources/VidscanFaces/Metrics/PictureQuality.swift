internal import CPixels
package import VidscanBase

/// The visibility of a face, measured on the crop that the mesh model receives.
package struct PictureQuality: Sendable, Equatable {
    /// Mean luma over the face, 0 (black) to 100 (white).
    package let brightness: Double
    /// Variance of the Laplacian of luma 0…255 over the face scaled to a fixed size, 0 or more: Pech-Pacheco et al.,
    /// "Diatom autofocusing in brightfield microscopy", ICPR 2000.
    package let sharpness: Double

    /// - Parameter tensor: R', G', B' planes, 0…255, of a square 1.5 times as large as the face.
    package init(tensor: UnsafeBufferPointer<Float>, resolution: Int) {
        precondition(resolution >= 4)
        let center = Float(resolution) / 2
        // A disc of half the crop's size lies inside the face's outline for any shape of face.
        let radius = center * 0.5
        let size = PictureSize(width: resolution, height: resolution)
        let rows = Int(center - radius)..<Int(center + radius)
        var count: Float = 0, sum: Float = 0, edges: Float = 0, squaredEdges: Float = 0
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * resolution) { lines in
            guard let base = tensor.baseAddress, let line = lines.baseAddress else { return }
            let picture = TensorPicture(base: base, size: size, tensorSize: size)
            for row in rows.lowerBound - 1..<rows.upperBound + 1 {
                picture.writeLuma(ofRow: row, to: line + row % 3 * resolution)
                guard row > rows.lowerBound else { continue }
                let above = line + (row - 2) % 3 * resolution
                let middle = line + (row - 1) % 3 * resolution
                let below = line + row % 3 * resolution
                let dy = Float(row - 1) + 0.5 - center
                let reach = max(0, radius * radius - dy * dy).squareRoot()
                let columns = Int(center - reach)..<Int(center + reach)
                for column in columns {
                    let value = middle[column]
                    let edge = middle[column - 1] + middle[column + 1] + above[column] + below[column] - 4 * value
                    sum += value
                    edges += edge
                    squaredEdges += edge * edge
                }
                count += Float(columns.count)
            }
        }
        let mean = edges / max(count, 1)
        brightness = Double(sum / max(count, 1)) / 2.55
        sharpness = Double(max(0, squaredEdges / max(count, 1) - mean * mean))
    }
}

/// How bright and how sharp a frame is, so that a reader can tell why nothing was found in it.
package struct FrameQuality: Sendable, Equatable {
    /// Mean luma, 0 (black) to 100 (white).
    package var luma: Double
    /// As that of ``PictureQuality``, but over a frame whose size it depends on.
    package var sharpness: Double

    package init(luma: Double, sharpness: Double) {
        // Values must not depend on whether they have been stored.
        (self.luma, self.sharpness) = (Double(Float(luma)), Double(Float(sharpness)))
    }

    package init(_ image: TensorPicture) {
        let (width, height) = (image.size.width, image.size.height)
        var total = 0.0, edges = 0.0, squaredEdges = 0.0
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
        for x in stride(from: 1 + count / 8 * 8, to: width - 1, by: 1) {
            let edge = above[x] + below[x] + row[x - 1] + row[x + 1] - 4 * row[x]
            sum += edge
            squaredSum += edge * edge
        }
        return (sum, squaredSum)
    }

    private static let kernels = vs_best_kernels().pointee
}
