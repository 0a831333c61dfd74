internal import VidscanBase

/// A checked chain of libavfilter's filters for the frames of a video.
///
/// The input of the chain is that of `ffmpeg -vf`: upright frames (a display matrix is applied before), in the pixel format
/// of the decoder and with its pixel aspect.
public struct FilterChain: Sendable, Hashable {
    /// The steps as the user wrote them. Each is one or more filters in FFmpeg's syntax.
    public let steps: [String]
    /// All steps in one text, as for `ffmpeg -vf`.
    public var text: String { steps.joined(separator: ",") }
    /// Whether some filter needs every frame of the video and not only the sampled ones.
    public let needsEveryFrame: Bool
    /// Names of the filters in order; empty for a chain from `unchecked`.
    public var filterNames: [String] { calls.map(\.name) }

    /// What libavfilter gets; empty for a chain from `unchecked`.
    let calls: [FilterCall]
    /// The text of every filter in order; `nil` if the chain branches.
    let parts: [String]?
    /// Number of filters that get every frame: all up to the last that needs it.
    let everyFramePrefix: Int

    /// - Parameters:
    ///   - steps: at least one.
    ///   - allowsFiles: whether filters may reach files, the network and devices.
    /// - Throws: `MediaError` with the code `filter` for an unknown filter or option, an invalid value, a filter that needs
    ///   permission, or a chain that does not lead from one video to one video.
    public init(steps: [String], allowsFiles: Bool) throws(MediaError) {
        self = try Self.permitted(steps: steps, allowsFiles: allowsFiles)
        try FilterGraph.check(calls)
    }

    /// A chain whose filters and options exist and are permitted. libavfilter has not created any of the filters, so option
    /// values are unchecked.
    ///
    /// - Throws: `MediaError` with the code `filter`.
    public static func permitted(steps: [String], allowsFiles: Bool) throws(MediaError) -> FilterChain {
        let text = steps.joined(separator: ",")
        let uses: [FilterSyntax.Use]
        do {
            uses = try FilterSyntax.parse(text)
        } catch {
            throw MediaError(.filter, "'\(printable(text))' is not a filter chain: \(error.reason)")
        }
        return FilterChain(steps, uses, try FilterPermission.calls(uses, allowsFiles: allowsFiles))
    }

    /// The chain that a finished result records. It is not checked and cannot run.
    public static func unchecked(steps: [String]) -> FilterChain {
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

    /// One filter with its options in FFmpeg's syntax, escaped as necessary.
    public static func step(_ filter: String, options: [(name: String, value: String)]) -> String {
        FilterCall(filter, options).text
    }

    /// The chain up to and including each of its filters, and the text of that filter. A chain with branches has only one
    /// prefix, the whole chain.
    public func prefixes() -> [(steps: [String], last: String)] {
        guard let parts else { return [(steps, text)] }
        return parts.indices.map { (Array(parts[...$0]), parts[$0]) }
    }

    /// Text for a message of one line.
    private static func printable(_ text: String) -> String {
        let line = Printable.line(text)
        return line.count <= 200 ? line : line.prefix(200) + "…"
    }
}
