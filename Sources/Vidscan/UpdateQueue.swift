internal import VidscanBase

/// Passes updates from an analysis to its consumer. The analysis waits until the consumer has taken an update before it
/// sends the next one.
final class UpdateQueue: Sendable {
    private let channel = Channel<VideoUpdate>()
    private let budget = InFlightBudget(count: 1, bytes: 1)

    /// Waits for room and sends an update. Called by one task.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func send(_ update: VideoUpdate) async throws {
        try await budget.take(bytes: 1)
        channel.send(update)
    }

    /// Waits for the next update.
    ///
    /// - Returns: `nil` after the last update.
    /// - Throws: `CancellationError` if the task is cancelled.
    func receive() async throws -> VideoUpdate? {
        guard let update = try await channel.receive() else { return nil }
        budget.giveBack(bytes: 1)
        return update
    }

    /// Ends the sequence after the updates that were sent.
    func finish() { channel.finish() }
}
