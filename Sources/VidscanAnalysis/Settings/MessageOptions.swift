/// Which messages a run shows, and in which format.
public struct MessageOptions: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable {
        /// Errors only.
        case quiet
        case normal
        /// Details in addition to the normal messages.
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
