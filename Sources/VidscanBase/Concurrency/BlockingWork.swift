/// Work that reads or writes a video from beginning to end.
package enum BlockingWork {
    /// Runs it on a thread of its own, because it blocks.
    ///
    /// - Parameters:
    ///   - thread: the thread's name.
    ///   - input: what errors name, unless they name something themselves.
    ///   - work: takes the flag that is set when the task is cancelled.
    /// - Throws: `VidscanError`; with the code `interrupted` when the task was cancelled.
    package static func run<Value: Sendable>(
        thread name: String, input: String, _ work: @escaping @Sendable (CancellationFlag) throws -> Value
    ) async throws -> Value {
        let thread = ThreadExecutor(name: name)
        defer { thread.shutDown() }
        let cancellation = CancellationFlag()
        let task = Task(executorPreference: thread) { try work(cancellation) }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                cancellation.set()
                task.cancel()
            }
        } catch is CancellationError {
            throw VidscanError(.interrupted, "interrupted")
        } catch let error as VidscanError {
            guard error.code != .media(.cancelled) else { throw VidscanError(.interrupted, "interrupted") }
            throw VidscanError(
                error.code, error.reason, input: error.input ?? input, stage: error.stage,
                microseconds: error.microseconds)
        }
    }
}
