/// A command-line option that sets a setting.
public struct SettingOption: Sendable {
    public enum Form: Sendable {
        /// `--rate number`
        case value(name: String)
        /// `--force`: a flag that sets one value.
        ///
        /// - Parameter help: The flag's help, if it differs from the setting's own.
        case flag(value: String, help: String?)
        /// `--audio` and `--no-audio`
        case onOff
    }

    /// The long name without the hyphens.
    public let long: String
    public let short: Character?
    public let form: Form

    public var names: [String] {
        if case .onOff = form { ["--" + long, "--no-" + long] } else { ["--" + long] }
    }

    /// - Parameter value: The name of the value in the help; by default, the option's own name.
    static func value(_ long: String, _ value: String? = nil, short: Character? = nil) -> SettingOption {
        SettingOption(long: long, short: short, form: .value(name: value ?? long))
    }

    static func flag(
        _ long: String, short: Character? = nil, sets value: String = "true", _ help: String? = nil
    ) -> SettingOption {
        SettingOption(long: long, short: short, form: .flag(value: value, help: help))
    }

    static func onOff(_ long: String) -> SettingOption { SettingOption(long: long, short: nil, form: .onOff) }
}

/// A heading in the command line's help.
public enum SettingGroup: String, Sendable, CaseIterable {
    case output = "What to write"
    case frames = "Which frames"
    case filters = "Which filters"
    case faces = "Which faces"
    case extras = "What else to make"
    case drawing = "What to draw"
    case hiding = "What to hide"
    case visibility = "Who stays visible"
    case encoding = "How to encode the video"
    case messages = "Messages"

    /// The settings of this group, in the order of the help.
    public var settings: [Setting] {
        Setting.all.filter { $0.group == self }.reduce(into: []) { list, setting in
            let leader = list.firstIndex { $0.path == setting.follows }
            list.insert(setting, at: leader.map { $0 + 1 } ?? list.count)
        }
    }
}
