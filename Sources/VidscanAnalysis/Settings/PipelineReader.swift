internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults
internal import Yams

/// Reads settings from the nodes of a YAML text, and collects all problems.
struct PipelineReader {
    let file: String
    let filters: FilterHandling
    private(set) var summary: String?
    private(set) var settings: [ResolvedSettings.Override] = []
    private(set) var problems: [PipelineProblem] = []

    private static let summaryKey = "description"

    mutating func read(_ root: Node) {
        if root.isEmpty { return }
        // In a `run.json`, the record of a run, the sections are not in order.
        let record = root.mapping?["vidscan_version"] == nil ? nil : root.mapping?["pipeline"]
        let (node, owner) = record.map { ($0, "'pipeline'") } ?? (root, "the file")
        guard let sections = node.mapping else {
            return note(node, "\(owner) is \(node.words); allowed: sections (\(SettingsSection.names))")
        }
        let names = SettingsSection.all.map(\.name)
        var last = 0
        for (keyNode, value) in sections {
            guard let name = keyNode.scalar?.string else {
                note(keyNode, "\(keyNode.words) is not a key; allowed: sections (\(SettingsSection.names))")
                continue
            }
            if name == Self.summaryKey {
                summary = value.scalar?.string
                if summary == nil { note(value, "'\(name)' is \(value.words); allowed: text") }
                continue
            }
            guard let index = names.firstIndex(of: name) else {
                note(keyNode, unknown: "section", name, among: names + [Self.summaryKey])
                continue
            }
            if record == nil, index < last {
                note(
                    keyNode,
                    "section '\(name)' comes after '\(names[last])'; allowed: the order \(SettingsSection.names)")
            }
            last = index
            read(SettingsSection.all[index], value)
        }
    }

    private mutating func read(_ section: SettingsSection, _ node: Node) {
        if let whole = section.whole { return read(whole, node) }
        if node.isEmpty { return }
        let names = section.settings.map(\.name)
        guard let mapping = node.mapping else {
            return note(node, "'\(section.name)' is \(node.words); allowed: keys (\(names.joined(separator: ", ")))")
        }
        for (keyNode, value) in mapping {
            guard let name = keyNode.scalar?.string else {
                note(keyNode, "\(keyNode.words) is not a key; allowed: \(names.joined(separator: ", "))")
                continue
            }
            if let setting = section.settings.first(where: { $0.name == name }) {
                read(setting, value)
            } else {
                let home = Setting.all.first { $0.name == name }.map { "; '\(name)' belongs to '\($0.section)'" }
                note(keyNode, unknown: "key", name, " in '\(section.name)'", among: names, hint: home)
            }
        }
    }

    private mutating func read(_ setting: Setting, _ node: Node) {
        if setting.kind == .filters { return readFilters(setting, node) }
        if node.isEmpty {
            guard setting.nullMeaning != nil else { return note(setting, node) }
            return take(setting, .absent, node)
        }
        if setting.kind.isList, let items = node.sequence { return readList(setting, items, node) }
        // A path with a zero byte would be cut there by the system.
        guard let scalar = node.scalar, !scalar.string.utf8.contains(0) else { return note(setting, node) }
        do { take(setting, try setting.kind.parse(scalar.string, isQuoted: scalar.style.isQuoted), node) } catch {
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
            do { _ = try setting.kind.parse(word) } catch { note(setting, item, error) }
        }
        guard problems.count == before else { return }
        if items.isEmpty { return note(node, "'\(setting.path)' is an empty list; allowed: \(setting.kind.allowed)") }
        take(setting, .list(items.compactMap(\.scalar?.string)), node)
    }

    private mutating func take(_ setting: Setting, _ value: SettingValue, _ node: Node) {
        settings.append(ResolvedSettings.Override(setting: setting, value: value, origin: .file(file, node.position)))
    }

    private mutating func note(_ setting: Setting, _ node: Node, _ error: SettingsError? = nil) {
        note(node, "'\(setting.path)' is \(node.words); \(error?.description ?? "allowed: \(setting.kind.allowed)")")
    }

    private mutating func note(_ node: Node, _ message: String) {
        problems.append(PipelineProblem(file: file, position: node.position, message: message))
    }

