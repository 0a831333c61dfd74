public import VidscanBase

/// The findings of an analysis, in the order of the cases.
///
/// The first pass delivers samples while it decodes the video. The second knows the whole video: it links tracks across
/// cuts, drops flickering faces, smooths boxes and points, and delivers every frame again. <doc:SamplesAndFrames> lists
/// the differences.
public enum VideoUpdate: Sendable {
    /// The first update, except after an error.
    case opened(VideoInfo)
    /// A face came into sight; the sample at this time follows.
    case faceAppeared(id: Int, microseconds: Int64)
    /// A face has been out of sight for longer than `track.maximumGapSeconds`, or the video has ended. `microseconds`
    /// is when it was last seen.
    case faceLost(id: Int, microseconds: Int64)
    /// A sampled frame, in time order. Faces have the provisional `id` of `faceAppeared` and `faceLost`.
    case sample(VideoFrame)
    /// A sampled frame with final values, in time order, after all samples. Faces have their `face_id`.
    case frame(VideoFrame)
    /// The last update.
    case finished(VideoSummary)
}

/// The updates of an analysis, as they are found.
///
/// Memory does not grow with the video's length, because the analysis waits for the consumer. The sequence ends with
/// `VideoUpdate.finished`, or by throwing the `VidscanError` that ended the analysis. By then its temporary files, which
/// contain pictures of faces, are gone. After you leave a loop early, they are soon, unless the program ends before.
public struct VideoUpdates: AsyncSequence, Sendable {
    public typealias Element = VideoUpdate
    public typealias Failure = VidscanError

    let analyze: @Sendable (UpdateQueue) async throws -> Void

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: AnalysisRun(analyze)) }

    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        public typealias Failure = VidscanError

        /// `nil` after the end.
        fileprivate var run: AnalysisRun?

        package var task: Task<Void, any Error>? { run?.task }

        /// Waits for the next update; `nil` after the last one. Throws the code `interrupted` if the task is cancelled.
        public mutating func next() async throws(VidscanError) -> VideoUpdate? {
            guard let run else { return nil }
            self.run = nil
            do {
                guard let update = try await run.queue.receive() else {
                    try await run.task.value
                    return nil
                }
                self.run = run
                return update
            } catch let error as VidscanError {
                throw error
            } catch {
                // The consumer was cancelled.
                run.task.cancel()
                _ = await run.task.result
                throw VidscanError(.interrupted, "interrupted")
            }
        }
    }
}

/// An analysis in its own task, from which updates are pulled.
final class AnalysisRun: Sendable {
    let queue = UpdateQueue()
    let task: Task<Void, any Error>

    init(_ analyze: @escaping @Sendable (UpdateQueue) async throws -> Void) {
        task = Task { [queue] in try await analyze(queue) }
    }

    deinit { task.cancel() }
}

/// Passes on updates. The analysis waits until the consumer has taken one before it sends the next.
final class UpdateQueue: Sendable {
    private let channel = Channel<VideoUpdate>()
    private let budget = InFlightBudget(count: 1, bytes: 1)

    /// Waits for room. One task calls this.
    func send(_ update: VideoUpdate) async throws {
        try await budget.take(bytes: 1)
        channel.send(update)
    }

    /// `nil` after the last update.
    func receive() async throws -> VideoUpdate? {
        guard let update = try await channel.receive() else { return nil }
        budget.giveBack(bytes: 1)
        return update
    }

    func finish() { channel.finish() }
}
