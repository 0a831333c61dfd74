internal import VidscanBase
package import VidscanMedia
internal import VidscanResults

package enum SettingValue: Sendable, Equatable {
    /// `null`; each setting defines what it means.
    case absent
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([String])
    case filters(FilterChain)

    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [String]? { if case .list(let items) = self { items } else { nil } }
}

/// The values that a setting takes, and how to read them.
package enum SettingKind: Sendable, Equatable {
    case flag
    case integer(ClosedRange<Int>)
    /// The range `positive` excludes 0.
    case number(ClosedRange<Double>, unit: String? = nil)
    case choice([String])
    /// One or more of these names.
    case list([String])
    /// One or more numbers from 1, each of them a face or a person.
    case ids
    case rate, time, text
    /// A path, relative to the pipeline file that names it.
    case file
    case folder
    case insets, filters

    /// The maximum number of names that a message lists, and of similar ones.
    private static let namesAtOnce = 12
    private static let nearNamesAtOnce = 5
    package static let positive = Double.leastNonzeroMagnitude...Double.greatestFiniteMagnitude

    package var isList: Bool { if case .list = self { true } else { self == .ids } }

    /// The names that the value, or an item of it, is one of, if they are few enough to be listed.
    package var listedValues: [String]? {
        switch self {
        case .choice(let names): names
        case .list(let names): names.count > Self.namesAtOnce ? nil : names
        default: nil
        }
    }

    package var allowed: String {
        switch self {
        case .flag: "true or false"
        case .integer(let range):
            "a whole number, \(range.lowerBound) " + (range.upperBound == .max ? "or more" : "to \(range.upperBound)")
        case .number(let range, let unit): "a number, " + Self.words(range) + (unit.map { " \($0)" } ?? "")
        case .choice(let names): names.joined(separator: ", ")
        case .list(let names):
            names.count > Self.namesAtOnce
                ? "a list of names, see 'vidscan schema'" : "a list of " + names.joined(separator: ", ")
        case .ids: "whole numbers from 1"
        case .rate: "a positive number, a fraction such as 30000/1001, or \(SampleGrid.Rate.everyFrame)"
        case .time: "seconds or [hh:]mm:ss"
        case .text: "text"
        case .file, .folder: "a path"
        case .insets: "left,top,right,bottom in pixels"
        case .filters: "a list of filters, or text in FFmpeg's syntax"
        }
    }

    private static func words(_ range: ClosedRange<Double>) -> String {
        if range == positive { return "positive" }
        return NumberText.plain(range.lowerBound) + " to " + NumberText.plain(range.upperBound)
    }

    package func allows(_ value: SettingValue) -> Bool {
        switch (self, value) {
        case (_, .absent): true
        case (.flag, .flag), (.text, .text), (.file, .text), (.folder, .text), (.filters, .filters): true
        case (.integer(let range), .integer(let value)): range.contains(value)
        case (.number(let range, _), .number(let value)): range.contains(value)
        case (.choice(let names), .text(let name)): names.contains(name)
        case (.insets, .text(let text)): StickerOptions.CapInsets(text) != nil
        case (.list(let names), .list(let chosen)): chosen.allSatisfy(names.contains)
        case (.ids, .list(let words)): words.allSatisfy { (Int($0) ?? 0) > 0 }
        case (.rate, .text(let text)): SampleGrid.Rate(text) != nil
        case (.time, .number(let seconds)): seconds >= 0
        default: false
        }
    }

    /// Reads a value from a word in a pipeline file or on the command line: a whole value, or one item of a list.
    /// `isQuoted`: whether the word is quoted, and therefore text even if it looks like a number.
    package func parse(_ word: String, isQuoted: Bool = false) throws(SettingsError) -> SettingValue {
        guard let value = read(word, isQuoted: isQuoted), allows(value) else {
            switch self {
            case .list(let names) where names.count > Self.namesAtOnce:
                let groups = names.filter(MetricChoice.groups.contains)
                let near = NearestName.near(word, among: names.filter { !groups.contains($0) })
                let listed = near.prefix(Self.nearNamesAtOnce) + groups
                let hint = groups.isEmpty ? nil : MetricChoice.hint(for: word)
                let words =
                    listed.isEmpty
                    ? "one of \(names.count) names"
                    : "\(listed.joined(separator: ", ")) and \(names.count - listed.count) more"
                throw SettingsError("allowed: \(words), see 'vidscan schema'\(hint ?? "")")
            case .choice(let names), .list(let names):
                throw SettingsError("allowed: \(allowed)\(NearestName.suggestion(for: word, among: names))")
            default: throw SettingsError("allowed: \(allowed)")
            }
        }
        return value
    }

    /// - Returns: `nil` if the word is not of this type; `allows` checks the range.
    private func read(_ text: String, isQuoted: Bool) -> SettingValue? {
        switch self {
        case .flag: return isQuoted ? nil : ["true": .flag(true), "false": .flag(false)][text]
        case .integer: return isQuoted ? nil : Int(text).map(SettingValue.integer)
        case .number:
            guard !isQuoted, let value = Double(text), value.isFinite, text.first?.isLetter != true else { return nil }
            return .number(value)
        case .choice, .text, .file, .folder, .insets: return .text(text)
        case .list, .ids: return .list([text])
        case .rate: return SampleGrid.Rate(text).map(\.settingValue)
        case .time: return DecimalNumber.microseconds(text).map { .number(Double($0) / 1e6) }
        case .filters: return nil
        }
    }
}

