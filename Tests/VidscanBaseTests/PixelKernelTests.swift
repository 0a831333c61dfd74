import CPixels
import Testing
import TestSupport

@Suite("The loops over pixels")
struct PixelKernelTests {
    /// The instruction sets of this processor.
    static let kernels = [VS_BASELINE, VS_AVX2].compactMap { vs_kernels_for($0)?.pointee }
    private static let color = vs_color(
        luma_offset: 16, luma_scale: 255 / 219, red_from_cr: 1.793, green_from_cb: -0.213, green_from_cr: -0.533,
        blue_from_cb: 2.112)

    private static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Runs a closure with each instruction set; it fills floats. Returns what all of them gave.
    static func results(_ count: Int, _ body: (vs_kernels, UnsafeMutablePointer<Float>) throws -> Void) throws
        -> [[Float]]
    {
        try kernels.map { kernels in
            let output = try GuardedMemory([Float](repeating: -1, count: count))
            try body(kernels, output.base)
            return Array(UnsafeBufferPointer(start: output.base, count: count))
        }
    }

    @Test("The kernels for the processor's best instruction set are used")
    func best() throws {
        let best = vs_kernels_for(VS_AVX2) ?? vs_kernels_for(VS_BASELINE)
        #expect(vs_best_kernels() == best)
    }

    @Test("Rows of every width are summed exactly, without a look behind the last pixel", arguments: [1, -1])
    func rowSums(direction: Int) throws {
        for (width, rows) in [(1, 3), (31, 1), (63, 4), (64, 5), (65, 2), (127, 7), (300, 256)] {
            let pixels = Self.bytes(width * rows, seed: UInt64(width))
            let weights = rows == 256 ? [UInt16](repeating: 1, count: 256) : (0..<rows).map { UInt16(30 + $0) }
            let plane = try GuardedMemory(pixels)
            let first = direction > 0 ? 0 : rows - 1
            let sums = try Self.results(width) { kernels, output in
                kernels.sum_rows(plane.base + first * width, direction * width, width, weights, rows, output)
            }
            let expected = (0..<width).map { column in
                Float(
                    (0..<rows).reduce(0) {
                        $0 + Int(pixels[(first + direction * $1) * width + column]) * Int(weights[$1])
                    })
            }
            #expect(sums.allSatisfy { $0 == expected }, "\(rows) rows of \(width)")
        }
    }

    @Test("Rows of words are summed exactly, without a look behind the last pixel")
    func wideRowSums() throws {
        for (width, rows) in [(1, 2), (31, 1), (32, 4), (33, 5), (100, 7)] {
            var generator = SeededGenerator(seed: UInt64(width))
            let pixels = (0..<width * rows).map { _ in UInt16.random(in: 0...65535, using: &generator) }
            let weights = (0..<rows).map { UInt16(30 + $0) }
            let plane = try GuardedMemory(pixels)
            let sums = try Self.results(width) {
                $0.sum_wide_rows(plane.base, 2 * width, width, weights, rows, 0.25, $1)
            }
            let expected = (0..<width).map { column in
                Float((0..<rows).reduce(0) { $0 + Int(pixels[$1 * width + column]) * Int(weights[$1]) }) / 4
            }
            #expect(sums.allSatisfy { $0 == expected }, "\(rows) rows of \(width)")
        }
    }

    @Test("Deep samples are rounded to 8 bits, half up", arguments: [9, 10, 12, 16])
    func narrowed(depth: Int) throws {
        let deep = (0..<75).map { UInt16($0 * ((1 << depth) - 1) / 74) }
        let source = try GuardedMemory(deep)
        for kernels in Self.kernels {
            let target = try GuardedMemory([UInt8](repeating: 0, count: 75))
            kernels.narrow(source.base, 75, Int32(depth), target.base)
            for (index, value) in deep.enumerated() {
                let expected = (Double(value) / Double(1 << (depth - 8)) + 0.5).rounded(.down)
                #expect(Double(target.base[index]) == min(expected, 255))
            }
        }
    }

    @Test("Rows of floats have the same sums with every instruction set")
    func floatRows() throws {
        let source = try GuardedMemory(Self.bytes(3 * 75, seed: 1).map { Float($0) / 7 })
        let sums = try Self.results(75) { $0.sum_float_rows(source.base, 75, 75, [0.3, 0.6, 0.1], 3, $1) }
        #expect(sums.allSatisfy { $0 == sums[0] })
        for column in 0..<75 {
            let expected = 0.3 * source.base[column] + 0.6 * source.base[75 + column] + 0.1 * source.base[150 + column]
            #expect(abs(sums[0][column] - expected) < 1e-4)
        }
    }

