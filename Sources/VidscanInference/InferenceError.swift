/// A model could not be loaded or run.
public struct InferenceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed, with the model's name and the runtime's message.
    public let reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }

    /// - Parameter what: `the scores have`
    static func checkSize(_ isExpected: Bool, of what: String) throws(InferenceError) {
        if !isExpected { throw InferenceError("\(what) an unexpected size") }
    }
}
