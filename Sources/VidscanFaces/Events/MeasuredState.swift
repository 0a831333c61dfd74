struct MeasuredSample: Sendable, Equatable {
    let microseconds: Int64
    /// Among all samples of the video.
    let number: Int
    let value: Double
    /// Earlier samples in which the measure is known.
    let measuredBefore: Int
    /// Of these, the samples that know it from one side of the face only.
    let oneSidedBefore: Int
    /// Whether the measure was unknown just before: at the start of an appearance, or after a gap too long to bridge.
    let followsGap: Bool
}

/// Follows a state, such as closed eyes, in a measure that some samples lack: it begins when the value rises above one
/// threshold and ends when it falls below a lower one. Bridges short gaps; a longer one ends the state at the last known
/// sample, because what happened since is unknown.
struct MeasuredState: Sendable {
    struct Period: Sendable, Equatable {
        let onset: MeasuredSample
        /// When the state was left; if a gap ended it, the time of its last sample.
        let endMicroseconds: Int64
        /// Fraction of the samples in which the measure is known, 0…1.
        let measuredFraction: Double
        /// Fraction of the samples in which only one side of the face shows it, 0…1.
        let oneSidedFraction: Double
        /// Whether a sample shows that the state was left.
        let hasOffset: Bool

        var hasOnset: Bool { !onset.followsGap }
        var isComplete: Bool { hasOnset && hasOffset }
        var seconds: Double { Double(endMicroseconds - onset.microseconds) / 1e6 }
    }

    enum Change: Sendable, Equatable {
        case began(MeasuredSample)
        case ended(Period)
    }

    private let entersAbove: Double
    private let leavesBelow: Double
    private let holdMicroseconds: Int64
    private let oneSidedMargin: Double
    /// The sample that crossed the threshold, while the state holds.
    private var entered: MeasuredSample?
    private var turning: MeasuredSample?
    private var last: MeasuredSample?
    private var measured = 0
    private var oneSided = 0

    /// A change counts only if the value does not return beyond the other threshold for the time to hold.
    /// `oneSidedMargin`: how far beyond the threshold a one-sided value must be.
    init(entersAbove: Double, leavesBelow: Double, holdSeconds: Double = 0, oneSidedMargin: Double = 0) {
        (self.entersAbove, self.leavesBelow) = (entersAbove, leavesBelow)
        holdMicroseconds = Int64((holdSeconds * 1e6).rounded())
        self.oneSidedMargin = oneSidedMargin
    }

    /// Adds a later sample; those between lack the measure. Two changes: a gap ended the state, and it begins again.
    mutating func update(
        _ value: Double?, isOneSided: Bool = false, at microseconds: Int64, sample number: Int
    ) -> [Change] {
        guard let value else { return [] }
        var changes: [Change] = []
        let followsGap = last.map { !Self.isBridged(from: $0, to: number, at: microseconds) } ?? true
        if followsGap, let period = interrupt() { changes.append(.ended(period)) }
        let sample = MeasuredSample(
            microseconds: microseconds, number: number, value: value, measuredBefore: measured,
            oneSidedBefore: oneSided, followsGap: followsGap)
        last = sample
        measured += 1
        if isOneSided { oneSided += 1 }
        guard let crossing = crossing(sample, margin: isOneSided ? oneSidedMargin : 0) else { return changes }
        if let onset = entered {
            entered = nil
            changes.append(
                .ended(
                    period(
                        from: onset, until: crossing.microseconds, samples: crossing.number - onset.number,
                        measured: crossing.measuredBefore, oneSided: crossing.oneSidedBefore, hasOffset: true)))
        } else {
            entered = crossing
            changes.append(.began(crossing))
        }
        return changes
    }

    /// Returns the sample that entered (above the threshold plus `margin`) or left the state, once that has lasted.
    private mutating func crossing(_ sample: MeasuredSample, margin: Double) -> MeasuredSample? {
        let isTurning = entered == nil ? sample.value > entersAbove + margin : sample.value < leavesBelow
        let isBack = entered == nil ? sample.value < leavesBelow : sample.value > entersAbove
        if isBack { turning = nil }
        // Between the thresholds, a change that has begun continues.
        guard isTurning || turning != nil else { return nil }
        let crossing = turning ?? sample
        turning = crossing
        guard sample.microseconds - crossing.microseconds >= holdMicroseconds else { return nil }
        turning = nil
        return crossing
    }

    /// Ends the state, if it holds, at the last sample in which the measure is known.
    mutating func interrupt() -> Period? {
        defer { (entered, turning) = (nil, nil) }
        guard let onset = entered, let last else { return nil }
        return period(
            from: onset, until: last.microseconds, samples: last.number - onset.number + 1, measured: measured,
            oneSided: oneSided, hasOffset: false)
    }

    private func period(
        from onset: MeasuredSample, until end: Int64, samples: Int, measured: Int, oneSided: Int, hasOffset: Bool
    ) -> Period {
        let count = Double(max(samples, 1))
        return Period(
            onset: onset, endMicroseconds: end, measuredFraction: Double(measured - onset.measuredBefore) / count,
            oneSidedFraction: Double(oneSided - onset.oneSidedBefore) / count, hasOffset: hasOffset)
    }

    private static func isBridged(from last: MeasuredSample, to number: Int, at microseconds: Int64) -> Bool {
        number - last.number - 1 <= EventOptions.bridgedSamples
            || microseconds - last.microseconds <= Int64((EventOptions.bridgedSeconds * 1e6).rounded())
    }
}
