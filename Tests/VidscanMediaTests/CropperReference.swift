import VidscanBase

/// A rotated square of a picture by definition, in double precision and without optimisation: BT.709 in video range.
///
/// First each plane is averaged in blocks of as many whole pixels as lie in a step of the tensor, at least one, and each
/// average is rounded to a level of 8 bits. Then every output is interpolated between the four samples around it. Outside the
/// border its samples are repeated.
struct CropperReference {
    private struct Plane {
        var samples: [Double]
        var width: Int
        var height: Int

        func at(_ x: Int, _ y: Int) -> Double {
            samples[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]
        }
    }

    private let planes: [Plane]
    private let chroma: (x: Int, y: Int)

    /// - Parameter chroma: luma pixels per chroma sample, whose first lies on the left column of its block; `nil` for grey.
    init(_ levels: [Double], size: PictureSize, chroma: (Int, Int)?) {
        self.chroma = chroma.map { (x: $0.0, y: $0.1) } ?? (x: 1, y: 1)
        let luma = size.width * size.height
        var planes = [Plane(samples: Array(levels.prefix(luma)), width: size.width, height: size.height)]
        if let chroma {
            let (width, height) = (
                (size.width + chroma.0 - 1) / chroma.0, (size.height + chroma.1 - 1) / chroma.1
            )
            for first in [luma, luma + width * height] {
                planes.append(
                    Plane(samples: Array(levels[first..<first + width * height]), width: width, height: height))
            }
        }
        self.planes = planes
    }

    /// R', G', B' of each pixel, plane by plane.
    func crop(_ square: RotatedSquare, resolution: Int) -> [Double] {
        let map = square.transform(resolution: resolution)
        let luma = sample(planes[0], map, resolution)
        let (x, y) = (Double(chroma.x), Double(chroma.y))
        let shifted = AffineTransform(
            xx: map.xx / x, xy: map.xy / x, x: (map.x + (x - 1) / 2) / x, yx: map.yx / y, yy: map.yy / y, y: map.y / y)
        let colors = planes.dropFirst().map { sample($0, shifted, resolution) }
        let neutral = [Double](repeating: 128, count: luma.count)
        let (blue, red) = colors.isEmpty ? (neutral, neutral) : (colors[0], colors[1])
        let (kr, kb) = (0.2126, 0.0722)
        var result = [[Double]](repeating: [], count: 3)
        for pixel in luma.indices {
            let level = (luma[pixel] - 16) * 255 / 219
            let r = level + 2 * (1 - kr) * (red[pixel] - 128) * 255 / 224
            let b = level + 2 * (1 - kb) * (blue[pixel] - 128) * 255 / 224
            let g = (level - kr * r - kb * b) / (1 - kr - kb)
            for (channel, value) in [r, g, b].enumerated() { result[channel].append(min(max(value, 0), 255)) }
        }
        return result.flatMap { $0 }
    }

    private func sample(_ plane: Plane, _ map: AffineTransform, _ resolution: Int) -> [Double] {
        let blockX = max(1, Int((map.xx * map.xx + map.xy * map.xy).squareRoot()))
        let blockY = max(1, Int((map.yx * map.yx + map.yy * map.yy).squareRoot()))
        let reduced = Self.averaged(plane, blockX, blockY)
        return (0..<resolution * resolution).map { index in
            let point = map.apply(
                to: Point(x: Double(index % resolution) + 0.5, y: Double(index / resolution) + 0.5))
            return Self.interpolated(reduced, point.x / Double(blockX) - 0.5, point.y / Double(blockY) - 0.5)
        }
    }

    private static func averaged(_ plane: Plane, _ blockX: Int, _ blockY: Int) -> Plane {
        let width = (plane.width + blockX - 1) / blockX
        let height = (plane.height + blockY - 1) / blockY
        var samples: [Double] = []
        for row in 0..<height {
            for column in 0..<width {
                let rows = row * blockY..<min((row + 1) * blockY, plane.height)
                let columns = column * blockX..<min((column + 1) * blockX, plane.width)
                let sum = rows.reduce(0.0) { sum, y in columns.reduce(sum) { $0 + plane.at($1, y) } }
                samples.append(min((sum / Double(rows.count * columns.count)).rounded(), 255))
            }
        }
        return Plane(samples: samples, width: width, height: height)
    }

    private static func interpolated(_ plane: Plane, _ x: Double, _ y: Double) -> Double {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let right = ((x - x.rounded(.down)) * 256).rounded(.down) / 256
        let lower = ((y - y.rounded(.down)) * 256).rounded(.down) / 256
        let upperRow = plane.at(left, top) * (1 - right) + plane.at(left + 1, top) * right
        let lowerRow = plane.at(left, top + 1) * (1 - right) + plane.at(left + 1, top + 1) * right
        return upperRow * (1 - lower) + lowerRow * lower
    }
}
