internal import Synchronization

/// A first-in, first-out queue between any number of tasks. Senders never wait: an `InFlightBudget` limits the elements
/// in the queue and in progress. Receivers wait without blocking a thread.
public final class Channel<Element: Sendable>: Sendable {
    private let state = Mutex(ChannelState<Element>())

    public init() {}

    /// Adds an element; drops it after `finish`.
    public func send(_ element: Element) { state.withLock { $0.send(element) }?.run() }

    /// Waits for the next element; `nil` if the channel is finished and empty. Throws `CancellationError`.
    public func receive() async throws -> Element? {
        let token = state.withLock { $0.newToken() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { receiver in
                state.withLock { $0.receive(token: token, isCancelled: Task.isCancelled, receiver: receiver) }?.run()
            }
        } onCancel: {
            state.withLock { $0.cancel(token) }?.run()
        }
    }

    /// Ends sending and resumes waiting receivers. Elements in the queue can still be received.
    public func finish() { for resumption in state.withLock({ $0.finish() }) { resumption.run() } }
}

/// The pure state of the channel. Transitions return the receivers, which the caller resumes outside the lock.
private struct ChannelState<Element: Sendable>: Sendable {
    typealias Receiver = CheckedContinuation<Element?, any Error>

    struct Resumption: Sendable {
        let receiver: Receiver
        let result: Result<Element?, any Error>

        func run() { receiver.resume(with: result) }
    }

    private var elements: [Element] = []
    private var receivers: [(token: Int, receiver: Receiver)] = []
    private var isFinished = false
    private var lastToken = 0

    mutating func newToken() -> Int {
        lastToken += 1
        return lastToken
    }

    mutating func send(_ element: Element) -> Resumption? {
        guard !isFinished else { return nil }
        guard receivers.isEmpty else {
            return Resumption(receiver: receivers.removeFirst().receiver, result: .success(element))
        }
        elements.append(element)
        return nil
    }

    mutating func receive(token: Int, isCancelled: Bool, receiver: Receiver) -> Resumption? {
        if isCancelled { return Resumption(receiver: receiver, result: .failure(CancellationError())) }
        if !elements.isEmpty { return Resumption(receiver: receiver, result: .success(elements.removeFirst())) }
        if isFinished { return Resumption(receiver: receiver, result: .success(nil)) }
        receivers.append((token, receiver))
        return nil
    }

    mutating func cancel(_ token: Int) -> Resumption? {
        guard let index = receivers.firstIndex(where: { $0.token == token }) else { return nil }
        return Resumption(receiver: receivers.remove(at: index).receiver, result: .failure(CancellationError()))
    }

    mutating func finish() -> [Resumption] {
        isFinished = true
        defer { receivers.removeAll() }
        return receivers.map { Resumption(receiver: $0.receiver, result: .success(nil)) }
    }
}
