/// Tells for how many seconds each sample of a video stands.
///
/// A sample stands for the time since the sample before it, at most twice the mean time between samples, so that a
/// picture that is held or a jump of the timestamps does not count as seen. At a constant rate this is the time between
/// samples. The first sample stands for the mean time.
package struct SampleClock: Sendable {
    /// The mean time between samples in seconds; 0 for a still picture.
    package let interval: Double
    private var last: Int64?

    package init(interval: Double) { self.interval = interval }

    /// Returns the seconds of the next sample.
    package mutating func seconds(at microseconds: Int64) -> Double {
        defer { last = microseconds }
        guard let last else { return interval }
        return min(max(Double(microseconds - last) / 1e6, 0), 2 * interval)
    }
}
