internal import VidscanBase

/// Filters of libavfilter that a picture goes through before faces are looked for, checked but not built yet.
///
/// The chain sees what `ffmpeg -vf` sees: upright pictures (a display matrix is applied first), in the pixel format of the
/// decoder and with its pixel aspect.
public struct FilterChain: Sendable, Hashable {
    /// As given: each one filter or several, in FFmpeg's own syntax.
    public let steps: [String]
    /// All steps as one, as `ffmpeg -vf` takes them.
    public var text: String { steps.joined(separator: ",") }
    /// Whether some filter must be given every frame of the video, and not only those that are sampled.
    public let needsEveryFrame: Bool
    /// Of its filters, in order; empty for a chain that was only read back.
    public var filterNames: [String] { calls.map(\.name) }

    /// What libavfilter is given; empty for a chain that was only read back.
    let calls: [FilterCall]
    /// Every filter of a chain without branches as written, in order; `nil` where there are branches.
    let parts: [String]?
    /// How many filters must be given every frame: up to the last that needs it.
    let everyFramePrefix: Int

    /// - Parameters:
    ///   - steps: at least one.
    ///   - allowsFiles: whether the command line of this run permits filters to reach files, the network or devices.
    /// - Throws: `MediaError` with the code `filter`: no such filter or option, a value that it does not take, a filter that
    ///   reaches further than allowed, or a chain that does not lead from one video to one video.
    public init(steps: [String], allowsFiles: Bool) throws(MediaError) {
        self = try Self.permitted(steps: steps, allowsFiles: allowsFiles)
        try FilterGraph.check(calls)
    }

    /// A chain whose filters exist, have these options and are allowed. None of them has run: libavfilter has not been
    /// given anything but their names.
    ///
    /// - Throws: `MediaError` with the code `filter`.
    public static func permitted(steps: [String], allowsFiles: Bool) throws(MediaError) -> FilterChain {
        let text = steps.joined(separator: ",")
        let uses: [FilterSyntax.Use]
        do {
            uses = try FilterSyntax.parse(text)
        } catch {
            throw MediaError(.filter, "'\(printable(text))' is no list of filters: \(error.reason)")
        }
        return FilterChain(steps, uses, try FilterGate.calls(uses, allowsFiles: allowsFiles))
    }

    /// A chain that a finished result was made with: libavfilter is given nothing of it, and it cannot run.
    public static func readBack(steps: [String]) -> FilterChain {
        FilterChain(steps, (try? FilterSyntax.parse(steps.joined(separator: ","))) ?? [], [])
    }

    private init(_ steps: [String], _ uses: [FilterSyntax.Use], _ calls: [FilterCall]) {
        self.steps = steps
        self.calls = calls
        let isLinear = !uses.isEmpty && uses.allSatisfy { $0.inputs.isEmpty && $0.outputs.isEmpty && !$0.startsBranch }
        parts = isLinear ? uses.map(\.text) : nil
        let needing = uses.lastIndex { !FilterTraits.isStateless($0.name, values: $0.arguments.map(\.value)) }
        everyFramePrefix = isLinear ? (needing.map { $0 + 1 } ?? 0) : uses.count
        needsEveryFrame = everyFramePrefix > 0
    }

    /// One filter with its options in FFmpeg's syntax, quoted where it must be.
    public static func step(_ filter: String, options: [(name: String, value: String)]) -> String {
        FilterCall(filter, options).text
    }

    /// The chain up to each of its filters, and that filter as written; a chain with branches only as a whole.
    public func prefixes() -> [(steps: [String], last: String)] {
        guard let parts else { return [(steps, text)] }
        return parts.indices.map { (Array(parts[...$0]), parts[$0]) }
    }

    /// For a message of one line.
    private static func printable(_ text: String) -> String {
        let line = Printable.line(text)
        return line.count <= 200 ? line : line.prefix(200) + "…"
    }
}
