internal import CFFmpeg
internal import VidscanCore

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

    /// Every filter of a chain without branches, in order; `nil` where there are branches.
    let parts: [String]?
    /// How many of `parts` must be given every frame: up to the last that needs it.
    let everyFramePrefix: Int

    /// - Parameters:
    ///   - steps: at least one.
    ///   - allowsFiles: whether filters may reach files, the network or devices.
    /// - Throws: `MediaError` with the code `filter`: no such filter or option, a value that it does not take, a filter that
    ///   reaches further than allowed, or a chain that does not lead from one video to one video.
    public init(steps: [String], allowsFiles: Bool) throws(MediaError) {
        self.steps = steps
        guard let parsed = FilterSyntax.parse(steps.joined(separator: ",")) else {
            throw MediaError(.filter, "'\(steps.joined(separator: ","))' is no list of filters")
        }
        var stateless: [Bool] = []
        for use in parsed.uses {
            guard let filter = avfilter_get_by_name(use.name) else {
                let near = NearestName.suggestion(for: use.name, among: FilterCatalog.names)
                throw MediaError(
                    .filter, "unknown filter '\(use.name)'\(near); 'vidscan filters list' has them all")
            }
            let options = FilterSyntax.options(use, of: filter)
            if !allowsFiles { try Self.refuseReach(use, options: options, filter: filter) }
            stateless.append(FilterTraits.isStateless(use.name, values: options?.map(\.value) ?? [use.arguments]))
        }
        parts = parsed.isLinear ? parsed.uses.map(\.text) : nil
        everyFramePrefix = parsed.isLinear ? (stateless.lastIndex(of: false).map { $0 + 1 } ?? 0) : parsed.uses.count
        needsEveryFrame = everyFramePrefix > 0
        try FilterGraph.check(text)
    }

    private static func refuseReach(
        _ use: FilterSyntax.Use, options: [(name: String, value: String)]?, filter: UnsafePointer<AVFilter>
    ) throws(MediaError) {
        let permission = "--allow-file-filters permits it"
        if let reach = FilterTraits.reach(of: use.name) {
            throw MediaError(.filter, "filter '\(use.name)' \(reach.rawValue); \(permission)")
        }
        let known = FilterCatalog.options(of: filter)
        let places = known.filter {
            FilterTraits.namesPlace(filter: use.name, option: $0.name, help: $0.help, isText: $0.kind == .text)
        }
        guard let options else {
            // What cannot be taken apart cannot be trusted where it could name a file.
            guard !places.isEmpty else { return }
            throw MediaError(.filter, "the options of filter '\(use.name)' cannot be read: '\(use.arguments)'")
        }
        if let option = options.first(where: { option in places.contains { $0.name == option.name } }) {
            throw MediaError(
                .filter, "filter '\(use.name)' reaches a file by its option '\(option.name)'; \(permission)")
        }
    }

    /// One filter with its options in FFmpeg's syntax, quoted where it must be.
    public static func step(_ filter: String, options: [(name: String, value: String)]) -> String {
        FilterSyntax.text(name: filter, options: options)
    }

    /// The chain up to each of its filters, and that filter as written; a chain with branches only as a whole.
    public func prefixes() -> [(steps: [String], last: String)] {
        guard let parts else { return [(steps, text)] }
        return parts.indices.map { (Array(parts[...$0]), parts[$0].trimmed) }
    }
}

extension String {
    /// Without spaces at both ends.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
