internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase

// Everything that depends on the argument parser's internals: it finds a type's options by reflection under the labels
// of the mirror's children, decodes their values as property wrappers under the same keys, and describes commands in a
// certain format. `ArgumentParserTests` fails when its version changes.

/// Reflects an option or flag for each one that the settings of a group declare, and decodes the values into overrides.
struct SettingArguments<Selection: SettingSelection>: ParsableArguments, CustomReflectable {
    /// In the order of the help.
    private(set) var overrides: [ResolvedSettings.Override] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: NamedKey.self)
        for setting in Selection.group.settings {
            for option in setting.options {
                if let (value, name) = try option.decode(setting, from: values) {
                    overrides.append(try ResolvedSettings.Override(setting.path, value, option: name))
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

    func sets(_ path: String) -> Bool { overrides.contains { $0.setting.path == path } }
}

extension SettingOption {
    fileprivate func definition(_ setting: Setting, help text: String?) -> Any {
        let names: NameSpecification = short.map { [.customLong(long), .customShort($0)] } ?? .customLong(long)
        let parse = { @Sendable (word: String) throws -> SettingValue in
            do { return try setting.kind.parse(word: word) } catch { throw ValidationError("\(error)") }
        }
        switch form {
        case .value where setting.kind.isList:
            return Option<[SettingValue]>(
                wrappedValue: [], name: names, parsing: .singleValue, help: .of(setting, text: text),
                completion: setting.completion, transform: parse)
        case .value:
            return Option<SettingValue?>(
                wrappedValue: nil, name: names, help: .of(setting, text: text), completion: setting.completion,
                transform: parse)
        case .flag(_, let help):
            return Flag<Bool>(wrappedValue: false, name: names, help: help.map { "\($0)" } ?? .of(setting, text: text))
        case .onOff: return Flag<Bool?>(name: names, inversion: .prefixedNo, help: .of(setting, text: text))
        }
    }

    /// Returns the value and the option that gave it, if any.
    fileprivate func decode(
        _ setting: Setting, from values: KeyedDecodingContainer<NamedKey>
    ) throws -> (SettingValue, String)? {
        let key = NamedKey(stringValue: long)
        switch form {
        case .value where setting.kind.isList:
            // A repeated option adds to its list.
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

extension CommandHelp {
    static func root() throws -> CommandHelp {
        struct Dump: Decodable { let command: CommandHelp }
        return try JSONDecoder().decode(Dump.self, from: Data(VidscanCommand._dumpHelp().utf8)).command
    }
}
