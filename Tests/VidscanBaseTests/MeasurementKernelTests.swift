import CPixels
import Testing
import TestSupport

/// Every expected value comes from a plain loop that adds in the order that the kernels promise, so that it must be equal to
/// the last bit.
@Suite("The loops that measure pictures")
struct MeasurementKernelTests {
    private static func numbers(_ count: Int, in range: ClosedRange<Float>, seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Float.random(in: range, using: &generator) }
    }

    @Test("Luma and Laplacians of a row have the same sums with every instruction set", arguments: [1, 7, 8, 9, 50])
    func edges(count: Int) throws {
        let planes = try (0..<3).map { try GuardedMemory(Self.numbers(count, in: 0...255, seed: 7 + UInt64($0))) }
        let luma = try PixelKernelTests.results(count + 8) { kernels, output in
            kernels.write_luma(planes[0].base, planes[1].base, planes[2].base, count, output, output + count)
        }
        var expected = (0..<count).map {
            planes[0].base[$0] * 0.299 + planes[1].base[$0] * 0.587 + planes[2].base[$0] * 0.114
        }
        let whole = count / 8 * 8
        expected += (0..<8).map { lane in stride(from: lane, to: whole, by: 8).reduce(0) { $0 + expected[$1] } }
        #expect(luma.allSatisfy { $0 == expected })

        let rows = try (0..<3).map { try GuardedMemory(Self.numbers(count + 2, in: 0...255, seed: 10 + UInt64($0))) }
        let sums = try PixelKernelTests.results(16) { kernels, output in
            kernels.laplacian(rows[0].base + 1, rows[1].base + 1, rows[2].base + 1, count, output, output + 8)
        }
        let laplacian = (1..<count + 1).map { x -> Float in
            let beside = rows[0].base[x] + rows[2].base[x] + rows[1].base[x - 1] + rows[1].base[x + 1]
            return beside - 4 * rows[1].base[x]
        }
        let lanes = (0..<16).map { lane in
            stride(from: lane % 8, to: whole, by: 8).reduce(Float(0)) {
                $0 + (lane < 8 ? laplacian[$1] : laplacian[$1] * laplacian[$1])
            }
        }
        #expect(sums.allSatisfy { $0 == lanes })
    }

    @Test(
        "Every second pixel gets its luma and its bins, without a look behind the last", arguments: [1, 7, 8, 9, 100])
    func classes(count: Int) throws {
        // Values out of range must not lead out of a histogram. Every fifth pixel is dark.
        let planes = try (0..<3).map { plane in
            let values = Self.numbers(2 * count - 1, in: -20...400, seed: 20 + UInt64(plane))
            return try GuardedMemory(values.enumerated().map { $0 / 2 % 5 == 3 ? abs($1) / 25 : $1 })
        }
        for kernels in PixelKernelTests.kernels {
            let luma = try GuardedMemory([Float](repeating: -1, count: count))
            let bins = try GuardedMemory([Int32](repeating: -1, count: 2 * count))
            kernels.classify(
                planes[0].base, planes[1].base, planes[2].base, count, luma.base, bins.base, bins.base + count)
            for pixel in 0..<count {
                let (r, g, b) = (planes[0].base[2 * pixel], planes[1].base[2 * pixel], planes[2].base[2 * pixel])
                let value = r * 0.299 + g * 0.587 + b * 0.114
                #expect(luma.base[pixel] == value)
                #expect(Int(bins.base[pixel]) == min(max(Int(value) >> 4, 0), 15))
                let amount = r + g + b
                let share = { (color: Float) in min(max(Int(2 * (color * (10 / amount))) - 2, 0), 9) }
                #expect(Int(bins.base[count + pixel]) == (amount > 60 ? share(r) * 10 + share(g) : 100))
            }
        }
    }

    @Test("Two pictures are summed where they overlap")
    func shifts() throws {
        let (rows, columns, stride) = (5, 7, 40)
        let first = Self.numbers(rows * columns, in: 0...255, seed: 31)
        let second = Self.numbers(rows * columns, in: 0...255, seed: 32)
        // From right to left, with room for shifts on both sides.
        var arranged = [Float](repeating: 0, count: rows * stride)
        var inside = [Float](repeating: 0, count: stride)
        for column in 0..<columns {
            inside[20 - column] = 1
            for row in 0..<rows { arranged[row * stride + 20 - column] = second[row * columns + column] }
        }
        // The shifts are -3, -2…12.
        let offsets = (0..<columns).map { Int32(20 - ($0 + 3)) }
        let sums = try PixelKernelTests.results(80) { kernels, output in
            kernels.add_shifts(first, rows, columns, arranged, stride, offsets, inside, output)
        }
        var expected = [Float](repeating: 0, count: 80)
        for shift in 0..<16 {
            for row in 0..<rows {
                for column in 0..<columns where 0..<columns ~= column - (shift - 3) {
                    let (p, q) = (first[row * columns + column], second[row * columns + column - (shift - 3)])
                    for (number, term) in [p, q, p * p, q * q, p * q].enumerated() {
                        expected[16 * number + shift] += term
                    }
                }
            }
        }
        #expect(sums.allSatisfy { $0 == expected })
    }
}
