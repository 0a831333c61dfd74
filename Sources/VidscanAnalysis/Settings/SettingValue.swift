internal import VidscanBase
public import VidscanMedia
internal import VidscanRender

/// The value of one key, whatever its type.
public enum SettingValue: Sendable, Equatable {
    /// Not set: what that means is the key's affair.
    case absent
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([String])
    case filters(FilterChain)
}

/// What a key takes, and how it reads and writes that.
public enum SettingKind: Sendable, Equatable {
    case flag
    case integer(ClosedRange<Int>)
    /// A lower bound just above 0 means that 0 is not allowed.
    case number(ClosedRange<Double>, unit: String?)
    case choice([String])
    /// Any of these names, each once.
    case list([String])
    /// Samples a second, or every frame.
    case rate
    /// Seconds, or `[hh:]mm:ss`.
    case time
    case text
    /// Four borders in pixels.
    case insets
    case filters

    static let everyFrame = "every-frame"
    static let positive = Double.leastNonzeroMagnitude...Double.greatestFiniteMagnitude

    /// What is allowed, in words.
    public var allowed: String {
        switch self {
        case .flag: "true or false"
        case .integer: "a whole number, \(range)"
        case .number(_, let unit): "a number, \(range)" + (unit.map { " \($0)" } ?? "")
        case .choice(let names): names.joined(separator: ", ")
        case .list(let names):
            names.count > 12 ? "a list of names, see 'vidscan schema'" : "a list of " + names.joined(separator: ", ")
        case .rate: "a positive number, a fraction such as 30000/1001, or \(Self.everyFrame)"
        case .time: "seconds or [hh:]mm:ss"
        case .text: "text"
        case .insets: "left,top,right,bottom in pixels"
        case .filters: "a list of filters, or a text in FFmpeg's syntax"
        }
    }

    /// `0 to 1`, `1 or more`, `positive`
    public var range: String {
        switch self {
        case .integer(let range):
            return range.upperBound == .max
                ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
        case .number(let range, _):
            if range == Self.positive { return "positive" }
            return NumberText.plain(range.lowerBound) + " to " + NumberText.plain(range.upperBound)
        default: return allowed
        }
    }

    /// Whether a value of the right type lies in the range.
    public func allows(_ value: SettingValue) -> Bool {
        switch (self, value) {
        case (_, .absent): true
        case (.flag, .flag), (.text, .text), (.filters, .filters): true
        case (.integer(let range), .integer(let value)): range.contains(value)
        case (.number(let range, _), .number(let value)): range.contains(value)
        case (.choice(let names), .text(let name)): names.contains(name)
        case (.insets, .text(let text)): StickerOptions.CapInsets(text) != nil
        case (.list(let names), .list(let chosen)): chosen.allSatisfy(names.contains)
        case (.rate, .text(let text)): text == Self.everyFrame || SampleRate.parse(text) != nil
        case (.time, .number(let seconds)): seconds >= 0
        default: false
        }
    }

    /// Reads a single word.
    ///
    /// - Parameter isQuoted: it is text, whatever it looks like.
    /// - Returns: `nil` when it is not of this type; the range has yet to be looked at.
    func read(_ text: String, isQuoted: Bool) -> SettingValue? {
        switch self {
        case .flag: return isQuoted ? nil : ["true": .flag(true), "false": .flag(false)][text]
        case .integer: return isQuoted ? nil : Int(text).map(SettingValue.integer)
        case .number:
            guard !isQuoted, let value = Double(text), value.isFinite, text.first?.isLetter != true else { return nil }
            return .number(value)
        case .choice, .text, .insets: return .text(text)
        case .list: return .list([text])
        case .rate:
            if text == Self.everyFrame { return .text(text) }
            return SampleRate.parse(text).map { .text($0.description) }
        case .time: return DecimalNumber.microseconds(text).map { .number(Double($0) / 1e6) }
        case .filters: return nil
        }
    }
}

/// A positive number of samples a second.
enum SampleRate {
    static func parse(_ text: String) -> Rational? {
        guard let rate = DecimalNumber.rational(text), rate.numerator > 0 else { return nil }
        return rate
    }
}
