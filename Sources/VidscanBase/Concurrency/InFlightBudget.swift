internal import Synchronization

/// Limits the items in flight between two stages, by number and by bytes.
///
/// One task takes credits, in order; any task may return them. An item larger than the whole budget still passes, but
/// alone: a budget slows a run down but never stops it.
///
/// An item whose size is not known when it begins takes its credit with 0 bytes and adds the bytes once it is complete.
public final class InFlightBudget: Sendable {
    private struct Waiter: Sendable {
        var bytes: Int
        /// Whether the bytes belong to an item that has its credit.
        var isAddition: Bool
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var count = 0
        var bytes = 0
        var peakBytes = 0
        var waiter: Waiter?
    }

    private let maximumCount: Int
    private let maximumBytes: Int
    private let state = Mutex(State())

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - count: The maximum number of items in flight; values below 1 count as 1.
    ///   - bytes: The maximum size of all items in flight, unless there is only one; values below 1 count as 1.
    public init(count: Int, bytes: Int) {
        maximumCount = max(1, count)
        maximumBytes = max(1, bytes)
    }

    /// The maximum number of bytes in flight at once so far.
    public var peakBytes: Int { state.withLock { $0.peakBytes } }

    /// Waits until an item of this size fits and takes its credit.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; no credit was taken.
    public func take(bytes: Int) async throws { try await wait(bytes: bytes, isAddition: false) }

    /// Waits until the bytes of an item that has taken its credit with 0 bytes fit, or until it is the only one, and adds
    /// them to the credit.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; no bytes were added.
    public func add(bytes: Int) async throws { try await wait(bytes: bytes, isAddition: true) }

    private func wait(bytes: Int, isAddition: Bool) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result: Result<Void, any Error>? = state.withLock { state in
                    precondition(state.waiter == nil, "credits are taken by one task")
                    if Task.isCancelled { return .failure(CancellationError()) }
                    let waiter = Waiter(bytes: bytes, isAddition: isAddition, continuation: continuation)
                    if fits(waiter, in: state) {
                        grant(waiter, in: &state)
                        return .success(())
                    }
                    state.waiter = waiter
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns the credit of one item.
    public func giveBack(bytes: Int) {
        let waiter: Waiter? = state.withLock { state in
            state.count -= 1
            state.bytes -= bytes
            guard let waiter = state.waiter, fits(waiter, in: state) else { return nil }
            grant(waiter, in: &state)
            state.waiter = nil
            return waiter
        }
        waiter?.continuation.resume()
    }

    private func fits(_ waiter: Waiter, in state: State) -> Bool {
        // The items in flight beside the waiting one.
        let others = state.count - (waiter.isAddition ? 1 : 0)
        return others == 0 || (others < maximumCount && state.bytes + waiter.bytes <= maximumBytes)
    }

    private func grant(_ waiter: Waiter, in state: inout State) {
        if !waiter.isAddition { state.count += 1 }
        state.bytes += waiter.bytes
        state.peakBytes = max(state.peakBytes, state.bytes)
    }
}
