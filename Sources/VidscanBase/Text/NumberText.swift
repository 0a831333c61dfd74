package enum NumberText {
    /// Returns `0.35` or `604800`: without a fraction if whole, and without an exponent unless the text would be long
    /// (`1e-12`). Reading the text gives the same number.
    package static func plain(_ value: Double) -> String {
        if value.rounded() == value, abs(value) < 1e15 { return "\(Int64(value))" }
        let text = "\(value)"
        guard text.contains("e") else { return text }
        var fixed = fixed(value, decimals: 9)
        while fixed.hasSuffix("0") { fixed.removeLast() }
        return Double(fixed) == value ? fixed : text
    }

    package static func fixed(_ value: Double, decimals: Int) -> String {
        var writer = ByteWriter(reservingCapacity: 32)
        writer.write(value, decimals: decimals)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Returns at least this many digits.
    package static func hexadecimal(_ value: some BinaryInteger, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// `noun` is in the singular, and takes an s in the plural.
    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    package static func people(_ number: Int) -> String { number == 1 ? "1 person" : "\(number) people" }
}

package enum TimeText {
    /// Returns seconds with three decimals: `12.480`.
    package static func seconds(_ microseconds: Int64) -> String {
        NumberText.fixed(Double(microseconds) / 1e6, decimals: 3)
    }

    /// Returns hours, minutes and seconds: `1:02:05`, `2:05`.
    package static func clock(_ microseconds: Int64) -> String {
        let seconds = max(0, microseconds) / 1_000_000
        let padded = { (value: Int64) in value < 10 ? "0\(value)" : "\(value)" }
        let minutes = seconds / 60
        return minutes < 60
            ? "\(minutes):\(padded(seconds % 60))" : "\(minutes / 60):\(padded(minutes % 60)):\(padded(seconds % 60))"
    }
}
