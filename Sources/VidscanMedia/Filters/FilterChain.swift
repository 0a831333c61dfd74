internal import VidscanBase

/// A checked chain of libavfilter's filters. Its input is that of `ffmpeg -vf`: upright frames (the display matrix is already
/// applied) in the decoder's pixel format and pixel aspect.
public struct FilterChain: Sendable, Hashable {
    /// As the user wrote them: one or more filters each, in FFmpeg's syntax.
    package let steps: [String]
    package var text: String { steps.joined(separator: ",") }
    package var needsEveryFrame: Bool { everyFramePrefix > 0 }

    /// Empty for a chain from `unchecked`.
    let calls: [FilterCall]
    /// The text of every filter; `nil` if the chain branches.
    let parts: [String]?
    /// Number of filters up to the last that needs every frame.
    let everyFramePrefix: Int

    /// There must be at least one step. `allowsFiles` lets filters reach files, the network and devices.
    package init(steps: [String], allowsFiles: Bool) throws(MediaError) {
        self = try Self.permitted(steps: steps, allowsFiles: allowsFiles)
        try FilterGraph.check(calls)
    }

    /// Checks that filters and options exist, and are permitted, because creating a filter runs its code. libavfilter
    /// checks values when it creates the filters.
    package static func permitted(steps: [String], allowsFiles: Bool) throws(MediaError) -> FilterChain {
        let text = steps.joined(separator: ",")
        let written: [FilterCall]
        do { written = try FilterSyntax.parse(text) } catch {
            let line = Printable.line(text)
            let printable = line.count <= 200 ? line : line.prefix(200) + "…"
            throw MediaError(.filter, "'\(printable)' is not a filter chain: \(error.reason)")
        }
        try MediaVersions.loadFilters()
        let calls = try written.map { call throws(MediaError) in try named(call, allowsFiles: allowsFiles) }
        guard allowsFiles || FilterCall.isConnected(calls) else {
            throw refusal("a part of the filter chain is not connected to the rest")
        }
        return FilterChain(steps, written, calls)
    }

    /// The chain that a finished result records, unchecked. It cannot run.
    package static func unchecked(steps: [String]) -> FilterChain {
        FilterChain(steps, (try? FilterSyntax.parse(steps.joined(separator: ","))) ?? [], [])
    }

    private init(_ steps: [String], _ written: [FilterCall], _ calls: [FilterCall]) {
        (self.steps, self.calls) = (steps, calls)
        let isLinear = !written.isEmpty && written.allSatisfy(\.isLinear)
        parts = isLinear ? written.map(\.written) : nil
        let needing = written.lastIndex { !FilterTraits.isStateless($0.name, values: $0.arguments.map(\.value)) }
        everyFramePrefix = isLinear ? (needing.map { $0 + 1 } ?? 0) : written.count
    }

    /// Escapes as necessary.
    package static func step(_ filter: String, options: [(name: String, value: String)]) -> String {
        FilterCall(filter, options).text
    }

    /// The chain up to each of its filters, and that filter's text. A chain with branches has only itself as a prefix.
    package func prefixes() -> [(steps: [String], last: String)] {
        guard let parts else { return [(steps, text)] }
        return parts.indices.map { (Array(parts[...$0]), parts[$0]) }
    }

    /// Gives every option its name.
    private static func named(_ call: FilterCall, allowsFiles: Bool) throws(MediaError) -> FilterCall {
        guard let filter = FilterCatalog.installed(call.name) else {
            let near = NearestName.suggestion(for: call.name, among: FilterCatalog.names)
            throw MediaError(.filter, "unknown filter '\(call.name)'\(near)", remedy: .listFilters)
        }
        if !allowsFiles, let reach = filter.reach { throw refusal("filter '\(call.name)' \(reach)") }
        let (takesText, positional) = (filter.takesText, filter.positionalOptions)
        var call = call
        for (position, argument) in call.arguments.enumerated() {
            guard let name = argument.name ?? positional.dropFirst(position).first else {
                throw MediaError(.filter, "filter '\(call.name)' takes at most \(positional.count) options")
            }
            guard let takesText = takesText[name] else {
                let near = NearestName.suggestion(for: name, among: takesText.keys.sorted())
                let reason = "filter '\(call.name)' has no option '\(name)'\(near)"
                throw MediaError(.filter, reason, remedy: .listOptions(filter: call.name))
            }
            if !allowsFiles, let review = filter.review {
                try permit(name, argument.value, takesText: takesText, of: review)
            }
            call.arguments[position].name = name
        }
        return call
    }

    private static func permit(
        _ option: String, _ value: String, takesText: Bool, of filter: ReviewedFilters.Filter
    ) throws(MediaError) {
        let review = filter.options[option] ?? (option == "enable" ? .expression : nil)
        guard review != .file else {
            throw refusal("filter '\(filter.name)' accesses a file through its option '\(option)'")
        }
        guard review != nil || !takesText else {
            throw refusal("filter '\(filter.name)' has an option '\(option)' that is not on the reviewed list")
        }
        // A number may be an expression.
        if let objection = (review ?? .expression).objection(to: value) {
            throw refusal("option '\(option)' of the filter '\(filter.name)' \(objection)")
        }
    }

    private static func refusal(_ reason: String) -> MediaError { MediaError(.filter, reason, remedy: .permitFilters) }
}
