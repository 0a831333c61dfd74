internal import Synchronization

/// Limits the items in flight between two stages, by number and by bytes.
///
/// One task takes credits, in order; any task may return them. An item larger than the whole budget passes alone, so a
/// run never stops. An item of unknown size takes its credit with 0 bytes and adds its bytes once it is complete.
package final class InFlightBudget: Sendable {
    /// `isAddition`: the bytes belong to an item that has its credit.
    private typealias Waiter = (bytes: Int, isAddition: Bool, continuation: CheckedContinuation<Void, any Error>)

    private struct State: Sendable {
        var count = 0, bytes = 0, peakBytes = 0
        var waiter: Waiter?
    }

    private let maximumCount, maximumBytes: Int
    private let state = Mutex(State())

    /// Values below 1 count as 1. A single item may exceed `bytes`.
    package init(count: Int, bytes: Int) { (maximumCount, maximumBytes) = (max(1, count), max(1, bytes)) }

    package var peakBytes: Int { state.withLock { $0.peakBytes } }

    /// Waits until the item fits. Throws `CancellationError`, taking no credit, if the task is cancelled.
    package func take(bytes: Int) async throws { try await wait(bytes: bytes, isAddition: false) }

    /// Waits until the bytes of an item with a credit fit, or it is the only one. Throws, adding nothing, if cancelled.
    package func add(bytes: Int) async throws { try await wait(bytes: bytes, isAddition: true) }

    private func wait(bytes: Int, isAddition: Bool) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result: Result<Void, any Error>? = state.withLock { state in
                    precondition(state.waiter == nil, "credits are taken by one task")
                    if Task.isCancelled { return .failure(CancellationError()) }
                    let waiter: Waiter = (bytes, isAddition, continuation)
                    if admit(waiter, to: &state) { return .success(()) }
                    state.waiter = waiter
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.continuation.resume(throwing: CancellationError())
        }
    }

    package func giveBack(bytes: Int) {
        let waiter: Waiter? = state.withLock { state in
            state.count -= 1
            state.bytes -= bytes
            guard let waiter = state.waiter, admit(waiter, to: &state) else { return nil }
            return state.waiter.take()
        }
        waiter?.continuation.resume()
    }

    /// Takes what an item needs if it fits, and returns whether it does.
    private func admit(_ waiter: Waiter, to state: inout State) -> Bool {
        let others = state.count - (waiter.isAddition ? 1 : 0)
        guard others == 0 || (others < maximumCount && state.bytes + waiter.bytes <= maximumBytes) else { return false }
        if !waiter.isAddition { state.count += 1 }
        state.bytes += waiter.bytes
        state.peakBytes = max(state.peakBytes, state.bytes)
        return true
    }
}
