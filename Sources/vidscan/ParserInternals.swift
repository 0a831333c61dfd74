internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase

// Everything that depends on the argument parser's internals: it finds a type's options by reflection under the labels
// of the mirror's children, decodes their values as property wrappers under the same keys, and describes commands in a
// certain format. `ArgumentParserTests` fails when its version changes.

/// Reflects an option or flag for each one that the settings of a group declare, and decodes the values into overrides.
struct SettingArguments<Selection: SettingSelection>: ParsableArguments, CustomReflectable {
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
            throw ValidationError("\(given.compactMap(\.option).joined(separator: " and ")) cannot be used together.")
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

/// The argument parser's message for wrong usage on one line, and the probable intention.
struct UsageMessage {
    let original: String
    let words: ArraySlice<String>

    var text: String {
        // The parser gives each of many values a line.
        let original = original.replacing(" the following:\n  - ", with: ": ").replacing("\n  - ", with: ", ")
        // It also explains one word on several lines. The first is about the whole word.
        var line = original[..<(original.firstRange(of: "\n   or: ")?.lowerBound ?? original.endIndex)]
        if let (option, meant) = foreignOption { return "Unknown option '\(option)'; did you mean '\(meant)'?" }
        let subcommand = line.hasPrefix("Unknown option") ? BatchChecks.suggestion(for: words) : ""
        // A similar option would mislead here.
        if !subcommand.isEmpty, let end = line.firstRange(of: ". Did you mean") { line = line[..<end.lowerBound] }
        return (line.last == "." ? line.dropLast() : line) + command + subcommand + file + meaning + negative
    }

    /// Why a value that was given is missing, or empty.
    private var negative: String {
        guard original.hasPrefix("Missing value"), let word = words.first(where: { $0.starts(with: /-[\d.]/) })
        else { return "" }
        return "; \(word) is negative"
    }

    /// Options of other programs, and their equivalents.
    private static let foreignOptions = [
        "--fps": "--rate", "--framerate": "--rate", "--frame-rate": "--rate", "--sample-rate": "--rate",
        "--out": "--output", "--output-dir": "--output", "--outdir": "--output", "--overwrite": "--force",
    ]

    private var foreignOption: (option: String, meant: String)? {
        let found = Self.foreignOptions.first { original.hasPrefix("Unknown option '\($0.key)'") }
        guard let (option, meant) = found, argument(meant) != nil else { return nil }
        return (option, meant)
    }

    private func argument(_ option: some StringProtocol) -> CommandHelp.Argument? {
        guard let command = try? CommandHelp.root().descend(words).command else { return nil }
        let preset = command.subcommands?.first { $0.commandName == command.defaultSubcommand }
        return ((command.arguments ?? []) + (preset?.arguments ?? [])).first {
            $0.names?.contains { "--" + $0.name == option } == true
        }
    }

    /// What an option is for, if the parser says of its value only that it is invalid; otherwise empty.
    private var meaning: String {
        guard let option = original.wholeMatch(of: /The value .* is invalid for '(--[\w-]+) <.*>'/)?.output.1,
            let sentence = argument(option)?.abstract?.firstMatch(of: /^.*?(?=\.( |$))/)?.output.0
        else { return "" }
        return "; its help: \(sentence)"
    }

    /// The probable command, or empty.
    private var command: String {
        guard original.lowercased().contains("unexpected argument") else { return "" }
        return (try? CommandHelp.root().suggestion(for: words)) ?? ""
    }

    /// Advice about a file whose name was taken for options, or empty.
    private var file: String {
        for word in words where word.hasPrefix("-") && word.count > 1 && !word.contains("=") {
            let entry = FileSystem.entry(word)
            guard entry != nil || !word.hasPrefix("--") && word.dropFirst().contains(".") && Double(word) == nil else {
                continue
            }
            return "; if \(word) is a \(entry == .folder ? "folder" : "file"), write ./\(word)"
        }
        return ""
    }
}

/// A command as the argument parser describes it.
struct CommandHelp: Decodable {
    let commandName: String
    let shouldDisplay: Bool
    let defaultSubcommand: String?
    let subcommands: [CommandHelp]?
    let arguments: [Argument]?

    struct Argument: Decodable {
        /// `rate` or `o`
        struct Name: Decodable { let name: String }

        let names: [Name]?
        let abstract: String?
    }

    static func root() throws -> CommandHelp {
        struct Dump: Decodable { let command: CommandHelp }
        return try JSONDecoder().decode(Dump.self, from: Data(VidscanCommand._dumpHelp().utf8)).command
    }

    private var listed: [String] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }.map(\.commandName)
    }

    /// The command that the first words name, and the first word that names none.
    func descend(_ words: some Sequence<String>) -> (command: CommandHelp, unknown: String?) {
        var command = self
        for word in words {
            guard let next = command.subcommands?.first(where: { $0.commandName == word }) else {
                return (command, word)
            }
            command = next
        }
        return (command, nil)
    }

    /// `; did you mean 'analyze'?`, or empty unless an unknown subcommand resembles an existing one.
    func suggestion(for commandLine: some Sequence<String>) -> String {
        let (command, unknown) = descend(commandLine)
        guard let unknown, command.defaultSubcommand == nil, !unknown.hasPrefix("-") else { return "" }
        return NearestName.suggestion(for: unknown, among: command.listed)
    }

    /// For `metrics` after `help`, which asks about an unknown command; otherwise `nil`.
    func unknownTopic(_ words: some Sequence<String>) -> String? {
        let (command, unknown) = descend(words.filter { !$0.hasPrefix("-") })
        guard let unknown else { return nil }
        let near = NearestName.suggestion(for: unknown, among: command.listed)
        return "there is no command '\(unknown)'"
            + (near.isEmpty && !command.listed.isEmpty
                ? "; the commands are \(command.listed.joined(separator: ", "))" : near)
    }
}
