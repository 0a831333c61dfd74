/// A model could not be loaded or run.
package struct InferenceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed, with the model's name and the runtime's message.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { reason }

    /// - Parameter what: `the scores have`
    static func checkSize(_ isExpected: Bool, of what: String) throws(InferenceError) {
        if !isExpected { throw InferenceError("\(what) an unexpected size") }
    }
}
