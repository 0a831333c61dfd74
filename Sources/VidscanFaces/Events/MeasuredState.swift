/// Sums over the samples of a track before one of them.
struct MeasuredTotals: Sendable, Equatable {
    /// Samples in which the measure is known, and those of them that know it from one side of the face only.
    var samples = 0, oneSided = 0
    /// Sums of the measure, and of the seconds for which the samples stand.
    var values = 0.0, seconds = 0.0
}

struct MeasuredSample: Sendable, Equatable {
    let microseconds: Int64
    /// Among all samples of the video.
    let number: Int
    let value: Double
    let before: MeasuredTotals
    /// Whether the measure was unknown just before: at the start of an appearance, or after a gap too long to bridge.
    let followsGap: Bool
}

/// Follows a state, such as closed eyes, in a measure that some samples lack: it begins when the value rises above one
/// threshold and ends when it falls below a lower one. Bridges short gaps; a longer one ends the state at its last sample.
struct MeasuredState: Sendable {
    struct Period: Sendable, Equatable {
        let onset, peak: MeasuredSample
        /// When the state was left; if a gap ended it, the time of its last sample.
        let endMicroseconds: Int64
        let mean: Double
        /// The seconds for which the samples stand in which the measure is known.
        let measuredSeconds: Double
        /// Fraction of the samples in which the measure is known, and in which only one side of the face shows it, 0…1.
        let measuredFraction, oneSidedFraction: Double
        /// Whether a sample shows that the state was left.
        let hasOffset: Bool

        var hasOnset: Bool { !onset.followsGap }
        var seconds: Double { Double(endMicroseconds - onset.microseconds) / 1e6 }
    }

    private let entersAbove, leavesBelow: Double
    private let holdMicroseconds: Int64
    private let oneSidedMargin: Double
    /// The sample that crossed the threshold, while the state holds.
    private var entered: MeasuredSample?
    private var turning, last: MeasuredSample?
    /// The first of the highest samples since the state was entered, or may have been.
    private var peak: MeasuredSample?
    private var totals = MeasuredTotals()

    /// A change counts only if the value does not return beyond the other threshold for the time to hold.
    /// `oneSidedMargin`: how far beyond the threshold a one-sided value must be; infinite if it prevents the change.
    init(entersAbove: Double, leavesBelow: Double, holdSeconds: Double = 0, oneSidedMargin: Double = 0) {
        (self.entersAbove, self.leavesBelow, self.oneSidedMargin) = (entersAbove, leavesBelow, oneSidedMargin)
        holdMicroseconds = Int64((holdSeconds * 1e6).rounded())
    }

    /// Adds a later sample, which stands for `seconds`; those between lack the measure. Returns the period that is over now.
    mutating func update(
        _ value: Double?, isOneSided: Bool = false, at microseconds: Int64, seconds: Double, sample number: Int
    ) -> Period? {
        guard let value else { return nil }
        let followsGap = last.map { !Self.isBridged(from: $0, to: number, at: microseconds) } ?? true
        // The sample after a gap may enter the state, but not leave it.
        var ended = followsGap ? interrupt() : nil
        let sample = MeasuredSample(
            microseconds: microseconds, number: number, value: value, before: totals, followsGap: followsGap)
        last = sample
        totals.samples += 1
        totals.oneSided += isOneSided ? 1 : 0
        totals.values += value
        totals.seconds += seconds
        // While the state is left, no value exceeds that of its onset.
        if peak.map({ value > $0.value }) ?? true || (entered == nil && turning == nil) { peak = sample }
        guard let crossing = crossing(sample, margin: isOneSided ? oneSidedMargin : 0) else { return ended }
        if let onset = entered {
            entered = nil
            ended = period(
                from: onset, until: crossing.microseconds, samples: crossing.number - onset.number, crossing.before,
                hasOffset: true)
        } else {
            entered = crossing
        }
        return ended
    }

    /// Returns the sample that entered (above the threshold plus `margin`) or left the state, once that has lasted.
    private mutating func crossing(_ sample: MeasuredSample, margin: Double) -> MeasuredSample? {
        let isTurning = entered == nil ? sample.value > entersAbove + margin : sample.value < leavesBelow
        let isBack = entered == nil ? sample.value < leavesBelow || margin == .infinity : sample.value > entersAbove
        if isBack { turning = nil }
        // Between the thresholds, a change that has begun continues.
        guard isTurning || turning != nil else { return nil }
        let crossing = turning ?? sample
        turning = crossing
        guard sample.microseconds - crossing.microseconds >= holdMicroseconds else { return nil }
        turning = nil
        return crossing
    }

    /// Ends the state, if it holds, at the last sample in which the measure is known. The next sample counts as the first one after a gap.
    mutating func interrupt() -> Period? {
        defer { (entered, turning, last) = (nil, nil, nil) }
        guard let onset = entered, let last else { return nil }
        return period(
            from: onset, until: last.microseconds, samples: last.number - onset.number + 1, totals, hasOffset: false)
    }

    /// `totals` are those before the end.
    private func period(
        from onset: MeasuredSample, until end: Int64, samples: Int, _ totals: MeasuredTotals, hasOffset: Bool
    ) -> Period {
        let (count, start) = (Double(max(samples, 1)), onset.before)
        let measured = Double(totals.samples - start.samples)
        return Period(
            onset: onset, peak: peak ?? onset, endMicroseconds: end, mean: (totals.values - start.values) / measured,
            measuredSeconds: totals.seconds - start.seconds, measuredFraction: measured / count,
            oneSidedFraction: Double(totals.oneSided - start.oneSided) / count, hasOffset: hasOffset)
    }

    private static func isBridged(from last: MeasuredSample, to number: Int, at microseconds: Int64) -> Bool {
        number - last.number - 1 <= EventOptions.bridgedSamples
            || microseconds - last.microseconds <= Int64((EventOptions.bridgedSeconds * 1e6).rounded())
    }
}
