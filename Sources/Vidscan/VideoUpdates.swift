public import VidscanBase
public import VidscanMedia

/// What an analysis has found, in the order of the cases.
///
/// An analysis takes two passes. While it decodes the video, it delivers samples as they are found. Then it knows the whole
/// video: it links tracks across cuts, drops faces that were only a flicker, smooths boxes and points, and delivers every
/// frame again. <doc:SamplesAndFrames> lists the differences.
public enum VideoUpdate: Sendable {
    /// The video is open. This is the first update, except after an error.
    case opened(VideoInfo)
    /// A face came into sight. `microseconds` is the time of the sample, which follows.
    case faceAppeared(id: Int, microseconds: Int64)
    /// A face has been out of sight for longer than `track.maximumGapSeconds`, or the video has ended. `microseconds` is
    /// the time at which the face was last seen.
    case faceLost(id: Int, microseconds: Int64)
    /// A sampled frame, in time order. The `id` of a face is that of `faceAppeared` and `faceLost`; it is provisional.
    case sample(VideoFrame)
    /// A sampled frame with final values, in time order, after all samples. The `id` of a face is its `face_id`.
    case frame(VideoFrame)
    /// The last update.
    case finished(VideoSummary)
}

/// The updates of an analysis, as they are found.
///
/// Memory does not grow with the length of the video: the analysis waits until the consumer takes the next update. The
/// sequence ends with `VideoUpdate.finished` or by throwing the `VidscanError` that ended the analysis. When `next()`
/// throws, all threads of the analysis have ended and its temporary files are removed; if you leave a loop early, this
/// happens soon afterwards.
public struct VideoUpdates: AsyncSequence, Sendable {
    public typealias Element = VideoUpdate
    public typealias Failure = VidscanError

    let job: AnalysisJob

    /// Starts an analysis.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: AnalysisRun(job)) }

    /// An analysis that is running. It stops when its last copy is gone.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        /// `nil` after the end.
        private var run: AnalysisRun?

        init(run: AnalysisRun) {
            self.run = run
        }

        /// The analysis, which ends some time after it was cancelled.
        package var task: Task<Void, any Error>? { run?.task }

        /// Waits for the next update.
        ///
        /// - Returns: `nil` after the last one.
        /// - Throws: `VidscanError`; its code is `interrupted` if the task was cancelled.
        public mutating func next() async throws(VidscanError) -> VideoUpdate? {
            guard let run else { return nil }
            do throws(VidscanError) {
                if let update = try await run.next() { return update }
            } catch {
                self.run = nil
                throw error
            }
            self.run = nil
            return nil
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(VidscanError) -> VideoUpdate? {
            try await next()
        }
    }
}

/// One analysis in a task of its own, from which updates are pulled.
final class AnalysisRun: Sendable {
    private let queue = UpdateQueue()
    let task: Task<Void, any Error>

    init(_ job: AnalysisJob) {
        task = Task { [queue] in try await job.run(into: queue) }
    }

    deinit {
        task.cancel()
    }

    /// - Returns: `nil` after the last update.
    /// - Throws: The error that ended the analysis, when it has cleaned up.
    func next() async throws(VidscanError) -> VideoUpdate? {
        do {
            if let update = try await queue.receive() { return update }
            try await task.value
            return nil
        } catch let error as VidscanError {
            throw error
        } catch {
            // The consumer was cancelled.
            task.cancel()
            _ = await task.result
            throw VidscanError(.interrupted, "interrupted")
        }
    }
}
