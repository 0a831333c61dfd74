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
    /// Whether the measure was unknown just before: at the start of an appearance, or for longer than `bridgedSeconds`.
    let followsGap: Bool
}

/// Follows a state, such as closed eyes, in a measure that some samples lack: it begins when the value rises above one
/// threshold and ends when it falls below a lower one. Bridges short gaps; a longer one ends the state at the last known
/// sample, because what happened since is unknown, unless the value was too low already.
struct MeasuredState: Sendable {
    struct Period: Sendable, Equatable {
        let onset, peak: MeasuredSample
        /// When the state was left; if that was not seen, the time of its last sample.
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
    /// The sample that crossed the threshold, while the state holds, and its first highest sample.
    private var entered, peak: MeasuredSample?
    /// Since when the value has been too low, while that may be an interruption.
    private var leaving: MeasuredSample?
    private var last: MeasuredSample?
    private var totals = MeasuredTotals()

    /// A shorter interruption than the time to hold does not end the state, and a shorter period does not count.
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
        let missed = last.map { number - $0.number - 1 } ?? .max
        let isBrief = last.map { microseconds - $0.microseconds <= Self.bridgedMicroseconds } ?? false
        // The sample after a gap may enter the state, but not leave it.
        var ended = missed <= EventOptions.bridgedSamples || isBrief ? nil : interrupt()
        let sample = MeasuredSample(
            microseconds: microseconds, number: number, value: value, before: totals,
            followsGap: missed > 0 && !isBrief)
        let previous = last ?? sample
        last = sample
        totals.samples += 1
        totals.oneSided += isOneSided ? 1 : 0
        totals.values += value
        totals.seconds += seconds
        let margin = isOneSided ? oneSidedMargin : 0
        if let onset = entered {
            if value < leavesBelow { leaving = leaving ?? sample }
            if let leaving, microseconds - leaving.microseconds >= holdMicroseconds {
                ended = end()
            } else if value > entersAbove {
                leaving = nil
            }
            if margin == .infinity, previous.microseconds - onset.microseconds < holdMicroseconds {
                (entered, leaving) = (nil, nil)
            }
        }
        if entered == nil {
            if value > entersAbove + margin { (entered, peak) = (sample, sample) }
        } else if let highest = peak, value > highest.value {
            peak = sample
        }
        return ended
    }

    /// Ends the state as `end` does. The next sample counts as the first one after a gap.
    mutating func interrupt() -> Period? {
        defer { last = nil }
        return end()
    }

    /// Ends the state, if it holds: where a sample shows that, or else at the last one in which the measure is known.
    private mutating func end() -> Period? {
        defer { (entered, leaving) = (nil, nil) }
        guard let onset = entered, let end = leaving ?? last,
            end.microseconds - onset.microseconds >= holdMicroseconds
        else { return nil }
        let (start, totals) = (onset.before, leaving?.before ?? totals)
        let count = Double(max(end.number - onset.number + (leaving == nil ? 1 : 0), 1))
        let measured = Double(totals.samples - start.samples)
        return Period(
            onset: onset, peak: peak ?? onset, endMicroseconds: end.microseconds,
            mean: (totals.values - start.values) / measured, measuredSeconds: totals.seconds - start.seconds,
            measuredFraction: measured / count, oneSidedFraction: Double(totals.oneSided - start.oneSided) / count,
            hasOffset: leaving != nil)
    }

    private static let bridgedMicroseconds = Int64((EventOptions.bridgedSeconds * 1e6).rounded())
}
