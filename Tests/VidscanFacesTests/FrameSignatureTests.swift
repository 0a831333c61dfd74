import Testing
import TestSupport
import VidscanBase
import VidscanFaces

@Suite("The signature of a frame")
struct FrameSignatureTests {
    private static func picture(_ size: PictureSize, seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        // Dark areas, which have no colour, and bright ones.
        return (0..<3 * size.width * size.height).map {
            Float.random(in: 0...($0 / 50 % 3 == 0 ? 30 : 255), using: &generator)
        }
    }

    /// The same definition in plain loops, which add in the same order.
    private static func expected(_ values: [Float], _ size: PictureSize) -> [Float] {
        let (width, height, side) = (size.width, size.height, 24)
        var sums = [Float](repeating: 0, count: side * side)
        var counts = sums
        var luma = [Float](repeating: 0, count: 16)
        var chroma = [Float](repeating: 0, count: 100)
        var (across, down, total, steps, coloured) = (Float(0), Float(0), Float(0), Float(0), Float(0))
        var above = [Float](repeating: 0, count: width)
        for y in stride(from: 0, to: height, by: 2) {
            var left: Float = 0
            for x in stride(from: 0, to: width, by: 2) {
                let color = (0..<3).map { values[($0 * height + y) * width + x] }
                let value = color[0] * 0.299 + color[1] * 0.587 + color[2] * 0.114
                let cell = y * side / height * side + x * side / width
                sums[cell] += value
                counts[cell] += 1
                total += value
                luma[min(Int(value) / 16, 15)] += 1
                let amount = color[0] + color[1] + color[2]
                if amount > 60 {
                    let bins = color.map { min(max(Int(2 * ($0 * (10 / amount))) - 2, 0), 9) }
                    chroma[bins[0] * 10 + bins[1]] += 1
                    coloured += 1
                }
                if x > 0 && y > 0 {
                    across += abs(value - left)
                    down += abs(value - above[x])
                    steps += 1
                }
                left = value
                above[x] = value
            }
        }
        let pixels = counts.reduce(0, +)
        let cells = zip(sums, counts).map { $1 > 0 ? $0 / $1 : total / pixels }
        let middle = cells.reduce(0, +) / Float(cells.count)
        let variance = cells.reduce(0) { $0 + ($1 - middle) * ($1 - middle) } / Float(cells.count)
        return cells + luma.map { $0 / pixels } + chroma.map { coloured > 0 ? $0 / coloured : 0 } + [
            total / pixels, across / max(steps, 1), down / max(steps, 1), variance.squareRoot(),
        ]
    }

    @Test(
        "It equals plain loops to the last bit, for every size",
        arguments: [(1, 1), (2, 3), (1, 40), (37, 23), (47, 49), (160, 90), (341, 253)])
    func plainLoops(width: Int, height: Int) throws {
        let size = PictureSize(width: width, height: height)
        let values = Self.picture(size, seed: UInt64(width))
        let numbers = try values.withUnsafeBufferPointer {
            FrameSignature(TensorPicture(base: try #require($0.baseAddress), size: size, tensorSize: size)).numbers
        }
        #expect(numbers == Self.expected(values, size))
    }
}
