/// Formats numbers as people write them.
package enum NumberText {
    /// Returns the number without an exponent, and without a fraction if it is whole: `0.35`, `604800`. A number that
    /// has no such text of reasonable length keeps its exponent: `1e-12`. The text gives the same number when it is read.
    package static func plain(_ value: Double) -> String {
        if value.rounded() == value, abs(value) < 1e15 { return "\(Int64(value))" }
        let text = "\(value)"
        guard text.contains("e") else { return text }
        var writer = ByteWriter(reservingCapacity: 32)
        writer.write(value, decimals: 9)
        var fixed = String(decoding: writer.bytes, as: UTF8.self)
        while fixed.hasSuffix("0") { fixed.removeLast() }
        return Double(fixed) == value ? fixed : text
    }

    /// Returns a number with a noun, in the plural unless the number is 1: `1 face`, `3 faces`.
    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
