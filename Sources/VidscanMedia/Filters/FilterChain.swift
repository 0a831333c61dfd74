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

    /// Checks that filters and options exist and are permitted. libavfilter checks values when it creates the filters.
    package static func permitted(steps: [String], allowsFiles: Bool) throws(MediaError) -> FilterChain {
        let text = steps.joined(separator: ",")
        let written: [FilterCall]
        do { written = try FilterSyntax.parse(text) } catch {
            let line = Printable.line(text)
            let printable = line.count <= 200 ? line : line.prefix(200) + "…"
            throw MediaError(.filter, "'\(printable)' is not a filter chain: \(error.reason)")
        }
        return FilterChain(steps, written, try FilterPermission.named(written, allowsFiles: allowsFiles))
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
}
