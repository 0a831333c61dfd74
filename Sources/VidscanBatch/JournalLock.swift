/// How a process waits for another one that writes to the same journal.
public enum JournalLock {
    /// Seconds that are waited in all before it is given up.
    public static let patienceSeconds = 120.0

    /// How long to wait before the next try, in seconds: longer each time, up to a quarter of a second, so that a writer
    /// of many small steps does not keep others out for good.
    ///
    /// - Parameter tries: that have failed, from 0.
    /// - Returns: `nil` when it is time to give up.
    public static func pause(afterTries tries: Int) -> Double? {
        // 1, 2, 4, … 128, 250, 250, … ms
        let growing = 8
        let waited = (pow2(min(tries, growing)) - 1) / 1000 + Double(max(0, tries - growing)) * longest
        guard waited < patienceSeconds else { return nil }
        return tries < growing ? pow2(tries) / 1000 : longest
    }

    private static let longest = 0.25

    private static func pow2(_ exponent: Int) -> Double { Double(1 << exponent) }
}
