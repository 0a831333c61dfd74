/// The visibility of a face, measured on the crop that the mesh model receives.
public struct PictureQuality: Sendable, Equatable {
    /// The mean luma over the face, 0 (black) to 100 (white).
    public let brightness: Double
    /// The variance of the Laplacian of the luma over the face, 0 or more, with luma in 0…255 and the face scaled to a
    /// fixed size: Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy", ICPR 2000.
    public let sharpness: Double

    /// - Parameters:
    ///   - tensor: The R', G', B' planes, in 0…255, of a square crop 1.5 times as large as the face.
    ///   - resolution: The width and height of the crop in pixels.
    public init(tensor: UnsafeBufferPointer<Float>, resolution: Int) {
        let area = resolution * resolution
        let center = Float(resolution) / 2
        // A disc of half the crop's size lies inside the face's outline for any shape of face.
        let radius = center * 0.5
        func luma(_ index: Int) -> Float {
            0.299 * tensor[index] + 0.587 * tensor[index + area] + 0.114 * tensor[index + 2 * area]
        }
        var count: Float = 0
        var sum: Float = 0
        var edges: Float = 0
        var squaredEdges: Float = 0
        for row in Int(center - radius)..<Int(center + radius) {
            let dy = Float(row) + 0.5 - center
            let reach = max(0, radius * radius - dy * dy).squareRoot()
            for column in Int(center - reach)..<Int(center + reach) {
                let index = row * resolution + column
                let value = luma(index)
                let edge =
                    luma(index - 1) + luma(index + 1) + luma(index - resolution) + luma(index + resolution) - 4 * value
                count += 1
                sum += value
                edges += edge
                squaredEdges += edge * edge
            }
        }
        let mean = edges / max(count, 1)
        brightness = Double(sum / max(count, 1)) / 2.55
        sharpness = Double(max(0, squaredEdges / max(count, 1) - mean * mean))
    }
}
