internal import Dispatch
internal import Synchronization

/// Lets as many requests of a compiled model run at the same time as it has streams, and measures how long the others
/// wait.
///
/// OpenVINO would make them wait as well, but does not say for how long.
package final class StreamGate: Sendable {
    private let free: DispatchSemaphore
    private let waits = Mutex(StreamWaits())
    private let streams: Int
    private let opened = ContinuousClock.now

    /// - Parameter streams: The number of requests that run at the same time, at least 1.
    package init(streams: Int) {
        self.streams = streams
        free = DispatchSemaphore(value: streams)
    }

    /// Whether requests wait so long that more streams would make the run shorter.
    package var isCrowded: Bool {
        let elapsed = opened.duration(to: .now)
        return waits.withLock { $0.areLong(within: elapsed, streams: streams) }
    }

    /// Runs a request on the calling thread as soon as a stream is free. The stream is free again afterwards, also if
    /// the request fails.
    package func run<Result, Failure: Error>(_ request: () throws(Failure) -> Result) throws(Failure) -> Result {
        wait()
        defer { free.signal() }
        return try request()
    }

    private func wait() {
        guard free.wait(timeout: .now()) == .timedOut else { return }
        let begin = ContinuousClock.now
        free.wait()
        let duration = begin.duration(to: .now)
        waits.withLock { $0.add(duration) }
    }
}

/// How long the requests of a model have waited for a stream.
package struct StreamWaits: Sendable {
    private var total = Duration.zero

    package init() {}

    package mutating func add(_ duration: Duration) { total += duration }

    /// Whether the model should be loaded again with more streams.
    ///
    /// Loading takes a fifth of a second. If all workers together have waited less, it would not pay. If each of two
    /// workers per stream waits less than an eighth of its time, the memory of another stream is worth more.
    ///
    /// - Parameters:
    ///   - elapsed: The time since the model was loaded.
    ///   - streams: The number of requests that run at the same time.
    package func areLong(within elapsed: Duration, streams: Int) -> Bool {
        total >= .milliseconds(200) && total * 4 >= elapsed * streams
    }
}
