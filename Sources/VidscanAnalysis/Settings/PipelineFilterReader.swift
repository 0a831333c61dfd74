internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults
internal import Yams

/// The section `filters`: texts in FFmpeg's syntax, or names with options.
extension PipelineReader {
    /// A thousand filters. FFmpeg takes a time that grows with the square of their number.
    private static let maximumFilterBytes = 8192

    mutating func readFilters(_ setting: Setting, _ node: Node) {
        if node.isEmpty { return take(setting, .absent, node) }
        var steps: [(text: String, node: Node)] = []
        if let text = node.scalar?.string {
            steps = [(text, node)]
        } else if let items = node.sequence {
            let before = problems.count
            for item in items {
                if let step = readStep(item) { steps.append((step, item)) }
            }
            guard problems.count == before else { return }
            if steps.isEmpty { return take(setting, .absent, node) }
        } else {
            return note(setting, node)
        }
        guard steps.reduce(0, { $0 + $1.text.utf8.count }) <= Self.maximumFilterBytes else {
            return note(node, "'filters' is too long; allowed: at most \(Self.maximumFilterBytes) bytes of filters")
        }
        guard case .run(let allowsFiles) = filters else {
            return take(setting, .filters(FilterChain.unchecked(steps: steps.map(\.text))), node)
        }
        do {
            let chain = try FilterChain(steps: steps.map(\.text), allowsFiles: allowsFiles)
            take(setting, .filters(chain), node)
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
}