protocol SettingType: Sendable {
    /// The values that a setting of this type takes, unless its declaration narrows them.
    static var settingKind: SettingKind { get }
    var settingValue: SettingValue { get }
    /// - Returns: `nil` if the value has another type.
    static func from(_ value: SettingValue) -> Self?
}

/// A setting that takes one of a fixed set of names.
protocol SettingChoice: SettingType, Hashable, RawRepresentable, CaseIterable where RawValue == String {}

extension SettingChoice {
    static var names: [String] { allCases.map(\.rawValue) }
    static var settingKind: SettingKind { .choice(names) }
    var settingValue: SettingValue { .text(rawValue) }
    static func from(_ value: SettingValue) -> Self? { value.text.flatMap(Self.init(rawValue:)) }
}

extension Bool: SettingType {
    static var settingKind: SettingKind { .flag }
    var settingValue: SettingValue { .flag(self) }
    static func from(_ value: SettingValue) -> Bool? { if case .flag(let flag) = value { flag } else { nil } }
}

extension Int: SettingType {
    static var settingKind: SettingKind { .integer(0...Int.max) }
    var settingValue: SettingValue { .integer(self) }
    static func from(_ value: SettingValue) -> Int? { if case .integer(let number) = value { number } else { nil } }
}

extension Double: SettingType {
    static var settingKind: SettingKind { .number(SettingKind.positive) }
    var settingValue: SettingValue { .number(self) }
    static func from(_ value: SettingValue) -> Double? { value.number }
}

/// Microseconds, which a pipeline file gives in seconds.
extension Int64: SettingType {
    static var settingKind: SettingKind { .time }
    var settingValue: SettingValue { .number(Double(self) / 1e6) }
    static func from(_ value: SettingValue) -> Int64? { value.number.map { Int64(($0 * 1e6).rounded()) } }
}

protocol SettingText: SettingType, LosslessStringConvertible {}

extension SettingText {
    var settingValue: SettingValue { .text(description) }
    static func from(_ value: SettingValue) -> Self? { value.text.flatMap { Self($0) } }
}

extension String: SettingText { static var settingKind: SettingKind { .text } }
extension SampleGrid.Rate: SettingText { static var settingKind: SettingKind { .rate } }
extension StickerOptions.CapInsets: SettingText { static var settingKind: SettingKind { .insets } }

extension Optional: SettingType where Wrapped: SettingType {
    static var settingKind: SettingKind { Wrapped.settingKind }
    var settingValue: SettingValue { map(\.settingValue) ?? .absent }
    static func from(_ value: SettingValue) -> Wrapped?? {
        value == .absent ? .some(nil) : Wrapped.from(value).map(Optional.some)
    }
}

extension Array: SettingType where Element: SettingChoice {
    static var settingKind: SettingKind { .list(Element.names) }
    var settingValue: SettingValue { .list(map(\.rawValue)) }
    static func from(_ value: SettingValue) -> [Element]? { value.list?.compactMap(Element.init(rawValue:)) }
}

extension Set: SettingType where Element: SettingChoice {
    static var settingKind: SettingKind { .list(Element.names) }
    var settingValue: SettingValue { .list(map(\.rawValue).sorted()) }
    static func from(_ value: SettingValue) -> Set<Element>? { [Element].from(value).map { Set($0) } }
}

extension IDList: SettingType {
    static var settingKind: SettingKind { .ids }
    var settingValue: SettingValue { .list(ids.sorted().map(String.init)) }
    static func from(_ value: SettingValue) -> IDList? {
        value.list.map { IDList(ids: Set($0.compactMap { Int($0) })) }
    }
}

extension FilterChain: SettingType {
    static var settingKind: SettingKind { .filters }
    var settingValue: SettingValue { .filters(self) }
    static func from(_ value: SettingValue) -> FilterChain? {
        if case .filters(let chain) = value { chain } else { nil }
    }
}
