/// Why a batch cannot continue, in one readable line.
public struct BatchError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The user's request cannot be met: something is missing, cannot be read, or contradicts something else.
        case input
        /// The journal, or a file next to it, cannot be read or written.
        case journal
        case diskFull
        /// A worker process cannot start.
        case worker
        case interrupted
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
