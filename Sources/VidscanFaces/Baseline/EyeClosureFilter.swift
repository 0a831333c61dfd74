/// Measures how far the eyes of one face are closed. Blinks count for eyes of any shape; a lowered gaze does not count.
///
/// A blink is a short fall of both eyes, however far they close, found by comparing the openness with that just before
/// and after: a morphological closing (Serra, "Image Analysis and Mathematical Morphology", 1982) with a window as long
/// as the longest blink. Eyes that stay low are closed only if almost nothing of them is open, and the further down
/// they look, the less, because the lids follow the gaze. Values come in order, once the longest blink has passed.
package struct EyeClosureFilter: Sendable {
    package struct Sample: Sendable {
        /// Openness as a percentage of the eye's open level; `nil` if it could not be measured.
        package var left, right: Double?
        /// Above the camera's axis, in degrees.
        package var gazePitch: Double?
        /// Whether the face is so clear that a shallow fall is not noise.
        package var isClear: Bool

        package var hasOneEye: Bool { (left == nil) != (right == nil) }

        package init(left: Double?, right: Double?, gazePitch: Double?, isClear: Bool) {
            (self.left, self.right, self.gazePitch, self.isClear) = (left, right, gazePitch, isClear)
        }

        fileprivate var mean: Double {
            guard let left, let right else { return left ?? right ?? 100 }
            return (left + right) / 2
        }
    }

    private typealias Entry = (sample: Sample, microseconds: Int64)

    private let window: Int64
    /// Samples without a gap, starting a window before the next value.
    private var entries: [Entry] = []
    private var next = 0

    package init(longestBlinkSeconds: Double) { window = Int64((longestBlinkSeconds * 1e6).rounded()) }

    /// Returns the openness, 0…100, of the earliest pending samples. `nil` stands for a sample without eyes.
    package mutating func add(_ sample: Sample?, at microseconds: Int64) -> [Double?] {
        guard let sample, sample.left != nil || sample.right != nil else { return finish() + [nil] }
        entries.append((sample, microseconds))
        return advance(to: microseconds)
    }

    /// Returns the values that no sample from this time on can change.
    package mutating func advance(to microseconds: Int64) -> [Double?] {
        let end = entries[next...].firstIndex { microseconds - $0.microseconds < window } ?? entries.count
        let values = (next..<end).map { value(at: $0) }
        next = end
        guard next < entries.count else { return values }
        // Drops samples that are too old for the next value, except one, which shows that the face was seen before.
        let start = entries[next].microseconds - window
        let old = max(entries.prefix { $0.microseconds <= start }.count - 1, 0)
        entries.removeFirst(old)
        next -= old
        return values
    }

    package mutating func finish() -> [Double?] {
        let values = (next..<entries.count).map { value(at: $0) }
        (entries, next) = ([], 0)
        return values
    }

    private func value(at index: Int) -> Double? {
        let sample = entries[index].sample
        return min(max(min(lasting(sample, at: index), falling(sample, at: index)), 0), 100)
    }

    private func lasting(_ sample: Sample, at index: Int) -> Double {
        let lowered = ramp(-(sample.gazePitch ?? 0), Self.aheadDegrees, Self.loweredDegrees)
        var shut = Self.shutAhead + (Self.shutLowered - Self.shutAhead) * lowered
        // Lids that stay low flicker.
        let now = entries[index].microseconds
        let near = entries.lazy.filter { abs($0.microseconds - now) <= window }.map(\.sample.mean)
        if near.allSatisfy({ $0 < Self.openAround }) { shut *= Self.lowFraction }
        return Self.closed * sample.mean / shut
    }

    /// Openness in percent of that just before and after; 100 or more without a short fall of both eyes.
    private func falling(_ sample: Sample, at index: Int) -> Double {
        var levels: [Double] = []
        for (eye, value) in [(\Sample.left, sample.left), (\Sample.right, sample.right)] {
            guard let value else { continue }
            let around = around(eye, index)
            guard around >= Self.openAround else { return 100 }
            levels.append(100 * value / around)
        }
        let mean = levels.reduce(0, +) / Double(max(levels.count, 1))
        let largest = levels.max() ?? 100
        // A wink is not a blink.
        return max(mean, largest - Self.difference) - (sample.isClear ? Self.clearance : 0)
    }

    /// Openness without falls shorter than the window: the lowest maximum over all windows around a sample.
    private func around(_ eye: KeyPath<Sample, Double?>, _ index: Int) -> Double {
        let now = entries[index].microseconds
        var lowest = Double.infinity
        var start = index
        while start >= 0, entries[start].microseconds > now - window {
            let end = entries[start].microseconds + window
            lowest = min(lowest, maximum(eye, entries[start...].prefix { $0.microseconds < end }))
            start -= 1
        }
        // The time before the first sample is unknown.
        return start < 0 ? min(lowest, maximum(eye, entries[...index])) : lowest
    }

    private func maximum(_ eye: KeyPath<Sample, Double?>, _ entries: ArraySlice<Entry>) -> Double {
        entries.reduce(0) { max($0, $1.sample[keyPath: eye] ?? 0) }
    }

    /// `EventOptions` decides from here on; the other limits were chosen for it.
    private static let closed = EventOptions().eyesClosedBelow
    /// Mean openness of closed eyes, for a gaze ahead and a lowered one. Of the reference's shut eyes in pictures, nine
    /// in ten are below 18; in clips, 99 in 100 below 10. A lowered gaze leaves 22 or more in 19 of 20 pictures.
    private static let shutAhead = 18.0, shutLowered = 4.0
    /// Degrees below the camera's axis at which eyes begin to count as lowered, and do so fully.
    private static let aheadDegrees = 2.0, loweredDegrees = 20.0
    /// Fraction of the above that lids must reach if they were not open just before or after.
    private static let lowFraction = 0.7
    /// Minimum openness before and after a blink.
    private static let openAround = 60.0
    /// How much less than their mean one of two blinking eyes may fall.
    private static let difference = 5.0
    /// In a clear face, eyes blink if they fall to `closed` plus this, in percent of the openness around the fall.
    private static let clearance = 30.0
}
