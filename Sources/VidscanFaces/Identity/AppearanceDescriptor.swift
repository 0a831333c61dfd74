package import VidscanBase

/// A thumbnail of a face and the colours of hair and clothes, which distinguish the people in one scene, but cannot
/// recognise a person elsewhere. Stored as bytes, because every face's descriptor is kept until the end.
package struct AppearanceDescriptor: Sendable, Equatable {
    /// Of the thumbnail, in cells.
    static let side = 8
    static let lumaBins = 8, chromaBins = 5
    static let regionLength = lumaBins + chromaBins * chromaBins
    package static let byteCount = side * side + 2 * regionLength + 3

    /// The face's thumbnail, then hair, clothes, and the mean colour and brightness of the skin.
    package private(set) var bytes: [UInt8]

    /// Fails unless there are `byteCount` bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// - Parameter image: The whole frame, in whose pixels the face is.
    package init(_ image: TensorPicture, face: FaceDetection) {
        bytes = []
        bytes.reserveCapacity(Self.byteCount)
        bytes += Self.portrait(image, face.landmarks)
        let faceLight = Self.meanColor(image, Self.area(Self.skin, of: face.box))
        let light = max((faceLight * TensorPicture.lumaWeights).sum(), 8)
        bytes += Self.region(image, Self.area(Self.hair, of: face.box), faceLight: light)
        bytes += Self.region(image, Self.area(Self.clothes, of: face.box), faceLight: light)
        let color = faceLight / max(faceLight.sum(), 1)
        bytes += [color.x, color.y, light / 255].map { Self.byte($0) }
    }

    /// Returns the part of a picture that the descriptor of a face, in the same pixels, reads.
    package static func part(describing face: FaceDetection, of size: PictureSize) -> PictureRegion {
        var part = PictureRegion(of: size)
        for pixel in portraitPixels(face.landmarks, size) { part.add(row: pixel.y, columns: pixel.x..<pixel.x + 1) }
        for area in [skin, hair, clothes] {
            let grid = PixelGrid(Self.area(area, of: face.box).clamped(to: size), size)
            for row in grid.rows { part.add(row: row, columns: grid.columnRange) }
        }
        return part
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value * 255, 0), 255).rounded()) }

    /// Edges of a part of the picture, as multiples of the face's width and height from its top left corner.
    private typealias Part = (left: Double, top: Double, right: Double, bottom: Double)
    private static let skin: Part = (0.2, 0.35, 0.8, 0.75)
    /// Above the face and beside its upper half.
    private static let hair: Part = (-0.15, -0.3, 1.15, 0.25)
    private static let clothes: Part = (-0.5, 1.2, 1.5, 2.2)

    private static func area(_ part: Part, of box: Rectangle) -> Rectangle {
        Rectangle(
            x: box.x + part.left * box.width, y: box.y + part.top * box.height,
            width: (part.right - part.left) * box.width, height: (part.bottom - part.top) * box.height)
    }

    /// Samples luma on a grid aligned to eyes and mouth, as deviations from its mean, which is 0.5.
    private static func portrait(_ image: TensorPicture, _ marks: FaceLandmarks) -> [UInt8] {
        let values = portraitPixels(marks, image.size).map {
            (image.color(x: $0.x, y: $0.y) * TensorPicture.lumaWeights).sum()
        }
        let mean = values.reduce(0, +) / Float(values.count)
        let spread = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(values.count)).squareRoot()
        return values.map { byte(0.5 + ($0 - mean) / max(spread, 4) / 6) }
    }

    private static func portraitPixels(_ marks: FaceLandmarks, _ size: PictureSize) -> [(x: Int, y: Int)] {
        let eyes = marks.leftEye.middle(marks.rightEye)
        // The axis from eyes to mouth changes little when the head turns.
        let down = marks.leftMouthCorner.middle(marks.rightMouthCorner) - eyes
        let right = Point(x: down.y, y: -down.x)
        return (0..<side * side).map { cell in
            let v = (Double(cell / side) + 0.5) / Double(side) * 2.2 - 0.7
            let u = (Double(cell % side) + 0.5) / Double(side) * 2.2 - 1.1
            let point = eyes + u * right + v * down
            let column = min(max(Int(min(max(point.x, -1), 1e6)), 0), size.width - 1)
            let line = min(max(Int(min(max(point.y, -1), 1e6)), 0), size.height - 1)
            return (x: column, y: line)
        }
    }

    /// Square roots of two histograms, brightness relative to the face's and colour; 0 if too little is in the frame.
    private static func region(_ image: TensorPicture, _ area: Rectangle, faceLight: Float) -> [UInt8] {
        let nothing = [UInt8](repeating: 0, count: regionLength)
        let inside = area.clamped(to: image.size)
        guard inside.area > 0.3 * area.area, inside.area >= 12 else { return nothing }
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: regionLength) { bins in
            bins.initialize(repeating: 0)
            guard let light = bins.baseAddress else { return nothing }
            let color = light + lumaBins
            var count: Float = 0
            let grid = PixelGrid(inside, image.size)
            for y in grid.rows {
                let row = image.row(y)
                for x in grid.columns {
                    let (r, g, b) = (row.red[x], row.green[x], row.blue[x])
                    let luma = (SIMD3(r, g, b) * TensorPicture.lumaWeights).sum()
                    let level = BinPosition(min(luma / faceLight, 1.99) / 2, among: lumaBins)
                    light[level.bin] += 1 - level.next
                    light[level.bin + 1] += level.next
                    let sum = max(r + g + b, 24)
                    let red = BinPosition((r / sum - 0.15) / 0.45, among: chromaBins)
                    let green = BinPosition((g / sum - 0.15) / 0.35, among: chromaBins)
                    let lower = color + red.bin * chromaBins + green.bin
                    lower[0] += (1 - red.next) * (1 - green.next)
                    lower[1] += (1 - red.next) * green.next
                    lower[chromaBins] += red.next * (1 - green.next)
                    lower[chromaBins + 1] += red.next * green.next
                    count += 1
                }
            }
            guard count > 0 else { return nothing }
            return bins.map { byte(($0 / count).squareRoot()) }
        }
    }

    /// A value of 0…1, distributed over the two nearest bins, so that a small change of light has a small effect.
    private struct BinPosition {
        let bin: Int
        /// Fraction for the bin that follows; the rest is for `bin`.
        let next: Float

        init(_ value: Float, among bins: Int) {
            let position = min(max(value, 0), 1) * Float(bins - 1)
            bin = min(Int(position), bins - 2)
            next = position - Float(bin)
        }
    }

    private static func meanColor(_ image: TensorPicture, _ area: Rectangle) -> SIMD3<Float> {
        var sum = SIMD3<Float>(0, 0, 0)
        var count: Float = 0
        let grid = PixelGrid(area.clamped(to: image.size), image.size)
        for y in grid.rows {
            for x in grid.columns {
                sum += image.color(x: x, y: y)
                count += 1
            }
        }
        return sum / max(count, 1)
    }

    /// At most some 24 × 24 evenly spaced pixels.
    private struct PixelGrid {
        let columns, rows: StrideTo<Int>
        let columnRange: Range<Int>

        init(_ area: Rectangle, _ size: PictureSize) {
            let right = min(Int(area.x + area.width), size.width)
            let bottom = min(Int(area.y + area.height), size.height)
            let left = max(Int(area.x), 0)
            columnRange = left..<max(left, right)
            columns = stride(from: left, to: right, by: max(1, Int(area.width / 24)))
            rows = stride(from: max(Int(area.y), 0), to: bottom, by: max(1, Int(area.height / 24)))
        }
    }
}
