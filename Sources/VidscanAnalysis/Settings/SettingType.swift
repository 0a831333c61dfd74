internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

protocol SettingType: Sendable {
    /// The values that a setting of this type takes, unless its declaration narrows them.
    static var settingKind: SettingKind { get }
    /// - Returns: `nil` if the value has another type.
    init?(setting value: SettingValue)
    var settingValue: SettingValue { get }
}

/// A setting that takes one of a fixed set of names.
protocol SettingChoice: SettingType, Hashable, RawRepresentable, CaseIterable where RawValue == String {}

extension SettingChoice {
    static var names: [String] { allCases.map(\.rawValue) }
    static var settingKind: SettingKind { .choice(names) }

    init?(setting value: SettingValue) {
        guard case .text(let name) = value else { return nil }
        self.init(rawValue: name)
    }

    var settingValue: SettingValue { .text(rawValue) }
}

extension Bool: SettingType {
    static var settingKind: SettingKind { .flag }

    init?(setting value: SettingValue) {
        guard case .flag(let flag) = value else { return nil }
        self = flag
    }

    var settingValue: SettingValue { .flag(self) }
}

extension Int: SettingType {
    static var settingKind: SettingKind { .integer(0...Int.max) }

    init?(setting value: SettingValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }

    var settingValue: SettingValue { .integer(self) }
}

extension Double: SettingType {
    static var settingKind: SettingKind { .number(SettingKind.positive) }

    init?(setting value: SettingValue) {
        guard case .number(let number) = value else { return nil }
        self = number
    }

    var settingValue: SettingValue { .number(self) }
}

/// Microseconds, which a pipeline file gives in seconds.
extension Int64: SettingType {
    static var settingKind: SettingKind { .time }

    init?(setting value: SettingValue) {
        guard case .number(let seconds) = value else { return nil }
        self = Int64((seconds * 1e6).rounded())
    }

    var settingValue: SettingValue { .number(Double(self) / 1e6) }
}

/// A setting that is written as text.
protocol SettingText: SettingType, LosslessStringConvertible {}

extension SettingText {
    init?(setting value: SettingValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }

    var settingValue: SettingValue { .text(description) }
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

    init?(setting value: SettingValue) {
        if value == .absent {
            self = .none
        } else {
            guard let wrapped = Wrapped(setting: value) else { return nil }
            self = .some(wrapped)
        }
    }

    var settingValue: SettingValue { map(\.settingValue) ?? .absent }
}

extension Array: SettingType where Element: SettingChoice {
    static var settingKind: SettingKind { .list(Element.names) }

    init?(setting value: SettingValue) {
        guard case .list(let names) = value else { return nil }
        self = names.compactMap(Element.init(rawValue:))
    }

    var settingValue: SettingValue { .list(map(\.rawValue)) }
}

extension Set: SettingType where Element: SettingChoice {
    static var settingKind: SettingKind { .list(Element.names) }

    init?(setting value: SettingValue) {
        guard case .list(let names) = value else { return nil }
        self = Set(names.compactMap(Element.init(rawValue:)))
    }

    var settingValue: SettingValue { .list(map(\.rawValue).sorted()) }
}

extension IDList: SettingType {
    static var settingKind: SettingKind { .ids }

    init?(setting value: SettingValue) {
        guard case .list(let words) = value else { return nil }
        self.init(words.compactMap { Int($0) })
    }

    var settingValue: SettingValue { .list(ids.sorted().map(String.init)) }
}

extension FilterChain: SettingType {
    static var settingKind: SettingKind { .filters }

    init?(setting value: SettingValue) {
        guard case .filters(let chain) = value else { return nil }
        self = chain
    }

    var settingValue: SettingValue { .filters(self) }
}
