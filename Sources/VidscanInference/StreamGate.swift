internal import Dispatch
internal import Glibc
internal import Synchronization

/// Lets as many requests of a compiled model run at the same time as it has streams, and measures how long the others
/// wait.
///
/// OpenVINO would make them wait as well, but does not say for how long.
package final class StreamGate: Sendable {
    private let free: DispatchSemaphore
    private let use = Mutex(StreamUse())
    private let opened = StreamGate.time(CLOCK_PROCESS_CPUTIME_ID)

    /// - Parameter streams: The number of requests that run at the same time, at least 1.
    package init(streams: Int) {
        free = DispatchSemaphore(value: streams)
    }

    /// Whether requests wait so long that more streams would make the run shorter.
    package var isCrowded: Bool {
        let elapsed = Self.time(CLOCK_PROCESS_CPUTIME_ID) - opened
        return use.withLock { $0.isCrowded(within: elapsed) }
    }

    /// Runs a request on the calling thread as soon as a stream is free. The stream is free again afterwards, also if
    /// the request fails.
    package func run<Result, Failure: Error>(_ request: () throws(Failure) -> Result) throws(Failure) -> Result {
        let waits = free.wait(timeout: .now()) == .timedOut
        if waits { free.wait() }
        let begin = Self.time(CLOCK_THREAD_CPUTIME_ID)
        defer {
            free.signal()
            let duration = Self.time(CLOCK_THREAD_CPUTIME_ID) - begin
            use.withLock { $0.add(duration, waited: waits) }
        }
        return try request()
    }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// How much of a model's requests had to wait. All durations are CPU time, on which other programs have little
/// influence.
package struct StreamUse: Sendable {
    private var requests = 0
    private var waits = 0
    private var total = Duration.zero
    private var wasCrowded = false

    package init() {}

    /// Adds a request.
    ///
    /// - Parameters:
    ///   - duration: Of the request, without its wait.
    ///   - waited: Whether it had to wait for a stream.
    package mutating func add(_ duration: Duration, waited: Bool) {
        requests += 1
        waits += waited ? 1 : 0
        total += duration
    }

    /// Whether the model should be loaded again with more streams.
    ///
    /// A request that waits comes in the middle of another one, on average. Loading takes a fifth of a second, so a
    /// shorter wait of all requests together is no reason; and if they wait for less than a sixth of the time of all
    /// threads, the memory of another stream is worth more.
    ///
    /// - Parameter elapsed: The CPU time of the process since the model was loaded.
    /// - Returns: `true` forever once the answer is yes, so that all workers leave the model and its memory is given back.
    package mutating func isCrowded(within elapsed: Duration) -> Bool {
        guard !wasCrowded, requests > 0 else { return wasCrowded }
        let waiting = total * waits / (2 * requests)
        wasCrowded = waiting >= .milliseconds(200) && waiting * 6 >= elapsed
        return wasCrowded
    }
}
