internal import Synchronization

package enum BlockingWork {
    /// Runs blocking work on its own thread; `input` is for errors that name none. Cancelling sets the flag and throws.
    package static func run<Value: Sendable>(
        thread name: String, input: String, _ work: @escaping @Sendable (CancellationFlag) async throws -> Value
    ) async throws -> Value {
        let thread = try ThreadExecutor(name: name)
        defer { thread.shutDown() }
        let task = Task(executorPreference: thread) { try await CancellationFlag.run(work) }
        do {
            return try await withTaskCancellationHandler(operation: { try await task.value }, onCancel: task.cancel)
        } catch is CancellationError {
            throw VidscanError(.interrupted, "interrupted")
        } catch let error as VidscanError {
            guard error.code != .media(.cancelled) else { throw VidscanError(.interrupted, "interrupted") }
            throw error.naming(input)
        }
    }
}

/// A value that a thread of its own computes once.
package final class BackgroundValue<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)
    private let compute: @Sendable () throws(Failure) -> Value

    package init(thread name: String, _ compute: @escaping @Sendable () throws(Failure) -> Value) {
        self.compute = compute
        // Without a thread, the first caller of `get` computes the value.
        try? SystemThread.start(name: name) { _ = self.known() }
    }

    /// Waits for the value, and throws its error each time.
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

/// A flag that ends every blocking call of a reader. Any thread may set it; it is never reset.
package final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    package var isSet: Bool { flag.load(ordering: .relaxed) }

    package func set() { flag.store(true, ordering: .relaxed) }

    /// Does work with a flag that is set when the task is cancelled.
    package static func run<Value>(_ work: (CancellationFlag) async throws -> Value) async throws -> Value {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler(operation: { try await work(flag) }, onCancel: flag.set)
    }
}
