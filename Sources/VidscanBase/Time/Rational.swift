/// A fraction with a positive denominator, not reduced: a time base, a sampling rate, a pixel aspect ratio.
public struct Rational: Sendable, Hashable, Codable {
    public let numerator: Int64
    public let denominator: Int64

    /// Returns `nil` if `denominator` is not positive.
    public init?(_ numerator: Int64, _ denominator: Int64) {
        guard denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    private init(unchecked numerator: Int64, _ denominator: Int64) {
        self.numerator = numerator
        self.denominator = denominator
    }

    public static let one = Rational(unchecked: 1, 1)

    /// A time in seconds.
    public init(microseconds: Int64) { self.init(unchecked: microseconds, 1_000_000) }

    public var value: Double { Double(numerator) / Double(denominator) }
}

extension Rational {
    private enum CodingKeys: String, CodingKey { case numerator, denominator }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let numerator = try values.decode(Int64.self, forKey: .numerator)
        let denominator = try values.decode(Int64.self, forKey: .denominator)
        guard let fraction = Rational(numerator, denominator) else {
            throw DecodingError.dataCorruptedError(
                forKey: .denominator, in: values, debugDescription: "a denominator must be positive")
        }
        self = fraction
    }
}

extension Rational: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(unchecked: value, 1) }
}

extension Rational: CustomStringConvertible {
    public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}
