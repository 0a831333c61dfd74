/// Which messages a run shows, and how.
public struct MessageOptions: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable {
        /// Errors only.
        case quiet
        case normal
        /// Details too.
        case verbose
    }

    public enum Format: String, Sendable, CaseIterable {
        case text
        /// One JSON object per line.
        case json
    }

    public var level = Level.normal
    public var format = Format.text
}
