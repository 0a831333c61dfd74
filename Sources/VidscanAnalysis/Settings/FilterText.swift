internal import Foundation
internal import VidscanBase
internal import VidscanMedia

package enum FilterText {
    /// Returns `nil` if there is no such filter.
    package static func describe(_ name: String, asJSON: Bool) -> String? {
        FilterCatalog.named(name).map { asJSON ? json($0) : text($0) }
    }

    /// `unknown filter 'eqq'; did you mean 'eq'?`
    package static func unknown(_ name: String) -> String {
        let near = NearestName.suggestion(for: name, among: FilterCatalog.names)
        return "unknown filter '\(name)'\(near) ('vidscan filters list' lists all filters)"
    }

    private static func text(_ filter: FilterDescription) -> String {
        let stateless =
            filter.isStateless
            ? "yes: evaluated for sampled frames only (unless an option counts frames)" : "no: runs on every frame"
        let facts: [(String, String)] = [
            ("category", filter.category.rawValue),
            ("inputs", pads(filter.inputs, more: filter.hasMoreInputs)),
            ("outputs", pads(filter.outputs, more: filter.hasMoreOutputs)),
            ("stateless", stateless),
            ("sliceable", filter.isSliceable ? "yes: parts of a frame are processed in parallel" : "no"),
            ("timeline", filter.supportsTimeline ? "yes: the option enable switches it on and off by time" : "no"),
        ]
        var lines = ["\(filter.name): \(filter.summary)"]
        lines += facts.map { "  " + $0.0.padding(toLength: 11, withPad: " ", startingAt: 0) + $0.1 }
        if let reach = filter.reach { lines.append("  access     \(reach): needs --allow-file-filters") }
        lines.append(filter.options.isEmpty ? "no options" : "options:")
        for option in filter.options { lines += self.lines(option) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func pads(_ types: [String], more: Bool) -> String {
        let list = types + (more ? ["more, depending on the options"] : [])
        return list.isEmpty ? "none" : list.joined(separator: ", ")
    }

    private static func lines(_ option: FilterOption) -> [String] {
        if let first = option.aliasOf { return ["  \(option.name)  alias of \(first)"] }
        var head = "  \(option.name)  \(option.kind.rawValue)"
        if let range = option.range {
            let bounds = [bound(range.lowerBound), bound(range.upperBound)]
            if bounds.contains(where: { $0 != "any" }) { head += ", \(bounds[0]) to \(bounds[1])" }
        }
        if let preset = option.defaultText { head += ", default \(preset.isEmpty ? "empty" : preset)" }
        if option.reachesFiles { head += ", needs --allow-file-filters" }
        var lines = [head]
        if let help = option.help, !help.isEmpty { lines.append("      \(help)") }
        lines += option.choices.map { choice in
            let meaning = choice.meaning.flatMap { $0.isEmpty ? nil : "  \($0)" } ?? ""
            return "      - \(choice.name)\(meaning)"
        }
        return lines
    }

    private static func bound(_ value: Double) -> String {
        (-2_147_483_647..<2_147_483_647).contains(value) ? NumberText.plain(value) : "any"
    }

    private static func json(_ filter: FilterDescription) -> String {
        JSONValue.object([
            "name": .text(filter.name), "summary": .text(filter.summary), "category": .text(filter.category.rawValue),
            "inputs": .list(filter.inputs.map(JSONValue.text)), "more_inputs": .flag(filter.hasMoreInputs),
            "outputs": .list(filter.outputs.map(JSONValue.text)), "more_outputs": .flag(filter.hasMoreOutputs),
            "stateless": .flag(filter.isStateless), "sliceable": .flag(filter.isSliceable),
            "timeline": .flag(filter.supportsTimeline), "reach": filter.reach.map(JSONValue.text) ?? .null,
            "options": .list(filter.options.map(json)),
        ]).lines
    }

    private static func json(_ option: FilterOption) -> JSONValue {
        .object([
            "name": .text(option.name), "type": .text(option.kind.rawValue),
            "meaning": option.help.map(JSONValue.text) ?? .null,
            "default": option.defaultText.map(JSONValue.text) ?? .null,
            "minimum": option.range.map { .number($0.lowerBound) } ?? .null,
            "maximum": option.range.map { .number($0.upperBound) } ?? .null,
            "alias_of": option.aliasOf.map(JSONValue.text) ?? .null, "reaches_files": .flag(option.reachesFiles),
            "values": .list(
                option.choices.map {
                    .object([
                        "name": .text($0.name), "meaning": $0.meaning.map(JSONValue.text) ?? .null,
                        "value": .integer(Int($0.value)),
                    ])
                }),
        ])
    }
}
