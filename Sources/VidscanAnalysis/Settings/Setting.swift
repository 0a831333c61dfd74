internal import VidscanBase

/// The declaration of one setting: its name in a pipeline file, the values it takes, the options that set it on the command
/// line, its help, and where it is stored. The YAML reader, the JSON Schema, `pipelines/default.yaml`, `run.json`, the
/// command line, the man page and the completions all come from it.
package struct Setting: Sendable {
    /// The name of the section, which sets it.
    package fileprivate(set) var section = ""
    /// Empty when the section is a single value.
    package let name: String
    package let kind: SettingKind
    package let options: [SettingOption]
    package private(set) var help = ""
    /// The meaning of `null`; settings without one cannot be `null`.
    package private(set) var nullMeaning: String?
    /// Whether results depend on the setting. Only then does `run.json` record it, so that the run can be repeated.
    package private(set) var isRecorded = true
    /// The heading under which the command line's help lists the options.
    package fileprivate(set) var group: SettingGroup?
    /// The path of the setting after which the help lists this one. By default, it follows the one declared before it.
    private(set) var follows: String?
    package let get: @Sendable (Settings) -> SettingValue
    let set: @Sendable (SettingValue, inout Settings) -> Void

    /// `detect.accuracy`
    package var path: String { name.isEmpty ? section : section + "." + name }

    /// `--smoothing`, `--no-smoothing`
    package var optionNames: [String] { options.flatMap(\.names) }

    package var helpWithDefault: String {
        let value = get(Settings(workers: 1))
        let hasDefault = value != .absent && value != .flag(false)
        let words = nullMeaning ?? (hasDefault ? JSONValue(value).words : nil)
        return help + (words.map { " Default: \($0)." } ?? "")
    }

    package static let all = SettingsSection.all.flatMap(\.settings)

    package static func at(_ path: String) -> Setting? { byPath[path] }

    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
}

extension Setting {
    /// Creates a setting that is stored under a key path. By default, it takes the values of the stored type. `value`:
    /// its name in the help, if an option has the setting's own name. `null`: the meaning of `null`, if allowed.
    init<Value: SettingType>(
        _ name: String, _ storage: any WritableKeyPath<Settings, Value> & Sendable,
        _ kind: SettingKind = Value.settingKind, value: String? = nil, options: [SettingOption] = [],
        null: String? = nil, isRecorded: Bool = true, group: SettingGroup? = nil, follows: String? = nil
    ) {
        let named = value.map { SettingOption.value(name.replacing("_", with: "-"), $0) }
        self.init(
            name: name, kind: kind, options: (named.map { [$0] } ?? []) + options, nullMeaning: null,
            isRecorded: isRecorded, group: group, follows: follows, get: { $0[keyPath: storage].settingValue },
            set: { if let value = Value.from($0) { $1[keyPath: storage] = value } })
    }

    func help(_ text: String) -> Setting { changed { $0.help = text } }
    func inGroup(_ group: SettingGroup) -> Setting { changed { $0.group = group } }

    fileprivate func changed(_ change: (inout Setting) -> Void) -> Setting {
        var copy = self
        change(&copy)
        return copy
    }
}

package struct SettingOption: Sendable {
    package enum Form: Sendable {
        /// `--rate number`
        case value(name: String)
        /// `--force`: a flag that sets one value. `help`: the flag's help, if it differs from the setting's own.
        case flag(value: String, help: String?)
        /// `--audio` and `--no-audio`
        case onOff
    }

    /// The long name without the hyphens.
    package let long: String
    package let short: Character?
    package let form: Form

    package var names: [String] { if case .onOff = form { ["--" + long, "--no-" + long] } else { ["--" + long] } }

    static func value(_ long: String, _ value: String, short: Character? = nil) -> SettingOption {
        SettingOption(long: long, short: short, form: .value(name: value))
    }

    static func flag(
        _ long: String, short: Character? = nil, sets value: String = "true", _ help: String? = nil
    ) -> SettingOption { SettingOption(long: long, short: short, form: .flag(value: value, help: help)) }

    static func onOff(_ long: String) -> SettingOption { SettingOption(long: long, short: nil, form: .onOff) }
}

/// A heading in the command line's help.
package enum SettingGroup: String, Sendable, CaseIterable {
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

    package var settings: [Setting] {
        let settings = Setting.all.filter { $0.group == self }
        return (settings.filter { $0.follows == nil } + settings.filter { $0.follows != nil }).reduce(into: []) {
            list, setting in
            list.insert(setting, at: list.firstIndex { $0.path == setting.follows }.map { $0 + 1 } ?? list.count)
        }
    }
}

package struct SettingsSection: Sendable {
    package let name, help: String
    package let settings: [Setting]

    /// - Parameter group: The heading under which the command line's help lists the settings that name no other.
    init(_ name: String, _ help: String, group: SettingGroup, _ settings: [Setting]) {
        (self.name, self.help) = (name, help)
        self.settings = settings.map { setting in
            setting.changed {
                $0.section = name
                $0.group = setting.group ?? group
            }
        }
    }

    /// The setting that makes up the whole section, if the section is a single value.
    package var whole: Setting? { settings.first(where: \.name.isEmpty) }

    package static let all = [
        Settings.sampleSection, Settings.filtersSection, Settings.detectSection, Settings.trackSection,
        Settings.measureSection, Settings.speechSection, Settings.writeSection, Settings.Render.section,
        Settings.reportSection,
    ]

    /// `sample, filters, detect, …`
    static let names = all.map(\.name).joined(separator: ", ")
}
