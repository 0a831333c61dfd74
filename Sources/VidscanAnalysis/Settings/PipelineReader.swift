internal import VidscanBase
internal import VidscanMedia
internal import Yams

/// Reads settings from the nodes of a YAML text, and collects all problems.
struct PipelineReader {
    let file: String
    let filters: FilterHandling
    private(set) var summary: String?
    private(set) var settings: [PipelineFile.Entry] = []
    private(set) var problems: [PipelineProblem] = []

    init(file: String, filters: FilterHandling) {
        self.file = file
        self.filters = filters
    }

    private static let summaryKey = "description"

    mutating func read(_ root: Node) {
        if root.isEmpty { return }
        guard let mapping = root.mapping else {
            return note(root, "the file is \(root.words); allowed: sections (\(SettingsSection.names))")
        }
        // A `run.json`, the record of a run.
        if let record = mapping["pipeline"], mapping["vidscan_version"] != nil {
            guard let sections = record.mapping else {
                return note(record, "'pipeline' is \(record.words); allowed: sections (\(SettingsSection.names))")
            }
            return read(sections: sections, inOrder: false)
        }
        read(sections: mapping, inOrder: true)
    }

    // MARK: Sections

    private mutating func read(sections: Node.Mapping, inOrder: Bool) {
        var last: SettingsSection?
        for (keyNode, value) in sections {
            guard let name = keyNode.scalar?.string else {
                note(keyNode, "\(keyNode.words) is not a key; allowed: sections (\(SettingsSection.names))")
                continue
            }
            if name == Self.summaryKey {
                guard let text = value.scalar?.string else {
                    note(value, "'\(name)' is \(value.words); allowed: text")
                    continue
                }
                summary = text
                continue
            }
            guard let section = SettingsSection(rawValue: name) else {
                let names = SettingsSection.allCases.map(\.rawValue) + [Self.summaryKey]
                let near = NearestName.suggestion(for: name, among: names)
                note(keyNode, "unknown section '\(name)'; allowed: \(SettingsSection.names), \(Self.summaryKey)\(near)")
                continue
            }
            if inOrder, let last, section.position < last.position {
                note(
                    keyNode,
                    "section '\(name)' comes after '\(last.rawValue)'; allowed: the order \(SettingsSection.names)")
            }
            last = section
            read(section, value)
        }
    }

    private mutating func read(_ section: SettingsSection, _ node: Node) {
        if let whole = section.whole { return read(whole, node) }
        if node.isEmpty { return }
        guard let mapping = node.mapping else {
            return note(node, "'\(section.rawValue)' is \(node.words); allowed: keys (\(Self.names(of: section)))")
        }
        for (keyNode, value) in mapping {
            let name = keyNode.scalar?.string ?? ""
            guard let setting = section.settings.first(where: { $0.name == name }) else {
                note(keyNode, unknown(keyNode, in: section))
                continue
            }
            read(setting, value)
        }
    }

    private func unknown(_ node: Node, in section: SettingsSection) -> String {
        guard let name = node.scalar?.string else {
            return "\(node.words) is not a key; allowed: \(Self.names(of: section))"
        }
        let near =
            Setting.all.first { $0.name == name }.map { "; '\(name)' belongs to '\($0.section.rawValue)'" }
            ?? NearestName.suggestion(for: name, among: section.settings.map(\.name))
        return "unknown key '\(name)' in '\(section.rawValue)'; allowed: \(Self.names(of: section))\(near)"
    }

    private static func names(of section: SettingsSection) -> String {
        section.settings.map(\.name).joined(separator: ", ")
    }

    // MARK: Values

    private mutating func read(_ setting: Setting, _ node: Node) {
        if setting.kind == .filters { return readFilters(setting, node) }
        if node.isEmpty {
            guard setting.nullMeaning != nil else { return note(setting, node) }
            return take(setting, .absent, node)
        }
        if setting.kind.isList, let items = node.sequence { return readList(setting, items, node) }
        // A path with a zero byte would be cut there by the system.
        guard let scalar = node.scalar, !scalar.string.utf8.contains(0) else { return note(setting, node) }
        do {
            take(setting, try setting.kind.parse(scalar.string, isQuoted: scalar.style.isQuoted), node)
        } catch {
            note(setting, node, error)
        }
    }

    private mutating func readList(_ setting: Setting, _ items: Node.Sequence, _ node: Node) {
        let before = problems.count
        for item in items {
            guard let word = item.scalar?.string else {
                note(setting, item)
                continue
            }
            do {
                _ = try setting.kind.parse(word)
            } catch {
                note(setting, item, error)
            }
        }
        guard problems.count == before else { return }
        do {
            take(setting, try setting.kind.parse(items.compactMap(\.scalar?.string)), node)
        } catch {
            note(node, "'\(setting.path)' is an empty list; \(error)")
        }
    }

    mutating func take(_ setting: Setting, _ value: SettingValue, _ node: Node) {
        settings.append(PipelineFile.Entry(setting: setting, value: value, position: node.position))
    }

    // MARK: Problems

    mutating func note(_ setting: Setting, _ node: Node, _ error: SettingError? = nil) {
        note(node, "'\(setting.path)' is \(node.words); \(error ?? SettingError(allowed: setting.kind.allowed))")
    }

    mutating func note(_ node: Node, _ message: String) {
        problems.append(PipelineProblem(file: file, position: node.position, message: message))
    }
}

extension SettingsSection {
    /// The position in the order of the data flow.
    fileprivate var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
