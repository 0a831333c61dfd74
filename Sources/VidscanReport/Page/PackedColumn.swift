internal import CZlib
internal import VidscanBase

/// Whole numbers as their differences, split into bytes, all lowest bytes first. Neighbouring samples differ little, so
/// these compress well.
struct PackedColumn {
    /// Bytes per number: 1, 2, 4 or 8.
    let width: Int
    private(set) var bytes: [UInt8]

    init<Value: FixedWidthInteger & UnsignedInteger>(_ values: some Collection<Value>) {
        width = Value.bitWidth / 8
        bytes = []
        bytes.reserveCapacity(values.count * width)
        var folded: [Value] = []
        folded.reserveCapacity(values.count)
        var previous: Value = 0
        for value in values {
            let difference = value &- previous
            previous = value
            // Small differences of either sign become small: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …
            let isNegative = difference >> (Value.bitWidth - 1) == 1
            folded.append((difference << 1) ^ (isNegative ? Value.max : 0))
        }
        for byte in 0..<width { bytes.append(contentsOf: folded.map { UInt8(truncatingIfNeeded: $0 >> (8 * byte)) }) }
    }
}

struct Quantization: Encodable {
    /// Has code 1; code 0 is a missing number.
    let low: Double
    let step: Double
    let largest: Int

    init(_ range: ClosedRange<Double>, step: Double) {
        low = range.lowerBound
        self.step = step
        largest = Int(((range.upperBound - range.lowerBound) / step).rounded()) + 1
    }

    var isByte: Bool { largest <= Int(UInt8.max) }

    /// Clamps the number to the range.
    func code(_ value: Double?) -> UInt16 {
        guard let value, !value.isNaN else { return 0 }
        return UInt16(1 + min(max(((value - low) / step).rounded(), 0), Double(largest - 1)))
    }
}

/// The zlib format (RFC 1950), which browsers decompress.
enum Deflate {
    static func compress(_ bytes: [UInt8]) throws(VidscanError) -> [UInt8] {
        var size = compressBound(uLong(bytes.count))
        var compressed = [UInt8](repeating: 0, count: Int(size))
        guard compress2(&compressed, &size, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK else {
            throw VidscanError(.output, "not enough memory to compress the page's data", stage: .render)
        }
        compressed.removeLast(compressed.count - Int(size))
        return compressed
    }
}
