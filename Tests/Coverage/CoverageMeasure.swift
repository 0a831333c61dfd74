internal import VidscanBase
internal import VidscanMedia

/// Compares a face with the same region of the video in which faces are hidden.
final class CoverageMeasure {
    private static let resolution = 64
    /// The side length in pixels of the cells that are compared.
    private static let cell = 8
    private let cropper = SquareCropper()
    private var planes = [Float](repeating: 0, count: 3 * resolution * resolution)

    /// Returns the share of a face's ellipse, 0…1, whose fine detail is still visible.
    ///
    /// Detail is the luma minus the mean of its neighbourhood. A cell counts as visible if it retains at least half of
    /// the original's detail. Cells without detail in the original are not counted.
    func visibleFraction(of box: Rectangle, original: SampledFrame, hidden: SampledFrame) throws -> Double {
        let (before, after) = (
            try detail(of: box, in: original, like: original), try detail(of: box, in: hidden, like: original)
        )
        let (cells, size) = (Self.resolution / Self.cell, original.geometry.displaySize)
        var (uncovered, counted) = (0, 0)
        for row in 0..<cells {
            for column in 0..<cells {
                let (u, v) = ((Double(column) + 0.5) / Double(cells), (Double(row) + 0.5) / Double(cells))
                let point = Point(x: box.x + u * box.width, y: box.y + v * box.height)
                let isInEllipse = (2 * u - 1) * (2 * u - 1) + (2 * v - 1) * (2 * v - 1) <= 1
                let isInPicture =
                    (0..<Double(size.width)).contains(point.x) && (0..<Double(size.height)).contains(point.y)
                guard isInEllipse, isInPicture else { continue }
                var (power, product) = (0.0, 0.0)
                for y in row * Self.cell..<(row + 1) * Self.cell {
                    for x in column * Self.cell..<(column + 1) * Self.cell {
                        let index = y * Self.resolution + x
                        power += before[index] * before[index]
                        product += before[index] * after[index]
                    }
                }
                guard power / Double(Self.cell * Self.cell) > Self.minimumPower else { continue }
                counted += 1
                if product / power >= 0.5 { uncovered += 1 }
            }
        }
        return counted > 0 ? Double(uncovered) / Double(counted) : 0
    }

    /// The minimum mean square of the detail, for luma in 0…255. Less is codec noise.
    private static let minimumPower = 1.0

    /// Returns the fine detail of the luma in a square around a box.
    ///
    /// - Parameter like: The frame whose display space the box is in.
    private func detail(of box: Rectangle, in frame: SampledFrame, like: SampledFrame) throws -> [Double] {
        let scale = Double(frame.geometry.displaySize.height) / Double(like.geometry.displaySize.height)
        let square = RotatedSquare(
            center: Point(x: box.center.x * scale, y: box.center.y * scale), side: max(box.width, box.height) * scale,
            angle: 0)
        let (side, area) = (Self.resolution, Self.resolution * Self.resolution)
        try planes.withUnsafeMutableBufferPointer { planes in
            guard let base = planes.baseAddress else { return }
            try cropper.crop(frame, square: square, resolution: side, into: base)
        }
        let luma = (0..<area).map { index in
            0.299 * Double(planes[index]) + 0.587 * Double(planes[area + index]) + 0.114
                * Double(planes[2 * area + index])
        }
        return (0..<area).map { index in
            let (x, y) = (index % side, index / side)
            var (sum, count) = (0.0, 0.0)
            for neighbour in max(0, y - 3)...min(side - 1, y + 3) {
                for position in max(0, x - 3)...min(side - 1, x + 3) {
                    sum += luma[neighbour * side + position]
                    count += 1
                }
            }
            return luma[index] - sum / count
        }
    }
}