    @Test("Blocks are averaged to the nearest level, half up", arguments: 1...21)
    func blocks(width: Int) throws {
        var generator = SeededGenerator(seed: 3)
        for height in [1, 2, 7, 256] {
            let columns = 13 * width
            let sums = (0..<16 * width + 3).map { _ in Float(Int.random(in: 0...255 * height, using: &generator)) }
            let source = try GuardedMemory(sums)
            for kernels in Self.kernels {
                let target = try GuardedMemory([UInt8](repeating: 0, count: 16))
                kernels.average_blocks(source.base, width, 13, Int32(width * height), target.base)
                for (block, first) in stride(from: 0, to: columns, by: width).enumerated() {
                    let total = sums[first..<first + width].reduce(0) { $0 + Int($1) }
                    #expect(Int(target.base[block]) == (total + width * height / 2) / (width * height))
                }
            }
        }
    }

    @Test("Interpolated samples and colours are the same with every instruction set")
    func samples() throws {
        let luma = try GuardedMemory(Self.bytes(41 * 31, seed: 5))
        let chroma = try GuardedMemory(Self.bytes(21 * 2 * 16, seed: 6))
        for (x, y, stepX, stepY) in [
            (0, 0, 65536, 0), (-90000, 70000, 51234, 12345), (2_500_000, 1_900_000, -9000, -70000),
        ] {
            let rows = try Self.results(3 * 45) { kernels, output in
                var (first, second) = (
                    vs_patch(
                        base: luma.base, stride: 41, width: 40, height: 30, x: Int32(x), y: Int32(y),
                        step_x: Int32(stepX), step_y: Int32(stepY)),
                    vs_patch(
                        base: chroma.base, stride: 42, width: 20, height: 15, x: Int32(x / 2), y: Int32(y / 2),
                        step_x: Int32(stepX / 2), step_y: Int32(stepY / 2))
                )
                var color = Self.color
                kernels.sample(&first, &second, 45, &color, output, output + 45, output + 90)
            }
            #expect(rows.allSatisfy { $0 == rows[0] })
            #expect(rows[0].allSatisfy { 0...255 ~= $0 })
        }
    }

    @Test("No map leads out of a patch", arguments: [Int32.min, -1, 1, Int32.max])
    func farAway(step: Int32) throws {
        // Two samples in two rows, and the margin.
        let luma = try GuardedMemory([UInt8]([10, 20, 0, 30, 40, 0, 0, 0, 0]))
        let chroma = try GuardedMemory([UInt8](repeating: 128, count: 18))
        for start in [Int32.min, -1, Int32.max] {
            let rows = try Self.results(3 * 40) { kernels, output in
                var (first, second) = (
                    vs_patch(
                        base: luma.base, stride: 3, width: 2, height: 2, x: start, y: start, step_x: step, step_y: step),
                    vs_patch(
                        base: chroma.base, stride: 6, width: 2, height: 2, x: start, y: start, step_x: step,
                        step_y: step)
                )
                var color = vs_color(
                    luma_offset: 0, luma_scale: 1, red_from_cr: 1, green_from_cb: 0, green_from_cr: 0, blue_from_cb: 1)
                kernels.sample(&first, &second, 40, &color, output, output + 40, output + 80)
            }
            #expect(rows.allSatisfy { $0 == rows[0] && $0.allSatisfy { 10...40 ~= $0 } })
            #expect(rows[0][0] == (start == .max ? 40 : 10))
        }
    }

    @Test("Colours are converted, clamped and transposed the same with every instruction set")
    func colors() throws {
        let planes = Self.bytes(3 * 77, seed: 9).map { Float($0) }
        let rows = try Self.results(3 * 77) { kernels, output in
            var color = Self.color
            planes.withUnsafeBufferPointer { planes in
                guard let base = planes.baseAddress else { return }
                kernels.convert(base, base + 77, base + 154, 77, &color, output, output + 77, output + 154)
            }
        }
        #expect(rows.allSatisfy { $0 == rows[0] })
        for pixel in 0..<77 {
            let (y, cb, cr) = ((planes[pixel] - 16) * 255 / 219, planes[77 + pixel] - 128, planes[154 + pixel] - 128)
            let expected = [y + 1.793 * cr, y - 0.213 * cb - 0.533 * cr, y + 2.112 * cb]
            for channel in 0..<3 {
                #expect(abs(rows[0][channel * 77 + pixel] - min(max(expected[channel], 0), 255)) < 1e-3)
            }
        }
        let turned = try Self.results(77 * 3) { $0.transpose(planes, 77, 3, 77, $1, 3) }
        let expected = (0..<77).flatMap { column in (0..<3).map { planes[$0 * 77 + column] } }
        #expect(turned.allSatisfy { $0 == expected })
    }

    @Test("Two rows are interleaved without a look behind their ends", arguments: [1, 15, 16, 33, 200])
    func interleaved(count: Int) throws {
        let first = try GuardedMemory(Self.bytes(count, seed: 11))
        let second = try GuardedMemory(Self.bytes(count, seed: 12))
        for kernels in Self.kernels {
            let target = try GuardedMemory([UInt8](repeating: 0, count: 2 * count))
            kernels.interleave(first.base, second.base, count, target.base)
            #expect(
                (0..<count).allSatisfy {
                    target.base[2 * $0] == first.base[$0] && target.base[2 * $0 + 1] == second.base[$0]
                })
        }
    }
}
