internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

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

/// A setting that is written as text.
protocol SettingText: SettingType, LosslessStringConvertible {}

extension SettingText {
    var settingValue: SettingValue { .text(description) }
    static func from(_ value: SettingValue) -> Self? { value.text.flatMap { Self($0) } }
}

extension String: SettingText {
    static var settingKind: SettingKind { .text }
}

extension SampleGrid.Rate: SettingText {
    static var settingKind: SettingKind { .rate }
}

extension StickerOptions.CapInsets: SettingText {
    static var settingKind: SettingKind { .insets }
}

extension Optional: SettingType where Wrapped: SettingType {
    static var settingKind: SettingKind { Wrapped.settingKind }
    var settingValue: SettingValue { map(\.settingValue) ?? .absent }
    static func from(_ value: SettingValue) -> Wrapped?? {
        if value == .absent { return .some(nil) }
        guard let wrapped = Wrapped.from(value) else { return nil }
        return .some(wrapped)
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
    static func from(_ value: SettingValue) -> IDList? { value.list.map { IDList($0.compactMap { Int($0) }) } }
}

extension FilterChain: SettingType {
    static var settingKind: SettingKind { .filters }
    var settingValue: SettingValue { .filters(self) }
    static func from(_ value: SettingValue) -> FilterChain? {
        if case .filters(let chain) = value { chain } else { nil }
    }
}
