internal import Synchronization

/// A value that a thread of its own computes once, while its owner goes on.
package final class BackgroundValue<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)
    private let compute: @Sendable () throws(Failure) -> Value

    /// Starts to compute the value.
    ///
    /// - Parameter name: The name of the thread.
    package init(thread name: String, _ compute: @escaping @Sendable () throws(Failure) -> Value) {
        self.compute = compute
        // Without a thread, whoever needs the value first computes it.
        try? SystemThread.start(name: name) { _ = self.known() }
    }

    /// Returns the value. Waits if it is being computed.
    ///
    /// - Throws: The error of the computation, each time.
    package func get() throws(Failure) -> Value { try known().get() }

    private func known() -> Result<Value, Failure> {
        result.withLock { result in
            if let result { return result }
            let new = Result { () throws(Failure) in try compute() }
            result = new
            return new
        }
    }
}
