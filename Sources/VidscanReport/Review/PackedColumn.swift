/// A column of whole numbers as a page's script reads it: each number as its difference from the one before, split into
/// bytes, with all lowest bytes first. Neighbouring samples of a face differ little, so these bytes compress well.
struct PackedColumn {
    /// The number of bytes of each number in the page: 1, 2, 4 or 8.
    let width: Int
    private(set) var bytes: [UInt8]

    /// - Parameter values: Numbers of at most `width` bytes. Differences wrap around.
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
            // Small differences of either sign become small numbers: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …
            let isNegative = difference >> (Value.bitWidth - 1) == 1
            folded.append((difference << 1) ^ (isNegative ? Value.max : 0))
        }
        for byte in 0..<width { bytes.append(contentsOf: folded.map { UInt8(truncatingIfNeeded: $0 >> (8 * byte)) }) }
    }
}

/// The quantization of a number of a face for a page.
struct Quantization: Encodable {
    /// The smallest number.
    let low: Double
    let step: Double
    /// The largest code; code 0 is a missing number, and code 1 is `low`.
    let largest: Int

    /// - Parameters:
    ///   - range: The range of the numbers.
    ///   - step: Their resolution.
    init(_ range: ClosedRange<Double>, step: Double) {
        low = range.lowerBound
        self.step = step
        largest = Int(((range.upperBound - range.lowerBound) / step).rounded()) + 1
    }

    /// Whether the codes fit into one byte.
    var isByte: Bool { largest <= Int(UInt8.max) }

    /// - Returns: The code of a number, which is limited to the range.
    func code(_ value: Double?) -> UInt16 {
        guard let value, !value.isNaN else { return 0 }
        return UInt16(1 + min(max(((value - low) / step).rounded(), 0), Double(largest - 1)))
    }
}
