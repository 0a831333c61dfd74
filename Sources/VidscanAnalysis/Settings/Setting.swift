internal import VidscanMedia
internal import VidscanBase

/// The declaration of one setting: its name in a pipeline file, the values it takes, the options that set it on the command
/// line, its help, and where it is stored. The YAML reader, the JSON Schema, `pipelines/default.yaml`, `run.json`, the
/// command line, the man page and the completions all come from it.
public struct Setting: Sendable {
    public let section: SettingsSection
    /// Empty when the section is a single value.
    public let name: String
    public let kind: SettingKind
    public let options: [SettingOption]
    public let help: String
    /// The meaning of `null`; settings without one cannot be `null`.
    public let nullMeaning: String?
    /// Whether results depend on the setting. Only then does `run.json` record it, so that the run can be repeated.
    public let isRecorded: Bool
    /// The heading under which the command line's help lists the options.
    public private(set) var group: SettingGroup
    /// The path of the setting after which the help lists this one. By default, it follows the one declared before it.
    let follows: String?
    let get: @Sendable (Settings) -> SettingValue
    let set: @Sendable (SettingValue, inout Settings) -> Void

    /// `detect.accuracy`
    public var path: String { name.isEmpty ? section.rawValue : section.rawValue + "." + name }

    /// `--smoothing`, `--no-smoothing`
    public var optionNames: [String] { options.flatMap(\.names) }

    /// The default value in words; `nil` if there is nothing to say.
    public var defaultText: String? {
        if let nullMeaning { return nullMeaning }
        switch get(Settings(workers: 1)) {
        case .absent, .flag(false): return nil
        case .flag(true): return "true"
        case .integer(let value): return "\(value)"
        case .number(let value): return NumberText.plain(value)
        case .text(let text): return text
        case .list(let names): return names.joined(separator: ",")
        case .filters(let chain): return chain.text
        }
    }

    /// The help text, followed by the default.
    public var helpWithDefault: String { help + (defaultText.map { " Default: \($0)." } ?? "") }

    /// All settings, in the order of the data flow.
    public static let all = SettingsSection.allCases.flatMap(\.settings)

    public static func at(_ path: String) -> Setting? { byPath[path] }

    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
}

extension Setting {
    /// Creates a setting that is stored under a key path.
    ///
    /// - Parameters:
    ///   - kind: The values that it takes; by default, those of the stored type.
    ///   - null: The meaning of `null`, if `null` is allowed.
    init<Value: SettingType>(
        _ section: SettingsSection, _ name: String, _ storage: any WritableKeyPath<Settings, Value> & Sendable,
        _ kind: SettingKind = Value.settingKind, options: [SettingOption] = [], null: String? = nil,
        isRecorded: Bool = true, group: SettingGroup? = nil, follows: String? = nil, _ help: String
    ) {
        self.init(
            section, name, kind, options, null: null, isRecorded: isRecorded, group: group, follows: follows, help,
            get: { $0[keyPath: storage].settingValue },
            set: { if let value = Value(setting: $0) { $1[keyPath: storage] = value } })
    }

    init(
        _ section: SettingsSection, _ name: String, _ kind: SettingKind, _ options: [SettingOption],
        null: String? = nil, isRecorded: Bool = true, group: SettingGroup? = nil, follows: String? = nil,
        _ help: String,
        get: @escaping @Sendable (Settings) -> SettingValue,
        set: @escaping @Sendable (SettingValue, inout Settings) -> Void
    ) {
        self.section = section
        self.name = name
        self.kind = kind
        self.options = options
        nullMeaning = null
        self.isRecorded = isRecorded
        self.group = group ?? section.group
        self.follows = follows
        self.help = help
        self.get = get
        self.set = set
    }

    func inGroup(_ group: SettingGroup) -> Setting {
        var copy = self
        copy.group = group
        return copy
    }
}
