/// A model could not be loaded or run.
public struct InferenceError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable { case modelNotFound, runtime }

    public let code: Code
    /// What failed, with the model's name and the runtime's message.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    public var description: String { reason }

    /// - Parameter what: `the scores have`
    static func checkSize(_ isExpected: Bool, of what: String) throws(InferenceError) {
        if !isExpected { throw InferenceError(.runtime, "\(what) an unexpected size") }
    }
}
