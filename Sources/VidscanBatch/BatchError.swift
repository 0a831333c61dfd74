internal import VidscanBase

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

extension BatchError {
    /// Makes the error for a file of the batch that cannot be written.
    init(_ error: VidscanError) {
        let code: Code =
            switch error.code {
            case .exists: .input
            case .diskFull: .diskFull
            default: .journal
            }
        self.init(code, error.reason)
    }

    /// - Parameter name: What cannot be written.
    init(writing name: String, _ error: SystemError) {
        self.init(error.isFullDisk ? .diskFull : .journal, "cannot write \(name): \(error)")
    }
}
