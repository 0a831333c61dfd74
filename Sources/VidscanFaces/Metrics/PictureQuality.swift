internal import VidscanBase

/// The visibility of a face, measured on the crop that the mesh model receives.
public struct PictureQuality: Sendable, Equatable {
    /// Mean luma over the face, 0 (black) to 100 (white).
    public let brightness: Double
    /// Variance of the Laplacian of luma 0…255 over the face scaled to a fixed size, 0 or more: Pech-Pacheco et al.,
    /// "Diatom autofocusing in brightfield microscopy", ICPR 2000.
    public let sharpness: Double

    /// - Parameter tensor: R', G', B' planes, 0…255, of a square 1.5 times as large as the face, at least 4 pixels
    ///   wide.
    public init(tensor: UnsafeBufferPointer<Float>, resolution: Int) {
        precondition(resolution >= 4)
        let center = Float(resolution) / 2
        // A disc of half the crop's size lies inside the face's outline for any shape of face.
        let radius = center * 0.5
        let size = PictureSize(width: resolution, height: resolution)
        let rows = Int(center - radius)..<Int(center + radius)
        var count: Float = 0
        var sum: Float = 0
        var edges: Float = 0
        var squaredEdges: Float = 0
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
