/// A sampling rate as settings and files write it.
extension SampleGrid.Rate: LosslessStringConvertible {
    private static let everyFrameText = "every-frame"

    /// - Parameter description: `every-frame`, or a positive number such as `7.5` or `30000/1001`.
    public init?(_ description: String) {
        if description == Self.everyFrameText {
            self = .everyFrame
        } else if let rate = DecimalNumber.rational(description), rate.numerator > 0 {
            self = .perSecond(rate)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .everyFrame: Self.everyFrameText
        case .perSecond(let rate): rate.description
        }
    }
}

extension SampleGrid.Rate: Comparable {
    /// A greater rate selects more frames, and `everyFrame` is the greatest.
    public static func < (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.everyFrame, _): false
        case (.perSecond, .everyFrame): true
        case (.perSecond(let a), .perSecond(let b)):
            Int128(a.numerator) * Int128(b.denominator) < Int128(b.numerator) * Int128(a.denominator)
        }
    }
}

extension SampleGrid.Rate: Decodable {
    /// - Throws: `DecodingError` if the value is not the text of a rate.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let rate = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a number of samples per second")
        }
        self = rate
    }
}
