/// Measures how far the eyes of one face are closed, so that blinks count whatever the shape of the eyes, and a lowered gaze
/// does not.
///
/// There are two kinds of evidence. A blink is a short fall of both eyes, however far each of them closes: the openness is
/// compared with that just before and after, which is the morphological closing of the signal (Serra, "Image Analysis and
/// Mathematical Morphology", 1982) with a window as long as the longest blink. Eyes that stay low are another matter, because
/// the lids follow the gaze down: they are closed only if almost nothing of them is open, and the further down they look, the
/// less.
///
/// A value can only be known when the longest blink after it has passed. Values are therefore returned later than they are
/// added, in the same order.
public struct EyeClosureFilter: Sendable {
    /// The eyes in one sample.
    public struct Sample: Sendable {
        /// The openness of each eye as a percentage of its open level; `nil` where it could not be measured.
        public var left: Double?
        public var right: Double?
        /// The gaze above the camera's axis, in degrees.
        public var gazePitch: Double?
        /// Whether the face is seen so well that a shallow fall is no noise.
        public var isClear: Bool

        /// Whether only one eye could be measured.
        public var hasOneEye: Bool { (left == nil) != (right == nil) }

        public init(left: Double?, right: Double?, gazePitch: Double?, isClear: Bool) {
            self.left = left
            self.right = right
            self.gazePitch = gazePitch
            self.isClear = isClear
        }

        /// The mean of the eyes that could be measured.
        fileprivate var mean: Double {
            guard let left, let right else { return left ?? right ?? 100 }
            return (left + right) / 2
        }
    }

    private struct Entry {
        let sample: Sample
        let microseconds: Int64
    }

    private let window: Int64
    /// The samples without a gap from the window before the next value on.
    private var entries: [Entry] = []
    /// The index in `entries` of the next value.
    private var next = 0

    /// - Parameter longestBlinkSeconds: The maximum duration of a blink.
    public init(longestBlinkSeconds: Double) {
        window = Int64((longestBlinkSeconds * 1e6).rounded())
    }

    /// Adds the next sample; `nil` if no eye could be measured.
    ///
    /// - Returns: The openness in the sense of `EventOptions`, 0…100, of the earliest samples that had none yet. It is `nil`
    ///   for a sample without eyes.
    public mutating func add(_ sample: Sample?, at microseconds: Int64) -> [Double?] {
        guard let sample, sample.left != nil || sample.right != nil else { return finish() + [nil] }
        entries.append(Entry(sample: sample, microseconds: microseconds))
        var values: [Double?] = []
        while microseconds - entries[next].microseconds >= window {
            values.append(value(at: next))
            next += 1
        }
        forget()
        return values
    }

    /// Returns the values of the samples that have none yet.
    public mutating func finish() -> [Double?] {
        let values = (next..<entries.count).map { value(at: $0) }
        entries = []
        next = 0
        return values
    }

    /// Forgets what is too old for the next value, but for one sample, which shows that there was something before.
    private mutating func forget() {
        guard next < entries.count else { return }
        let start = entries[next].microseconds - window
        let old = entries.prefix { $0.microseconds <= start }.count - 1
        guard old > 0 else { return }
        entries.removeFirst(old)
        next -= old
    }

    private func value(at index: Int) -> Double? {
        let sample = entries[index].sample
        return min(lasting(sample, at: index), falling(sample, at: index), 100)
    }

    /// Returns the openness if the eyes stay as they are.
    private func lasting(_ sample: Sample, at index: Int) -> Double {
        let lowered = ramp(-(sample.gazePitch ?? 0), Self.aheadDegrees, Self.loweredDegrees)
        var shut = Self.shutAhead + (Self.shutLowered - Self.shutAhead) * lowered
        // Lids that have been low for long flicker.
        let now = entries[index].microseconds
        let near = entries.lazy.filter { abs($0.microseconds - now) <= window }.map(\.sample.mean)
        if near.allSatisfy({ $0 < Self.openAround }) { shut *= Self.lowShare }
        return Self.closed * sample.mean / shut
    }

    /// Returns the openness relative to that just before and after; 100 or more if there is no short fall of both eyes.
    private func falling(_ sample: Sample, at index: Int) -> Double {
        var shares: [Double] = []
        for (eye, value) in [(\Sample.left, sample.left), (\Sample.right, sample.right)] {
            guard let value else { continue }
            let around = around(eye, index)
            // A blink begins and ends with open eyes.
            guard around >= Self.openAround else { return 100 }
            shares.append(100 * value / around)
        }
        let mean = shares.reduce(0, +) / Double(max(shares.count, 1))
        let largest = shares.max() ?? 100
        // Both eyes must fall: a wink is no blink.
        let depth = max(mean, largest - Self.difference)
        return depth - (sample.isClear ? Self.clearance : 0)
    }

    /// Returns the openness that an eye has without the falls that are shorter than the window: the lowest of the maxima over
    /// all windows that contain a sample.
    private func around(_ eye: KeyPath<Sample, Double?>, _ index: Int) -> Double {
        let now = entries[index].microseconds
        var lowest = Double.infinity
        var start = index
        while start >= 0, entries[start].microseconds > now - window {
            let end = entries[start].microseconds + window
            lowest = min(lowest, maximum(eye, entries[start...].prefix { $0.microseconds < end }))
            start -= 1
        }
        // Nothing is known of what was before the first sample.
        return start < 0 ? min(lowest, maximum(eye, entries[...index])) : lowest
    }

    private func maximum(_ eye: KeyPath<Sample, Double?>, _ entries: ArraySlice<Entry>) -> Double {
        entries.reduce(0) { max($0, $1.sample[keyPath: eye] ?? 0) }
    }

    /// The value at which eyes are closed by default.
    private static let closed = EventOptions().eyesClosedBelow
    /// The mean openness of closed eyes, of a gaze ahead and of a lowered one. Of the reference's shut eyes in pictures, nine
    /// in ten are below 18; in clips, 99 in 100 are below 10. A lowered gaze leaves 22 or more in 19 of 20 pictures.
    private static let shutAhead = 18.0
    private static let shutLowered = 4.0
    /// The gaze below the camera's axis, in degrees, from which eyes count as lowered, and that at which they are fully.
    private static let aheadDegrees = 2.0
    private static let loweredDegrees = 20.0
    /// The share of the above that lids must reach if they were not open just before or after.
    private static let lowShare = 0.7
    /// The openness before and after a blink.
    private static let openAround = 60.0
    /// How much less than their mean one of two blinking eyes may fall.
    private static let difference = 5.0
    /// In a face that is seen well, eyes blink that fall to `closed` and this, in percent of what is around.
    private static let clearance = 30.0
}
