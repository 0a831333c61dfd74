/// Runs work that reads or writes a video from beginning to end.
package enum BlockingWork {
    /// Runs blocking work on a dedicated thread.
    ///
    /// - Parameters:
    ///   - thread: The name of the thread.
    ///   - input: The input that an error names if it does not name one itself.
    ///   - work: The work. Its argument is a flag that is set when the task is cancelled.
    /// - Throws: `VidscanError`; with the code `interrupted` if the task was cancelled.
    package static func run<Value: Sendable>(
        thread name: String, input: String, _ work: @escaping @Sendable (CancellationFlag) async throws -> Value
    ) async throws -> Value {
        let thread = try ThreadExecutor(name: name)
        defer { thread.shutDown() }
        let cancellation = CancellationFlag()
        let task = Task(executorPreference: thread) { try await work(cancellation) }
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
