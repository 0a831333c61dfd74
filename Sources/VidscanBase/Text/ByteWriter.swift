/// Writes text with fixed decimals and without the locale, so that the same values give the same bytes everywhere.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(reservingCapacity capacity: Int = 1 << 16) { bytes.reserveCapacity(capacity) }

    package var count: Int { bytes.count }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
    package mutating func removeLast() { bytes.removeLast() }
    package mutating func write(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }
    package mutating func write(text: String) { bytes.append(contentsOf: text.utf8) }
    package mutating func write(byte: UInt8) { bytes.append(byte) }
    package mutating func write(bytes more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    package mutating func write(_ value: Int64) { write(scaled: value, decimals: 0) }

    /// Writes exactly `decimals` digits (0…9) after the point. Ties round away from zero. Never writes `-0`.
    ///
    /// - Precondition: `value` is finite.
    package mutating func write(_ value: Double, decimals: Int) {
        let scaled = (value * Self.powers[decimals]).rounded(.toNearestOrAwayFromZero)
        // Clamps values that do not fit.
        write(scaled: Int64(min(max(scaled, -9e18), 9e18)), decimals: decimals)
    }

    /// Writes a number in units of its last decimal: `(1234567, 6)` is `1.234567`.
    package mutating func write(scaled value: Int64, decimals: Int) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: UInt64(Self.powers[decimals]))
        writeDigits(whole, atLeast: 1)
        guard decimals > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        writeDigits(fraction, atLeast: decimals)
    }

    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    private mutating func writeDigits(_ value: UInt64, atLeast width: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = value
            var position = 20
            repeat {
                position -= 1
                digits[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0 || 20 - position < width
            bytes.append(contentsOf: digits[position...])
        }
    }
}
