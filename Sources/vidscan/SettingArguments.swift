internal import ArgumentParser
internal import VidscanAnalysis

/// A group of settings whose options a command accepts, under one heading of its help.
protocol SettingSelection {
    static var group: SettingGroup { get }
    /// Help that replaces that of a setting, by the setting's path.
    static var help: [String: String] { get }
}

extension SettingSelection {
    static var title: String { group.rawValue }
    static var help: [String: String] { [:] }
}

enum OutputSettings: SettingSelection { static let group = SettingGroup.output }

/// A batch keeps its journal with the results, so it needs a folder.
enum BatchOutputSettings: SettingSelection {
    static let group = SettingGroup.output
    static let help = [
        "write.folder": "Folder for the results and the journal. Required, unless the pipeline names it.",
        "write.replace":
            "Analyse all files again, also those that are done, and replace results that are not from this batch.",
    ]
}

enum FrameSettings: SettingSelection { static let group = SettingGroup.frames }
enum FaceSettings: SettingSelection { static let group = SettingGroup.faces }
enum ExtraSettings: SettingSelection { static let group = SettingGroup.extras }
enum DrawingSettings: SettingSelection { static let group = SettingGroup.drawing }
enum HidingSettings: SettingSelection { static let group = SettingGroup.hiding }
enum VisibilitySettings: SettingSelection { static let group = SettingGroup.visibility }
enum EncodingSettings: SettingSelection { static let group = SettingGroup.encoding }
enum MessageSettings: SettingSelection { static let group = SettingGroup.messages }

/// The options of a group of settings, made from the declarations of the settings.
///
/// The parser finds the options of a type by reflection, and reads their values through the type's decoder. Therefore,
/// this type reflects one option or flag for each one that a setting declares, and decodes the values into overrides.
struct SettingArguments<Selection: SettingSelection>: ParsableArguments, CustomReflectable {
    /// The overrides in the order of the help. If options of one setting contradict each other, the last one wins.
    private(set) var overrides: [ResolvedSettings.Override] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        for setting in Selection.group.settings {
            for option in setting.options {
                if let (value, name) = try option.decode(setting, from: values) {
                    overrides.append(ResolvedSettings.Override(setting, value, option: name))
                }
            }
        }
    }

    var customMirror: Mirror {
        let options = Selection.group.settings.flatMap { setting in
            setting.options.map {
                (label: String?.some($0.long), value: $0.definition(setting, help: Selection.help[setting.path]))
            }
        }
        return Mirror(self, children: options)
    }

    func validate() throws {
        // Options of one setting, such as --every-frame and --rate, contradict each other.
        for given in Dictionary(grouping: overrides, by: \.setting.path).values where given.count > 1 {
            throw ValidationError("\(given.map(\.option).joined(separator: " and ")) cannot be used together.")
        }
    }

    /// Returns whether an option overrides the setting.
    func sets(_ path: String) -> Bool { overrides.contains { $0.setting.path == path } }
}

/// The key of an option: its name.
private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

extension SettingOption {
    /// Returns the option or flag that describes this option to the parser.
    ///
    /// - Parameter text: Help that replaces that of the setting.
    fileprivate func definition(_ setting: Setting, help text: String?) -> Any {
        let names: NameSpecification =
            short.map { [.customLong(long), .customShort($0)] } ?? .customLong(long)
        switch form {
        case .value where setting.kind.isList:
            return Option<[SettingValue]>(
                wrappedValue: [], name: names, parsing: .singleValue, help: .of(setting, text: text),
                completion: setting.completion
            ) { word in
                do {
                    return try setting.kind.parse(word: word)
                } catch {
                    throw ValidationError("\(error)")
                }
            }
        case .value:
            return Option<SettingValue?>(
                wrappedValue: nil, name: names, help: .of(setting, text: text), completion: setting.completion
            ) { word in
                do {
                    return try setting.kind.parse(word: word)
                } catch {
                    throw ValidationError("\(error)")
                }
            }
        case .flag(_, let help):
            return Flag<Bool>(wrappedValue: false, name: names, help: help.map { "\($0)" } ?? .of(setting))
        case .onOff:
            return Flag<Bool?>(name: names, inversion: .prefixedNo, help: .of(setting))
        }
    }

    /// Decodes the value.
    ///
    /// - Returns: The value and the name of the option that gave it; `nil` if the option was not given.
    fileprivate func decode(
        _ setting: Setting, from values: KeyedDecodingContainer<Key>
    ) throws -> (SettingValue, String)? {
        let key = Key(stringValue: long)
        switch form {
        case .value where setting.kind.isList:
            // An option that is repeated adds to its list.
            var items: [String] = []
            for value in try values.decode(Option<[SettingValue]>.self, forKey: key).wrappedValue {
                if case .list(let more) = value { items += more.filter { !items.contains($0) } }
            }
            return items.isEmpty ? nil : (.list(items), names[0])
        case .value:
            return try values.decode(Option<SettingValue?>.self, forKey: key).wrappedValue.map { ($0, names[0]) }
        case .flag(let word, _):
            guard try values.decode(Flag<Bool>.self, forKey: key).wrappedValue else { return nil }
            return (try setting.kind.parse(word), names[0])
        case .onOff:
            return try values.decode(Flag<Bool?>.self, forKey: key).wrappedValue.map { isOn in
                (.flag(isOn), names[isOn ? 0 : 1])
            }
        }
    }
}

extension SettingKind {
    /// Parses a value from the command line, where commas separate the items of a list.
    fileprivate func parse(word: String) throws -> SettingValue {
        guard isList else { return try parse(word) }
        let items = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for item in items {
            do {
                _ = try parse(item)
            } catch {
                let isName = if case .list = self { true } else { false }
                let fault =
                    item.isEmpty ? "an item is empty" : isName ? "there is no '\(item)'" : "'\(item)' is not one"
                throw ValidationError("\(fault); \(error)")
            }
        }
        return try parse(items)
    }
}

extension Setting {
    fileprivate var completion: CompletionKind? {
        switch kind {
        case .choice(let names), .list(let names): .list(names)
        case .folder: .directory
        case .file: .file()
        default: nil
        }
    }
}

extension ArgumentHelp {
    /// Returns the help of a setting, with its default.
    static func of(_ path: String) -> ArgumentHelp {
        Setting.at(path).map { .of($0) } ?? ""
    }

    fileprivate static func of(_ setting: Setting, text: String? = nil) -> ArgumentHelp {
        var text = text ?? setting.helpWithDefault
        if let values = setting.kind.listedValues, !setting.kind.isList || !values.allSatisfy(text.contains) {
            text += " (values: \(values.joined(separator: ", ")))"
        }
        let valueName = setting.options.lazy.compactMap { option -> String? in
            if case .value(let name) = option.form { name } else { nil }
        }.first
        return ArgumentHelp(text, valueName: valueName)
    }

    private init(_ text: String, valueName: String?) {
        self.init(stringLiteral: text)
        self.valueName = valueName
    }
}
