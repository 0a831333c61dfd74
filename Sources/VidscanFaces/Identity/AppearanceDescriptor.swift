public import VidscanBase

/// The appearance of a face and its surroundings: a thumbnail of the face and the colours of hair and clothes. It is
/// enough to distinguish the people in one scene, but not to recognise a person elsewhere.
///
/// The numbers of 0…1 are stored as bytes, because the descriptor of every face in a video is kept until the end.
public struct AppearanceDescriptor: Sendable, Equatable {
    /// The width and height of the face's thumbnail in cells.
    static let side = 8
    static let lumaBins = 8
    static let chromaBins = 5
    static let regionLength = lumaBins + chromaBins * chromaBins
    /// The size of a descriptor in bytes.
    public static let byteCount = side * side + 2 * regionLength + 3

    /// The face's thumbnail, then hair, clothes, and the mean colour and brightness of the skin.
    public private(set) var bytes: [UInt8]

    /// - Parameter bytes: The bytes of another descriptor.
    /// - Returns: `nil` if the number of bytes is not `byteCount`.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// - Parameters:
    ///   - image: The whole frame, in a tensor.
    ///   - face: The face, in the tensor's pixels.
    public init(_ image: TensorPicture, face: FaceDetection) {
        bytes = []
        bytes.reserveCapacity(Self.byteCount)
        let box = face.box
        bytes += Self.portrait(image, face.landmarks)
        let faceLight = Self.meanColor(image, Self.area(of: box, left: 0.2, top: 0.35, right: 0.8, bottom: 0.75))
        let light = max((faceLight * TensorPicture.lumaWeights).sum(), 8)
        // The hair is above the face and beside its upper half.
        bytes += Self.region(
            image, Self.area(of: box, left: -0.15, top: -0.3, right: 1.15, bottom: 0.25), faceLight: light)
        bytes += Self.region(
            image, Self.area(of: box, left: -0.5, top: 1.2, right: 1.5, bottom: 2.2), faceLight: light)
        let shares = faceLight / max(faceLight.sum(), 1)
        bytes += [shares.x, shares.y, light / 255].map { Self.byte($0) }
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value * 255, 0), 255).rounded()) }

    private static func area(
        of box: Rectangle, left: Double, top: Double, right: Double, bottom: Double
    ) -> Rectangle {
        Rectangle(
            x: box.x + left * box.width, y: box.y + top * box.height, width: (right - left) * box.width,
            height: (bottom - top) * box.height)
    }

    /// Samples luma on a grid aligned to eyes and mouth, as deviations from its mean; 0.5 is the mean.
    private static func portrait(_ image: TensorPicture, _ marks: FaceLandmarks) -> [UInt8] {
        let eyes = Point(
            x: (marks.leftEye.x + marks.rightEye.x) / 2, y: (marks.leftEye.y + marks.rightEye.y) / 2)
        let mouth = Point(
            x: (marks.leftMouthCorner.x + marks.rightMouthCorner.x) / 2,
            y: (marks.leftMouthCorner.y + marks.rightMouthCorner.y) / 2)
        // The axis from eyes to mouth hardly changes when the head turns.
        let down = Point(x: mouth.x - eyes.x, y: mouth.y - eyes.y)
        let right = Point(x: down.y, y: -down.x)
        var values: [Float] = []
        values.reserveCapacity(side * side)
        for row in 0..<side {
            for column in 0..<side {
                let v = (Double(row) + 0.5) / Double(side) * 2.2 - 0.7
                let u = (Double(column) + 0.5) / Double(side) * 2.2 - 1.1
                let x = eyes.x + u * right.x + v * down.x
                let y = eyes.y + u * right.y + v * down.y
                let column = min(max(Int(min(max(x, -1), 1e6)), 0), image.size.width - 1)
                let line = min(max(Int(min(max(y, -1), 1e6)), 0), image.size.height - 1)
                values.append((image.color(x: column, y: line) * TensorPicture.lumaWeights).sum())
            }
        }
        let mean = values.reduce(0, +) / Float(values.count)
        let spread = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(values.count)).squareRoot()
        return values.map { byte(0.5 + ($0 - mean) / max(spread, 4) / 6) }
    }

    /// Returns the square roots of two normalised histograms: brightness relative to the face's, and colour. All values
    /// are 0 if too little of the region lies inside the frame.
    private static func region(_ image: TensorPicture, _ area: Rectangle, faceLight: Float) -> [UInt8] {
        let nothing = [UInt8](repeating: 0, count: regionLength)
        let inside = area.clamped(to: image.size)
        guard inside.area > 0.3 * area.area, inside.area >= 12 else { return nothing }
        var light = [Float](repeating: 0, count: lumaBins)
        var color = [Float](repeating: 0, count: chromaBins * chromaBins)
        var count: Float = 0
        forEachPixel(image, inside) { pixel in
            let luma = (pixel * TensorPicture.lumaWeights).sum()
            share(min(luma / faceLight, 1.99) / 2, among: lumaBins) { light[$0] += $1 }
            // The chromaticities of red and green are around a third.
            let shares = pixel / max(pixel.sum(), 24)
            share((shares.x - 0.15) / 0.45, among: chromaBins) { red, part in
                share((shares.y - 0.15) / 0.35, among: chromaBins) { color[red * chromaBins + $0] += part * $1 }
            }
            count += 1
        }
        guard count > 0 else { return nothing }
        return (light + color).map { byte(($0 / count).squareRoot()) }
    }

    /// Distributes a value of 0…1 over the two nearest bins, so that a small change of light has a small effect.
    private static func share(_ value: Float, among bins: Int, add: (Int, Float) -> Void) {
        let position = min(max(value, 0), 1) * Float(bins - 1)
        let lower = min(Int(position), bins - 2)
        let part = position - Float(lower)
        add(lower, 1 - part)
        add(lower + 1, part)
    }

    private static func meanColor(_ image: TensorPicture, _ area: Rectangle) -> SIMD3<Float> {
        var sum = SIMD3<Float>(0, 0, 0)
        var count: Float = 0
        forEachPixel(image, area.clamped(to: image.size)) {
            sum += $0
            count += 1
        }
        return sum / max(count, 1)
    }

    /// Calls `use` for at most some 24 × 24 evenly spaced pixels of an area.
    private static func forEachPixel(
        _ image: TensorPicture, _ area: Rectangle, _ use: (SIMD3<Float>) -> Void
    ) {
        let stepX = max(1, Int(area.width / 24))
        let stepY = max(1, Int(area.height / 24))
        let right = min(Int(area.x + area.width), image.size.width)
        let bottom = min(Int(area.y + area.height), image.size.height)
        for y in stride(from: max(Int(area.y), 0), to: bottom, by: stepY) {
            for x in stride(from: max(Int(area.x), 0), to: right, by: stepX) { use(image.color(x: x, y: y)) }
        }
    }
}
