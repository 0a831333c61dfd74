internal import Synchronization

/// A queue between tasks that holds at most `capacity` elements: senders wait for room, receivers wait for elements.
///
/// Any number of tasks may send and receive. Elements come out in the order in which they were sent. Waiting suspends
/// the task and never blocks a thread. A cancelled task stops waiting at once.
public final class BoundedChannel<Element: Sendable>: Sendable {
    private let state: Mutex<ChannelState<Element>>

    /// Makes a channel.
    ///
    /// - Parameter capacity: The maximum number of elements, at least 1.
    public init(capacity: Int) {
        precondition(capacity > 0, "a channel without room could never pass anything on")
        state = Mutex(ChannelState(capacity: capacity))
    }

    /// Waits for room and adds `element`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or the channel is finished; `element` was not added.
    public func send(_ element: Element) async throws {
        let token = state.withLock { $0.newToken() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let action = state.withLock {
                    $0.send(element, token: token, isCancelled: Task.isCancelled, continuation: continuation)
                }
                action.run()
            }
        } onCancel: {
            state.withLock { $0.cancel(token) }.run()
        }
    }

    /// Waits for the next element.
    ///
    /// - Returns: The element, or `nil` if the channel is finished and empty.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func receive() async throws -> Element? {
        let token = state.withLock { $0.newToken() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Element?, any Error>) in
                let action = state.withLock {
                    $0.receive(token: token, isCancelled: Task.isCancelled, continuation: continuation)
                }
                action.run()
            }
        } onCancel: {
            state.withLock { $0.cancel(token) }.run()
        }
    }

    /// Closes the channel for sending. Elements that it still holds can be received. Waiting senders and receivers
    /// resume.
    public func finish() {
        state.withLock { $0.finish() }.run()
    }
}

/// The pure state of the channel. Every transition returns the continuations to resume, and the caller resumes them
/// outside the lock.
private struct ChannelState<Element: Sendable>: Sendable {
    enum Action: Sendable {
        case none
        case all([Action])
        case resumeSender(CheckedContinuation<Void, any Error>, Result<Void, any Error>)
        case resumeReceiver(CheckedContinuation<Element?, any Error>, Result<Element?, any Error>)

        func run() {
            switch self {
            case .none: break
            case .all(let actions): for action in actions { action.run() }
            case .resumeSender(let continuation, let result): continuation.resume(with: result)
            case .resumeReceiver(let continuation, let result): continuation.resume(with: result)
            }
        }
    }

    private struct Sender: Sendable {
        var token: Int
        var element: Element
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Receiver: Sendable {
        var token: Int
        var continuation: CheckedContinuation<Element?, any Error>
    }

    private let capacity: Int
    private var elements: [Element] = []
    private var senders: [Sender] = []
    private var receivers: [Receiver] = []
    private var isFinished = false
    private var lastToken = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func newToken() -> Int {
        lastToken += 1
        return lastToken
    }

    mutating func send(
        _ element: Element, token: Int, isCancelled: Bool, continuation: CheckedContinuation<Void, any Error>
    ) -> Action {
        if isCancelled || isFinished { return .resumeSender(continuation, .failure(CancellationError())) }
        if !receivers.isEmpty {
            let receiver = receivers.removeFirst()
            return .all([
                .resumeReceiver(receiver.continuation, .success(element)), .resumeSender(continuation, .success(())),
            ])
        }
        if elements.count < capacity {
            elements.append(element)
            return .resumeSender(continuation, .success(()))
        }
        senders.append(Sender(token: token, element: element, continuation: continuation))
        return .none
    }

    mutating func receive(
        token: Int, isCancelled: Bool, continuation: CheckedContinuation<Element?, any Error>
    ) -> Action {
        if isCancelled { return .resumeReceiver(continuation, .failure(CancellationError())) }
        if !elements.isEmpty {
            let element = elements.removeFirst()
            var actions: [Action] = [.resumeReceiver(continuation, .success(element))]
            if !senders.isEmpty {
                let sender = senders.removeFirst()
                elements.append(sender.element)
                actions.append(.resumeSender(sender.continuation, .success(())))
            }
            return .all(actions)
        }
        if isFinished { return .resumeReceiver(continuation, .success(nil)) }
        receivers.append(Receiver(token: token, continuation: continuation))
        return .none
    }

    mutating func cancel(_ token: Int) -> Action {
        if let index = senders.firstIndex(where: { $0.token == token }) {
            return .resumeSender(senders.remove(at: index).continuation, .failure(CancellationError()))
        }
        if let index = receivers.firstIndex(where: { $0.token == token }) {
            return .resumeReceiver(receivers.remove(at: index).continuation, .failure(CancellationError()))
        }
        return .none
    }

    mutating func finish() -> Action {
        isFinished = true
        let actions =
            senders.map { Action.resumeSender($0.continuation, .failure(CancellationError())) }
            + receivers.map { Action.resumeReceiver($0.continuation, .success(nil)) }
        senders.removeAll()
        receivers.removeAll()
        return .all(actions)
    }
}
