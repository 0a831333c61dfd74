/// How long a process waits for another one that holds the lock of the same journal.
public enum LockBackoff {
    /// Total waiting time before the process gives up.
    public static let timeoutSeconds = 120.0

    /// The delay before the next attempt, in seconds. It doubles from 1 ms up to a quarter of a second, so that a process
    /// with many short transactions does not lock others out.
    ///
    /// - Parameter attempts: how many have failed, from 0.
    /// - Returns: `nil` when the timeout has passed.
    public static func delay(afterAttempts attempts: Int) -> Double? {
        // 1, 2, 4, … 128, 250, 250, … ms
        let doublings = 8
        let waited =
            (powerOfTwo(min(attempts, doublings)) - 1) / 1000 + Double(max(0, attempts - doublings)) * maximumDelay
        guard waited < timeoutSeconds else { return nil }
        return attempts < doublings ? powerOfTwo(attempts) / 1000 : maximumDelay
    }

    private static let maximumDelay = 0.25

    private static func powerOfTwo(_ exponent: Int) -> Double { Double(1 << exponent) }
}
