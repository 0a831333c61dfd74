internal import VidscanCore
internal import VidscanMedia
internal import Yams

/// Goes through the nodes of a YAML text and takes the settings out, noting everything that is wrong.
struct PipelineReader {
    let file: String
    let filters: FilterHandling
    private(set) var summary: String?
    private(set) var settings: [PipelineFile.Setting] = []
    private(set) var problems: [PipelineProblem] = []

    init(file: String, filters: FilterHandling) {
        self.file = file
        self.filters = filters
    }

    private static let summaryKey = "description"

    mutating func read(_ root: Node) {
        if root.isEmpty { return }
        guard let mapping = root.mapping else {
            return note(root, "the file is \(root.words); allowed: stages (\(Self.stageNames))")
        }
        // The record of a run.
        if let record = mapping["pipeline"], mapping["vidscan_version"] != nil {
            guard let stages = record.mapping else {
                return note(record, "'pipeline' is \(record.words); allowed: stages (\(Self.stageNames))")
            }
            return read(stages: stages, inOrder: false)
        }
        read(stages: mapping, inOrder: true)
    }

    // MARK: Stages

    private static let stageNames = PipelineStage.allCases.map(\.rawValue).joined(separator: ", ")

    private mutating func read(stages: Node.Mapping, inOrder: Bool) {
        var last: PipelineStage?
        for (keyNode, value) in stages {
            guard let name = keyNode.scalar?.string else {
                note(keyNode, "\(keyNode.words) is no key; allowed: stages (\(Self.stageNames))")
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
            guard let stage = PipelineStage(rawValue: name) else {
                let names = PipelineStage.allCases.map(\.rawValue) + [Self.summaryKey]
                let near = NearestName.suggestion(for: name, among: names)
                note(keyNode, "unknown stage '\(name)'; allowed: \(Self.stageNames), \(Self.summaryKey)\(near)")
                continue
            }
            if inOrder, let last, stage.place < last.place {
                note(
                    keyNode,
                    "stage '\(name)' comes after '\(last.rawValue)'; allowed: the order \(Self.stageNames)")
            }
            last = stage
            read(stage, value)
        }
    }

    private mutating func read(_ stage: PipelineStage, _ node: Node) {
        if let whole = stage.keys.first(where: \.name.isEmpty) { return read(whole, node) }
        if node.isEmpty { return }
        guard let mapping = node.mapping else {
            return note(node, "'\(stage.rawValue)' is \(node.words); allowed: keys (\(Self.names(of: stage)))")
        }
        for (keyNode, value) in mapping {
            let name = keyNode.scalar?.string ?? ""
            guard let key = stage.keys.first(where: { $0.name == name }) else {
                note(keyNode, unknown(keyNode, in: stage))
                continue
            }
            read(key, value)
        }
    }

    private func unknown(_ node: Node, in stage: PipelineStage) -> String {
        guard let name = node.scalar?.string else {
            return "\(node.words) is no key; allowed: \(Self.names(of: stage))"
        }
        let near =
            PipelineKey.all.first { $0.name == name }.map { "; '\(name)' belongs to '\($0.stage.rawValue)'" }
            ?? NearestName.suggestion(for: name, among: stage.keys.map(\.name))
        return "unknown key '\(name)' in '\(stage.rawValue)'; allowed: \(Self.names(of: stage))\(near)"
    }

    private static func names(of stage: PipelineStage) -> String {
        stage.keys.map(\.name).joined(separator: ", ")
    }

    // MARK: Values

    private mutating func read(_ key: PipelineKey, _ node: Node) {
        if key.kind == .filters { return readFilters(key, node) }
        if node.isEmpty {
            guard key.absence != nil else { return noteValue(key, node) }
            return take(key, .absent, node)
        }
        if case .list = key.kind, let items = node.sequence {
            return readList(key, items, node)
        }
        guard let scalar = node.scalar, let value = key.kind.read(scalar.string, isQuoted: scalar.style.isQuoted) else {
            return noteValue(key, node)
        }
        guard key.kind.allows(value) else { return noteValue(key, node) }
        take(key, value, node)
    }

    private mutating func readList(_ key: PipelineKey, _ items: Node.Sequence, _ node: Node) {
        guard case .list(let names) = key.kind else { return }
        var chosen: [String] = []
        for item in items {
            guard let name = item.scalar?.string, names.contains(name) else {
                noteValue(key, item)
                continue
            }
            chosen.append(name)
        }
        guard chosen.count == items.count else { return }
        guard !chosen.isEmpty else { return note(node, "'\(key.path)' is an empty list; allowed: \(key.kind.allowed)") }
        take(key, .list(chosen), node)
    }

    private mutating func take(_ key: PipelineKey, _ value: SettingValue, _ node: Node) {
        settings.append(PipelineFile.Setting(key: key, value: value, position: node.position))
    }

    // MARK: Filters

    private mutating func readFilters(_ key: PipelineKey, _ node: Node) {
        if node.isEmpty { return take(key, .absent, node) }
        var steps: [(text: String, node: Node)] = []
        if let text = node.scalar?.string {
            steps = [(text, node)]
        } else if let items = node.sequence {
            let before = problems.count
            for item in items {
                if let step = readStep(item) { steps.append((step, item)) }
            }
            guard problems.count == before else { return }
            if steps.isEmpty { return take(key, .absent, node) }
        } else {
            return noteValue(key, node)
        }
        guard case .run(let allowsFiles) = filters else {
            return take(key, .filters(FilterChain.unchecked(steps: steps.map(\.text))), node)
        }
        do {
            let chain = try FilterChain(steps: steps.map(\.text), allowsFiles: allowsFiles)
            take(key, .filters(chain), node)
        } catch {
            // The step at fault, when it is at fault by itself.
            for step in steps {
                do {
                    _ = try FilterChain(steps: [step.text], allowsFiles: allowsFiles)
                } catch let own where own.code == .filter && steps.count > 1 {
                    return note(step.node, own.message)
                } catch {
                    break
                }
            }
            note(node, error.message)
        }
    }

    /// `hflip`, `eq=brightness=0.1`, or `{filter: eq, options: {brightness: 0.1}}`.
    private mutating func readStep(_ node: Node) -> String? {
        if let text = node.scalar?.string, !node.isEmpty { return text }
        guard let mapping = node.mapping else {
            note(node, "a filter is \(node.words); allowed: a text in FFmpeg's syntax, or {filter: NAME, options: {…}}")
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
                let near = NearestName.suggestion(
                    for: keyNode.scalar?.string ?? "", among: ["filter", "options"])
                note(
                    keyNode,
                    "unknown key '\(keyNode.scalar?.string ?? "")' of a filter; allowed: filter, options\(near)")
                return nil
            }
        }
        guard let filter else {
            note(node, "a filter has no name; allowed: {filter: NAME, options: {…}}")
            return nil
        }
        if case .keep = filters { return filter.name }
        guard let known = FilterCatalog.named(filter.name) else {
            let near = NearestName.suggestion(for: filter.name, among: FilterCatalog.names)
            note(filter.node, "unknown filter '\(filter.name)'; allowed: those of 'vidscan filters list'\(near)")
            return nil
        }
        guard let options, !options.isEmpty else { return filter.name }
        return readOptions(options, of: known).map { FilterChain.step(filter.name, options: $0) }
    }

