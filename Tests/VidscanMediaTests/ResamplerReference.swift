import VidscanBase

/// The input tensor of a detector by definition, in double precision and without optimisation.
///
/// Every output pixel is the mean of the plane over the rectangle that it covers. Each sample is weighted by its share of the
/// rectangle, which is at least as wide as a sample (linear interpolation). Outside the border its samples are repeated. Then
/// Y'CbCr is converted to R'G'B' according to ITU-T H.273.
struct ResamplerReference {
    struct Layout {
        var size: PictureSize
        /// Luma pixels per chroma sample; 0 in a grey picture.
        var chromaX: Int
        var chromaY: Int
        /// Whether chroma lies on the left column of its block and not in the centre.
        var isChromaLeft: Bool
        var isFullRange: Bool
        /// Kr and Kb.
        var red: Double
        var blue: Double
        /// Bits of a sample; above 8 a sample takes two bytes.
        var depth = 8
    }

    let layout: Layout
    /// In 8-bit levels.
    private let planes: [[Double]]
    private let chromaSize: PictureSize

    init(_ bytes: [UInt8], layout: Layout) {
        self.layout = layout
        let samples = levels(ofSamples: bytes, depth: layout.depth)
        let luma = layout.size.width * layout.size.height
        guard layout.chromaX > 0 else {
            chromaSize = PictureSize(width: 0, height: 0)
            planes = [Array(samples.prefix(luma))]
            return
        }
        chromaSize = PictureSize(
            width: (layout.size.width + layout.chromaX - 1) / layout.chromaX,
            height: (layout.size.height + layout.chromaY - 1) / layout.chromaY)
        let chroma = chromaSize.width * chromaSize.height
        planes = [
            Array(samples[..<luma]), Array(samples[luma..<luma + chroma]),
            Array(samples[(luma + chroma)..<luma + 2 * chroma]),
        ]
    }

    /// R', G', B' of each output pixel.
    func pixels(_ target: PictureSize) -> [[Double]] {
        let scaleX = Double(layout.size.width) / Double(target.width)
        let scaleY = Double(layout.size.height) / Double(target.height)
        // The centre of the first chroma sample is half a pixel to the left of its pixels' middle.
        let shift = layout.isChromaLeft ? -Double(layout.chromaX - 1) / 2 : 0
        var result = [[Double]](repeating: [], count: 3)
        for row in 0..<target.height {
            for column in 0..<target.width {
                let x = (Double(column) + 0.5) * scaleX
                let y = (Double(row) + 0.5) * scaleY
                let luma = mean(planes[0], layout.size, x: x, y: y, width: scaleX, height: scaleY)
                var chroma = [128.0, 128]
                if planes.count == 3 {
                    chroma = [1, 2].map {
                        mean(
                            planes[$0], chromaSize, x: (x - shift) / Double(layout.chromaX),
                            y: y / Double(layout.chromaY), width: scaleX / Double(layout.chromaX),
                            height: scaleY / Double(layout.chromaY))
                    }
                }
                for (channel, value) in color(luma: luma, blue: chroma[0], red: chroma[1]).enumerated() {
                    result[channel].append(value)
                }
            }
        }
        return result
    }

    private func color(luma: Double, blue: Double, red: Double) -> [Double] {
        let (kr, kb) = (layout.red, layout.blue)
        let y = layout.isFullRange ? luma : (luma - 16) * 255 / 219
        let scale = layout.isFullRange ? 1 : 255.0 / 224
        let (cb, cr) = ((blue - 128) * scale, (red - 128) * scale)
        let r = y + 2 * (1 - kr) * cr
        let b = y + 2 * (1 - kb) * cb
        let g = (y - kr * r - kb * b) / (1 - kr - kb)
        return [r, g, b].map { min(max($0, 0), 255) }
    }

    private func mean(
        _ plane: [Double], _ size: PictureSize, x: Double, y: Double, width: Double, height: Double
    ) -> Double {
        let columns = shares(center: x, width: width, count: size.width)
        let rows = shares(center: y, width: height, count: size.height)
        var sum = 0.0
        for (row, rowShare) in rows {
            for (column, share) in columns { sum += plane[row * size.width + column] * share * rowShare }
        }
        return sum
    }

    /// The samples in an interval, and the share of the interval that each covers.
    private func shares(center: Double, width: Double, count: Int) -> [(Int, Double)] {
        let reach = max(width, 1) / 2
        let (low, high) = (center - reach, center + reach)
        return (Int(low.rounded(.down))..<Int(high.rounded(.up))).map { sample in
            let covered = min(Double(sample + 1), high) - max(Double(sample), low)
            return (min(max(sample, 0), count - 1), covered / (high - low))
        }
    }
}

/// Samples as levels of 8 bits, with a fraction if they are deeper; deeper ones are in little-endian order.
func levels(ofSamples bytes: [UInt8], depth: Int) -> [Double] {
    guard depth > 8 else { return bytes.map(Double.init) }
    return stride(from: 0, to: bytes.count, by: 2).map {
        Double(Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8) / Double(1 << (depth - 8))
    }
}
