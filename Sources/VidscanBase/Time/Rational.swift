/// A fraction with a positive denominator, not reduced: a time base, a sampling rate, a pixel aspect ratio.
public struct Rational: Sendable, Hashable, Codable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    public let numerator, denominator: Int64

    /// Returns `nil` if `denominator` is not positive.
    public init?(_ numerator: Int64, _ denominator: Int64) {
        guard denominator > 0 else { return nil }
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    public static let one: Rational = 1

    /// A time in seconds.
    public init(microseconds: Int64) { (numerator, denominator) = (microseconds, 1_000_000) }

    public init(integerLiteral value: Int64) { (numerator, denominator) = (value, 1) }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        numerator = try values.decode(Int64.self, forKey: .numerator)
        denominator = try values.decode(Int64.self, forKey: .denominator)
        guard denominator > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .denominator, in: values, debugDescription: "a denominator must be positive")
        }
    }

    public var value: Double { Double(numerator) / Double(denominator) }
    public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

/// Parses numbers exactly: `7.5` is 15/2, not its nearest binary fraction.
package enum DecimalNumber {
    /// Parses `12`, `0.25`, `.5` or `30000/1001` exactly; `nil` for other text, negative numbers, more than nine digits
    /// after the point, and a numerator or denominator above 10⁹ (beyond which the sampling arithmetic could overflow).
    package static func rational(_ text: some StringProtocol) -> Rational? {
        if let slash = text.firstIndex(of: "/") {
            guard let numerator = integer(text[..<slash]), let denominator = integer(text[text.index(after: slash)...])
            else { return nil }
            return bounded(numerator, denominator)
        }
        let parts: [Substring] =
            String(text).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false) + [""]
        guard !(parts[0].isEmpty && parts[1].isEmpty), parts[1].count <= 9 else { return nil }
        var scale: Int64 = 1
        for _ in parts[1].utf8 { scale *= 10 }
        guard let whole = integer(parts[0].isEmpty ? "0" : parts[0]), whole <= limit,
            let fraction = integer(parts[1].isEmpty ? "0" : parts[1])
        else { return nil }
        let divisor = greatestCommonDivisor(whole * scale + fraction, scale)
        return bounded((whole * scale + fraction) / divisor, scale / divisor)
    }

    /// Parses seconds (`90`, `12.5`) or `[hh:]mm:ss[.fraction]` into microseconds; `nil` for other or negative text,
    /// and for minutes or seconds after a colon that are not below 60.
    package static func microseconds(_ text: some StringProtocol) -> Int64? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), let last = fields.last else { return nil }
        let parts = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        guard let seconds = integer(parts[0].isEmpty && !fraction.isEmpty ? "0" : parts[0]),
            seconds <= 1_000_000_000_000, fields.count == 1 || seconds < 60, fraction.count <= 9,
            let billionths = integer((fraction + "000000000").prefix(9))
        else { return nil }
        var whole: Int64 = 0
        for (index, field) in fields.dropLast().enumerated() {
            guard let value = integer(field), value <= 1_000_000, index == 0 || value < 60 else { return nil }
            whole = whole * 60 + value
        }
        return (whole * 60 + seconds) * 1_000_000 + billionths / 1000
    }

    private static let limit: Int64 = 1_000_000_000

    private static func integer(_ text: some StringProtocol) -> Int64? {
        (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    private static func bounded(_ numerator: Int64, _ denominator: Int64) -> Rational? {
        numerator <= limit && denominator <= limit ? Rational(numerator, denominator) : nil
    }

    private static func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }
}
