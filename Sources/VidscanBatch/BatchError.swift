/// Why a batch cannot go on, in one readable line.
public struct BatchError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// What was asked for is not there, cannot be read, or does not go together.
        case input
        /// The journal cannot be read or written.
        case journal
        /// Nothing more can be written: the disk is full.
        case diskFull
        /// A worker process cannot be started.
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
