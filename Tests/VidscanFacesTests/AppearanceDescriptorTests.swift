import Testing
import TestSupport
import VidscanBase
import VidscanFaces

@Suite("The appearance of a face")
struct AppearanceDescriptorTests {
    private static let size = PictureSize(width: 120, height: 90)

    /// A face whose hair and clothes are partly outside the picture for some positions.
    private static func face(x: Double, y: Double, side: Double) -> FaceDetection {
        let place = { (u: Double, v: Double) in Point(x: x + u * side, y: y + v * side) }
        return FaceDetection(
            box: Rectangle(x: x, y: y, width: side, height: side), confidence: 0.9,
            landmarks: FaceLandmarks(points: [
                place(0.3, 0.4), place(0.7, 0.35), place(0.5, 0.6), place(0.35, 0.8), place(0.7, 0.75),
            ]))
    }

    private static func describe(_ values: [Float], _ face: FaceDetection) throws -> AppearanceDescriptor {
        try values.withUnsafeBufferPointer {
            let base = try #require($0.baseAddress)
            return AppearanceDescriptor(TensorPicture(base: base, size: size, tensorSize: size), face: face)
        }
    }

    @Test("It depends on the part of the picture that is named, and on nothing else")
    func part() throws {
        var generator = SeededGenerator(seed: 1)
        let (width, height) = (Self.size.width, Self.size.height)
        let values = (0..<3 * width * height).map { _ in Float.random(in: 0...255, using: &generator) }
        let places: [(Double, Double, Double)] = [
            (40, 20, 30), (-20, -10, 60), (90, 60, 40), (10, 5, 100), (55, 44, 3),
        ]
        for (x, y, side) in places {
            let face = Self.face(x: x, y: y, side: side)
            let part = AppearanceDescriptor.part(describing: face, of: Self.size)
            try #require(part.rows.count == height && part.rows.contains(true) && part.rows.contains(false))
            let partial = values.indices.map {
                part.rows[$0 / width % height] && part.columns.contains($0 % width) ? values[$0] : 0
            }
            let whole = try Self.describe(values, face)
            let found = try Self.describe(partial, face)
            #expect(found == whole)
            // Where all of the person is in the picture, each row is needed.
            guard x == 40 else { continue }
            #expect(part.columns == 25..<85)
            for row in part.rows.indices where part.rows[row] {
                let other = values.indices.map { $0 / width % height == row ? 255 - values[$0] : values[$0] }
                let changed = try Self.describe(other, face)
                #expect(changed != whole, "row \(row)")
            }
        }
    }
}