    /// Notes a name that is not in `names`: of a `kind` of thing, in `owner`. `hint` replaces the nearest name.
    private mutating func note(
        _ node: Node, unknown kind: String, _ name: String, _ owner: String = "", among names: [String],
        allowed: String? = nil, hint: String? = nil
    ) {
        let near = hint ?? NearestName.suggestion(for: name, among: names)
        note(node, "unknown \(kind) '\(name)'\(owner); allowed: \(allowed ?? names.joined(separator: ", "))\(near)")
    }

    // MARK: The section `filters`: texts in FFmpeg's syntax, or names with options

    private mutating func readFilters(_ setting: Setting, _ node: Node) {
        if node.isEmpty { return take(setting, .absent, node) }
        var steps: [(text: String, node: Node)] = []
        if let text = node.scalar?.string {
            steps = [(text, node)]
        } else if let items = node.sequence {
            let before = problems.count
            steps = items.compactMap { item in readStep(item).map { ($0, item) } }
            guard problems.count == before else { return }
            if steps.isEmpty { return take(setting, .absent, node) }
        } else {
            return note(setting, node)
        }
        guard case .run(let allowsFiles) = filters else {
            return take(setting, .filters(FilterChain.unchecked(steps: steps.map(\.text))), node)
        }
        do {
            take(setting, .filters(try FilterChain(steps: steps.map(\.text), allowsFiles: allowsFiles)), node)
        } catch {
            // Names the step at fault if it fails by itself.
            for step in steps {
                do {
                    _ = try FilterChain(steps: [step.text], allowsFiles: allowsFiles)
                } catch let own where own.code == .filter && steps.count > 1 {
                    return note(step.node, own.message)
                } catch { break }
            }
            note(node, error.message)
        }
    }

    /// `hflip`, `eq=brightness=0.1`, or `{filter: eq, options: {brightness: 0.1}}`.
    private mutating func readStep(_ node: Node) -> String? {
        if let text = node.scalar?.string, !node.isEmpty { return text }
        guard let mapping = node.mapping else {
            note(node, "a filter is \(node.words); allowed: text in FFmpeg's syntax, or {filter: NAME, options: {…}}")
            return nil
        }
        var filter: (name: String, node: Node)?
        var options: Node?
        for (keyNode, value) in mapping {
            switch keyNode.scalar?.string {
            case "filter"?:
                guard let name = value.scalar?.string else {
                    note(value, "'filter' is \(value.words); allowed: the name of a filter")
                    return nil
                }
                filter = (name, value)
            case "options"?: options = value
            default:
                note(
                    keyNode, unknown: "key", keyNode.scalar?.string ?? "", " of a filter", among: ["filter", "options"])
                return nil
            }
        }
        guard let filter else {
            note(node, "a filter has no name; allowed: {filter: NAME, options: {…}}")
            return nil
        }
        if case .keep = filters { return filter.name }
        guard let known = FilterCatalog.named(filter.name) else {
            note(
                filter.node, unknown: "filter", filter.name, among: FilterCatalog.names,
                allowed: "those of 'vidscan filters list'")
            return nil
        }
        guard let options, !options.isEmpty else { return filter.name }
        return readOptions(options, of: known).map { FilterChain.step(filter.name, options: $0) }
    }

    private mutating func readOptions(_ node: Node, of filter: FilterDescription) -> [(name: String, value: String)]? {
        guard let mapping = node.mapping else {
            note(node, "'options' is \(node.words); allowed: options of the filter '\(filter.name)'")
            return nil
        }
        let names = filter.options.map(\.name) + (filter.supportsTimeline ? ["enable"] : [])
        var options: [(name: String, value: String)] = []
        for (keyNode, value) in mapping {
            let name = keyNode.scalar?.string ?? ""
            guard names.contains(name) else {
                note(keyNode, unknown: "option", name, " of the filter '\(filter.name)'", among: names)
                continue
            }
            guard let text = value.scalar?.string else {
                note(value, "option '\(name)' of the filter '\(filter.name)' is \(value.words); allowed: one value")
                continue
            }
            options.append((name, text))
        }
        return options.count == mapping.count ? options : nil
    }
}