    private mutating func readOptions(
        _ node: Node, of filter: FilterDescription
    ) -> [(name: String, value: String)]? {
        guard let mapping = node.mapping else {
            note(node, "'options' is \(node.words); allowed: options of the filter '\(filter.name)'")
            return nil
        }
        var options: [(name: String, value: String)] = []
        for (keyNode, value) in mapping {
            let name = keyNode.scalar?.string ?? ""
            let names = filter.options.map(\.name) + (filter.supportsTimeline ? ["enable"] : [])
            guard names.contains(name) else {
                let near = NearestName.suggestion(for: name, among: names)
                note(
                    keyNode,
                    "unknown option '\(name)' of the filter '\(filter.name)'; allowed: \(names.joined(separator: ", "))"
                        + near)
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

    // MARK: Problems

    private mutating func noteValue(_ key: PipelineKey, _ node: Node) {
        var near = ""
        switch key.kind {
        case .choice(let names), .list(let names):
            if let text = node.scalar?.string { near = NearestName.suggestion(for: text, among: names) }
        default: break
        }
        note(node, "'\(key.path)' is \(node.words); allowed: \(key.kind.allowed)\(near)")
    }

    private mutating func note(_ node: Node, _ message: String) {
        problems.append(PipelineProblem(file: file, position: node.position, message: message))
    }
}

extension PipelineStage {
    /// In the order of the data flow.
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Node {
    fileprivate var position: TextPosition {
        mark.map { TextPosition(line: $0.line, column: $0.column) } ?? .start
    }

    /// Nothing stands there, or `null`.
    fileprivate var isEmpty: Bool {
        guard let scalar, !scalar.style.isQuoted else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    fileprivate var words: String {
        switch self {
        case .mapping: return "a mapping"
        case .sequence: return "a list"
        case .alias: return "an alias"
        case .scalar(let scalar):
            if isEmpty { return "empty" }
            return scalar.style.isQuoted ? "the text \"\(scalar.string)\"" : scalar.string
        }
    }
}

extension Node.Scalar.Style {
    fileprivate var isQuoted: Bool { self != .plain && self != .any }
}
