internal import Synchronization

/// A first-in, first-out queue between any number of tasks. Senders never wait: an `InFlightBudget` limits the elements
/// in the queue and in progress. Receivers wait without blocking a thread.
package final class Channel<Element: Sendable>: Sendable {
    private typealias Receiver = CheckedContinuation<Element?, any Error>

    /// Receivers are resumed outside the lock.
    private struct State: Sendable {
        var elements: [Element] = []
        var receivers: [(token: Int, receiver: Receiver)] = []
        var isFinished = false
        var lastToken = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Adds an element; drops it after `finish`.
    package func send(_ element: Element) {
        let receiver: Receiver? = state.withLock { state in
            if !state.receivers.isEmpty { return state.receivers.removeFirst().receiver }
            if !state.isFinished { state.elements.append(element) }
            return nil
        }
        receiver?.resume(returning: element)
    }

    /// Waits for the next element; `nil` if the channel is finished and empty. Throws `CancellationError`.
    package func receive() async throws -> Element? {
        let token = state.withLock { state in
            state.lastToken += 1
            return state.lastToken
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { receiver in
                let result: Result<Element?, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !state.elements.isEmpty { return .success(state.elements.removeFirst()) }
                    if state.isFinished { return .success(nil) }
                    state.receivers.append((token, receiver))
                    return nil
                }
                if let result { receiver.resume(with: result) }
            }
        } onCancel: {
            let receiver: Receiver? = state.withLock { state in
                let index = state.receivers.firstIndex { $0.token == token }
                return index.map { state.receivers.remove(at: $0).receiver }
            }
            receiver?.resume(throwing: CancellationError())
        }
    }

    /// Ends sending and resumes waiting receivers. Elements in the queue can still be received.
    package func finish() {
        let receivers = state.withLock { state in
            state.isFinished = true
            defer { state.receivers.removeAll() }
            return state.receivers
        }
        for waiting in receivers { waiting.receiver.resume(returning: nil) }
    }
}
