internal import Synchronization

/// A queue between tasks. Receivers wait for elements. Senders never wait: an `InFlightBudget` limits what is in the
/// queue together with what is in work.
///
/// Any number of tasks may send and receive. Elements come out in the order in which they were sent. Waiting suspends
/// the task and never blocks a thread. A cancelled task stops waiting at once.
public final class Channel<Element: Sendable>: Sendable {
    private let state = Mutex(ChannelState<Element>())

    public init() {}

    /// Adds an element. After `finish`, it is dropped.
    public func send(_ element: Element) {
        state.withLock { $0.send(element) }?.run()
    }

    /// Waits for the next element.
    ///
    /// - Returns: The element, or `nil` if the channel is finished and empty.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func receive() async throws -> Element? {
        let token = state.withLock { $0.newToken() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Element?, any Error>) in
                state.withLock {
                    $0.receive(token: token, isCancelled: Task.isCancelled, continuation: continuation)
                }?.run()
            }
        } onCancel: {
            state.withLock { $0.cancel(token) }?.run()
        }
    }

    /// Closes the channel for sending. Elements that it still holds can be received. Waiting receivers resume.
    public func finish() {
        for resumption in state.withLock({ $0.finish() }) { resumption.run() }
    }
}

/// The pure state of the channel. Every transition returns the continuations to resume, and the caller resumes them
/// outside the lock.
private struct ChannelState<Element: Sendable>: Sendable {
    struct Resumption: Sendable {
        let continuation: CheckedContinuation<Element?, any Error>
        let result: Result<Element?, any Error>

        func run() { continuation.resume(with: result) }
    }

    private struct Receiver: Sendable {
        var token: Int
        var continuation: CheckedContinuation<Element?, any Error>
    }

    private var elements: [Element] = []
    private var receivers: [Receiver] = []
    private var isFinished = false
    private var lastToken = 0

    mutating func newToken() -> Int {
        lastToken += 1
        return lastToken
    }

    mutating func send(_ element: Element) -> Resumption? {
        guard !isFinished else { return nil }
        guard receivers.isEmpty else {
            return Resumption(continuation: receivers.removeFirst().continuation, result: .success(element))
        }
        elements.append(element)
        return nil
    }

    mutating func receive(
        token: Int, isCancelled: Bool, continuation: CheckedContinuation<Element?, any Error>
    ) -> Resumption? {
        if isCancelled { return Resumption(continuation: continuation, result: .failure(CancellationError())) }
        if !elements.isEmpty {
            return Resumption(continuation: continuation, result: .success(elements.removeFirst()))
        }
        if isFinished { return Resumption(continuation: continuation, result: .success(nil)) }
        receivers.append(Receiver(token: token, continuation: continuation))
        return nil
    }

    mutating func cancel(_ token: Int) -> Resumption? {
        guard let index = receivers.firstIndex(where: { $0.token == token }) else { return nil }
        return Resumption(
            continuation: receivers.remove(at: index).continuation, result: .failure(CancellationError()))
    }

    mutating func finish() -> [Resumption] {
        isFinished = true
        defer { receivers.removeAll() }
        return receivers.map { Resumption(continuation: $0.continuation, result: .success(nil)) }
    }
}
